import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atOnce } from '../../src/scheduling/at-once.ts'
import { countWords } from '../../src/word-counts/counting-tasks.ts'
import type { NGrams } from '../../src/word-counts/n-grams.ts'
import { WordCorpusBuilder } from '../../src/word-counts/word-corpus.ts'
import { WordLists } from '../../src/word-counts/word-lists.ts'

interface Doc {
  readonly texts: readonly (readonly string[])[]
  readonly tags: readonly number[]
}

const TAGS = 3
// Few words, so that neighbours come again.
const text = fc.array(fc.constantFrom('a', 'b', 'c', 'dé', '中'), { maxLength: 12 })
const docs: fc.Arbitrary<Doc[]> = fc.array(
  fc.record({ texts: fc.array(text, { maxLength: 3 }), tags: fc.subarray([0, 1, 2]) }),
  { maxLength: 8 },
)

/** Read one after the other: by neighbours in the order in which the tag first has them. */
function counted(docs: readonly Doc[], size: number, tag?: number): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { texts, tags } of docs) {
    if (tag !== undefined && !tags.includes(tag)) continue
    for (const words of texts) {
      for (let at = 0; at + size <= words.length; at++) {
        const neighbours = words.slice(at, at + size).join(' ')
        counts.set(neighbours, (counts.get(neighbours) ?? 0) + 1)
      }
    }
  }
  return counts
}

function expected(docs: readonly Doc[], size: number, tag: number) {
  const all = counted(docs, size)
  return [...counted(docs, size, tag)]
    .map(([text, inTag]) => ({ text, inTag, inDataset: all.get(text)! }))
    .sort((a, b) => b.inTag - a.inTag)
}

function corpusOf(docs: readonly Doc[]) {
  const builder = new WordCorpusBuilder(TAGS)
  for (const { texts, tags } of docs)
    builder.add(
      texts.map(words => words.join(' ')),
      tags,
    )
  return builder.finish()
}

describe('word lists', () => {
  it('have what reading all texts one after the other finds, for any number of neighbours', () => {
    fc.assert(
      fc.property(docs, fc.subarray([1, 2, 3, 4, 5, 6], { minLength: 1 }), (docs, sizes) => {
        const corpus = corpusOf(docs)
        let fewer: NGrams | undefined
        for (const size of sizes) {
          const words = corpus.wordStarts.length - 1
          fewer = countWords({ tokens: corpus.tokens, words, size, fewer })
          const lists = new WordLists(corpus, fewer)
          for (let tag = 0; tag < TAGS; tag++) {
            const list = atOnce(lists.of(tag, Number.POSITIVE_INFINITY))
            const right = expected(docs, size, tag)
            expect([...list]).toEqual(right)
            expect(list.size).toBe(right.length)
            expect([...atOnce(lists.of(tag, 2))]).toEqual(right.slice(0, 2))
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  it('stay what they were when more neighbours are counted', () => {
    const corpus = corpusOf([{ texts: [['a', 'b', 'a', 'b', 'c']], tags: [0] }])
    const two = countWords({ tokens: corpus.tokens, words: 3, size: 2, fewer: undefined })
    const list = atOnce(new WordLists(corpus, two).of(0, 10))
    const before = [...list]
    countWords({ tokens: corpus.tokens, words: 3, size: 3, fewer: two })
    expect([...list]).toEqual(before)
    expect(before[0]).toEqual({ text: 'a b', inTag: 2, inDataset: 2 })
  })

  it('are right where the table of pairs has grown', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `w${(i * i) % 997}`)
    const docs = [{ texts: [words], tags: [1] }]
    const corpus = corpusOf(docs)
    const two = countWords({
      tokens: corpus.tokens,
      words: corpus.wordStarts.length - 1,
      size: 2,
      fewer: undefined,
    })
    expect([...atOnce(new WordLists(corpus, two).of(1, 1e9))]).toEqual(expected(docs, 2, 1))
  })
})
