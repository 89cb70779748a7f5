import { describe, expect, it } from 'vitest'
import { pick, random } from '../../../bench/random.ts'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'

const words = Array.from({ length: 40 }, (_, i) => `w${String.fromCharCode(97 + (i % 26), 97 + (i % 7))}q`)
const seed = 20_260

/** Documents whose words are the rarer the later they stand in the list, and an index of those that are left. */
function example() {
  const next = random(seed)
  const index = new FulltextIndex({
    analyzer: analyzerFor('english'),
    fields: [
      { weight: 3, b: 0.5 },
      { weight: 1, b: 0.6 },
    ],
    tailDocuments: 128,
  })
  const texts = new Map<string, string[]>()
  const add = (id: string) => {
    const text = Array.from({ length: 8 }, () => words[Math.floor(next() ** 2 * words.length)]!)
    texts.set(id, text)
    index.add(id, [text.slice(0, 3).join(' '), text.slice(3).join(' ')])
  }
  for (let i = 0; i < 3000; i++) add(`d${i}`)
  for (let i = 0; i < 3000; i += 4) {
    texts.delete(`d${i}`)
    index.remove(`d${i}`)
  }
  for (let i = 1; i < 3000; i += 20) add(`d${i}`)
  return { index, texts: [...texts.values()], next }
}

const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[numbers.length >> 1]!

describe(`the total of a search that counts nothing, seed ${seed}`, () => {
  const { index, texts, next } = example()
  const asked = (query: string, operator: 'or' | 'and', limit = 10) =>
    index.search(query, { operator, limit, typoTolerance: 0 })

  it('is exact for one word, after removals and replacements', () => {
    for (const word of words) {
      const count = texts.filter(text => text.includes(word)).length
      expect(count).toBeGreaterThan(0)
      for (const limit of [0, 1, 10]) {
        expect(asked(word, 'or', limit).total).toEqual({ count, exact: true })
        expect(asked(word, 'and', limit).total).toEqual({ count, exact: true })
      }
    }
  })

  it.each(['or', 'and'] as const)('is near the truth for several words, %s', operator => {
    const errors: number[] = []
    for (let i = 0; i < 150; i++) {
      const query = [...new Set([pick(next, words), pick(next, words), pick(next, words.slice(0, 9))])]
      const matches = (text: string[]) =>
        operator === 'or' ? query.some(word => text.includes(word)) : query.every(word => text.includes(word))
      const count = texts.filter(matches).length
      const { total, hits } = asked(query.join(' '), operator, i % 12)
      expect(total.count).toBeGreaterThanOrEqual(hits.length)
      expect(total.count).toBeLessThanOrEqual(index.size)
      if (total.exact) expect(total.count).toBe(count)
      else errors.push(Math.abs(total.count - count) / Math.max(10, count))
    }
    expect(errors.length).toBeGreaterThan(20)
    expect(median(errors)).toBeLessThan(operator === 'or' ? 0.1 : 0.4)
  })

  it('is exact for words of which one must stand in a phrase, and near the truth for a phrase alone', () => {
    const errors: number[] = []
    for (let i = 0; i < 40; i++) {
      const [a, b, c] = [pick(next, words.slice(0, 6)), pick(next, words.slice(0, 6)), pick(next, words)]
      const stands = (text: string[]) => text.some((word, at) => word === a && text[at + 1] === b && at !== 2)
      const count = texts.filter(stands).length
      for (const limit of [0, 3])
        expect(asked(`"${a} ${b}" ${c}`, 'or', limit).total).toEqual({ count, exact: true })
      const { total } = asked(`"${a} ${b}"`, 'or', 3)
      if (total.exact) expect(total.count).toBe(count)
      else errors.push(Math.abs(total.count - count) / Math.max(10, count))
    }
    expect(median(errors)).toBeLessThan(0.5)
  })

  it('behind the last hit is no more than was passed over', () => {
    const all = asked(`${words[0]} ${words[1]}`, 'or', 5000).hits.length
    const offset = all + 5
    const { total, hits } = index.search(`${words[0]} ${words[1]}`, {
      operator: 'or',
      limit: 10,
      offset,
      typoTolerance: 0,
    })
    expect(hits).toEqual([])
    expect(total.count).toBeLessThanOrEqual(offset)
    expect(asked('nowhere', 'and').total).toEqual({ count: 0, exact: true })
  })
})
