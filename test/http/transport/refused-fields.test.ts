import { Engine, type SearchOptions } from 'findling'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSent } from '../../../adapters/http/src/request/refused-fields.ts'
import { failureOf } from '../../engine/engines.ts'

let engine: Engine
beforeAll(async () => {
  engine = await Engine.open()
  await engine.datasets.create('shop', { interpretedFields: ['title'] })
})
afterAll(() => engine.close())

const ids = (count: number) => ({ id: { in: Array.from({ length: count }, (_, i) => `${i}`) } })
const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join(' ')

describe('what the engine says of conditions that ask for too much', () => {
  const told = async (options: SearchOptions) => {
    const refused = await failureOf(() => engine.datasets.get('shop').search('lamp', options))
    const one = asSent(refused, { filter: 'Filter.Query' }, {})
    const search = { dataset: 'shop', query: 'lamp', ...options }
    const ofMany = await failureOf(() => engine.searchMany([search]))
    const many = asSent(ofMany, { filter: 'Filter.Query' }, { Searches: [{}] })
    return [one, many]
  }

  test.each<[string, SearchOptions, string]>([
    [
      'values in a list',
      { filter: [ids(40_000), ids(40_000)] },
      'Filter.Query has 80000 values; expected at most 65536',
    ],
    [
      'words in a list',
      { filter: [words(600), words(600)] },
      'Filter.Query has 1202 words, patterns, phrases, ranges and groups; expected at most 1024; values of one field, as in id:(a b c), count as one',
    ],
    [
      'conditions in a list',
      { filter: Array(1_025).fill('lamp') },
      'Filter.Query is a list of 1025; expected a list of at most 1024',
    ],
    ['conditions of the key', { visible: Array(17).fill('lamp') }, 'the filter of the key cannot be read.'],
    ['values of the key', { visible: ids(66_000) }, 'the filter of the key cannot be read.'],
    ['words of the key', { visible: words(1_025) }, 'the filter of the key cannot be read.'],
  ])('names the member that was sent, and no size of what the key hides: %s', async (_, options, text) => {
    const errors = [[text], [`Searches[0].${text}`]]
    expect(await told(options)).toMatchObject(errors.map(errors => ({ status: 400, errors })))
  })
})
