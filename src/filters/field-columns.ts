import type { Column, NumberColumn, TextColumn } from '../fulltext/segments/columns/column.ts'
import type { ColumnName, Columns } from '../fulltext/segments/columns/columns.ts'
import { type ColumnOf, type Kind, kindNames } from '../fulltext/segments/columns/kinds.ts'
import { blank, type Mask } from './mask.ts'

/** By segment: its columns by the path that a query names, which does not tell where there are lists. */
const byPath = new WeakMap<Columns, Map<string, ColumnName[]>>()

function named(columns: Columns): Map<string, ColumnName[]> {
  let names = byPath.get(columns)
  if (!names) {
    names = new Map()
    for (const { name, kind } of columns.names) {
      // An empty name stands for the members of a list.
      const path = name.replaceAll('..', '.')
      const others = names.get(path)
      if (others) others.push({ name, kind })
      else names.set(path, [{ name, kind }])
    }
    byPath.set(columns, names)
  }
  return names
}

/** The columns of one kind that hold values at a path. */
export function columnsAt<K extends Kind>(columns: Columns, path: string, kind: K): ColumnOf<K>[] {
  const names = named(columns).get(path) ?? []
  return names.flatMap(one => (one.kind === kind ? (columns.find(one.name, kind) ?? []) : []))
}

/** All columns that hold values at a path. */
export function anyColumnsAt(columns: Columns, path: string, kinds: readonly Kind[] = kindNames): Column[] {
  return kinds.flatMap((kind): Column[] => columnsAt(columns, path, kind))
}

/** All columns that hold values below a path. */
export function columnsBelow(columns: Columns, path: string): Column[] {
  const prefix = `${path}.`
  return [...named(columns).keys()].flatMap(name =>
    name.startsWith(prefix) ? anyColumnsAt(columns, name) : [],
  )
}

/** Marks the documents with a number of which this holds. */
export function markNumbers(column: NumberColumn, holds: (value: number) => boolean, mask: Uint8Array): void {
  const { values } = column
  if (column.isEven) {
    for (let document = 0; document < values.length; document++)
      if (holds(values[document]!)) mask[document] = 1
    return
  }
  const { documents } = column
  for (let place = 0; place < values.length; place++) if (holds(values[place]!)) mask[documents[place]!] = 1
}

/** Marks the documents with a number from one to another, both included. */
export function markBetween(column: NumberColumn, from: number, to: number, mask: Uint8Array): void {
  const { values } = column
  if (column.isEven) {
    for (let document = 0; document < values.length; document++) {
      const value = values[document]!
      mask[document] = mask[document]! | (Number(value >= from) & Number(value <= to))
    }
    return
  }
  const { documents } = column
  for (let place = 0; place < values.length; place++) {
    const value = values[place]!
    if (value >= from && value <= to) mask[documents[place]!] = 1
  }
}

/** Marks the documents with a text whose ordinal is in the range, which may be empty. */
export function markOrdinals(column: TextColumn, from: number, end: number, mask: Uint8Array): void {
  if (from >= end) return
  const { ordinals, documents } = column
  for (let place = 0; place < ordinals.length; place++) {
    const ordinal = ordinals[place]!
    if (ordinal >= from && ordinal < end) mask[documents[place]!] = 1
  }
}

/** Marks the documents with a text that is marked by its ordinal. */
export function markTexts({ ordinals, documents }: TextColumn, wanted: Uint8Array, mask: Uint8Array): void {
  for (let place = 0; place < ordinals.length; place++)
    if (wanted[ordinals[place]!] === 1) mask[documents[place]!] = 1
}

/** The documents that have a value in one of the columns, or one that was too long. */
export function havingValues(columns: readonly Column[], documents: number): Mask {
  if (columns.length === 0) return 'none'
  if (columns.some(({ isEven }) => isEven)) return 'all'
  const mask = blank(documents)
  for (const column of columns) {
    const { documents: having } = column
    for (let place = 0; place < having.length; place++) mask[having[place]!] = 1
  }
  markCut(columns, mask)
  return mask
}

/** Marks the documents with a value that was too long. */
export function markCut(columns: readonly Column[], mask: Uint8Array): void {
  for (const { cut } of columns) for (const document of cut) mask[document] = 1
}
