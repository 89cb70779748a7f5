import { describe, expect, it } from 'vitest'
import { compileColumns } from '../../src/datasets/field-values.ts'
import { parseSettings } from '../../src/datasets/schema/dataset-settings.ts'
import type { FieldSchema } from '../../src/datasets/schema/schema.ts'
import type { JsonObject } from '../../src/json.ts'

const nothingKnown: FieldSchema = { type: 'object', properties: [] }

/** What signals read: of each the first value of its column, NaN where there is none. */
function readerOf(given: object, root = nothingKnown) {
  const settings = parseSettings({ signals: given })
  const read = compileColumns(settings, root)
  return (document: JsonObject) =>
    Object.entries(settings.signals).map(([path, signal]) => {
      const kind = 'pivot' in signal ? 'number' : 'date'
      const found = read(document).find(one => one.name === path && one.kind === kind)
      return found?.value ?? Number.NaN
    })
}

describe('a signal of numbers', () => {
  const read = readerOf({ 'stats.sold': { pivot: 100, boost: 1 } })
  const numbers: [sold: unknown, value: number][] = [
    [7, 7],
    [0, 0],
    [-2.5, -2.5],
    [[3, 9], 3],
    [['many', null, 5], 5],
    ['7', Number.NaN],
    [true, Number.NaN],
    [null, Number.NaN],
    [[], Number.NaN],
    [{ value: 7 }, Number.NaN],
  ]
  it.each(numbers)('reads %j as %d', (sold, value) => {
    expect(read({ stats: { sold } } as JsonObject)).toEqual([value])
  })

  it('has no value where its path leads nowhere', () => {
    for (const document of [{}, { stats: 7 }, { stats: [{ sold: 7 }] }, { 'stats.sold': 7 }])
      expect(read(document)).toEqual([Number.NaN])
  })

  it('takes __proto__ and constructor for names', () => {
    const signals = JSON.parse('{"__proto__":{"pivot":1,"boost":1},"constructor":{"pivot":1,"boost":1}}')
    expect(readerOf(signals)({})).toEqual([Number.NaN, Number.NaN])
    expect(readerOf(signals)(JSON.parse('{"__proto__":4,"constructor":5}'))).toEqual([4, 5])
  })
})

describe('a signal of times', () => {
  const signals = { at: { halfLifeDays: 30, boost: 1 } }
  const march = Date.UTC(2024, 2, 1)
  const times: [at: unknown, time: number][] = [
    [march, march],
    ['2024-03-01', march],
    ['2024-03-01T00:00:00Z', march],
    ['2024-03-01T02:30:00.000+02:30', march],
    ['2024-03-01T00:00', march],
    [String(march), march],
    [['never', '2024-03-01'], march],
    ['1 March 2024', Number.NaN],
    ['2024-02-30', Number.NaN],
    ['foo 1', Number.NaN],
    [1e300, Number.NaN],
    [null, Number.NaN],
    [{}, Number.NaN],
  ]
  it.each(times)('reads %j as %d', (at, time) => {
    expect(readerOf(signals)({ at } as JsonObject)).toEqual([time])
  })

  it('is read in the format of its field', () => {
    const root = (at: FieldSchema): FieldSchema => ({ type: 'object', properties: [['at', at]] })
    const german: FieldSchema = { type: 'date', format: 'dd.MM.yyyy||epoch_second' }
    const read = readerOf(signals, root(german))
    expect([read({ at: '01.03.2024' }), read({ at: march / 1000 }), read({ at: '2024-03-01' })]).toEqual([
      [march],
      [march],
      [Number.NaN],
    ])
    const list = readerOf(signals, root({ type: 'array', items: german }))
    expect(list({ at: ['01.03.2024', '02.03.2024'] })).toEqual([march])
    expect(readerOf(signals, root({ type: 'date' }))({ at: '2024-03-01' })).toEqual([march])
  })
})

it('reads one number per signal, in the order of the settings', () => {
  const read = readerOf({
    b: { pivot: 1, boost: 1 },
    a: { halfLifeDays: 1, boost: 1 },
    c: { pivot: 1, boost: 1 },
  })
  expect(read({ a: 1000, b: 2 })).toEqual([2, 1000, Number.NaN])
})
