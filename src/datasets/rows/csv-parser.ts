import { isUtf8 } from 'node:buffer'
import { finished } from 'node:stream/promises'
import { CsvError, type Parser, parse } from 'csv-parse'
import { inStretches, Stretch } from '../../scheduling/stretch.ts'
import { ByteQueue } from './byte-queue.ts'
import { mostColumns } from './column-options.ts'
import { longestHeader } from './csv-columns.ts'
import { delimiterOfLine, guessDelimiter, tellingBytes, tellsDelimiter } from './csv-delimiter.ts'
import type { Findings } from './findings.ts'
import { carriageReturn, LineEnds, lineFeed } from './line-ends.ts'
import { invalidRow, longestRow, type Row, type RowParser } from './row.ts'
import { type TableOptions, TableRows, tooManyColumns } from './table-rows.ts'

export interface CsvOptions extends TableOptions {
  /** One character; guessed from the first line unless given. */
  readonly delimiter?: string | undefined
}

interface CsvRecord {
  readonly cells: string[]
  /** Offset in the text after the record. */
  readonly end: number
}

/** Bytes that the library reads, or that lines are counted in, at a time: these may be thousands of short records. */
const atOnce = 8 * 1024

/**
 * Yields one row per CSV record; the first names the columns, where dots lead into objects and a type follows a colon. The library
 * gives up at a broken quote: the record then becomes a row with an error, and a new parser starts with the line after the one
 * in which the broken value began.
 */
export class CsvParser implements RowParser {
  readonly #findings: Findings
  readonly #lineEnds = new LineEnds()
  /** What has been fed after the last record. */
  readonly #open = new ByteQueue()
  readonly #records: CsvRecord[] = []
  readonly #table: TableRows
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
    this.#findings = options.findings
    this.#table = new TableRows(options)
    if (options.delimiter !== undefined) this.#setDelimiter(options.delimiter)
  }

  async push(bytes: Buffer): Promise<Row[]> {
    return await this.#take(this.#lineEnds.take(bytes))
  }

  async #take(bytes: Buffer): Promise<Row[]> {
    const rows: Row[] = []
    const known = this.#delimiter === undefined ? this.#untilDelimiter(bytes) : bytes
    if (known) await this.#feed(known, rows)
    return rows
  }

  async end(): Promise<Row[]> {
    const rows = await this.#take(this.#lineEnds.end())
    if (this.#head.length > 0) {
      const head = this.#head.take(this.#head.length)
      this.#setDelimiter(guessDelimiter(head))
      await this.#feed(head, rows)
    }
    while (!this.#skipping) {
      const failure = await ended(this.#running())
      await this.#takeRecords(rows)
      if (!failure) break
      await this.#feed(await this.#giveUpRecord(failure, rows), rows)
    }
    await this.#add(this.#table.end(), rows)
    return rows
  }

  #setDelimiter(delimiter: string): void {
    this.#delimiter = delimiter
    this.#findings.delimiter = delimiter
  }

  /** Not by a spread: there may be more rows than a call takes arguments. */
  async #add(made: Generator<void, Row[]>, rows: Row[]): Promise<void> {
    for (const row of await this.#stretch.through(made)) rows.push(row)
  }

  /** All bytes so far, as soon as they tell the delimiter. */
  #untilDelimiter(bytes: Buffer): Buffer | undefined {
    this.#head.push(bytes)
    if (!bytes.includes(lineFeed) && this.#head.length < tellingBytes) return undefined
    const head = this.#head.take(this.#head.length)
    if (tellsDelimiter(head)) {
      this.#setDelimiter(guessDelimiter(head))
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
      record_delimiter: ['\r\r\n', '\r\n', '\n'],
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (cells: string[], { bytes }) => {
        this.#records.push({ cells, end: this.#parserStart + bytes })
        return undefined
      },
    })
    // Errors are taken from the write that caused them.
    parser.on('error', () => undefined)
    acceptAnyLength(parser)
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
    const { width } = this.#table
    const isHeader = width === undefined
    if (this.#open.length > (isHeader ? longestHeader : longestRow)) return isHeader ? longHeader : tooLong
    // Fewer are too many only once the record has ended: that the next row begins there must not depend on where a piece ends.
    if (openCells(this.#running()) <= mostColumns) return undefined
    return new Error(isHeader ? tooManyColumns : `more than ${width} values for ${width} columns`)
  }

  async #takeRecords(rows: Row[]): Promise<void> {
    for (const { cells, end } of this.#records.splice(0)) {
      if (this.#stretch.isOver) await this.#stretch.pause()
      const bytes = this.#open.take(end - this.#bytesRead)
      const blank = blankLines(bytes)
      await this.#pass(bytes.subarray(0, blank))
      const line = this.#line
      await this.#pass(bytes.subarray(blank))
      const error = isUtf8(bytes) ? undefined : invalidRow(line, 'is not UTF-8')
      if (this.#table.width === undefined) {
        if (line === 1 && delimiterOfLine(bytes) !== undefined) continue
        if (error) throw error
        await inStretches(this.#table.header(cells, line))
      } else if (error) await this.#add(this.#table.pass({ line, bytesRead: end, error }), rows)
      else await this.#add(this.#table.take(cells, line, end), rows)
    }
  }

  /** Returns the bytes from the broken value on; of these the line is to be skipped. */
  async #giveUpRecord(failure: Error, rows: Row[]): Promise<Buffer> {
    const bytes = this.#open.take(this.#open.length)
    const blank = blankLines(bytes)
    await this.#pass(bytes.subarray(0, blank))
    const error = invalidRow(this.#line, `is not valid CSV: ${problemOf(failure)}`, failure)
    if (this.#table.width === undefined) throw error
    const line = this.#line
    const valueStart = Math.max(
      blank,
      this.#parserStart + this.#running().info.bytes - (this.#bytesRead - blank),
    )
    await this.#pass(bytes.subarray(blank, valueStart))
    await this.#add(this.#table.pass({ line, error, bytesRead: this.#bytesRead }), rows)
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

/** What the library's types are silent about: cells of the record that it has not finished. */
const stateOf = (parser: Parser): { record: unknown[] } =>
  (parser as unknown as { state: { record: unknown[] } }).state

const openCells = (parser: Parser): number => stateOf(parser).record.length

/**
 * For each record with more or fewer cells than the first, the library makes an error with its stack, and then drops it: that
 * takes ten times as long as reading a short record.
 */
function acceptAnyLength(parser: Parser): void {
  const state = stateOf(parser)
  Object.defineProperty(state, 'expectedRecordLength', { get: () => state.record.length, set: () => {} })
}

/** Bytes of the line ends in front. */
function blankLines(bytes: Buffer): number {
  let end = 0
  while (bytes[end] === lineFeed || bytes[end] === carriageReturn) end++
  return end
}
