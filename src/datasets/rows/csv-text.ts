import { FindlingError } from '../../errors.ts'
import { describeValue } from '../../input.ts'
import { isObject } from '../../json.ts'
import { didYouMean } from '../../nearest-name.ts'
import { Stretch } from '../../scheduling/stretch.ts'
import { type KnownFields, readableCell, writeCell } from './csv-cells.ts'
import { type CsvColumn, headerOf, longestHeader, readColumn } from './csv-columns.ts'
import { ColumnSurvey, isFilledObject, namesTooLong, type Place } from './csv-survey.ts'
import { joinedRows, type ObjectRows } from './joined-rows.ts'

export interface CsvTextOptions {
  /** Only these, named as in the header, in this order. */
  readonly columns?: readonly string[] | undefined
  readonly known: KnownFields
}

/**
 * CSV (RFC 4180) of rows; they are asked for twice, since the first line says what columns hold.
 * Without `columns` nothing is lost: reading it gives the same rows.
 */
export async function* csvText(
  rows: () => ObjectRows,
  { columns, known }: CsvTextOptions,
): AsyncGenerator<string, void, void> {
  yield* columns ? tableText(rows, columns, known) : wholeText(rows, known)
}

async function* wholeText(rows: () => ObjectRows, known: KnownFields): AsyncGenerator<string, void, void> {
  const survey = new ColumnSurvey(known)
  const stretch = new Stretch()
  for await (const row of rows()) {
    survey.add(row)
    if (survey.excess !== undefined) throw tooMuch(survey.excess)
    if (stretch.isOver) await stretch.pause()
  }
  const places = survey.columns()
  if (places.length === 0) return
  const columns = places.map(place => place.columnOf(survey.rows))
  const header = headerLine(columns.map(headerOf))
  if (Buffer.byteLength(header) > longestHeader) throw tooMuch(namesTooLong)
  yield header
  const absent = columns.map(({ type }) => (type ? '' : '\\'))
  const cellOf = (place: Place, value: unknown) => {
    const { type } = columns[place.column!]! // of a place with values
    return type === undefined && place.isPlainText(value) ? value : writeCell(type ?? 'text', value)
  }
  yield* joinedRows(rows(), row => {
    const cells = [...absent]
    fill(cells, survey.root, row, cellOf)
    return csvLine(cells)
  })
}

function fill(
  cells: string[],
  place: Place,
  object: object,
  cellOf: (place: Place, value: unknown) => string,
): void {
  for (const [name, value] of Object.entries(object)) {
    const member = place.members.get(name)
    if (member && isFilledObject(value)) fill(cells, member, value, cellOf)
    else if (member?.column !== undefined) cells[member.column] = cellOf(member, value)
    else throw cameLate([...place.path, name])
  }
}

/** A table for people and other programs: the header as it was asked for. */
async function* tableText(
  rows: () => ObjectRows,
  names: readonly string[],
  known: KnownFields,
): AsyncGenerator<string, void, void> {
  const columns = names.map(readColumn)
  await refuseUnknown(rows, names, columns, known)
  yield headerLine(names)
  yield* joinedRows(rows(), row =>
    csvLine(
      columns.map(({ path, type }) => {
        const value = memberAt(row, path)
        return type ? writeCell(type, value) : readableCell(value)
      }),
    ),
  )
}

/** A column is known when the schema has the field, or any of the rows. */
async function refuseUnknown(
  rows: () => ObjectRows,
  names: readonly string[],
  columns: readonly CsvColumn[],
  known: KnownFields,
): Promise<void> {
  let unknown = columns.map((_, i) => i).filter(i => !isDeclared(known.root, columns[i]!.path))
  const survey = new ColumnSurvey(known)
  const stretch = new Stretch()
  for await (const row of rows()) {
    if (unknown.length === 0) return
    unknown = unknown.filter(i => memberAt(row, columns[i]!.path) === undefined)
    survey.add(row)
    if (stretch.isOver) await stretch.pause()
  }
  const [first] = unknown
  if (first === undefined || survey.rows === 0) return
  const received = describeValue(names[first])
  const has = [known.tagField, ...survey.columns().map(({ path }) => path.join('.'))]
  const expected = `a field of the schema or of a document${didYouMean(names[first]!, has)}`
  throw new FindlingError('INVALID_ARGUMENT', `columns[${first}] is ${received}; expected ${expected}`, {
    field: 'columns',
    received,
    expected,
  })
}

function isDeclared(root: KnownFields['root'], path: readonly string[]): boolean {
  let field: KnownFields['root'] | undefined = root
  for (const name of path) field = field?.properties?.find(([known]) => known === name)?.[1]
  return field !== undefined
}

function memberAt(row: object, path: readonly string[]): unknown {
  let value: unknown = row
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

/** Readers guess what stands between the values from the first line: its names keep other signs in quotes. */
function headerLine(names: readonly string[]): string {
  return `${names.map(name => (/[;\t|]/.test(name) ? `"${name.replaceAll('"', '""')}"` : quoted(name))).join(',')}\r\n`
}

export function csvLine(cells: readonly string[]): string {
  // A single empty value would be a blank line, which readers skip.
  if (cells.length === 1 && cells[0] === '') return '""\r\n'
  return `${cells.map(quoted).join(',')}\r\n`
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

function cameLate(path: readonly string[]): FindlingError {
  const received = describeValue(path.join('.'))
  const message = `a document with a new member, ${received}, was stored while the export began: export again, or name the columns`
  return new FindlingError('INVALID_ARGUMENT', message, { field: 'columns', received })
}

function tooMuch(received: string): FindlingError {
  const expected = 'columns by name, or "jsonl" as format'
  const message = `format is "csv", but the documents have ${received}: name columns, or use "jsonl" as the format`
  return new FindlingError('INVALID_ARGUMENT', message, { field: 'columns', received, expected })
}
