import { describe, expect, it } from 'vitest'
import { TermTable, unitsOf } from '../../../src/fulltext/dictionary/term-table.ts'
import { ChangedTerms } from '../../../src/fulltext/segments/changed-terms.ts'
import { WordMemory } from '../../../src/fulltext/words/word-memory.ts'

describe('what was found out about words', () => {
  it('is kept while it is asked for again, and what is not is forgotten', () => {
    const memory = new WordMemory<number | undefined>(() => 0)
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

  it('lasts beyond a change only where it is known what it was found from', () => {
    const terms = new TermTable()
    const memory = new WordMemory<string>(text => text.length, { terms, changes: new ChangedTerms() })
    const list = { moment: 0 }
    const change = () => {
      list.moment++
      memory.follow(list)
    }
    const asked: string[] = []
    const ask = (word: string, read: () => void) =>
      memory.of(word, () => {
        asked.push(word)
        read()
        return word
      })
    const segments = () => terms.reader?.readMore()
    change()
    change()
    for (let round = 0; round < 3; round++) {
      ask('lasting', () => terms.find('lamp'))
      ask('passing', segments)
      ask('made of a passing one', () => ask('passing', segments))
      change()
    }
    expect(asked.filter(word => word === 'lasting').length).toBe(1)
    expect(asked.filter(word => word !== 'lasting').length).toBe(6)
    const kept = memory.bytes
    ask('passing', segments)
    expect(memory.bytes).toBeGreaterThan(kept)
    change()
    expect(memory.bytes).toBe(kept)
    terms.intern(unitsOf('lamp'), 4)
    change()
    ask('lasting', () => terms.find('lamp'))
    expect(asked.at(-1)).toBe('lasting')
  })

  it('takes no more memory than a few megabytes', () => {
    const memory = new WordMemory<string>(text => text.length)
    for (let i = 0; i < 1_000; i++) memory.of(String(i), () => 'x'.repeat(100_000))
    expect(memory.bytes).toBeGreaterThan(1_000_000)
    expect(memory.bytes).toBeLessThan(10_000_000)
    for (let i = 0; i < 1_000; i++) memory.of('w'.repeat(50_000) + i, () => '')
    expect(memory.bytes).toBeGreaterThan(1_000_000)
    expect(memory.bytes).toBeLessThan(10_000_000)
  })
})
