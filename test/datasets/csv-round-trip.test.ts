import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KnownFields } from '../../src/datasets/rows/csv-cells.ts'
import { readRows, rowsAsText } from '../../src/datasets/rows/row-reader.ts'
import { parseSettings } from '../../src/datasets/schema/dataset-settings.ts'
import { type JsonObject, type JsonValue, toJsonObject } from '../../src/json.ts'
import { anyCharacter } from '../any-character.ts'
import { schemaFromSample } from './schemas.ts'

const awkward = fc.constantFrom(
  ...[
    '',
    ' ',
    '|',
    'a|b',
    '\\',
    '\\\\',
    '\\|',
    '\\1',
    '\\null',
    '\\"x"',
    '"',
    ',',
    ';',
    '\t',
    '\n',
    '\r',
    '\r\n',
  ],
  ...[
    '9',
    '-1.50',
    '1e3',
    '07',
    'true',
    'false',
    'null',
    '[]',
    '{}',
    '[1',
    '{"a":1}',
    '["a"]',
    '\ufeff',
    '\ud800',
  ],
  ...['2016-02-29', '9007199254740993', '\0', '=1+1', 'ä', '𝄞'],
)
const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('id', 'tag', 'title', 'price', 'size', 'list', 'a', 'b') },
  { weight: 2, arbitrary: awkward },
  {
    weight: 1,
    arbitrary: fc.constantFrom('a.b', 'size.a', 'a:text', 'a:number', ':json', '__proto__', 'constructor'),
  },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 5 }) },
)
const { object } = fc.letrec<{ value: JsonValue; object: JsonObject }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    awkward,
    fc.string({ unit: anyCharacter, maxLength: 8 }),
    fc.constantFrom(null, true, false, 0, 9, 1e20, 1e23, 2 ** 53 + 2, 0.1),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(n => n + 0),
    fc.array(awkward, { maxLength: 3 }),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(name, tie('value')), { maxLength: 5 })
    .map(members => toJsonObject(Object.fromEntries<JsonValue>(members))),
}))

const open: KnownFields = { root: { type: 'object' }, tagField: 'tag' }
const sampled = (sample: object): KnownFields => ({
  root: schemaFromSample(sample, { ...parseSettings({}), interpretedFields: [] }).root,
  tagField: 'tag',
})
const settings: [string, KnownFields][] = [
  ['an open dataset', open],
  ['one of texts', sampled({ id: '1', tag: 'x', title: 'x', price: 'x', list: ['x'], size: { a: 'x' } })],
  [
    'one of numbers',
    sampled({ id: 1, tag: 1, title: 1.5, price: true, list: [1], size: { a: 1 }, a: [[1]] }),
  ],
  ['one of lists', sampled({ id: '1', tag: ['x'], title: ['x'], price: [true], size: ['x'], a: {} })],
]

/** Whatever the order of their members: by each row's id, its values by their paths. */
const content = (rows: readonly unknown[]) => new Map(rows.map((row, i) => [i, leaves(row)]))

function leaves(value: unknown, path: readonly (string | number)[] = [], into = new Map<string, string>()) {
  if (typeof value !== 'object' || value === null)
    return into.set(JSON.stringify(path), JSON.stringify(value))
  into.set(JSON.stringify(path), Array.isArray(value) ? 'a list' : 'an object')
  for (const key of Object.keys(value)) leaves(Reflect.get(value, key), [...path, key], into)
  return into
}

async function imported(text: string, known: KnownFields): Promise<unknown[]> {
  const rows: unknown[] = []
  for await (const group of readRows([Buffer.from(text)], { format: 'csv', known })) {
    for (const { value, error } of group) rows.push(error ?? value)
  }
  return rows
}

async function exported(rows: readonly object[], known: KnownFields): Promise<string> {
  let text = ''
  for await (const piece of rowsAsText(() => rows, 'csv', { known })) text += piece
  return text
}

describe('a CSV of whole documents', () => {
  it.each(settings)('of %s comes back the same, also in an open one', async (_, known) => {
    const document = fc
      .tuple(fc.oneof(awkward, fc.nat()), object)
      .map(([id, members]) => ({ ...members, id }))
    await fc.assert(
      fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 6 }), async documents => {
        const text = await exported(documents, known)
        expect(content(await imported(text, known))).toEqual(content(documents))
        expect(content(await imported(text, open))).toEqual(content(documents))
      }),
      { numRuns: 100 },
    )
  })

  it('stays readable where documents are ordinary', async () => {
    const documents = [
      { id: '1', title: 'Lamp, oak', price: 24.5, tag: ['home', 'light'], size: { h: 40 }, inStock: true },
      { id: '2', title: 'Whisk', price: 6, tag: ['kitchen'], size: { h: 12 }, inStock: false, brand: 'Acme' },
    ]
    expect(await exported(documents, open)).toBe(
      'id,title,price:number,tag:list,size.h:number,inStock:boolean,brand:text\r\n' +
        '1,"Lamp, oak",24.5,home|light,40,true,\r\n' +
        '2,Whisk,6,kitchen,12,false,Acme\r\n',
    )
  })
})
