import { readFileSync } from 'node:fs'
import { Engine } from 'findling'
import { analyticsOptions } from '../../../adapters/http/src/config/analytics-options.ts'
import { readConfig } from '../../../adapters/http/src/config/config.ts'
import { type Api, startApi } from '../../http/routes/api.ts'

export type Product = {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly brand: string
  readonly tag: readonly string[]
  readonly price: number
  readonly rating?: number
  readonly stock: number
  readonly color?: string
}

export interface Tag {
  readonly id: string
  readonly name: string
  readonly parentId: string | null
}

const rows = <T>(name: string): T[] =>
  readFileSync(new URL(`../../fixtures/catalogue/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

export const products = rows<Product>('products.jsonl')
export const tags = rows<Tag>('tags.jsonl')

/** Names from the root down to a tag. */
export function pathOf(id: string): string[] {
  const tag = tags.find(one => one.id === id)!
  return [...(tag.parentId === null ? [] : pathOf(tag.parentId)), tag.name]
}

export interface Shop extends Api {
  /** One that pages show. */
  readonly key: string
}

/** All over the globe, but one without a place. */
export const points = Array.from({ length: 90 }, (_, i) => ({
  id: `p${i}`,
  title: i % 2 === 0 ? 'lamp shop' : 'book shop',
  ...(i > 0 && { _geoloc: { lat: ((i * 37) % 171) - 85, lng: ((i * 67) % 359) - 179 } }),
}))

/** A server with the sample catalogue as the dataset `products`, and `places`. */
export async function openShop(): Promise<Shop> {
  const engine = await Engine.open(analyticsOptions(readConfig({ FINDLING_ANALYTICS: 'full' })))
  const api = await startApi({ engine })
  const shop = await api.engine.datasets.create('products', {
    idField: 'id',
    tagField: 'tag',
    interpretedFields: ['title', 'description', 'brand'],
  })
  await shop.tags.replaceAll(tags)
  await shop.documents.bulk(products.map(product => ({ ...product, tag: [...product.tag] })))
  const places = await api.engine.datasets.create('places', { idField: 'id', interpretedFields: ['title'] })
  await places.documents.bulk(points)
  const made = await api.send('POST', '/api/Keys', {
    body: { Name: 'page', Scopes: ['Search'], DataSets: ['products'], Public: true },
  })
  return {
    ...api,
    key: made.body.Key,
    async stop() {
      await api.stop()
      await engine.close()
    },
  }
}
