import { isObject } from '../../json.ts'
import { isNumberType } from '../schema/schema.ts'
import { cellReader, cellTypeOf, isOrdinary, type KnownFields, knownField } from './csv-cells.ts'
import {
  type CellType,
  type CsvColumn,
  canBePlain,
  cellTypes,
  headerOf,
  longestHeader,
} from './csv-columns.ts'

const mostColumns = 10_000
export const namesTooLong = `columns whose names have more than ${longestHeader} bytes`

/** What rows have at one path: values, objects with members, or both. */
export class Place {
  readonly members = new Map<string, Place>()
  readonly path: readonly string[]
  /** Its column among all; undefined where no row has a value there. */
  column: number | undefined
  /** Rows with a value here, and how many of them look like themselves in each type. */
  #rows = 0
  readonly #types = new Map<CellType, number>()
  #isPlain: boolean
  readonly #readers: ((text: string) => unknown)[]

  constructor(path: readonly string[], known: KnownFields) {
    this.path = path
    const type = knownField(known, path)?.type
    // Text of a field of numbers may be read as one, however it is written.
    this.#isPlain = canBePlain(path) && !(type && isNumberType(type))
    // A plain cell must be the same for a dataset of the same fields and for one that knows none.
    const open = { root: { type: 'object' as const }, tagField: known.tagField }
    this.#readers = [known, open].map(fields => cellReader({ path, type: undefined }, fields))
  }

  get hasValues(): boolean {
    return this.#rows > 0
  }

  /** Whether a cell that is just this text is read as this text, whatever else is known of the field. */
  isPlainText(value: unknown): value is string {
    return (
      typeof value === 'string' && isOrdinary(value) && this.#readers.every(read => read(value) === value)
    )
  }

  note(value: unknown): void {
    this.#rows++
    this.#isPlain &&= this.isPlainText(value)
    const type = cellTypeOf(value)
    if (type) this.#types.set(type, (this.#types.get(type) ?? 0) + 1)
  }

  /** Without a type if every row has a plain text; otherwise of the type that most values have. */
  columnOf(rows: number): CsvColumn {
    if (this.#isPlain && this.#rows === rows) return { path: this.path, type: undefined }
    const count = (type: CellType) => this.#types.get(type) ?? 0
    const type = this.#types.size === 0 ? 'json' : cellTypes.reduce((a, b) => (count(b) > count(a) ? b : a))
    return { path: this.path, type }
  }
}

/** Which columns hold rows without loss: filled with all of them before the first is written. */
export class ColumnSurvey {
  readonly root: Place
  readonly #known: KnownFields
  #places = 0
  /** Of the names of all columns together; their types and quotes come on top. */
  #bytes = 0
  rows = 0

  constructor(known: KnownFields) {
    this.#known = known
    this.root = new Place([], known)
  }

  /** What makes the header of these columns too long to be read again; rows are then looked at no further. */
  get excess(): string | undefined {
    if (this.#places > mostColumns) return `more than ${mostColumns} columns`
    return this.#bytes > longestHeader ? namesTooLong : undefined
  }

  add(row: object): void {
    this.rows++
    this.#add(this.root, row)
  }

  /** Places with values, in the order in which rows were first seen to have them; they are told their columns. */
  columns(): Place[] {
    const found: Place[] = []
    const collect = (place: Place) => {
      if (place.hasValues) place.column = found.push(place) - 1
      for (const member of place.members.values()) collect(member)
    }
    collect(this.root)
    return found
  }

  #add(place: Place, object: object): void {
    for (const [name, value] of Object.entries(object)) {
      if (this.excess !== undefined) return
      let member = place.members.get(name)
      if (!member) {
        member = new Place([...place.path, name], this.#known)
        place.members.set(name, member)
        this.#places++
      }
      if (isFilledObject(value)) this.#add(member, value)
      else {
        if (!member.hasValues)
          this.#bytes += Buffer.byteLength(headerOf({ path: member.path, type: undefined }))
        member.note(value)
      }
    }
  }
}

/** Its members have columns of their own; an empty object is a value. */
export const isFilledObject = (value: unknown): value is object =>
  isObject(value) && Object.keys(value).length > 0
