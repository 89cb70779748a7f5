import type { Column } from './column.ts'
import { type ColumnOf, columnKinds, type Kind } from './kinds.ts'
import type { ColumnArray, ColumnArrayType } from './values.ts'

/** The key of a column: values of another kind at the same path form another column. */
export interface ColumnName {
  /** The path of the values in a document. */
  readonly name: string
  readonly kind: Kind
}

/** A value of a document. Texts and tags are strings, all others numbers. */
export interface ColumnValue extends ColumnName {
  readonly value: number | string
}

/** A value as it is added: null for one that is too long to be kept. */
export interface AddedValue extends ColumnName {
  readonly value: number | string | null
}

/** The stored parts of a column. */
export interface ColumnParts extends ColumnName {
  /** By value, ascending: its document. Undefined where each document has exactly one. */
  readonly documents: Uint16Array | undefined
  readonly cut: Uint16Array
  readonly arrays: readonly ColumnArray[]
}

/** Maximum number of columns in a segment: documents whose member names are data must not create a column for each. */
export const MOST_COLUMNS = 1000

/**
 * Longer paths have no column. Above some thousand characters all names of one length have the same hash in V8, so that looking
 * one up compares it with all others in full. Settings allow no path that is longer than 500.
 */
export const LONGEST_NAME = 1000

/** The values of documents, column by column. */
export interface ColumnValues {
  readonly names: readonly ColumnName[]
  /** Whether the documents had more names than columns are allowed: for the others it is not known which documents have them. */
  readonly isCut: boolean
  /** Memory used. */
  readonly bytes: number
  /** Bytes that the values take in a block, without names, approximately. */
  readonly valueBytes: number
  has(column: ColumnName): boolean
  /** Undefined where there is no such column. */
  values(column: ColumnName): ValuesOfColumn | undefined
}

export interface ValuesOfColumn {
  /** By value, ascending: its document. */
  readonly documents: ArrayLike<number>
  readonly cut: ArrayLike<number>
  readonly arrays: readonly ColumnArray[]
}

/** Values of a segment whose documents are renumbered or dropped. */
export interface ColumnsSource {
  readonly columns: ColumnValues
  /** By document: its new number, ascending over all sources, or -1 where it is dropped. */
  readonly becomes: Int32Array
}

/** Sources from which columns are built on first use. */
export interface UnwrittenColumns {
  readonly sources: readonly ColumnsSource[]
  /** How deeply unwritten columns are nested in it, from 1. */
  readonly depth: number
  /** Number of documents in its written sources, including dropped ones. */
  readonly documents: number
  write(): Uint8Array
}

interface Directory {
  /** Number of documents in the segment. */
  readonly size: number
  /** Whether the documents have more names than these. */
  readonly isCut: boolean
  readonly columns: readonly (ColumnName & {
    readonly isEven: boolean
    /** Lengths of the arrays: of documents, of cut documents, and of the kind's own. */
    readonly lengths: readonly number[]
  })[]
}

/** Alignment of all arrays, which suffices for the widest. */
const ALIGNED = 8

/**
 * The columns of a segment in one block of bytes: the length of the directory, the directory as JSON, and then the
 * arrays of one column after another. A column that is not in it has no value in any document, unless `isCut`.
 */
export class Columns implements ColumnValues {
  #block: Uint8Array | undefined
  #unwritten: UnwrittenColumns | undefined
  #unwrittenBytes: number | undefined
  #opened: { directory: Directory; starts: Map<string, { at: number; place: number }> } | undefined
  readonly #views = new Map<string, Column>()
  #all: readonly (ColumnName & { readonly column: Column })[] | undefined

  constructor(given: Uint8Array | UnwrittenColumns) {
    if (given instanceof Uint8Array) this.#block = given
    else this.#unwritten = given
  }

  get block(): Uint8Array {
    this.#block ??= this.#unwritten!.write()
    this.#unwritten = undefined
    return this.#block
  }

  /** The sources to build it from, as long as nothing has read it. */
  get unwritten(): Omit<UnwrittenColumns, 'write'> | undefined {
    return this.#unwritten
  }

  /** Bytes of the values, or of those of its sources, which are counted only once. */
  get valueBytes(): number {
    if (this.#block) return this.#block.byteLength - directoryEnd(this.#block)
    this.#unwrittenBytes ??= valueBytesOf(this.#unwritten!.sources)
    return this.#unwrittenBytes
  }

  /** Memory of the block, or of its sources, and of data derived from it. */
  get bytes(): number {
    let bytes = this.#block?.byteLength ?? 0
    for (const { columns, becomes } of this.unwritten?.sources ?? [])
      bytes += columns.bytes + becomes.byteLength
    for (const view of this.#views.values()) bytes += view.bytes
    return bytes
  }

  /** Number of documents in the segment. */
  get size(): number {
    return this.#open().directory.size
  }

  get isCut(): boolean {
    return this.#open().directory.isCut
  }

  get names(): readonly ColumnName[] {
    return this.#open().directory.columns
  }

  has({ name, kind }: ColumnName): boolean {
    return this.#open().starts.has(keyOf(name, kind))
  }

  find<K extends Kind>(name: string, kind: K): ColumnOf<K> | undefined {
    const key = keyOf(name, kind)
    let view = this.#views.get(key)
    if (!view) {
      const parts = this.parts({ name, kind })
      if (!parts) return undefined
      view = columnKinds[kind].view({ ...parts, size: this.size }, parts.arrays)
      this.#views.set(key, view)
    }
    // The type that this kind creates.
    return view as ColumnOf<K>
  }

  /** All values of one document, and null in each column for which it has a further one. */
  addedBy(document: number): AddedValue[] {
    this.#all ??= this.names.map(({ name, kind }) => ({ name, kind, column: this.find(name, kind)! }))
    const values: AddedValue[] = []
    for (const { name, kind, column } of this.#all) {
      const end = column.starts[document + 1]!
      for (let place = column.starts[document]!; place < end; place++)
        values.push({ name, kind, value: column.valueAt(place) })
      if (column.cut.includes(document)) values.push({ name, kind, value: null })
    }
    return values
  }

  /** The same without null. */
  valuesOf(document: number): ColumnValue[] {
    return this.addedBy(document).filter((one): one is ColumnValue => one.value !== null)
  }

  values(column: ColumnName): ValuesOfColumn | undefined {
    const view = this.find(column.name, column.kind)
    const parts = view && this.parts(column)
    return parts && { ...parts, documents: parts.documents ?? view.documents }
  }

  /** Views of the stored parts of a column. */
  parts({ name, kind }: ColumnName): ColumnParts | undefined {
    const { directory, starts } = this.#open()
    const start = starts.get(keyOf(name, kind))
    if (!start) return undefined
    const { isEven, lengths } = directory.columns[start.place]!
    const { buffer, byteOffset } = this.block
    let { at } = start
    const [documents, cut, ...arrays] = arrayTypes(kind).map((Type, i) => {
      const array = new Type(buffer as ArrayBuffer, byteOffset + at, lengths[i]!)
      at += aligned(array.byteLength)
      return array as ColumnArray
    })
    const given = isEven ? undefined : (documents as Uint16Array)
    return { name, kind, documents: given, cut: cut as Uint16Array, arrays }
  }

  #open() {
    this.#opened ??= this.#read()
    return this.#opened
  }

  #read() {
    const { block } = this
    // A copy, because text cannot be decoded from shared memory.
    const text = Buffer.from(block.slice(4, 4 + textLength(block))).toString()
    const directory = JSON.parse(text) as Directory
    const starts = new Map<string, { at: number; place: number }>()
    let at = directoryEnd(block)
    for (const [place, { name, kind, lengths }] of directory.columns.entries()) {
      starts.set(keyOf(name, kind), { at, place })
      for (const [i, Type] of arrayTypes(kind).entries()) at += aligned(Type.BYTES_PER_ELEMENT * lengths[i]!)
    }
    return { directory, starts }
  }
}

/** Writes columns into a block. @param size number of documents in the segment */
export function writeColumns(size: number, isCut: boolean, columns: readonly ColumnParts[]): Uint8Array {
  const arrays = columns.flatMap(({ documents, cut, arrays }) => [documents ?? NONE, cut, ...arrays])
  const directory: Directory = {
    size,
    isCut,
    columns: columns.map(({ name, kind, documents, cut, arrays }) => ({
      name,
      kind,
      isEven: documents === undefined,
      lengths: [documents?.length ?? 0, cut.length, ...arrays.map(({ length }) => length)],
    })),
  }
  const text = Buffer.from(JSON.stringify(directory))
  const bytes = arrays.reduce((sum, array) => sum + aligned(array.byteLength), aligned(4 + text.length))
  // Shared memory, which workers read without a copy.
  const block = new Uint8Array(new SharedArrayBuffer(bytes))
  new Uint32Array(block.buffer, 0, 1)[0] = text.length
  block.set(text, 4)
  let at = aligned(4 + text.length)
  for (const array of arrays) {
    block.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at)
    at += aligned(array.byteLength)
  }
  return block
}

/** Length of the directory as JSON, and where the first array begins. */
const textLength = ({ buffer, byteOffset }: Uint8Array): number => new Uint32Array(buffer, byteOffset, 1)[0]!
const directoryEnd = (block: Uint8Array): number => aligned(4 + textLength(block))

export const valueBytesOf = (sources: readonly ColumnsSource[]): number =>
  sources.reduce((sum, { columns }) => sum + columns.valueBytes, 0)

const NONE = new Uint16Array()

const arrayTypes = (kind: Kind): readonly ColumnArrayType[] => [
  Uint16Array,
  Uint16Array,
  ...columnKinds[kind].arrays,
]

// Kinds have no spaces in their names.
export const keyOf = (name: string, kind: Kind): string => `${kind} ${name}`

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNED) * ALIGNED
