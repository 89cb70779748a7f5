import { type Column, MISSING, NumberColumn, TextColumn } from '../segments/columns/column.ts'
import type { Kind } from '../segments/columns/kinds.ts'
import type { Segment } from '../segments/segment.ts'

/** The value that the documents of a group share. */
export type GroupValue = string | number | boolean

/** Numbers of unused groups are kept up to the number of documents plus this many. */
const SPARE = 4096

/**
 * Which of several values of different kinds counts, as in sorted lists. Dates come last: a field that is ranked by age is indexed
 * as dates besides what it holds.
 */
const kinds = ['number', 'boolean', 'text', 'tags', 'date'] as const satisfies readonly Kind[]

/** Number of documents between two looks at the clock. */
const AT_ONCE = 1024

/**
 * Which documents have the same value at a path. Of several values, the first counts, of different kinds the first number.
 * Groups are numbered from 1; group 0 has the documents without a value, or with a text that is too long for a column.
 */
export class Grouping {
  readonly path: string
  readonly #groups = new Map<string, number>()
  readonly #values: GroupValue[] = []
  readonly #bySegment = new WeakMap<Segment, Uint32Array>()
  readonly #begun = new WeakMap<Segment, Generator<void, Uint32Array>>()
  #bytes = 0

  constructor(path: string) {
    this.path = path
  }

  /** Approximate memory of what was built. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether it has so many unused groups that it should be rebuilt. */
  isOutgrown(documents: number): boolean {
    return this.#values.length > 2 * documents + SPARE
  }

  valueOf(group: number): GroupValue {
    return this.#values[group - 1]!
  }

  /** Number of groups, including unused ones. */
  get count(): number {
    return this.#values.length
  }

  /** Whether a segment has been read completely. */
  has(segment: Segment): boolean {
    return this.#bySegment.has(segment)
  }

  /** The groups by document of a segment, which must have been read. */
  in(segment: Segment): Uint32Array {
    this.read(segment, Number.POSITIVE_INFINITY)
    return this.#bySegment.get(segment)!
  }

  /** Reads a segment until the time is up, but at least some of it. Returns whether all of it has been read. */
  read(segment: Segment, until: number): boolean {
    if (this.has(segment)) return true
    const reading = this.#begun.get(segment) ?? this.#reading(segment)
    do {
      const { done, value } = reading.next()
      if (!done) continue
      this.#begun.delete(segment)
      this.#bySegment.set(segment, value)
      this.#bytes += value.byteLength
      return true
    } while (performance.now() < until)
    this.#begun.set(segment, reading)
    return false
  }

  *#reading({ columns, shape }: Segment): Generator<void, Uint32Array> {
    if (!columns) throw new Error('a segment is grouped before its columns are loaded')
    const groups = new Uint32Array(shape.documents)
    // An empty name stands for the members of a list.
    const having = columns.names.filter(({ name }) => name.replaceAll('..', '.') === this.path)
    // Columns are in the order in which documents came, by which a document must not change its group.
    const names = [...new Set(having.map(({ name }) => name))].sort()
    for (const kind of kinds) {
      for (const name of names) {
        const column = columns.find(name, kind)
        if (column) yield* this.#readColumn(kind, column, groups)
      }
    }
    return groups
  }

  *#readColumn(kind: Kind, column: Column, groups: Uint32Array): Generator<void> {
    if (column instanceof TextColumn) {
      const known = new Map<number, number>()
      for (const [document, ordinal] of column.first.entries()) {
        if (document % AT_ONCE === AT_ONCE - 1) yield
        if (ordinal === MISSING || groups[document] !== 0) continue
        const group = known.get(ordinal) ?? this.#groupOf(column.texts.text(ordinal))
        known.set(ordinal, group)
        groups[document] = group
      }
    } else if (column instanceof NumberColumn) {
      for (const [document, number] of column.first.entries()) {
        if (document % AT_ONCE === AT_ONCE - 1) yield
        if (Number.isNaN(number) || groups[document] !== 0) continue
        groups[document] = this.#groupOf(shown(number, kind))
      }
    }
  }

  #groupOf(value: GroupValue): number {
    const key = `${typeof value} ${value}`
    let group = this.#groups.get(key)
    if (group === undefined) {
      group = this.#values.push(value)
      this.#groups.set(key, group)
      this.#bytes += 64 + 2 * key.length
    }
    return group
  }
}

function shown(number: number, kind: Kind): GroupValue {
  if (kind === 'date') return new Date(number).toISOString()
  return kind === 'boolean' ? number === 1 : number
}
