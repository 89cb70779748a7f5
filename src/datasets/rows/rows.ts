import { FindlingError } from '../../errors.ts'
import { describeValue } from '../../input.ts'
import { CsvParser } from './csv-parser.ts'
import { csvText } from './csv-text.ts'
import { JsonLinesParser } from './json-lines.ts'
import type { Row, RowParser } from './row.ts'
import { bytesOf, itemsOf, pathOf, type RowSource } from './row-source.ts'

export type { Row } from './row.ts'
export { type RowSource, totalBytes } from './row-source.ts'

export type RowFormat = 'jsonl' | 'csv'

export interface ReadOptions {
  /** By default told from the file's ending: .jsonl, .ndjson, .csv, .tsv. */
  readonly format?: RowFormat | undefined
  /** Between the values of a CSV; a comma by default, in .tsv files a tab. */
  readonly delimiter?: string | undefined
  /** Makes a value of the text in a CSV column; undefined leaves the member out. Text stays text by default. */
  readonly convert?: ((field: string, text: string) => unknown) | undefined
  /** Ends reading with CANCELLED. */
  readonly signal?: AbortSignal | undefined
}

const groupRows = 500
const groupBytes = 256 * 1024

/**
 * Rows in groups of about 500 or 256 KB; the source is read no faster than groups are taken. A row that cannot
 * be read is a row with an error, and reading goes on behind it. Only a source or a CSV header that cannot be
 * read at all ends it: INVALID_ARGUMENT, INVALID_ROW.
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
    if (isText(first.value)) yield* textRows(bytesOf(all), parserFor(source, options))
    else yield* objectRows(all)
  } finally {
    await items.return()
  }
}

/**
 * Text of the rows, in pieces: JSON Lines, or CSV (RFC 4180) with nested members as dotted columns and lists
 * joined by `|`. The columns of a CSV are those given, else those of the first 500 rows; a later row with
 * another member is INVALID_ARGUMENT.
 */
export async function* writeRows(
  rows: AsyncIterable<object> | Iterable<object>,
  format: RowFormat,
  options: { readonly columns?: readonly string[] | undefined } = {},
): AsyncGenerator<string, void, void> {
  if (format === 'csv') yield* csvText(grouped(rows), options.columns)
  else for await (const group of grouped(rows)) yield group.map(row => `${JSON.stringify(row)}\n`).join('')
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
  pieces: AsyncIterable<Buffer>,
  parser: RowParser,
): AsyncGenerator<Row[], void, void> {
  let rows: Row[] = []
  let bytes = 0
  for await (const piece of pieces) {
    // No spread: behind a broken quote a piece may bring more rows than a call takes arguments.
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

function parserFor(source: RowSource, { format, delimiter, convert }: ReadOptions): RowParser {
  const ending = /\.(jsonl|ndjson|csv|tsv)$/i.exec(pathOf(source) ?? '')?.[1]?.toLowerCase()
  const chosen = format ?? ending
  if (chosen === 'jsonl' || chosen === 'ndjson') return new JsonLinesParser()
  if (chosen === 'csv' || chosen === 'tsv') {
    return new CsvParser({ delimiter: delimiter ?? (ending === 'tsv' ? '\t' : ','), convert })
  }
  const received = describeValue(format)
  throw new FindlingError('INVALID_ARGUMENT', `format is ${received} and the source's name tells none`, {
    field: 'format',
    received,
    expected: '"jsonl" or "csv"',
  })
}
