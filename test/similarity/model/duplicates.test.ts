import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findSame, groupPairs, pairsOf, type SimilarPair } from '../../../src/similarity/model/duplicates.ts'
import { SimilarityIndex } from '../../../src/similarity/model/similarity-index.ts'
import { drain, manyDocuments } from './shop.ts'

const pair = (one: string, other: string, score: number): SimilarPair => ({ ids: [one, other], score })

const pairsIn = (index: SimilarityIndex, threshold: number) =>
  index.ids().flatMap(id => pairsOf(id, index.allLike(id, threshold)))

describe('pairs', () => {
  it('are all that reach the threshold, each once, the smaller id first', () => {
    const index = new SimilarityIndex()
    for (const [id, document] of manyDocuments(250)) index.add(id, document)
    drain(index.refresh())
    const ids = index.ids()
    const wanted = ids.flatMap(id =>
      index
        .scores({ id }, ids)
        .flatMap((score, at) => (score >= 0.2 && id < ids[at]! ? [`${id} ${ids[at]} ${score}`] : [])),
    )
    const found = pairsIn(index, 0.2)
    expect(wanted.length).toBeGreaterThan(15)
    expect(found.map(({ ids, score }) => `${ids.join(' ')} ${score}`).sort()).toEqual(wanted.sort())
  })

  it('form groups', () => {
    const pairs = [pair('a', 'b', 0.9), pair('b', 'c', 0.8), pair('a', 'c', 0.7), pair('x', 'y', 0.95)]
    expect(drain(groupPairs(pairs))).toEqual([
      { ids: ['x', 'y'], pairs: [pairs[3]] },
      { ids: ['a', 'b', 'c'], pairs: [pairs[0], pairs[1], pairs[2]] },
    ])
    expect(drain(groupPairs([]))).toEqual([])
  })

  it('form the same groups where heaps of them are looked at one after the other', () => {
    const index = new SimilarityIndex()
    for (const [id, document] of manyDocuments(250)) index.add(id, document)
    drain(index.refresh())
    const inOrder = (groups: Iterable<{ ids: readonly string[] } | undefined>) =>
      [...groups].flatMap(group => (group ? [JSON.stringify(group)] : [])).sort()
    for (const threshold of [0.1, 0.15, 0.2]) {
      const together = drain(groupPairs(pairsIn(index, threshold)))
      expect(together.length).toBeGreaterThan(1)
      expect(inOrder(findSame(index, threshold))).toEqual(inOrder(together))
    }
  })

  it('are held up to a number, the best of them', () => {
    const index = new SimilarityIndex()
    for (let i = 0; i < 60; i++)
      index.add(`d${i}`, { title: `oak table ${'abcdefghij'[i % 10]}`, body: `${i}` })
    drain(index.refresh())
    const groups = [...findSame(index, 0.05, 20)].filter(group => group !== undefined)
    const pairs = groups.flatMap(group => group.pairs)
    const best = pairsIn(index, 0.05).map(({ score }) => score)
    expect(pairs.length).toBeLessThanOrEqual(40)
    expect(best.length).toBeGreaterThan(1000)
    expect(pairs[0]!.score).toBe(Math.max(...best))
  })

  it('form no group of a chain whose ends have nothing in common', () => {
    const chain = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((id, at, all) =>
      at === 0 ? [] : [pair(all[at - 1]!, id, 0.9 - at / 100)],
    )
    const groups = drain(groupPairs(chain))
    expect(groups.map(({ ids }) => ids.join(''))).toEqual(['abc', 'def'])
  })

  it('find the near copies that were planted in the sample catalogue', () => {
    const read = (file: string) =>
      readFileSync(new URL(`../../fixtures/catalogue/${file}`, import.meta.url), 'utf8')
        .split('\n')
        .filter(Boolean)
    const index = new SimilarityIndex()
    for (const line of read('products.jsonl')) {
      const { id, title, description } = JSON.parse(line)
      index.add(id, { title, body: description })
    }
    drain(index.refresh())
    const planted = read('duplicates.tsv')
      .slice(1)
      .map(line => line.split('\t') as [string, string])
    const isFirst = planted.filter(([id, copy]) => index.nearest({ id: copy }, { count: 1 })[0]!.id === id)
    const among = planted.filter(([id, copy]) =>
      index.nearest({ id: copy }, { count: 5 }).some(hit => hit.id === id),
    )
    expect(isFirst.length).toBeGreaterThanOrEqual(0.7 * planted.length)
    expect(among.length).toBeGreaterThanOrEqual(0.95 * planted.length)
    const found = new Set(pairsIn(index, 0.4).map(({ ids }) => ids.join(' ')))
    const isFound = planted.filter(ids => found.has([...ids].sort().join(' ')))
    expect(isFound.length).toBeGreaterThanOrEqual(0.95 * planted.length)
  })
})
