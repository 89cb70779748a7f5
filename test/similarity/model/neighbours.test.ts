import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SimilarDocument } from '../../../src/similarity/model/aspects.ts'
import { findNeighbours, type NeighbourList, Neighbours } from '../../../src/similarity/model/neighbours.ts'
import { type NearDocument, SimilarityIndex } from '../../../src/similarity/model/similarity-index.ts'
import { drain, manyDocuments, someDocument, someId } from './shop.ts'

function indexOf(documents: Iterable<readonly [string, SimilarDocument]>): SimilarityIndex {
  const index = new SimilarityIndex()
  for (const [id, document] of documents) index.add(id, document)
  drain(index.refresh())
  return index
}

function listsOf(lists: Iterable<NeighbourList>): Map<string, [string[], number[]]> {
  const sorted = [...lists].sort((a, b) => (a.id < b.id ? -1 : 1))
  return new Map(sorted.map(({ id, ids, scores }) => [id, [[...ids], [...scores]]]))
}

function made(index: SimilarityIndex, members: ReadonlySet<string>, most: number): Neighbours {
  const neighbours = new Neighbours(most)
  for (const list of findNeighbours(index, members, { most })) neighbours.take(list)
  return neighbours
}

describe('neighbours', () => {
  it('are the nearest members of the group, never others and never the document itself', () => {
    const index = indexOf(manyDocuments(300))
    const members = new Set(index.ids().filter((_, at) => at % 3 === 0))
    const neighbours = made(index, members, 20)
    expect(neighbours.size).toBe(100)
    for (const id of members) {
      const wanted = index.nearest({ id }, { count: 300 }).filter(hit => members.has(hit.id))
      expect(neighbours.of(id)).toEqual(wanted.slice(0, 20))
    }
    expect(neighbours.of('m1')).toBeUndefined()
  })

  it('can be found in parts, by copies of the index', () => {
    const index = indexOf(manyDocuments(120))
    const copy = drain(SimilarityIndex.load(drain(index.save())))
    const members = new Set(index.ids())
    const [half, rest] = [index.ids().slice(0, 60), index.ids().slice(60)]
    const parts = [
      ...findNeighbours(index, members, { some: half }),
      ...findNeighbours(copy, members, { some: rest }),
    ]
    expect(listsOf(parts)).toEqual(listsOf(findNeighbours(index, members)))
  })

  const change = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(someId, someDocument) },
    { weight: 1, arbitrary: someId },
  )

  it('brought up to date are those made anew, after any changes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(someId, someDocument), { maxLength: 40 }),
        fc.array(fc.array(change, { maxLength: 8 }), { maxLength: 4 }),
        fc.integer({ min: 1, max: 12 }),
        (documents, rounds, most) => {
          const index = indexOf(documents)
          const neighbours = made(index, new Set(index.ids()), most)
          for (const round of rounds) {
            const changed = new Set<string>()
            const removed = new Set<string>()
            for (const one of round) {
              const id = typeof one === 'string' ? one : one[0]
              if (typeof one === 'string') index.remove(id)
              else index.add(...one)
              for (const set of [changed, removed]) set.delete(id)
              if (typeof one === 'string') removed.add(id)
              else changed.add(id)
            }
            const members = new Set(index.ids())
            drain(neighbours.update(index, members, { changed, removed }))
            expect(listsOf(neighbours.lists())).toEqual(listsOf(findNeighbours(index, members, { most })))
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  it('are all that are like enough, also where their numbers differ', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(someId, someDocument), { minLength: 2, maxLength: 40 }),
        fc.double({ min: 0.01, max: 0.5, noNaN: true }),
        (documents, least) => {
          const index = indexOf(documents)
          index.add('new', { title: 'lx350h brass lamp', body: '' })
          for (const id of index.ids()) {
            const inOrder = (hits: readonly NearDocument[]) =>
              [...hits].sort((a, b) => (a.id < b.id ? -1 : 1))
            const all = index.allLike(id, 0).filter(({ score }) => score >= least)
            expect(inOrder(index.allLike(id, least))).toEqual(inOrder(all))
          }
        },
      ),
    )
  })

  it('are brought up to date without touching those that nothing changed for', () => {
    const index = indexOf([
      ['a', { title: 'oak table', body: '' }],
      ['b', { title: 'oak desk', body: '' }],
      ['x', { title: 'зелёный чай', body: '' }],
      ['y', { title: 'чёрный чай', body: '' }],
    ])
    const neighbours = made(index, new Set(index.ids()), 10)
    index.add('b', { title: 'oak bench', body: '' })
    const ids = [
      ...neighbours.update(index, new Set(index.ids()), { changed: new Set('b'), removed: new Set() }),
    ]
    expect(ids.filter(id => id !== undefined).sort()).toEqual(['a', 'b'])
    index.remove('y')
    drain(neighbours.update(index, new Set(index.ids()), { changed: new Set(), removed: new Set('y') }))
    expect(neighbours.of('x')).toEqual([])
    expect(neighbours.of('y')).toBeUndefined()
  })
})
