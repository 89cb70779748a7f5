import { anyColumnsAt, columnsAt } from '../filters/field-columns.ts'
import type { IndexState } from '../filters/filter.ts'
import { type Column, NumberColumn } from '../fulltext/segments/columns/column.ts'
import type { Columns } from '../fulltext/segments/columns/columns.ts'
import type { Kind } from '../fulltext/segments/columns/kinds.ts'
import type { ValueNumbers } from '../fulltext/segments/columns/value-numbers.ts'
import type { FacetPlan } from './facet-options.ts'

/** A column of a segment that holds values of a facet. */
export interface FacetColumn {
  readonly kind: Kind
  readonly column: Column
}

/** What one segment knows of a facet. */
export interface SegmentValues {
  readonly columns: readonly FacetColumn[]
  /** Columns of numbers or dates among them, over which ranges can be counted. */
  readonly numbers: readonly NumberColumn[]
  /** Whether documents may have other values than these. */
  readonly isCut: boolean
}

const kindsOf: Record<FacetPlan['kind'], readonly Kind[]> = {
  tags: ['tags'],
  dates: ['date', 'boolean', 'text'],
  others: ['number', 'boolean', 'text'],
}

type FacetedSegment = IndexState['segments'][number]['segment']

/** By segment, then by kind and path: what the segment knows of the fields that were asked for. */
const known = new WeakMap<Columns, Map<string, SegmentValues>>()

export function valuesOf({ columns }: FacetedSegment, { field, kind }: FacetPlan): SegmentValues {
  let fields = known.get(columns)
  if (!fields) {
    fields = new Map()
    known.set(columns, fields)
  }
  const key = `${kind} ${field}`
  let values = fields.get(key)
  if (!values) {
    values = valuesIn(columns, field, kind)
    // Fields without columns are not cached: callers may invent any number of names.
    if (values.columns.length > 0) fields.set(key, values)
  }
  return values
}

function valuesIn(columns: Columns, field: string, kind: FacetPlan['kind']): SegmentValues {
  const having = kindsOf[kind].flatMap(kind =>
    columnsAt(columns, field, kind).map(column => ({ kind, column })),
  )
  const wanted = kind === 'dates' ? 'date' : 'number'
  return {
    columns: having,
    numbers: having.flatMap(({ kind, column }) =>
      kind === wanted && column instanceof NumberColumn ? [column] : [],
    ),
    isCut: columns.isCut && anyColumnsAt(columns, field).length === 0,
  }
}

/** Builds what counting needs of a segment, until the time is up. Returns whether all of it is there. */
export function prepareCounting(
  { columns, numbers }: SegmentValues,
  { limit, ranges, histogram }: FacetPlan,
  numbered: ValueNumbers,
  until: number,
): boolean {
  if (limit > 0) for (const { kind, column } of columns) if (!numbered.give(column, kind, until)) return false
  if (!ranges && histogram === undefined) return true
  for (const column of numbers) {
    if (column.hasLists) continue
    void column.lists
    if (performance.now() > until) return false
  }
  return true
}
