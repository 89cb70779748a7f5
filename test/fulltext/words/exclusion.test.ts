import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MadeIndex } from './made-index.ts'

const texts = [
  'desk lamp',
  'floor lamp',
  'lamp with light bulb',
  'bulb of light lamp',
  'self-watering lamp',
  'women lamp',
  'lamp 64gb',
  'lamp 64 gb',
  'lamp 18',
]
const index = new MadeIndex(texts)
const without = (...left: string[]) => texts.filter(text => !left.includes(text)).sort()

describe('a hyphen before a word', () => {
  it.each([
    ['lamp -floor', ['floor lamp']],
    ['-floor lamp', ['floor lamp']],
    ['lamp -floor -desk', ['floor lamp', 'desk lamp']],
    ['lamp -lights', ['lamp with light bulb', 'bulb of light lamp']],
    ['lamp -woman', ['women lamp']],
    ['lamp -"light bulb"', ['lamp with light bulb']],
    ['lamp -64gb', ['lamp 64gb', 'lamp 64 gb']],
    ['lamp -"64 gb"', ['lamp 64gb', 'lamp 64 gb']],
    ['lamp -flor', []],
    ['lamp - floor', []],
    ['lamp -18', []],
    ['lamp self-watering', []],
    ['lamp -', []],
    ['lamp -""', []],
  ])('%s leaves out %j', (query, left) => {
    expect(index.found(query).sort()).toEqual(without(...left))
    expect(
      index.index.search(query, { limit: 0, operator: 'or', typoTolerance: 2, count: true }).total,
    ).toEqual({
      count: texts.length - left.length,
      exact: true,
    })
  })

  it('means nothing where that is asked for', () => {
    const plain = index.found('lamp -floor', { exclusion: false })
    expect(plain).toEqual(index.found('lamp floor'))
    expect(index.found('lamp -"light bulb"', { exclusion: false })).toEqual(index.found('lamp "light bulb"'))
  })

  it('finds nothing where it stands alone, and ends the last word', () => {
    expect(index.found('-floor')).toEqual([])
    expect(index.words('lamp -floo', { prefix: true })).toMatchObject([{ word: 'lamp', kind: 'exact' }])
  })

  it('leaves out also from phrases and from what matches all words', () => {
    expect(index.found('"desk lamp" -desk')).toEqual([])
    expect(index.found('lamp light -"light bulb"', { operator: 'and' })).toEqual(['bulb of light lamp'])
    expect(index.found('"lamp" light -bulb')).not.toContain('bulb of light lamp')
  })

  it('leaves out exactly the documents that a search for it finds', () => {
    const words = ['desk', 'lamp', 'floor', 'light', 'bulb', 'women', '64gb']
    fc.assert(
      fc.property(fc.constantFrom(...words), fc.constantFrom(...words), (asked, left) => {
        const excluded = new Set(index.found(left, { typoTolerance: 0 }))
        const expected = index.found(asked).filter(text => !excluded.has(text))
        expect(index.found(`${asked} -${left}`).sort()).toEqual(expected.sort())
      }),
    )
  })
})
