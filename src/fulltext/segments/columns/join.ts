import {
  type ColumnName,
  type ColumnParts,
  Columns,
  type ColumnsSource,
  keyOf,
  MOST_COLUMNS,
  type ValuesOfColumn,
  valueBytesOf,
  writeColumns,
} from './columns.ts'
import { columnKinds } from './kinds.ts'

/** Segments of so few documents are usually merged with others before their columns are read. */
export const FEW_DOCUMENTS = 1024

/** Writing more takes longer than some milliseconds, which may be felt where they are read. */
const MOST_BYTES = 2 ** 17

/** More sorted lists are merged in steps, since the least value is searched among them linearly. */
const MOST_SOURCES = 16

/** Deeper nesting, and many dropped documents, would make it take long to write them at last. */
const MOST_DEPTH = 3
const MOST_DOCUMENTS = 4 * FEW_DOCUMENTS

/** A column whose documents are renumbered. */
interface ColumnSource extends ValuesOfColumn {
  readonly becomes: Int32Array
}

/** Joins several columns into one, one after another. @param size number of documents in the result */
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

/**
 * The columns of a merged segment; those of few documents stay unwritten. Names for which a source had no room are left
 * out.
 */
export function mergeColumns(given: readonly ColumnsSource[], size: number): Columns {
  const flat = living(given).flatMap(unwrittenOf)
  const sources = living(flat.length <= MOST_SOURCES ? flat : given)
  const write = () => writeMerged(sources, size)
  const depth = 1 + Math.max(...sources.map(({ columns }) => unwritten(columns)?.depth ?? 0))
  const documents = sources.reduce(
    (sum, { columns, becomes }) => sum + (unwritten(columns)?.documents ?? becomes.length),
    0,
  )
  const isLater = areFew(size, valueBytesOf(sources)) && depth <= MOST_DEPTH && documents <= MOST_DOCUMENTS
  return new Columns(isLater ? { sources, depth, documents, write } : write())
}

/** Whether columns of so many documents may stay unwritten. */
export const areFew = (documents: number, valueBytes: number): boolean =>
  documents <= FEW_DOCUMENTS && valueBytes <= MOST_BYTES

/** Without the sources of which no document is left, but for one if none is. */
function living(sources: readonly ColumnsSource[]): readonly ColumnsSource[] {
  const left = sources.filter(({ becomes }) => becomes.some(document => document >= 0))
  return left.length > 0 ? left : sources.slice(0, 1)
}

const unwritten = (columns: ColumnsSource['columns']) =>
  columns instanceof Columns ? columns.unwritten : undefined

/** The sources from which a source would be built, if it is unwritten. */
function unwrittenOf(source: ColumnsSource): readonly ColumnsSource[] {
  const { columns, becomes } = source
  return (
    unwritten(columns)?.sources.map(one => ({
      columns: one.columns,
      becomes: one.becomes.map(document => (document < 0 ? -1 : becomes[document]!)),
    })) ?? [source]
  )
}

function writeMerged(sources: readonly ColumnsSource[], size: number): Uint8Array {
  const names = new Map<string, ColumnName>()
  for (const { columns } of sources)
    for (const { name, kind } of columns.names) names.set(keyOf(name, kind), { name, kind })
  const cut = sources.filter(({ columns }) => columns.isCut)
  const known = [...names.values()].filter(column => cut.every(({ columns }) => columns.has(column)))
  const merged = known.slice(0, MOST_COLUMNS).flatMap(column => {
    const having = sources.flatMap(source => sourceOf(source, column))
    const parts = joinColumn(column, size, having)
    const isEmpty = parts.documents?.length === 0 && parts.cut.length === 0
    // A column that all sources have is required, even if no document has a value.
    return isEmpty && having.length < sources.length ? [] : [parts]
  })
  return writeColumns(size, cut.length > 0 || known.length > MOST_COLUMNS, merged)
}

function sourceOf({ columns, becomes }: ColumnsSource, column: ColumnName): ColumnSource[] {
  const values = columns.values(column)
  return values ? [{ ...values, becomes }] : []
}

/** The places of the values whose documents are kept. */
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
