import { expect, it } from 'vitest'
import { eachPoint, endOfPart } from '../../src/filters/point-columns.ts'
import { PointsInside } from '../../src/filters/points-inside.ts'
import { NumberColumn } from '../../src/fulltext/segments/columns/column.ts'
import { Distances } from '../../src/search/distances.ts'

/** By document, the number of its points. */
function pointsOf(counts: readonly number[]) {
  const documents = Uint16Array.from(
    counts.flatMap((count, document) => Array.from({ length: count }, () => document)),
  )
  const entries = { size: counts.length, documents, cut: new Uint16Array() }
  const column = () => new NumberColumn(entries, [new Float64Array(documents.length)])
  return { lat: column(), lon: column() }
}

it('parts of documents with many points end by their points, and those of one document by documents', () => {
  const counts = [0, 3, 0, 500, 500, 1, 0, 2_000, 0]
  const columns = pointsOf(counts)
  const parts: [number, number][] = []
  for (let from = 0; from < counts.length; from = parts.at(-1)![1])
    parts.push([from, endOfPart(columns, from, 600)])
  expect(parts).toEqual([
    [0, 5],
    [5, 8],
    [8, 9],
  ])
  let visited = 0
  for (const [from, end] of parts) eachPoint(columns, { from, end, south: -90, north: 90 }, () => visited++)
  expect(visited).toBe(3_004)
  const even = { size: 5_000, documents: undefined, cut: new Uint16Array() }
  const single = new NumberColumn(even, [new Float64Array(5_000)])
  expect(endOfPart({ lat: single, lon: single }, 4_000, 600)).toBe(4_600)
  expect(endOfPart({ lat: single, lon: single }, 4_600, 600)).toBe(5_000)
})

it('the time is checked between documents with many points', () => {
  const { lat, lon } = pointsOf([6_000, 6_000, 6_000, 6_000])
  const columns = {
    isCut: false,
    names: [
      { name: 'at.lat', kind: 'number' },
      { name: 'at.lon', kind: 'number' },
    ],
    find: (name: string) => ({ 'at.lat': lat, 'at.lon': lon })[name],
  }
  const segment = { columns, shape: { documents: 4 } } as unknown as Parameters<PointsInside['in']>[0]
  const fields = { idField: 'id', tagField: 'tags', query: { find: () => undefined } }
  const inside = new PointsInside(
    { kind: 'inside', field: 'at', area: { shape: 'within', lat: 0, lon: 0, meters: 1 } },
    fields as unknown as ConstructorParameters<typeof PointsInside>[1],
  )
  let calls = 1
  while (!inside.in(segment, 0)) calls++
  expect(calls).toBe(4)
  const distances = new Distances('at', { lat: 0, lon: 0 })
  const measured = { ...segment, body: new Uint8Array() } as unknown as Parameters<Distances['prepare']>[0]
  let measurings = 1
  while (!distances.prepare(measured, 0)) measurings++
  expect(measurings).toBe(2)
})
