import type { NumberColumn } from '../fulltext/segments/columns/column.ts'
import type { Columns } from '../fulltext/segments/columns/columns.ts'
import { pointNames } from '../geo/point.ts'
import { columnNamesAt } from './field-columns.ts'

/** The latitudes and longitudes of the points at a path, which `pointsIn` pairs in the same way. */
export interface PointColumns {
  readonly lat: NumberColumn
  readonly lon: NumberColumn
}

export function pointColumnsAt(columns: Columns, field: string): PointColumns[] {
  return pointNames.flatMap(([latName, lonName]) =>
    columnNamesAt(columns, `${field}.${latName}`, 'number').flatMap(name => {
      const lat = columns.find(name, 'number')
      const lon = columns.find(name.slice(0, -latName.length) + lonName, 'number')
      return lat && lon ? [{ lat, lon }] : []
    }),
  )
}

/** Where a part that begins with a document ends: at the document with which it has so many points. */
export function endOfPart({ lat }: PointColumns, from: number, points: number): number {
  if (lat.isEven) return Math.min(lat.size, from + points)
  const { starts, size } = lat
  const most = Math.min(size, from + points)
  let end = from + 1
  while (end < most && starts[end]! - starts[from]! < points) end++
  return end
}

/**
 * Visits the points of some documents, the last of which is the one before `end`: those between two latitudes, as most are not
 * meant.
 */
export function eachPoint(
  { lat: lats, lon: lons }: PointColumns,
  { from, end, south, north }: { from: number; end: number; south: number; north: number },
  visit: (document: number, lat: number, lon: number) => void,
): void {
  const [x, y] = [lons.values, lats.values]
  if (lats.isEven && lons.isEven) {
    for (let document = from; document < end; document++) {
      const lat = y[document]!
      if (lat >= south && lat <= north) visit(document, lat, x[document]!)
    }
    return
  }
  const [startsX, startsY] = [lons.starts, lats.starts]
  for (let document = from; document < end; document++) {
    const [firstX, firstY] = [startsX[document]!, startsY[document]!]
    const points = startsY[document + 1]! - firstY
    if (points !== startsX[document + 1]! - firstX) continue
    for (let i = 0; i < points; i++) {
      const lat = y[firstY + i]!
      if (lat >= south && lat <= north) visit(document, lat, x[firstX + i]!)
    }
  }
}
