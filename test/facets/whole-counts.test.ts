import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { blankBits, setBit } from '../../src/arrays/set-bits.ts'
import { countWhole, type SegmentThen } from '../../src/facets/whole-counts.ts'
import { columnsOf } from '../../src/fulltext/segments/columns/rows.ts'
import { inStretches } from '../../src/scheduling/stretch.ts'
import { leastLongestTurn } from '../longest-turn.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const DOCUMENTS = 50_000
const kinds = ['number', 'boolean', 'text'] as const

/** Segments in which each document has a text and a number of its own, and one value of few; every tenth is dead. */
function segments(count: number): SegmentThen[] {
  const dead = blankBits(DOCUMENTS)
  for (let document = 0; document < DOCUMENTS; document += 10) setBit(dead, document)
  return Array.from({ length: count }, (_, segment) => ({
    columns: columnsOf(
      Array.from({ length: DOCUMENTS }, (_, document) => [
        { name: 'code', kind: 'text', value: `code ${(segment * DOCUMENTS + document) * 7919}` },
        { name: 'price', kind: 'number', value: (segment * DOCUMENTS + document) * 0.5 },
        { name: 'colour', kind: 'text', value: `colour ${document % 7}` },
      ]),
    ),
    dead,
    living: DOCUMENTS - DOCUMENTS / 10,
    documents: DOCUMENTS,
  }))
}

it('a million different values are counted exactly, in bounded memory and without holding the event loop', async () => {
  const all = segments(20)
  const living = (20 * DOCUMENTS * 9) / 10
  const megabytes = () => process.memoryUsage().arrayBuffers / 2 ** 20
  collectGarbage()
  const before = megabytes()
  let most = 0
  function* noting(pieces: Iterator<void, unknown>): Generator<void, unknown> {
    for (;;) {
      const { done, value } = pieces.next()
      most = Math.max(most, megabytes())
      if (done) return value
      yield
    }
  }
  const count = (path: string) => inStretches(noting(countWhole(all, { path, kinds }, 3)))
  const counted: Record<string, unknown> = {}
  const longest = await leastLongestTurn(50, async () => {
    for (const path of ['code', 'price', 'colour', 'none']) counted[path] = await count(path)
  })
  expect(counted).toMatchObject({
    code: { present: living, distinct: living },
    price: { present: living, distinct: living, top: [0.5, 1, 1.5].map(value => ({ value, count: 1 })) },
    colour: { present: living, distinct: 7 },
    none: { present: 0, distinct: 0, top: [] },
  })
  expect(longest).toBeLessThan(50)
  // Of each value of one path a count and an order.
  expect(most - before).toBeLessThan(60)
  // Buffers are given back some time after they are collected.
  for (let tries = 0; tries < 50 && megabytes() - before >= 10; tries++) {
    collectGarbage()
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  expect(megabytes() - before).toBeLessThan(10)
}, 120_000)
