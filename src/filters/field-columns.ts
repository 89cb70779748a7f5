import { blankBits, setBit } from '../arrays/set-bits.ts'
import type { Column, NumberColumn, TextColumn } from '../fulltext/segments/columns/column.ts'
import type { ColumnName, Columns } from '../fulltext/segments/columns/columns.ts'
import { type ColumnOf, type Kind, kindNames } from '../fulltext/segments/columns/kinds.ts'
import { either, type Mask, maskOf } from './mask.ts'

/** The columns at one path, by kind: their names, and those that have been loaded. */
interface AtPath {
  readonly names: ColumnName[]
  readonly columns: Partial<Record<Kind, readonly Column[]>>
}

/** The path of a column's values: in the name of a column, an empty segment stands for the members of a list. */
export const pathOf = (name: string): string => name.replaceAll('..', '.')

/** By segment: its columns by query path, which does not show where there are lists; in the same order in every segment. */
const byPath = new WeakMap<Columns, Map<string, AtPath>>()

function named(columns: Columns): Map<string, AtPath> {
  let paths = byPath.get(columns)
  if (!paths) {
    paths = new Map()
    for (const { name, kind } of inOrder(columns.names)) {
      const path = pathOf(name)
      const known = paths.get(path)
      if (known) known.names.push({ name, kind })
      else paths.set(path, { names: [{ name, kind }], columns: {} })
    }
    byPath.set(columns, paths)
  }
  return paths
}

const inOrder = (names: readonly ColumnName[]): ColumnName[] =>
  names.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))

const NONE: readonly never[] = []

/** The columns of one kind that hold values at a path. */
export function columnsAt<K extends Kind>(columns: Columns, path: string, kind: K): readonly ColumnOf<K>[] {
  const at = named(columns).get(path)
  if (!at) return NONE
  at.columns[kind] ??= at.names.flatMap(one =>
    one.kind === kind ? (columns.find(one.name, kind) ?? []) : [],
  )
  return at.columns[kind] as readonly ColumnOf<K>[] // what is found of this kind
}

/** The names of the columns of one kind that hold values at a path. */
export const columnNamesAt = (columns: Columns, path: string, kind: Kind): string[] =>
  named(columns)
    .get(path)
    ?.names.flatMap(one => (one.kind === kind ? one.name : [])) ?? []

/** All columns that hold values at a path. */
export function anyColumnsAt(columns: Columns, path: string, kinds: readonly Kind[] = kindNames): Column[] {
  return kinds.flatMap((kind): readonly Column[] => columnsAt(columns, path, kind))
}

/** All columns that hold values below a path. */
export function columnsBelow(columns: Columns, path: string): Column[] {
  const prefix = `${path}.`
  return [...named(columns).keys()].flatMap(name =>
    name.startsWith(prefix) ? anyColumnsAt(columns, name) : [],
  )
}

/** The documents that have, in one of the columns, a value whose ordinal is in a range; the range may be empty. */
export function havingOrdinals<C extends Column>(
  columns: readonly C[],
  rangeOf: (column: C) => readonly [from: number, end: number],
): Mask {
  let mask: Mask = 'none'
  for (const column of columns) {
    const [from, end] = rangeOf(column)
    if (from < end) mask = either(mask, column.lists.between(from, end))
  }
  return mask
}

/** The documents with a number between two bounds, either of which may be absent. */
export function havingNumbers(
  columns: readonly NumberColumn[],
  from: NumberBound | undefined | null,
  to: NumberBound | undefined | null,
): Mask {
  return havingOrdinals(columns, ({ numbers }) => [
    !from ? 0 : from.inclusive ? numbers.lowerBound(from.value) : numbers.upperBound(from.value),
    !to ? numbers.count : to.inclusive ? numbers.upperBound(to.value) : numbers.lowerBound(to.value),
  ])
}

interface NumberBound {
  readonly value: number
  readonly inclusive: boolean
}

/** The documents with this text in one of the columns. */
export function havingText(columns: readonly TextColumn[], text: string): Mask {
  return havingOrdinals(columns, ({ texts }) => {
    const ordinal = texts.find(text)
    return ordinal < 0 ? [0, 0] : [ordinal, ordinal + 1]
  })
}

/** The documents with a text whose ordinal is marked. */
export function havingTexts({ lists, size }: TextColumn, wanted: Uint8Array): Mask {
  let mask: Uint32Array | undefined
  for (let ordinal = 0; ordinal < wanted.length; ordinal++) {
    if (wanted[ordinal] !== 1) continue
    mask ??= blankBits(size)
    for (let i = lists.starts[ordinal]!; i < lists.starts[ordinal + 1]!; i++)
      setBit(mask, lists.documents[i]!)
  }
  return mask ?? 'none'
}

/** The documents that have a value in one of the columns, values that were too long included. */
export function havingValues(columns: readonly Column[], documents: number): Mask {
  if (columns.some(({ isEven }) => isEven)) return 'all'
  return columns.reduce<Mask>(
    (mask, column) => either(mask, maskOf(column.documents, documents)),
    havingCut(columns, documents),
  )
}

/** The documents with a value that was too long. */
export function havingCut(columns: readonly Column[], documents: number): Mask {
  return columns.reduce<Mask>((mask, { cut }) => either(mask, maskOf(cut, documents)), 'none')
}
