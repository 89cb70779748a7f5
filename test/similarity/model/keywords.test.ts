import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Keywords } from '../../../src/similarity/model/keywords.ts'
import { drain } from './shop.ts'

let documents = 0
const next = () => `d${documents++}`

const fillers = ['the', 'and', 'with', 'for', 'new', 'good', 'your', 'home']

/** Documents of two words that any tag has, and one or two that were planted in theirs. */
function planted(): Keywords {
  const keywords = new Keywords()
  for (let i = 0; i < 240; i++) {
    const turn = i >> 2
    const filler = `${fillers[turn % 8]} ${fillers[(turn * 3 + 1) % 8]}`
    if (i % 4 === 0) keywords.add(next(), [`${filler} angle grinder`, 'sparks'], ['tools'])
    else if (i % 4 === 1)
      keywords.add(next(), [`${filler} merino jumper`, i % 8 === 1 ? 'wool' : ''], ['clothes'])
    else if (i % 4 === 2)
      keywords.add(next(), [`${filler} dutch oven ${i % 8 === 2 ? 'merino' : ''}`], ['kitchen', 'iron'])
    else keywords.add(next(), [filler, i % 16 === 3 ? 'wool' : ''], ['rest'])
  }
  return keywords
}

const wordsOf = (keywords: Keywords, tag: string, options = {}): string[] =>
  drain(keywords.of(tag, options)).map(({ text }) => text)

describe('keywords', () => {
  it('are the words that were planted in the documents of a tag, pairs in place of their words', () => {
    const keywords = planted()
    expect(wordsOf(keywords, 'tools', { limit: 2 })).toEqual(['angle grinder', 'sparks'])
    expect(wordsOf(keywords, 'clothes', { limit: 1 })).toEqual(['merino jumper'])
    expect(drain(keywords.of('kitchen', { limit: 1 }))).toEqual([
      { text: 'dutch oven', score: 240, inTag: 60, inAll: 60 },
    ])
    expect(drain(keywords.of('iron'))).toEqual(drain(keywords.of('kitchen')))
  })

  it('keep out words that all tags have, words of one or two documents, and words that a tag has too seldom', () => {
    const keywords = planted()
    keywords.add(next(), ['unique twin'], ['tools'])
    keywords.add(next(), ['twin'], ['tools'])
    for (const tag of ['tools', 'clothes', 'kitchen', 'rest'])
      for (const { text, inAll } of drain(keywords.of(tag))) {
        expect(fillers).not.toContain(text)
        expect(inAll).toBeGreaterThanOrEqual(3)
      }
    expect(wordsOf(keywords, 'tools')).not.toContain('merino')
    expect(wordsOf(keywords, 'kitchen')).not.toContain('merino')
  })

  it('can be those of a text alone, or those of at least mean score alone', () => {
    const keywords = planted()
    const text = 'Sparks fly from the GRINDER; unheard of'
    expect(wordsOf(keywords, 'tools', { text })).toEqual(['grinder', 'sparks'])
    expect(drain(keywords.of('clothes', { text }))).toEqual([])
    const all = drain(keywords.of('clothes'))
    const mean = all.reduce((sum, { score }) => sum + score, 0) / all.length
    expect(all.some(({ score }) => score < mean)).toBe(true)
    expect(drain(keywords.of('clothes', { strict: true }))).toEqual(all.filter(({ score }) => score >= mean))
  })

  it('are none of a tag without documents, or with all', () => {
    const keywords = new Keywords()
    for (let i = 0; i < 9; i++) keywords.add(next(), ['oak table'], ['all', '__proto__'])
    expect(drain(keywords.of('all'))).toEqual([])
    expect(drain(keywords.of('unknown'))).toEqual([])
    expect(drain(new Keywords().of('unknown', { strict: true, text: 'oak' }))).toEqual([])
  })

  it('are those of the documents that are there, whatever came and went', () => {
    const word = fc.constantFrom('oak', 'table', 'brass', 'lamp')
    const write = fc.tuple(
      fc.nat({ max: 12 }),
      fc.option(fc.tuple(fc.array(word, { maxLength: 4 }), fc.boolean())),
    )
    fc.assert(
      fc.property(fc.array(write, { maxLength: 60 }), writes => {
        const keywords = new Keywords()
        const documents = new Map<string, [string[], boolean]>()
        for (const [id, document] of writes) {
          if (document) keywords.add(`${id}`, [document[0].join(' ')], document[1] ? ['t'] : ['u'])
          else keywords.remove(`${id}`)
          if (document) documents.set(`${id}`, document)
          else documents.delete(`${id}`)
        }
        const fresh = new Keywords()
        for (const [id, [words, hasTag]] of documents)
          fresh.add(id, [words.join(' ')], hasTag ? ['t'] : ['u'])
        const sorted = (of: Keywords) => drain(of.of('t')).sort((a, b) => (a.text < b.text ? -1 : 1))
        expect([keywords.size, keywords.hasTag('t')]).toEqual([fresh.size, fresh.hasTag('t')])
        // Of equally good ones a pair or its words may stand first.
        const scores = (of: Keywords) => sorted(of).map(({ score }) => score)
        expect(Math.max(0, ...scores(keywords))).toBeCloseTo(Math.max(0, ...scores(fresh)), 9)
      }),
    )
  })

  it('are those of all documents again after some were written while they were looked up', () => {
    const common = (keywords: Keywords) => {
      for (let i = 0; i < 120; i++)
        keywords.add(next(), [i % 4 === 3 ? 'sale' : 'rug'], [`t${i % 4}`, ...(i % 4 === 3 ? ['odd'] : [])])
    }
    const more = (keywords: Keywords) => {
      for (let i = 0; i < 120; i++) keywords.add(next(), ['sale'], [`t${i % 3}`])
    }
    const fresh = new Keywords()
    common(fresh)
    more(fresh)
    expect(wordsOf(fresh, 'odd')).toEqual([])
    for (let pieces = 1; pieces <= 8; pieces++) {
      const keywords = new Keywords()
      common(keywords)
      const lookup = keywords.of('odd')
      for (let piece = 0; piece < pieces; piece++) lookup.next()
      more(keywords)
      drain(lookup)
      expect(wordsOf(keywords, 'odd')).toEqual([])
    }
  })

  it('come in the same order, equally good ones too, whatever came first', () => {
    const texts = ['oak lamp', 'lamp brass', 'brass oak', 'oak brass lamp']
    const wordsAfter = (first: readonly string[]) => {
      const keywords = new Keywords()
      for (const text of first) keywords.add(text, [text], ['t'])
      for (let i = 0; i < 9; i++) keywords.add(next(), ['table'], ['u'])
      return wordsOf(keywords, 't')
    }
    expect(wordsAfter(texts)).toEqual(['brass', 'lamp', 'oak'])
    expect(wordsAfter(texts.toReversed())).toEqual(wordsAfter(texts))
  })

  it('are worn out when most words are of documents that are gone', () => {
    const keywords = new Keywords()
    const text = Array.from({ length: 6000 }, (_, i) => `w${i}`).join(' ')
    keywords.add('a', [text], [])
    keywords.add('b', ['oak'], [])
    expect(keywords.isWornOut).toBe(false)
    keywords.remove('a')
    expect(keywords.isWornOut).toBe(true)
    keywords.add('a', [text], [])
    expect(keywords.isWornOut).toBe(false)
  })

  it('score chi-squared of the table of documents', () => {
    const word = fc.constantFrom('a', 'b', 'c', 'd')
    const document = fc.tuple(fc.uniqueArray(word), fc.boolean())
    fc.assert(
      fc.property(fc.array(document, { maxLength: 60 }), documents => {
        const keywords = new Keywords()
        for (const [words, hasTag] of documents) keywords.add(next(), words, hasTag ? ['t'] : ['u'])
        const count = (has: (words: string[], hasTag: boolean) => boolean) =>
          documents.filter(one => has(...one)).length
        const tagged = count((_, hasTag) => hasTag)
        for (const { text, score, inTag, inAll } of drain(keywords.of('t'))) {
          const table = [true, false].flatMap(has =>
            [true, false].map(tag => ({
              seen: count((words, hasTag) => words.includes(text) === has && hasTag === tag),
              expected:
                (count(words => words.includes(text) === has) * (tag ? tagged : documents.length - tagged)) /
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
