import { describe, expect, it } from 'vitest'
import { compileColumns } from '../../src/datasets/field-values.ts'
import { parseSettings } from '../../src/datasets/schema/dataset-settings.ts'
import type { FieldSchema } from '../../src/datasets/schema/schema.ts'
import type { JsonObject } from '../../src/json.ts'

const root = (...properties: [string, FieldSchema][]): FieldSchema => ({ type: 'object', properties })

/** What a document is read to hold: name, kind and value of each. */
function read(document: unknown, known = root(), settings: object = {}) {
  const reader = compileColumns(parseSettings(settings), known)
  return reader(document as JsonObject).map(({ name, kind, value }) => [name, kind, value])
}

describe('columns', () => {
  it('take every value for what it is, members of lists and of objects too', () => {
    const document = {
      id: '7',
      price: 9.5,
      isNew: true,
      sold: false,
      brand: 'Oak & Co',
      none: null,
      sizes: [38, '39', [40], null],
      maker: { name: 'Ann', city: { zip: '01067' } },
    }
    expect(read(document)).toEqual([
      ['price', 'number', 9.5],
      ['isNew', 'boolean', 1],
      ['sold', 'boolean', 0],
      ['brand', 'text', 'Oak & Co'],
      ['sizes', 'number', 38],
      ['sizes', 'text', '39'],
      ['sizes', 'number', 40],
      ['maker.name', 'text', 'Ann'],
      ['maker.city.zip', 'text', '01067'],
    ])
  })

  it('tell members of objects in lists from members of objects', () => {
    const document = { variant: [{ colour: 'red' }, { colour: ['blue', 'green'] }], colour: 'black' }
    expect(read(document)).toEqual([
      ['variant..colour', 'text', 'red'],
      ['variant..colour', 'text', 'blue'],
      ['variant..colour', 'text', 'green'],
      ['colour', 'text', 'black'],
    ])
  })

  it('take the tag field for tags, each once, and leave the id out', () => {
    expect(read({ id: 1, tag: ['a', 7, 'a', ''] })).toEqual([
      ['tag', 'tags', 'a'],
      ['tag', 'tags', '7'],
    ])
    const settings = { idField: 'sku', tagField: 'group' }
    expect(read({ sku: 'x', group: 'g', id: 3, tag: 't' }, root(), settings)).toEqual([
      ['group', 'tags', 'g'],
      ['id', 'number', 3],
      ['tag', 'text', 't'],
    ])
  })

  it('weigh by the id where they are told to', () => {
    expect(read({ id: 5 }, root(), { signals: { id: { pivot: 1, boost: 1 } } })).toEqual([
      ['id', 'number', 5],
    ])
  })

  it('leave out names that no path can lead to, and take all others', () => {
    const document = JSON.parse(
      '{"a.b": 1, "": 2, "__proto__": {"x": 3}, "constructor": 4, "\\ud800": 5, "c": {"": 6, "d.e": 7}}',
    )
    expect(read(document)).toEqual([
      ['__proto__.x', 'number', 3],
      ['constructor', 'number', 4],
      ['\ud800', 'number', 5],
    ])
  })

  it('take texts for what the schema says of them, and for texts where they are none', () => {
    const known = root(
      ['price', { type: 'double' }],
      ['sold', { type: 'long' }],
      ['isNew', { type: 'boolean' }],
      ['made', { type: 'date', format: 'dd.MM.yyyy' }],
      ['file', { type: 'attachment' }],
      ['lists', { type: 'array', items: { type: 'long' } }],
      ['in', root(['it', { type: 'long' }])],
      ['of', { type: 'array', items: root(['it', { type: 'long' }]) }],
    )
    const document = {
      price: '9.50',
      sold: '12',
      isNew: 'true',
      made: ['01.03.2024', 'soon'],
      file: 'QUJD',
      lists: ['1', 2, 'x'],
      in: { it: '3' },
      of: [{ it: '4' }],
    }
    expect(read(document, known)).toEqual([
      ['price', 'number', 9.5],
      ['sold', 'number', 12],
      ['isNew', 'boolean', 1],
      ['made', 'date', Date.UTC(2024, 2, 1)],
      ['made', 'text', 'soon'],
      ['lists', 'number', 1],
      ['lists', 'number', 2],
      ['lists', 'text', 'x'],
      ['in.it', 'number', 3],
      ['of..it', 'number', 4],
    ])
    expect(read({ sold: '9007199254740993' }, known)).toEqual([['sold', 'text', '9007199254740993']])
  })

  it('hold what weighs by its age as a date besides', () => {
    const settings = { signals: { at: { halfLifeDays: 1, boost: 1 } } }
    expect(read({ at: ['1970-01-02', 5, 'never'] }, root(), settings)).toEqual([
      ['at', 'date', 86_400_000],
      ['at', 'text', '1970-01-02'],
      ['at', 'date', 5],
      ['at', 'number', 5],
      ['at', 'text', 'never'],
    ])
  })
})
