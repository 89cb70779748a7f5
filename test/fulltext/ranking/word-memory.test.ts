import { describe, expect, it } from 'vitest'
import { WordMemory } from '../../../src/fulltext/words/word-memory.ts'

describe('what was found out about words', () => {
  it('is kept while it is asked for again, and what is not is forgotten', () => {
    const memory = new WordMemory<number | undefined>()
    const found: string[] = []
    const ask = (word: string, answer: number | undefined) =>
      memory.of(word, () => {
        found.push(word)
        return answer
      })
    ask('rare', 0)
    for (let i = 0; i < 10_000; i++) {
      expect(ask('frequent', 1)).toBe(1)
      expect(ask('unknown', undefined)).toBeUndefined()
      expect(ask(`word ${i}`, i)).toBe(i)
    }
    expect(found.length).toBe(10_003)
    expect(ask('rare', 2)).toBe(2)
    for (let i = 9_999; i >= 0; i--) ask(`word ${i}`, i)
    // Of ten thousand no more than 4,096 were still known.
    expect(found.length).toBeGreaterThan(10_003 + 5_904)
  })
})
