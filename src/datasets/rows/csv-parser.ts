import { isUtf8 } from 'node:buffer'
import { finished } from 'node:stream/promises'
import { CsvError, type Parser, parse } from 'csv-parse'
import { describeValue } from '../../input.ts'
import { deepest, isObject } from '../../json.ts'
import { inStretches, Stretch } from '../../scheduling/stretch.ts'
import { ByteQueue } from './byte-queue.ts'
import { cellReader, type KnownFields } from './csv-cells.ts'
import { type Column, readColumn } from './csv-columns.ts'
import { guessDelimiter, tellingBytes, tellsDelimiter } from './csv-delimiter.ts'
import { invalidRow, longestRow, type Row, type RowParser } from './row.ts'

export interface CsvOptions {
  /** One character; guessed from the first line unless given. */
  readonly delimiter?: string | undefined
  /** Takes the place of all that is known of types. */
  readonly convert?: ((field: string, text: string) => unknown) | undefined
  /** Of plain columns: without it their cells are texts. */
  readonly known?: KnownFields | undefined
}

/** A column and how its cells are read. */
interface ReadColumn {
  readonly name: string
  readonly path: readonly string[]
  readonly read: (text: string) => unknown
}

interface CsvRecord {
  readonly cells: string[]
  /** Offset in the text behind the record. */
  readonly end: number
}

const lineFeed = 10
const carriageReturn = 13

/** As spreadsheets have. */
const mostColumns = 16_384
/** Bytes. */
const longestHeader = 4 * 1024 * 1024
/** Bytes that the library reads, or that lines are counted in, at a time. */
const atOnce = 64 * 1024
/** Cells of a row that are read at a time. */
const cellsAtOnce = 256

/**
 * One row a CSV record; the first names the columns, where dots lead into objects and a colon to a type. The library gives up at a
 * broken quote: the record is a row with an error then, and a new parser starts with the line after the one in
 * which the broken value began.
 */
export class CsvParser implements RowParser {
  readonly #options: CsvOptions
  /** What has been fed behind the last record. */
  readonly #open = new ByteQueue()
  readonly #records: CsvRecord[] = []
  /** Undefined for a column without a name, which is left out. */
  #columns: (ReadColumn | undefined)[] | undefined
  /** The beginning of the text, until it tells the delimiter. */
  readonly #head = new ByteQueue()
  #delimiter: string | undefined
  #parser: Parser | undefined
  /** Offset in the text where the parser started. */
  #parserStart = 0
  /** Offset, and line, of the first byte in `#open`. */
  #bytesRead = 0
  #line = 1
  #skipping = false
  readonly #stretch = new Stretch()

  constructor(options: CsvOptions) {
    this.#options = options
    this.#delimiter = options.delimiter
  }

  async push(bytes: Buffer): Promise<Row[]> {
    const rows: Row[] = []
    const known = this.#delimiter === undefined ? this.#untilDelimiter(bytes) : bytes
    if (known) await this.#feed(known, rows)
    return rows
  }

  async end(): Promise<Row[]> {
    const rows: Row[] = []
    if (this.#head.length > 0) {
      const head = this.#head.take(this.#head.length)
      this.#delimiter = guessDelimiter(head)
      await this.#feed(head, rows)
    }
    while (!this.#skipping) {
      const failure = await ended(this.#running())
      await this.#takeRecords(rows)
      if (!failure) break
      await this.#feed(await this.#giveUpRecord(failure, rows), rows)
    }
    return rows
  }

  /** All bytes so far, as soon as they tell the delimiter. */
  #untilDelimiter(bytes: Buffer): Buffer | undefined {
    this.#head.push(bytes)
    if (!bytes.includes(lineFeed) && this.#head.length < tellingBytes) return undefined
    const head = this.#head.take(this.#head.length)
    if (tellsDelimiter(head)) {
      this.#delimiter = guessDelimiter(head)
      return head
    }
    this.#head.push(head)
    return undefined
  }

  #running(): Parser {
    this.#parser ??= this.#newParser()
    return this.#parser
  }

  #newParser(): Parser {
    const parser = parse({
      bom: this.#bytesRead === 0,
      delimiter: this.#delimiter ?? ',',
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (cells: string[], { bytes }) => {
        this.#records.push({ cells, end: this.#parserStart + bytes })
        return undefined
      },
    })
    // Errors are taken from the write that caused them.
    parser.on('error', () => undefined)
    return parser
  }

  async #feed(bytes: Buffer, rows: Row[]): Promise<void> {
    /** The last comes first. */
    const pieces = [bytes]
    for (let piece = pieces.pop(); piece; piece = pieces.pop()) {
      if (piece.length === 0) continue
      if (this.#stretch.isOver) await this.#stretch.pause()
      if (piece.length > atOnce) pieces.push(piece.subarray(atOnce), piece.subarray(0, atOnce))
      else if (this.#skipping) pieces.push(this.#skipLine(piece))
      else pieces.push(await this.#read(piece, rows))
    }
  }

  /** Returns the bytes that are to be read once more. */
  async #read(bytes: Buffer, rows: Row[]): Promise<Buffer> {
    this.#open.push(bytes)
    const failure = await written(this.#running(), bytes)
    await this.#takeRecords(rows)
    const problem = failure ?? this.#tooMuch()
    return problem ? await this.#giveUpRecord(problem, rows) : none
  }

  /** What is wrong with a record that has not ended yet: the library would go on, and fill the memory. */
  #tooMuch(): Error | undefined {
    const isHeader = !this.#columns
    if (this.#open.length > (isHeader ? longestHeader : longestRow)) return isHeader ? longHeader : tooLong
    const most = this.#columns?.length ?? mostColumns
    if (openCells(this.#running()) <= most) return undefined
    return isHeader ? tooManyColumns : new Error(`more than ${most} values for ${most} columns`)
  }

  async #takeRecords(rows: Row[]): Promise<void> {
    for (const { cells, end } of this.#records.splice(0)) {
      if (this.#stretch.isOver) await this.#stretch.pause()
      const bytes = this.#open.take(end - this.#bytesRead)
      const blank = blankLines(bytes)
      await this.#pass(bytes.subarray(0, blank))
      const line = this.#line
      await this.#pass(bytes.subarray(blank))
      const problem = isUtf8(bytes) ? undefined : 'is not UTF-8'
      if (this.#columns) {
        const row = await this.#stretch.through(this.#rowOf(cells, line, problem))
        rows.push({ line, bytesRead: end, ...row })
      } else if (problem) throw invalidRow(line, problem)
      else this.#columns = await inStretches(columnsOf(cells, line, this.#options))
    }
  }

  /** Returns the bytes from the broken value on; of these the line is to be skipped. */
  async #giveUpRecord(failure: Error, rows: Row[]): Promise<Buffer> {
    const bytes = this.#open.take(this.#open.length)
    const blank = blankLines(bytes)
    await this.#pass(bytes.subarray(0, blank))
    const error = invalidRow(this.#line, `is not valid CSV: ${problemOf(failure)}`, failure)
    if (!this.#columns) throw error
    const line = this.#line
    const valueStart = Math.max(
      blank,
      this.#parserStart + this.#running().info.bytes - (this.#bytesRead - blank),
    )
    await this.#pass(bytes.subarray(blank, valueStart))
    rows.push({ line, error, bytesRead: this.#bytesRead })
    this.#skipping = true
    return bytes.subarray(valueStart)
  }

  #skipLine(bytes: Buffer): Buffer {
    const end = bytes.indexOf(lineFeed) + 1
    this.#count(bytes.subarray(0, end || bytes.length))
    if (end === 0) return bytes.subarray(bytes.length)
    this.#skipping = false
    this.#parserStart = this.#bytesRead
    this.#parser = this.#newParser()
    return bytes.subarray(end)
  }

  async #pass(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += atOnce) {
      this.#count(bytes.subarray(at, at + atOnce))
      if (this.#stretch.isOver) await this.#stretch.pause()
    }
  }

  #count(bytes: Buffer): void {
    this.#bytesRead += bytes.length
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) this.#line++
  }

  *#rowOf(
    cells: readonly string[],
    line: number,
    problem: string | undefined,
  ): Generator<void, Pick<Row, 'value' | 'error'>> {
    const columns = this.#columns!
    if (problem) return { error: invalidRow(line, problem) }
    if (cells.length !== columns.length) {
      return { error: invalidRow(line, `has ${cells.length} values for ${columns.length} columns`) }
    }
    const value: Record<string, unknown> = {}
    for (const [place, column] of columns.entries()) {
      if (place % cellsAtOnce === cellsAtOnce - 1) yield
      if (!column) continue
      try {
        const read = column.read(cells[place]!)
        if (read !== undefined) putAt(value, column.path, read)
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause)
        return {
          error: invalidRow(line, `has an invalid value for ${describeValue(column.name)}: ${reason}`, cause),
        }
      }
    }
    return { value }
  }
}

/** The library's own words count lines from where its parser started. */
const problems = new Map<string, string>([
  ['CSV_INVALID_CLOSING_QUOTE', 'text follows a closing quote'],
  ['INVALID_OPENING_QUOTE', 'a quote stands inside a value that does not begin with one'],
  ['CSV_QUOTE_NOT_CLOSED', 'a quote is not closed'],
])

function problemOf(failure: Error): string {
  const known = failure instanceof CsvError ? problems.get(failure.code) : undefined
  return known ?? failure.message
}

const none = Buffer.alloc(0)
const tooManyColumns = new Error(
  `the header has more than ${mostColumns} columns; split the file into several with fewer columns`,
)
const longHeader = new Error(`the header is longer than ${longestHeader} bytes; a quote may not be closed`)
const tooLong = new Error(`longer than ${longestRow} bytes; a quote may not be closed`)

function written(parser: Parser, bytes: Buffer): Promise<Error | undefined> {
  return new Promise(resolve => parser.write(bytes, error => resolve(error ?? undefined)))
}

async function ended(parser: Parser): Promise<Error | undefined> {
  parser.resume()
  parser.end()
  try {
    await finished(parser)
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Cells of the record that the library has not finished; its types are silent about them. */
function openCells(parser: Parser): number {
  return (parser as unknown as { state: { record: unknown[] } }).state.record.length
}

/** Bytes of the line ends in front. */
function blankLines(bytes: Buffer): number {
  let end = 0
  while (bytes[end] === lineFeed || bytes[end] === carriageReturn) end++
  return end
}

function* columnsOf(
  header: readonly string[],
  line: number,
  { convert, known }: CsvOptions,
): Generator<void, (ReadColumn | undefined)[]> {
  if (header.length > mostColumns) throw invalidRow(line, `is not valid CSV: ${tooManyColumns.message}`)
  const columns: (NamedColumn | undefined)[] = []
  for (const name of header) {
    columns.push(name === '' ? undefined : { name, ...readColumn(name) })
    yield
  }
  yield* refuseConflicts(columns, line)
  return columns.map(column => {
    if (!column) return undefined
    const { name, path } = column
    return { name, path, read: convert ? text => convert(name, text) : cellReader(column, known) }
  })
}

type NamedColumn = Column & { readonly name: string }

/** A member of the rows, with those inside it. */
interface Member {
  column: NamedColumn | undefined
  readonly inside: Map<string, Member>
}

const newMember = (): Member => ({ column: undefined, inside: new Map() })

function* refuseConflicts(
  columns: readonly (NamedColumn | undefined)[],
  line: number,
): Generator<void, void> {
  const root = newMember()
  for (const column of columns) {
    if (!column) continue
    yield
    const { name, path } = column
    if (path.length > deepest) {
      throw invalidRow(line, `names a column ${describeValue(name)}, deeper than ${deepest} levels`)
    }
    if (!name.startsWith('\\') && path.includes('')) {
      throw invalidRow(line, `names a column ${describeValue(name)}, with an empty part`)
    }
    const member = path.reduce(memberIn, root)
    if (member.column) throw invalidRow(line, `names the column ${describeValue(name)} twice`)
    member.column = column
  }
  for (const column of columns) {
    if (!column) continue
    yield
    refuseParents(column, root, line)
  }
}

function memberIn({ inside }: Member, name: string): Member {
  const member = inside.get(name) ?? newMember()
  inside.set(name, member)
  return member
}

function refuseParents({ name, path }: NamedColumn, root: Member, line: number): void {
  let member = root
  for (const part of path.slice(0, -1)) {
    member = memberIn(member, part)
    // The cells of a typed column may be empty, and the object then stands in the others.
    if (!member.column || member.column.type) continue
    const both = `${describeValue(member.column.name)} and ${describeValue(name)}`
    throw invalidRow(line, `names the columns ${both}, but a member is a value or an object`)
  }
}

function putAt(row: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let inside = row
  for (const name of path.slice(0, -1)) {
    if (!Object.hasOwn(inside, name)) put(inside, name, {})
    const next = inside[name]
    if (!isObject(next)) throw bothAtOnce
    inside = next
  }
  const leaf = path.at(-1)! // no path is empty
  if (Object.hasOwn(inside, leaf)) throw bothAtOnce
  put(inside, leaf, value)
}

const bothAtOnce = new Error('the row has it as a value and as an object')

/** Assigning to `__proto__` would change the prototype instead. */
function put(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}
