import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import type { Grouping } from '../../../src/fulltext/reordering/grouping.ts'

const size = 9_000

function shop(): FulltextIndex {
  const index = new FulltextIndex({
    analyzer: analyzerFor('none'),
    fields: [{ weight: 1, b: 0.5 }],
    tailDocuments: 4_000,
  })
  for (let i = 0; i < size; i++) {
    const columns = [
      { name: 'code', kind: 'text' as const, value: `c${i % 8_000}` },
      { name: 'price', kind: 'number' as const, value: i % 7_000 },
    ]
    index.add(String(i), ['lamp'], columns)
  }
  return index
}

/** A time by which every call is late. */
const NOW = Number.NEGATIVE_INFINITY

describe('groups of many values', () => {
  it('are read on several calls, also while others group by another field', () => {
    const index = shop()
    const begun = new Map<string, Grouping>()
    let calls = 0
    for (const left = new Set(['code', 'price']); left.size > 0 && calls < 1_000; calls++)
      for (const path of left) {
        const { grouping, isRead } = index.group(path, begun.get(path), NOW)
        begun.set(path, grouping)
        if (isRead) left.delete(path)
      }
    expect(calls).toBeGreaterThan(4)
    expect(calls).toBeLessThan(100)
  })

  it('are the same as those that a search finds out by itself', () => {
    const index = shop()
    let grouping: Grouping | undefined
    for (let isRead = false; !isRead; ) ({ grouping, isRead } = index.group('price', grouping, NOW))
    const groupBy = { path: 'price', limit: 1 }
    const search = (one: FulltextIndex) =>
      one.search('lamp', { limit: size, operator: 'or', typoTolerance: 0, groupBy })
    const found = search(index)
    expect(found).toEqual(search(shop()))
    expect(found.total).toEqual({ count: 7_000, exact: true })
    const twice = found.hits.filter(({ group }) => group?.documents === 2)
    expect(twice).toHaveLength(2_000)
  })
})
