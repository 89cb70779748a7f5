import { defineDataset } from '../../src/datasets/dataset-definition.ts'
import { queryFields } from '../../src/datasets/query-fields.ts'
import type { JsonObject } from '../../src/json.ts'
import { parseQuery } from '../../src/query/parser.ts'
import { compileQuery } from '../../src/query/predicate.ts'

const text = { type: 'string' }
const number = { type: 'number' }

export const shopDefinition = defineDataset({
  interpretedFields: ['title', 'desc', 'variants.name'],
  schema: {
    type: 'object',
    properties: {
      ...{ id: text, title: text, desc: text, brand: text, sku: text, price: number },
      stock: { type: 'integer' },
      sizes: { type: 'array', items: number },
      colors: { type: 'array', items: text },
      sold: { type: 'boolean' },
      released: { type: 'date' },
      checked: { type: 'date', format: 'dd.MM.yyyy' },
      specs: { type: 'object', properties: { color: text, weight: number } },
      variants: { type: 'array', items: { type: 'object', properties: { name: text, price: number } } },
      location: { type: 'object', properties: { lat: number, lon: number } },
      shops: {
        type: 'array',
        items: {
          type: 'object',
          properties: { place: { type: 'object', properties: { lat: number, lng: number } } },
        },
      },
      extra: { type: 'any' },
    },
  },
})

/** The fields of a shop, which searches titles, descriptions and names of variants. */
export const shop = queryFields(shopDefinition.settings, shopDefinition.schema)

const open = defineDataset({ interpretedFields: ['title'] })

/** Nobody has said what else there is. */
export const openShop = queryFields(open.settings, open.schema)

/** The ids of the documents that a query string means. */
export function found(query: string, documents: readonly JsonObject[], fields = shop): string {
  const matches = compileQuery(parseQuery(query, fields), fields)
  return documents
    .filter(matches)
    .map(({ id }) => id)
    .join('')
}
