import { FindlingError } from '../../errors.ts'
import { describeValue } from '../../input.ts'
import { Stretch } from '../../scheduling/stretch.ts'
import type { DecimalSign } from '../content/number-text.ts'
import type { CheckedColumns } from './column-options.ts'
import type { KnownFields } from './csv-cells.ts'
import { CsvParser } from './csv-parser.ts'
import { csvText } from './csv-text.ts'
import { Findings } from './findings.ts'
import { joinedRows, type ObjectRows } from './joined-rows.ts'
import { JsonLinesParser } from './json-lines.ts'
import { JsonListParser } from './json-list.ts'
import type { Row, RowParser } from './row.ts'
import { filePathOf, itemsOf, type RowSource, utf8Of } from './row-source.ts'
import { type SheetReader, sheetRows } from './sheet-rows.ts'
import { Transcoder } from './text-encoding.ts'

export type { Row } from './row.ts'
export { type RowSource, totalBytes } from './row-source.ts'

/** JSON lines, CSV (RFC 4180), or one JSON list. */
export const rowFormats = ['jsonl', 'csv', 'json'] as const
export type RowFormat = (typeof rowFormats)[number]

/** The same and the formats of spreadsheets. */
export const importFormats = [...rowFormats, 'xlsx', 'ods'] as const
export type ImportFormat = (typeof importFormats)[number]

export interface ReadOptions {
  /** By default taken from the file's extension: .jsonl, .ndjson, .csv, .tsv, .json. */
  readonly format?: ImportFormat | undefined
  /** Name of a sheet; by default the first. */
  readonly sheet?: string | undefined
  /** Reads spreadsheets. */
  readonly readSheet?: SheetReader | undefined
  /** Delimiter of a CSV; by default guessed from its first line, in .tsv files a tab. */
  readonly delimiter?: string | undefined
  /** Makes a value of the text in a CSV column; undefined leaves the member out. */
  readonly convert?: ((field: string, text: string) => unknown) | undefined
  /** The fields by which cells of CSV columns without a type are read; without it they are texts. */
  readonly known?: KnownFields | undefined
  /** How columns of a CSV are read, by their names. */
  readonly columns?: CheckedColumns | undefined
  /** The decimal separator of a CSV; by default detected from the first rows. */
  readonly decimal?: DecimalSign | undefined
  /** Whether types of CSV columns are detected from their cells. */
  readonly guess?: boolean | undefined
  /** Encoding of text that comes as bytes; by default detected by a byte order mark, in a CSV also by the text itself. */
  readonly encoding?: string | undefined
  /** Records how the source is read. */
  readonly findings?: Findings | undefined
  /** Ends reading with CANCELLED. */
  readonly signal?: AbortSignal | undefined
}

const groupRows = 500
const groupBytes = 256 * 1024

/**
 * Yields rows in groups of about 500 or 256 KB; the source is read no faster than groups are consumed. A row that cannot be read
 * becomes a row with an error, and reading continues after it. Only an unreadable source, CSV header or beginning of a list
 * ends it: INVALID_ARGUMENT, INVALID_ROW.
 */
export async function* readRows(
  source: RowSource,
  options: ReadOptions = {},
): AsyncGenerator<Row[], void, void> {
  const items = itemsOf(source, options.signal)
  try {
    const first = await items.next()
    if (first.done) return
    const all = startingWith(first.value, items)
    const { readSheet, sheet = null, findings = new Findings(), ...table } = options
    if (readSheet && isSheet(source, options) && isText(first.value)) {
      yield* sheetRows(all, { ...table, findings, readSheet, sheet })
      return
    }
    if (isText(first.value)) yield* textRows(all, source, options)
    else yield* objectRows(all)
  } finally {
    await items.return()
  }
}

/**
 * Text of the rows, in pieces. A CSV has nested members as dotted columns, gives the types of columns as `:type`, and reads back
 * the same; with `columns` it is a table of only these.
 * @param rows called once, or for a CSV twice; rows with members that the first call did not have are INVALID_ARGUMENT
 */
export async function* rowsAsText(
  rows: () => ObjectRows,
  format: RowFormat,
  options: {
    readonly columns?: readonly string[] | undefined
    readonly known?: KnownFields | undefined
  } = {},
): AsyncGenerator<string, void, void> {
  const { columns, known = { root: { type: 'object' }, tagField: '' } } = options
  if (format === 'csv') yield* csvText(rows, { columns, known })
  else if (format === 'json') yield* listText(rows())
  else yield* joinedRows(rows(), row => `${JSON.stringify(row)}\n`)
}

async function* listText(rows: ObjectRows): AsyncGenerator<string, void, void> {
  let before = '[\n'
  for await (const text of joinedRows(rows, row => JSON.stringify(row), ',\n')) {
    yield before + text
    before = ',\n'
  }
  yield before === ',\n' ? '\n]\n' : '[]\n'
}

async function* startingWith(
  first: unknown,
  rest: AsyncIterable<unknown>,
): AsyncGenerator<unknown, void, void> {
  yield first
  yield* rest
}

function isText(item: unknown): boolean {
  return typeof item === 'string' || item instanceof Uint8Array
}

async function* textRows(
  items: AsyncIterable<unknown>,
  source: RowSource,
  options: ReadOptions,
): AsyncGenerator<Row[], void, void> {
  const findings = options.findings ?? new Findings()
  const { parser, isTable } = parserFor(source, { ...options, findings })
  const pieces = unicodeOf(items, { encoding: options.encoding, guesses: isTable, findings })
  let rows: Row[] = []
  let bytes = 0
  // Consecutive pieces that complete no row would block the event loop.
  const stretch = new Stretch()
  for await (const piece of pieces) {
    if (stretch.isOver) await stretch.pause()
    // No spread: after a broken quote a piece may yield more rows than a call takes arguments.
    for (const row of await parser.push(piece)) rows.push(row)
    bytes += piece.length
    while (rows.length >= groupRows) yield rows.splice(0, groupRows)
    if (bytes < groupBytes || rows.length === 0) continue
    yield rows
    rows = []
    bytes = 0
  }
  for (const row of await parser.end()) rows.push(row)
  for (let at = 0; at < rows.length; at += groupRows) yield rows.slice(at, at + groupRows)
}

async function* objectRows(items: AsyncIterable<unknown>): AsyncGenerator<Row[], void, void> {
  let line = 0
  for await (const group of grouped(items)) yield group.map(value => ({ line: ++line, value, bytesRead: 0 }))
}

async function* grouped<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T[], void, void> {
  let group: T[] = []
  for await (const item of items) {
    group.push(item)
    if (group.length < groupRows) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** Converts other encodings; the pieces are UTF-8. */
async function* unicodeOf(
  items: AsyncIterable<unknown>,
  { findings, ...told }: { encoding: string | undefined; guesses: boolean; findings: Findings },
): AsyncGenerator<Buffer, void, void> {
  const transcoder = new Transcoder(told)
  for await (const piece of utf8Of(items, transcoder)) {
    if (transcoder.bytesIn > 0) findings.read(transcoder)
    yield piece
  }
}

type ParserOptions = ReadOptions & { readonly findings: Findings }

function parserFor(
  source: RowSource,
  { format, ...csv }: ParserOptions,
): { parser: RowParser; isTable: boolean } {
  const ending = endingOf(source)
  const chosen = format ?? ending
  if (chosen === 'jsonl' || chosen === 'ndjson') return { parser: new JsonLinesParser(), isTable: false }
  if (chosen === 'json') return { parser: new JsonListParser(), isTable: false }
  if (chosen === 'csv') return { parser: new CsvParser(csv), isTable: true }
  if (chosen === 'tsv')
    return { parser: new CsvParser({ ...csv, delimiter: csv.delimiter ?? '\t' }), isTable: true }
  const expected = '"jsonl" (an object on each line), "json" (one list of objects), "csv", "xlsx" or "ods"'
  const why =
    ending === undefined
      ? 'the source has no name to infer it from'
      : `it cannot be inferred from the ending .${ending}`
  const message = `format is ${describeValue(format)} and ${why}; expected ${expected}`
  throw new FindlingError('INVALID_ARGUMENT', message, {
    field: 'format',
    received: describeValue(format),
    expected,
  })
}

const endingOf = (source: RowSource): string | undefined =>
  /\.(\w{1,20})$/.exec(filePathOf(source) ?? '')?.[1]?.toLowerCase()

function isSheet(source: RowSource, { format }: ReadOptions): boolean {
  const chosen = format ?? endingOf(source)
  return chosen === 'xlsx' || chosen === 'ods'
}
