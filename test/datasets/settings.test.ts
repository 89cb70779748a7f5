import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSettings } from '../../src/datasets/schema/dataset-settings.ts'
import { checkId } from '../../src/datasets/schema/ids.ts'
import { datasetNameSchema } from '../../src/datasets/schema/names.ts'
import type { FieldSchema } from '../../src/datasets/schema/schema.ts'
import { parseInput } from '../../src/input.ts'

const refusal = (field: string) =>
  expect.objectContaining({ code: 'INVALID_ARGUMENT', details: expect.objectContaining({ field }) })

describe('datasetNameSchema', () => {
  it.each(['abc', 'A_b-9', '__proto__', 'constructor', 'x'.repeat(50)])('accepts %s', name => {
    expect(parseInput(datasetNameSchema, name, 'name')).toBe(name)
  })

  it.each(['', 'ab', 'x'.repeat(51), 'a b c', 'a.b', 'ábc', 'abc\n', 'a/b', 7, null])('refuses %j', name => {
    expect(() => parseInput(datasetNameSchema, name, 'name')).toThrow(refusal(''))
  })

  it('reports each broken rule', () => {
    expect(() => parseInput(datasetNameSchema, '.', 'name')).toThrow(/and 1 more/)
  })
})

describe('checkId', () => {
  const accepted: [unknown, string][] = [
    ['a', 'a'],
    [' a ', ' a '],
    ['__proto__', '__proto__'],
    ['a\0b', 'a\0b'],
    ['😀', '😀'],
    [9, '9'],
    [-0, '0'],
    [1.5, '1.5'],
    [2 ** 53 - 1, '9007199254740991'],
    ['é'.repeat(512), 'é'.repeat(512)],
    ['x'.repeat(1024), 'x'.repeat(1024)],
  ]
  it.each(accepted)('takes %.30j as text', (value, text) => {
    expect(checkId(value, 'id')).toBe(text)
  })

  const refused = [
    ...['', '  ', '\ud800', 'a\udc00b', 'x'.repeat(1025), 'é'.repeat(513), 'x'.repeat(10_000_000)],
    ...[null, undefined, true, {}, ['a'], 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, 1n],
  ]
  it.each(refused.map(value => ({ value })))('refuses $value', ({ value }) => {
    expect(() => checkId(value, 'ids[2]')).toThrow(refusal('ids[2]'))
  })

  it('accepts text by its bytes of UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 250, maxLength: 600 }), text => {
        fc.pre(text.trim() !== '')
        const accept = () => checkId(text, 'id')
        if (new TextEncoder().encode(text).length <= 1024) expect(accept()).toBe(text)
        else expect(accept).toThrow(refusal('id'))
      }),
    )
  })
})

describe('parseSettings', () => {
  it('fills every default', () => {
    expect(parseSettings(undefined)).toEqual({
      idField: 'id',
      markup: true,
      tagField: 'tag',
      interpretedFields: [],
      nGramCount: 3,
      validation: 'lenient',
      language: 'english',
      weights: {},
      signals: {},
      topics: true,
      categories: true,
      synonyms: [],
      stopWords: [],
      curations: [],
      typoTolerance: { disableOnFields: [], disableOnWords: [], disableOnCodes: false },
      groupBy: null,
      relax: false,
    })
  })

  it('completes search settings that are given in part, and takes its own result', () => {
    const settings = parseSettings({
      interpretedFields: ['title', '__proto__'],
      synonyms: [{ root: 'seat', synonyms: ['bench'] }, { synonyms: ['tv', 'television'] }],
      stopWords: ['the', '__proto__'],
      curations: [
        { pinned: [{ id: 7, position: 1 }] },
        { query: 'x', match: 'contains', hidden: ['__proto__', 8] },
      ],
      typoTolerance: { disableOnFields: ['__proto__'] },
      groupBy: 'variants.colour',
      relax: true,
    })
    expect(settings.curations).toEqual([
      { query: null, match: 'exact', pinned: [{ id: '7', position: 1 }], hidden: [] },
      { query: 'x', match: 'contains', pinned: [], hidden: ['__proto__', '8'] },
    ])
    expect(settings.typoTolerance).toEqual({
      disableOnFields: ['__proto__'],
      disableOnWords: [],
      disableOnCodes: false,
    })
    expect(parseSettings(JSON.parse(JSON.stringify(settings)))).toEqual(settings)
  })

  const pin = { id: 'a', position: 1 }
  const refusedSearchSettings: [field: string, settings: object][] = [
    ['synonyms[0].synonyms', { synonyms: [{ synonyms: ['tv'] }] }],
    ['synonyms[0].synonyms[1]', { synonyms: [{ synonyms: ['tv', ' … '] }] }],
    ['synonyms[0].root', { synonyms: [{ root: '', synonyms: ['tv'] }] }],
    ['synonyms[0].words', { synonyms: [{ synonyms: ['a', 'b'], words: [] }] }],
    ['stopWords[0]', { stopWords: ['x'.repeat(201)] }],
    ['stopWords', { stopWords: { the: true } }],
    ['curations[0].query', { curations: [{ query: '!' }] }],
    ['curations[0].match', { curations: [{ query: 'a', match: 'prefix' }] }],
    ['curations[0].pinned[0].position', { curations: [{ pinned: [{ id: 'a', position: 0 }] }] }],
    ['curations[0].pinned[0].position', { curations: [{ pinned: [{ id: 'a', position: Number.NaN }] }] }],
    ['curations[0].pinned[0].id', { curations: [{ pinned: [{ id: '\ud800', position: 1 }] }] }],
    ['curations[0].pinned[1].id', { curations: [{ pinned: [pin, pin] }] }],
    ['curations[0].hidden[0]', { curations: [{ hidden: [null] }] }],
    ['typoTolerance.disableOnFields[0]', { typoTolerance: { disableOnFields: ['title'] } }],
    ['typoTolerance.disableOnCodes', { typoTolerance: { disableOnCodes: 1 } }],
    ['groupBy', { groupBy: 'a..b' }],
    ['relax', { relax: 'yes' }],
    ['stopWords', { stopWords: Array.from({ length: 10_000 }, (_, i) => `${i}`.padStart(150, 'x')) }],
  ]
  it.each(refusedSearchSettings)('refuses search settings that cannot be: %s', (field, settings) => {
    expect(() => parseSettings(settings)).toThrow(refusal(field))
  })

  it('completes weights that are given in part', () => {
    const { weights } = parseSettings({ interpretedFields: ['a', 'b'], weights: { b: { weight: 5 } } })
    expect(weights).toEqual({ a: { weight: 4, b: 0.6 }, b: { weight: 5, b: 0.7 } })
  })

  it('takes its own result', () => {
    const settings = parseSettings({
      idField: 'sku',
      interpretedFields: ['title'],
      weights: { title: { b: 0 } },
      language: 'none',
    })
    expect(parseSettings(JSON.parse(JSON.stringify(settings)))).toEqual(settings)
  })

  it('treats __proto__ and constructor as names', () => {
    const input: unknown = JSON.parse(
      '{"interpretedFields":["constructor","__proto__"],"weights":{"__proto__":{"weight":7}}}',
    )
    const { weights } = parseSettings(input)
    expect(Object.keys(weights)).toEqual(['constructor', '__proto__'])
    expect(Object.getOwnPropertyDescriptor(weights, '__proto__')?.value).toEqual({ weight: 7, b: 0.7 })
  })

  it('takes signals of numbers and of times, whatever their names', () => {
    const input: unknown = JSON.parse(
      '{"signals":{"__proto__":{"pivot":100,"boost":1},"stats.sold":{"pivot":0.5,"boost":10},"at":{"halfLifeDays":30,"boost":0.2}}}',
    )
    const { signals } = parseSettings(input)
    expect(Object.entries(signals)).toEqual([
      ['__proto__', { pivot: 100, boost: 1 }],
      ['stats.sold', { pivot: 0.5, boost: 10 }],
      ['at', { halfLifeDays: 30, boost: 0.2 }],
    ])
    expect(parseSettings(JSON.parse(JSON.stringify(parseSettings(input))))).toEqual(parseSettings(input))
  })

  const text: FieldSchema = { type: 'string' }
  const root: FieldSchema = {
    type: 'object',
    properties: [
      ['id', text],
      ['price', { type: 'double' }],
      ['name', text],
      ['tag', text],
      ['colours', { type: 'array', items: text }],
      ['maker', { type: 'object', properties: [['name', text]] }],
      ['variants', { type: 'array', items: { type: 'object', properties: [['name', text]] } }],
      ['with.dot', text],
    ],
  }

  it('interprets the text fields of a sample or schema', () => {
    expect(parseSettings({}, root).interpretedFields).toEqual(['name', 'colours', 'maker.name'])
    expect(parseSettings({ idField: 'name' }, root).interpretedFields).toEqual([
      'id',
      'colours',
      'maker.name',
    ])
    expect(parseSettings({ validation: 'strict' }, root).interpretedFields).toEqual(['name', 'maker.name'])
  })

  it('interprets at most 16 fields unless told', () => {
    const names = Array.from({ length: 20 }, (_, i) => `f${i}`)
    const many: FieldSchema = { type: 'object', properties: names.map(name => [name, text]) }
    expect(parseSettings({}, many).interpretedFields).toEqual(names.slice(0, 16))
    expect(parseSettings({ interpretedFields: names }, many).interpretedFields).toEqual(names)
    expect(parseSettings({ interpretedFields: [] }, many).interpretedFields).toEqual([])
  })

  const refused: [unknown, string][] = [
    ['x', ''],
    [[], ''],
    [{ idfield: 'id' }, 'idfield'],
    [{ idField: '' }, 'idField'],
    [{ idField: 'a.b' }, 'idField'],
    [{ idField: 3 }, 'idField'],
    [{ idField: 'x'.repeat(101) }, 'idField'],
    [{ tagField: 'id' }, 'tagField'],
    [{ interpretedFields: 'title' }, 'interpretedFields'],
    [{ interpretedFields: null }, 'interpretedFields'],
    [{ interpretedFields: ['a', 'a'] }, 'interpretedFields[1]'],
    [{ interpretedFields: ['a', ''] }, 'interpretedFields[1]'],
    [{ interpretedFields: ['a..b'] }, 'interpretedFields[0]'],
    [{ interpretedFields: ['.'.repeat(400)] }, 'interpretedFields[0]'],
    [{ nGramCount: 0 }, 'nGramCount'],
    [{ nGramCount: 7 }, 'nGramCount'],
    [{ nGramCount: 2.5 }, 'nGramCount'],
    [{ nGramCount: '3' }, 'nGramCount'],
    [{ validation: 'loose' }, 'validation'],
    [{ language: 'klingon' }, 'language'],
    [{ interpretedFields: Array.from({ length: 65 }, (_, i) => `field${i}`) }, 'interpretedFields'],
    [{ weights: [] }, 'weights'],
    [{ weights: { title: 3 } }, 'weights.title'],
    [{ weights: { title: { weight: 0 } } }, 'weights.title.weight'],
    [{ weights: { title: { weight: 101 } } }, 'weights.title.weight'],
    [{ weights: { title: { weight: Number.NaN } } }, 'weights.title.weight'],
    [{ weights: { title: { b: 1.1 } } }, 'weights.title.b'],
    [{ weights: { title: { boost: 1 } } }, 'weights.title.boost'],
    [{ weights: { constructor: {} } }, 'weights'],
    [{ validation: 'strict', idField: 'my id' }, 'idField'],
    [{ validation: 'strict', tagField: 'x'.repeat(51) }, 'tagField'],
    [{ validation: 'strict', interpretedFields: ['a.ö'] }, 'interpretedFields[0]'],
    [{ signals: [] }, 'signals'],
    [{ signals: { sold: 3 } }, 'signals.sold'],
    [{ signals: { sold: { pivot: 1 } } }, 'signals.sold.boost'],
    [{ signals: { sold: { pivot: 1, boost: 0 } } }, 'signals.sold.boost'],
    [{ signals: { sold: { pivot: 1, boost: 10.1 } } }, 'signals.sold.boost'],
    [{ signals: { sold: { pivot: 0, boost: 1 } } }, 'signals.sold.pivot'],
    [{ signals: { sold: { pivot: Number.POSITIVE_INFINITY, boost: 1 } } }, 'signals.sold.pivot'],
    [{ signals: { at: { halfLifeDays: -1, boost: 1 } } }, 'signals.at.halfLifeDays'],
    [{ signals: { at: { halfLifeDays: '30', boost: 1 } } }, 'signals.at.halfLifeDays'],
    [{ signals: { at: { boost: 1 } } }, 'signals.at'],
    [{ signals: { at: { pivot: 1, halfLifeDays: 1, boost: 1 } } }, 'signals.at'],
    [{ signals: { at: { pivot: 1, boost: 1, kind: 'recency' } } }, 'signals.at.kind'],
    [{ signals: { 'a..b': { pivot: 1, boost: 1 } } }, 'signals'],
    [{ signals: { '': { pivot: 1, boost: 1 } } }, 'signals'],
    [
      { signals: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`s${i}`, { pivot: 1, boost: 1 }])) },
      'signals',
    ],
    [{ validation: 'strict', signals: { 'a.ö': { pivot: 1, boost: 1 } } }, 'signals'],
  ]
  it.each(refused)('refuses %.80j and names the field', (input, field) => {
    expect(() => parseSettings(input)).toThrow(refusal(field))
  })

  it('says which fields may have weights', () => {
    const message = (settings: object) => {
      try {
        return parseSettings(settings)
      } catch (error) {
        return error instanceof Error && error.message
      }
    }
    const weights = { titel: { weight: 2 } }
    expect(message({ interpretedFields: ['title', 'desc'], weights })).toMatch(
      /weights is "titel"; expected an interpreted field: title, desc \(did you mean "title"\?\)$/,
    )
    expect(message({ weights })).toMatch(/"titel"; expected an interpreted field, but there are none yet$/)
  })

  it('says what a number may be', () => {
    expect(() => parseSettings({ nGramCount: 9 })).toThrow(
      'dataset settings: nGramCount is 9; expected a whole number from 1 to 6',
    )
  })
})
