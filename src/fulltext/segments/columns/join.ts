import {
  type ColumnName,
  type ColumnParts,
  type Columns,
  keyOf,
  MOST_COLUMNS,
  writeColumns,
} from './columns.ts'
import { columnKinds } from './kinds.ts'
import type { ColumnArray } from './values.ts'

/** A column of documents that become others. */
export interface ColumnSource {
  /** By value, ascending: its document. */
  readonly documents: ArrayLike<number>
  readonly cut: ArrayLike<number>
  readonly arrays: readonly ColumnArray[]
  /** By document: what it becomes, ascending over all sources, or -1 where it is gone. */
  readonly becomes: Int32Array
}

/** The columns of a segment whose documents become others, or go. */
export interface ColumnsSource {
  readonly columns: Columns
  readonly becomes: Int32Array
}

/** One column of several, one after the other. @param size documents of the result */
export function joinColumn(
  { name, kind }: ColumnName,
  size: number,
  sources: readonly ColumnSource[],
): ColumnParts {
  const kept = sources.map(keptOf)
  const documents = new Uint16Array(kept.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  let isEven = documents.length === size
  for (const [s, { documents: own, becomes }] of sources.entries()) {
    const places = kept[s]!
    for (let i = 0; i < places.length; i++) {
      documents[at] = becomes[own[places[i]!]!]!
      isEven &&= documents[at] === at
      at++
    }
  }
  const [first] = sources
  const isWhole = sources.length === 1 && kept[0]!.length === first!.documents.length
  const arrays = isWhole
    ? first!.arrays
    : columnKinds[kind].merge(sources.map(({ arrays }, s) => ({ arrays, kept: kept[s]! })))
  return { name, kind, documents: isEven ? undefined : documents, cut: cutOf(sources), arrays }
}

/** The columns of a merged segment. Of names that a source had no room for, nothing is said. */
export function mergeColumns(sources: readonly ColumnsSource[], size: number): Columns {
  const names = new Map<string, ColumnName>()
  for (const { columns } of sources)
    for (const { name, kind } of columns.names) names.set(keyOf(name, kind), { name, kind })
  const cut = sources.filter(({ columns }) => columns.isCut)
  const known = [...names.values()].filter(column => cut.every(({ columns }) => columns.has(column)))
  const merged = known.slice(0, MOST_COLUMNS).flatMap(column => {
    const having = sources.flatMap(({ columns, becomes }) => sourceOf(columns, column, becomes))
    const parts = joinColumn(column, size, having)
    const isEmpty = parts.documents?.length === 0 && parts.cut.length === 0
    // What all have is asked for, even if nobody has a value.
    return isEmpty && having.length < sources.length ? [] : [parts]
  })
  return writeColumns(size, cut.length > 0 || known.length > MOST_COLUMNS, merged)
}

function sourceOf(columns: Columns, name: ColumnName, becomes: Int32Array): ColumnSource[] {
  const view = columns.find(name.name, name.kind)
  const parts = view && columns.parts(name)
  return parts ? [{ ...parts, documents: parts.documents ?? view.documents, becomes }] : []
}

/** The places of the values whose documents stay. */
function keptOf({ documents, becomes }: ColumnSource): Uint32Array {
  const kept = new Uint32Array(documents.length)
  let count = 0
  for (let place = 0; place < documents.length; place++) {
    if (becomes[documents[place]!]! >= 0) kept[count++] = place
  }
  return kept.subarray(0, count)
}

function cutOf(sources: readonly ColumnSource[]): Uint16Array {
  const cut: number[] = []
  for (const { cut: own, becomes } of sources) {
    for (let i = 0; i < own.length; i++) {
      const document = becomes[own[i]!]!
      if (document >= 0 && cut.at(-1) !== document) cut.push(document)
    }
  }
  return new Uint16Array(cut)
}
