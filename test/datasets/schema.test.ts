import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import * as v3 from 'zod/v3'
import { defineDataset } from '../../src/datasets/dataset-definition.ts'
import { parseSettings } from '../../src/datasets/schema/dataset-settings.ts'
import { type FieldSchema, fieldTypes, openSchema, readSchema } from '../../src/datasets/schema/schema.ts'
import type { FindlingError } from '../../src/errors.ts'
import { schemaFromJsonSchema, schemaFromSample, schemaFromZod } from './schemas.ts'

const lenient = parseSettings({ interpretedFields: [] })
const strict = parseSettings({ validation: 'strict', interpretedFields: ['title'] })

const refusal = (field: string) =>
  expect.objectContaining({ code: 'INVALID_ARGUMENT', details: expect.objectContaining({ field }) })

/** A field schema in short: objects as objects, lists as lists of one. */
function short(field: FieldSchema | undefined): unknown {
  if (field?.items) return [short(field.items)]
  if (field?.properties)
    return Object.fromEntries(field.properties.map(([name, member]) => [name, short(member)]))
  return field?.format ? `${field.type} ${field.format}` : field?.type
}

describe('schemaFromSample', () => {
  it('follows the types of the sample', () => {
    const sample = {
      id: 1,
      title: 'x',
      price: 1.5,
      ok: true,
      made: '2016-01-01',
      none: null,
      list: ['a'],
      empty: [],
      maker: { name: 'x', parts: [{ n: 1 }, { n: 1.5, m: 'x' }, { n: 2, m: true }] },
      mixed: [1, 'a'],
    }
    const schema = schemaFromSample(sample, lenient)
    expect(schema).toMatchObject({
      source: 'sample',
      given: sample,
      tag: { shape: 'either', integer: false },
    })
    expect(short(schema.root)).toEqual({
      id: 'long',
      title: 'string',
      price: 'double',
      ok: 'boolean',
      made: 'string',
      none: 'any',
      list: ['string'],
      empty: ['any'],
      maker: { name: 'string', parts: [{ n: 'double', m: 'any' }] },
      mixed: ['any'],
    })
  })

  it('takes text holding a sample, also behind a byte order mark', () => {
    expect(schemaFromSample('\uFEFF{"id":"a"}', lenient).given).toEqual({ id: 'a' })
  })

  const shapes: [unknown, object][] = [
    ['x', { shape: 'simple', integer: false }],
    [7, { shape: 'simple', integer: true }],
    [['x', 7], { shape: 'array', integer: false }],
    [[7, 'x'], { shape: 'array', integer: true }],
  ]
  it.each(shapes)('of strict datasets sees from the tag %j its shape', (tag, shape) => {
    expect(schemaFromSample({ id: 1, title: 'x', tag }, strict).tag).toEqual(shape)
  })

  const good = { id: '1', title: 'x', tag: 'a' }
  const refusedByAll: [unknown, string][] = [
    [undefined, 'sample'],
    ['{', 'sample'],
    ['[]', 'sample'],
    [[good], 'sample'],
    [{ ...good, price: Number.NaN }, 'sample.price'],
    [{ title: 'x', tag: 'a' }, 'id'],
    [{ ...good, id: null }, 'id'],
    [{ ...good, id: ' ' }, 'id'],
    [{ ...good, id: [1] }, 'id'],
    [{ ...good, id: {} }, 'id'],
    [{ ...good, tag: {} }, 'tag'],
    [{ ...good, tag: true }, 'tag'],
    [{ ...good, title: {} }, 'title'],
    [{ ...good, title: [{}] }, 'title'],
    [{ id: 1, tag: 1 }, 'title'],
  ]
  const refusedByStrict: [unknown, string][] = [
    [{ ...good, 'a b': 1 }, 'a b'],
    [{ ...good, maker: { 'a.b': 1 } }, 'maker.a.b'],
    [{ ...good, parts: [{ ['x'.repeat(51)]: 1 }] }, `parts.${'x'.repeat(51)}`],
    [{ id: 1, title: 'x' }, 'tag'],
    ...[null, 1.5, ' ', [], [[1]], [{}], [' '], [null]].map((tag): [unknown, string] => [
      { ...good, tag },
      'tag',
    ]),
    ...[null, 1.5, true, ['x']].map((title): [unknown, string] => [{ ...good, title }, 'title']),
  ]
  it.each([...refusedByAll, ...refusedByStrict])('of strict datasets refuses %j', (sample, field) => {
    expect(() => schemaFromSample(sample, strict)).toThrow(refusal(field))
  })

  const settings = parseSettings({ interpretedFields: ['title'] })
  it.each(refusedByAll)('of lenient datasets refuses %j', (sample, field) => {
    expect(() => schemaFromSample(sample, settings)).toThrow(refusal(field))
  })
  it.each(refusedByStrict)('of lenient datasets accepts %j', sample => {
    expect(schemaFromSample(sample, settings).source).toBe('sample')
  })

  it('reports all broken rules together, in the order of the contract', () => {
    const fieldsOf = (read: () => unknown) => {
      try {
        return read()
      } catch (error) {
        return ((error as FindlingError).details.issues as { field: string }[]).map(({ field }) => field)
      }
    }
    const sample = { 'a b': 1, tag: {}, title: null }
    expect(fieldsOf(() => schemaFromSample(sample, strict))).toEqual(['a b', 'id', 'tag', 'title'])
    const json = { type: 'object', properties: { 'a b': { type: 'long' } } }
    expect(fieldsOf(() => schemaFromJsonSchema(json, strict))).toEqual(['a b', 'id', 'tag', 'title'])
  })

  it('reports the first broken kind of rule in the order of the contract', () => {
    const sample = { 'a b': 1, tag: {}, title: null }
    expect(() => schemaFromSample(sample, strict)).toThrow(refusal('a b'))
    expect(() => schemaFromSample({ tag: {}, title: null }, strict)).toThrow(refusal('id'))
    expect(() => schemaFromSample({ id: 1, tag: {}, title: null }, strict)).toThrow(refusal('tag'))
  })

  it('says of a field that is not there what it was meant for', () => {
    expect(() => schemaFromSample({}, strict)).toThrow(
      /id is missing; .* because it is the id field \(and 2 more\)$/,
    )
    expect(() => schemaFromSample({ id: 1 }, strict)).toThrow(/because it is the tag field \(and 1 more\)$/)
    expect(() => schemaFromSample({ id: 1, tag: {} }, lenient)).toThrow(/because it is the tag field$/)
  })
})

const object = (properties: Record<string, unknown>) => ({ type: 'object', properties })
const string = { type: 'string' }
const usual = { id: string, title: string, tag: string }

describe('schemaFromJsonSchema', () => {
  it('reads every type, dates with their format', () => {
    const properties = Object.fromEntries(fieldTypes.map(type => [type, { type, items: string }]))
    const { root } = schemaFromJsonSchema(
      object({ ...usual, ...properties, made: { type: 'date', format: 'dd.MM.yyyy||epoch_millis' } }),
      lenient,
    )
    expect(short(root)).toMatchObject({
      ...Object.fromEntries(fieldTypes.map(type => [type, type])),
      object: {},
      array: ['string'],
      made: 'date dd.MM.yyyy||epoch_millis',
    })
  })

  it('reads standard spellings: number, and null beside a type', () => {
    const json = object({ ...usual, price: { type: 'number' }, size: { type: ['null', 'long'] } })
    expect(short(schemaFromJsonSchema(JSON.stringify(json), lenient).root)).toMatchObject({
      price: 'double',
      size: 'long',
    })
  })

  const shapes: [unknown, object][] = [
    [string, { shape: 'simple', integer: false }],
    [{ type: 'double' }, { shape: 'simple', integer: false }],
    [{ type: 'short' }, { shape: 'simple', integer: true }],
    [
      { type: 'array', items: string },
      { shape: 'array', integer: false },
    ],
    [
      { type: 'array', items: { type: 'byte' } },
      { shape: 'array', integer: true },
    ],
  ]
  it.each(shapes)('of strict datasets sees from the tag %j its shape', (tag, shape) => {
    expect(schemaFromJsonSchema(object({ ...usual, tag }), strict).tag).toEqual(shape)
  })

  const list = (items: unknown) => ({ type: 'array', items })
  const refused: [unknown, string][] = [
    [undefined, 'schema'],
    ['', 'schema'],
    [{}, 'type'],
    [{ type: 'string' }, 'type'],
    [{ properties: usual }, 'type'],
    [object({ ...usual, a: {} }), 'properties.a.type'],
    [object({ ...usual, a: { type: 'text' } }), 'properties.a.type'],
    [object({ ...usual, a: { type: ['string', 'long'] } }), 'properties.a.type'],
    [object({ ...usual, a: { type: '__proto__' } }), 'properties.a.type'],
    [object({ ...usual, a: 'string' }), 'properties.a'],
    [object({ ...usual, a: { type: 'array' } }), 'properties.a.items'],
    [object({ ...usual, a: { type: 'object', properties: [] } }), 'properties.a.properties'],
    [object({ ...usual, a: { type: 'date', format: 'qq' } }), 'properties.a.format'],
    [object({ ...usual, a: { type: 'date', format: 3 } }), 'properties.a.format'],
    [object({ title: string, tag: string }), 'id'],
    [object({ ...usual, id: list(string) }), 'id'],
    [object({ ...usual, id: object({}) }), 'id'],
    [object({ ...usual, tag: object({}) }), 'tag'],
    [object({ ...usual, tag: { type: 'attachment' } }), 'tag'],
    [object({ ...usual, tag: list(list(string)) }), 'tag'],
    [object({ ...usual, tag: list({ type: 'attachment' }) }), 'tag'],
    [object({ id: string, tag: string }), 'title'],
    [object({ ...usual, title: object({}) }), 'title'],
    [object({ ...usual, title: list(string) }), 'title'],
    [object({ id: string, title: string }), 'tag'],
    [object({ ...usual, 'a b': string }), 'a b'],
  ]
  it.each(refused)('of strict datasets refuses %j', (json, field) => {
    expect(() => schemaFromJsonSchema(json, strict)).toThrow(refusal(field))
  })

  it('reports every problem', () => {
    const json = object({ ...usual, a: { type: 'x' }, b: { type: 'date', format: 'qq' } })
    expect(() => schemaFromJsonSchema(json, strict)).toThrow(/and 1 more/)
  })

  it.each([{}, { type: 'text' }, list(string)])('asks for an object at the top instead of %j', json => {
    expect(() => schemaFromJsonSchema(json, strict)).toThrow(
      /^schema: type is .*; expected "object" at the top$/,
    )
  })

  it('says of a field that is not there what it was meant for', () => {
    const refused: [Record<string, unknown>, string][] = [
      [{ title: string, tag: string }, 'the id field'],
      [{ id: string, title: string }, 'the tag field'],
      [{ id: string, tag: string }, 'a searched field'],
    ]
    for (const [properties, role] of refused)
      expect(() => schemaFromJsonSchema(object(properties), strict)).toThrow(
        `simple type, because it is ${role}`,
      )
  })

  it('keeps a field named __proto__', () => {
    const json = '{"type":"object","properties":{"id":{"type":"string"},"__proto__":{"type":"long"}}}'
    const schema = schemaFromJsonSchema(json, lenient)
    expect(schema.root.properties?.map(([name]) => name)).toEqual(['id', '__proto__'])
    expect(JSON.stringify(schema.given)).toBe(json)
  })
})

describe('words of JSON schema beside the type', () => {
  const refused: [field: object, word: string][] = [
    [{ type: 'string', pattern: '^(a+)+$' }, 'pattern'],
    [{ type: 'double', multipleOf: 0.1 }, 'multipleOf'],
    [{ type: 'array', items: string, uniqueItems: true }, 'uniqueItems'],
    [{ type: 'string', oneOf: [] }, 'oneOf'],
    [{ type: 'any', $ref: '#/$defs/x' }, '$ref'],
    [{ type: 'object', additionalProperties: string }, 'additionalProperties'],
    [{ type: 'object', required: 'a' }, 'required'],
    [{ type: 'string', minimum: 3 }, 'minimum'],
    [{ type: 'double', minLength: 3 }, 'minLength'],
    [{ type: 'double', minimum: '3' }, 'minimum'],
    [{ type: 'string', maxLength: -1 }, 'maxLength'],
    [{ type: 'string', enum: [] }, 'enum'],
    [{ type: 'double', minimun: 3 }, 'minimun'],
  ]
  it.each(refused)('that are not held are refused by name: %j', (field, word) => {
    expect(() => schemaFromJsonSchema(object({ ...usual, a: field }), lenient)).toThrow(
      refusal(`properties.a.${word}`),
    )
  })

  it('that only describe are kept', () => {
    const field = {
      type: 'string',
      title: 'A',
      description: 'x',
      default: 'x',
      examples: ['x'],
      format: 'email',
    }
    const json = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      ...object({ ...usual, a: field }),
    }
    expect(schemaFromJsonSchema(json, lenient).given).toEqual(json)
  })

  it('are told with the types there are', () => {
    const json = object({ ...usual, a: { type: 'text' } })
    expect(() => schemaFromJsonSchema(json, lenient)).toThrow(/expected one of .*any, number$/)
  })
})

describe('schemaFromZod', () => {
  it('maps what zod can say to types', () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree)
      },
    })
    const product = z.object({
      id: z.union([z.string(), z.number()]),
      title: z.string().min(1).optional(),
      desc: z.string().max(100).nullish(),
      colour: z.enum(['red', 'blue']).default('red'),
      tag: z.array(z.string()).optional(),
      price: z.number().nonnegative(),
      stock: z.int().min(0).nullable(),
      small: z.int32(),
      ok: z.boolean().catch(false),
      day: z.iso.date(),
      at: z.iso.datetime().nullish(),
      mail: z.email(),
      maker: z.object({ name: z.string().readonly() }).nullish(),
      parts: z.array(z.object({ n: z.int() })),
      file: z.string().meta({ type: 'attachment' }),
      due: z.string().meta({ type: 'date', format: 'dd.MM.yyyy' }),
      named: z.string().meta({ id: 'Named' }),
      both: z.union([z.string(), z.int()]),
      extra: z.record(z.string(), z.int()),
      pair: z.tuple([z.string(), z.int()]),
      big: z.bigint().optional(),
      anything: z.unknown(),
      tree,
    })
    const schema = schemaFromZod(product, lenient)
    expect(schema.source).toBe('schema')
    expect(short(schema.root)).toEqual({
      id: 'any',
      title: 'string',
      desc: 'string',
      colour: 'string',
      tag: ['string'],
      price: 'double',
      stock: 'long',
      small: 'integer',
      ok: 'boolean',
      day: 'date',
      at: 'date',
      mail: 'string',
      maker: { name: 'string' },
      parts: [{ n: 'long' }],
      file: 'attachment',
      due: 'date dd.MM.yyyy',
      named: 'string',
      both: 'any',
      extra: 'any',
      pair: 'any',
      big: 'any',
      anything: 'any',
      tree: { name: 'string', children: ['any'] },
    })
    expect(schemaFromJsonSchema(schema.given, lenient)).toEqual(schema)
  })

  it('refuses z.date(), which no stored document could satisfy', () => {
    const dated = z.object({ id: z.string(), maker: z.object({ since: z.date().optional() }) })
    expect(() => schemaFromZod(dated, lenient)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: expect.objectContaining({ field: 'schema.maker.since', received: 'z.date()' }),
      }),
    )
  })

  it('refuses a zod object that lacks the id field', () => {
    expect(() => schemaFromZod(z.object({ title: z.string() }), lenient)).toThrow(refusal('id'))
  })
})

describe('defineDataset', () => {
  it('without sample and schema is open', () => {
    const { settings, schema } = defineDataset({})
    expect(settings.interpretedFields).toEqual([])
    expect(schema).toEqual(openSchema(settings))
    expect(schema).toMatchObject({ source: 'none', given: null })
  })

  const product = z.object({ id: z.string(), name: z.string(), price: z.number() })
  const sources: [string, object][] = [
    ['a sample', { sample: { id: 'a', name: 'x', price: 1 }, schema: null }],
    ['a sample as text', { sample: '{"id":"a","name":"x","price":1}' }],
    ['a JSON schema', { schema: object({ id: string, name: string, price: { type: 'double' } }) }],
    ['a zod object', { schema: product, sample: undefined }],
  ]
  it.each(sources)('interprets the text fields of %s', (_, definition) => {
    expect(defineDataset(definition).settings.interpretedFields).toEqual(['name'])
  })

  const refused: [unknown, string][] = [
    [undefined, ''],
    ['x', ''],
    [[], ''],
    [{ sample: { id: 1 }, schema: object({ id: string }) }, 'schema'],
    [{ validation: 'strict' }, 'validation'],
    [{ nGramCount: 9 }, 'nGramCount'],
    [{ samples: {} }, 'samples'],
    [JSON.parse('{"__proto__":{"idField":"x"}}'), '__proto__'],
    [{ schema: z.string() }, 'schema'],
    [{ sample: { id: 1, title: 'x' }, interpretedFields: ['name'] }, 'name'],
  ]
  it.each(refused)('refuses %j', (definition, field) => {
    expect(() => defineDataset(definition)).toThrow(refusal(field))
  })

  const shape = object({ id: string, title: string, item: object({ price: { type: 'number' } }) })
  const boosted = (field: string) => ({ signals: { [field]: { pivot: 1, boost: 1 } } })
  it.each([
    [
      { groupBy: 'titel' },
      'groupBy is "titel"; expected one of the fields id, tag, title, item, item.price (did you mean "title"?)',
    ],
    [boosted('item.prize'), 'signals is "item.prize"'],
    [{ groupBy: 'brand', ...boosted('sold') }, 'groupBy is "brand"'],
  ])('refuses %j, as the schema or sample has no such field', (settings, message) => {
    const sample = { id: 'a', title: 'Lamp', item: { price: 3 } }
    for (const fields of [{ schema: shape }, { sample }])
      expect(() => defineDataset({ ...settings, ...fields })).toThrow(message)
    expect(() => defineDataset(settings)).not.toThrow()
  })

  it('takes fields of the schema, and what lies in those that may hold anything, for groups and signals', () => {
    const schema = object({
      id: string,
      title: string,
      sizes: { type: 'array', items: object({ eu: string }) },
      more: { type: 'any' },
    })
    for (const field of ['id', 'tag', 'title', 'sizes.eu', 'more', 'more.brand', 'tag.id'])
      expect(() => defineDataset({ schema, groupBy: field })).not.toThrow()
    for (const field of ['more', 'more.sold'])
      expect(() => defineDataset({ schema, ...boosted(field) })).not.toThrow()
  })

  const others: [unknown, string][] = [
    [z.union([z.object({ id: z.string() }), z.object({ id: z.number() })]), 'ZodUnion of zod'],
    [mini.object({ id: mini.string() }), 'ZodMiniObject of zod/mini'],
    [v3.object({ id: v3.string() }), 'a schema of zod 3'],
    [new Map(), 'an instance of Map'],
  ]
  it.each(others)('names what came as a schema and is none: %#', (schema, received) => {
    expect(() => defineDataset({ schema })).toThrow(`schema is ${received}; expected an object of zod 4`)
  })
})

describe('readSchema', () => {
  const sample = '{"id":"a","tag":[1],"__proto__":{"constructor":[{"x":1}]},"title":"x"}'
  it('reads back what was stored, whatever the names', () => {
    for (const schema of [schemaFromSample(sample, lenient), openSchema(lenient)]) {
      const text = JSON.stringify(schema)
      expect(JSON.stringify(readSchema(JSON.parse(text)))).toBe(text)
    }
  })

  const { root, tag } = openSchema(lenient)
  const corrupt: unknown[] = [
    undefined,
    null,
    {},
    { source: 'none', given: null, root },
    { source: 'none', given: 'x', root, tag },
    { source: 'none', given: null, root: { type: 'text' }, tag },
    { source: 'none', given: null, root: { type: 'object', properties: [['a']] }, tag },
    { source: 'none', given: null, root, tag: { shape: 'round', integer: false } },
  ]
  it.each(corrupt.map(value => ({ value })))('refuses $value as corrupt', ({ value }) => {
    expect(() => readSchema(value)).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }))
  })
})
