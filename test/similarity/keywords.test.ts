import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Keywords } from '../../src/similarity/keywords.ts'

const fillers = ['the', 'and', 'with', 'for', 'new', 'good', 'your', 'home']

/** Documents of two words that any tag has, and one or two that were planted in theirs. */
function planted(): Keywords {
  const keywords = new Keywords()
  for (let i = 0; i < 240; i++) {
    const turn = i >> 2
    const filler = `${fillers[turn % 8]} ${fillers[(turn * 3 + 1) % 8]}`
    if (i % 4 === 0) keywords.add([`${filler} angle grinder`, 'sparks'], ['tools'])
    else if (i % 4 === 1) keywords.add([`${filler} merino jumper`, i % 8 === 1 ? 'wool' : ''], ['clothes'])
    else if (i % 4 === 2)
      keywords.add([`${filler} dutch oven ${i % 8 === 2 ? 'merino' : ''}`], ['kitchen', 'iron'])
    else keywords.add([filler, i % 16 === 3 ? 'wool' : ''], ['rest'])
  }
  return keywords
}

const wordsOf = (keywords: Keywords, tag: string, options = {}): string[] =>
  keywords.of(tag, options).map(({ word }) => word)

describe('keywords', () => {
  it('are the words that were planted in the documents of a tag, pairs in place of their words', () => {
    const keywords = planted()
    expect(wordsOf(keywords, 'tools', { count: 2 })).toEqual(['angle grinder', 'sparks'])
    expect(wordsOf(keywords, 'clothes', { count: 1 })).toEqual(['merino jumper'])
    expect(keywords.of('kitchen', { count: 1 })).toEqual([
      { word: 'dutch oven', score: 240, inTag: 60, inAll: 60 },
    ])
    expect(keywords.of('iron')).toEqual(keywords.of('kitchen'))
  })

  it('keep out words that all tags have, words of one or two documents, and words that a tag has too seldom', () => {
    const keywords = planted()
    keywords.add(['unique twin'], ['tools'])
    keywords.add(['twin'], ['tools'])
    for (const tag of ['tools', 'clothes', 'kitchen', 'rest'])
      for (const { word, inAll } of keywords.of(tag)) {
        expect(fillers).not.toContain(word)
        expect(inAll).toBeGreaterThanOrEqual(3)
      }
    expect(wordsOf(keywords, 'tools')).not.toContain('merino')
    expect(wordsOf(keywords, 'kitchen')).not.toContain('merino')
  })

  it('can be those of a text alone, or those of at least mean score alone', () => {
    const keywords = planted()
    const text = 'Sparks fly from the GRINDER; unheard of'
    expect(wordsOf(keywords, 'tools', { text })).toEqual(['grinder', 'sparks'])
    expect(keywords.of('clothes', { text })).toEqual([])
    const all = keywords.of('clothes')
    const mean = all.reduce((sum, { score }) => sum + score, 0) / all.length
    expect(all.some(({ score }) => score < mean)).toBe(true)
    expect(keywords.of('clothes', { strict: true })).toEqual(all.filter(({ score }) => score >= mean))
  })

  it('are none of a tag without documents, or with all', () => {
    const keywords = new Keywords()
    for (let i = 0; i < 9; i++) keywords.add(['oak table'], ['all', '__proto__'])
    expect(keywords.of('all')).toEqual([])
    expect(keywords.of('unknown')).toEqual([])
    expect(new Keywords().of('unknown', { strict: true, text: 'oak' })).toEqual([])
  })

  it('score chi-squared of the table of documents', () => {
    const word = fc.constantFrom('a', 'b', 'c', 'd')
    const document = fc.tuple(fc.uniqueArray(word), fc.boolean())
    fc.assert(
      fc.property(fc.array(document, { maxLength: 60 }), documents => {
        const keywords = new Keywords()
        for (const [words, hasTag] of documents) keywords.add(words, hasTag ? ['t'] : ['u'])
        const count = (has: (words: string[], hasTag: boolean) => boolean) =>
          documents.filter(one => has(...one)).length
        const tagged = count((_, hasTag) => hasTag)
        for (const { word, score, inTag, inAll } of keywords.of('t')) {
          const table = [true, false].flatMap(has =>
            [true, false].map(tag => ({
              seen: count((words, hasTag) => words.includes(word) === has && hasTag === tag),
              expected:
                (count(words => words.includes(word) === has) * (tag ? tagged : documents.length - tagged)) /
                documents.length,
            })),
          )
          expect(score).toBeCloseTo(
            table.reduce((sum, { seen, expected }) => sum + (seen - expected) ** 2 / expected, 0),
            6,
          )
          expect([inTag, inAll]).toEqual([table[0]!.seen, table[0]!.seen + table[1]!.seen])
          expect(inTag / inAll).toBeGreaterThan(tagged / documents.length)
        }
      }),
    )
  })
})
