import { describe, expect, test } from 'vitest'
import { searchResults } from '../../../adapters/http/src/wire/search-result.ts'
import { leastLongestTurn } from '../../longest-turn.ts'

const hit = (n: number) => {
  const ranges = Array.from({ length: 4 }, (_, i) => ({ start: 9 * i, end: 9 * i + 4 }))
  const passage = { text: `lamp ${n}`, start: n, ranges, before: false, after: true }
  return { id: `d${n}`, score: n, document: { own: n }, highlights: { title: [passage], text: [passage] } }
}
const shown = (n: number) => {
  const Ranges = Array.from({ length: 4 }, (_, i) => ({ Start: 9 * i, End: 9 * i + 4 }))
  const passage = { Text: `lamp ${n}`, Start: n, Ranges, Before: false, After: true }
  return { Id: `d${n}`, Score: n, Document: { own: n }, Highlights: { title: [passage], text: [passage] } }
}

describe('what many searches found', () => {
  test('is put into words in short stretches', async () => {
    const found = Array.from({ length: 100 }, () => ({
      hits: Array.from({ length: 300 }, (_, n) => hit(n)),
      words: [],
      total: { count: 300, exact: true },
      truncated: false,
    }))
    let results: unknown[] = []
    const turn = await leastLongestTurn(80, async () => {
      results = await searchResults(found)
    })
    expect(turn).toBeLessThan(80)
    expect(results).toHaveLength(100)
    for (const result of [results[0], results[99]])
      expect(result).toEqual({
        Hits: Array.from({ length: 300 }, (_, n) => shown(n)),
        Words: [],
        Total: { Count: 300, Exact: true },
        Truncated: false,
      })
  })
})
