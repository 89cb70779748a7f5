import { FindlingError } from '../../errors.ts'
import { describeValue } from '../../input.ts'

const listSeparator = '|'

/** CSV (RFC 4180) of rows that come in groups; without columns those of the first group are taken. */
export async function* csvText(
  groups: AsyncIterable<readonly object[]>,
  columns: readonly string[] | undefined,
): AsyncGenerator<string, void, void> {
  let header = columns
  if (header) yield lineOf(header)
  for await (const group of groups) {
    const rows = group.map(cellsOf)
    if (!header) {
      header = [...new Set(rows.flatMap(row => [...row.keys()]))]
      yield lineOf(header)
    } else if (!columns) checkMembers(rows, new Set(header))
    const names = header
    yield rows.map(row => lineOf(names.map(name => row.get(name) ?? ''))).join('')
  }
}

function cellsOf(row: object): Map<string, string> {
  const cells = new Map<string, string>()
  addCells(cells, '', row)
  return cells
}

function addCells(cells: Map<string, string>, prefix: string, object: object): void {
  for (const [name, value] of Object.entries(object)) {
    if (isObject(value)) addCells(cells, `${prefix}${name}.`, value)
    else
      cells.set(prefix + name, Array.isArray(value) ? value.map(cellOf).join(listSeparator) : cellOf(value))
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function lineOf(cells: readonly string[]): string {
  // A single empty value would be a blank line, which readers skip.
  if (cells.length === 1 && cells[0] === '') return '""\r\n'
  return `${cells.map(quoted).join(',')}\r\n`
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

function checkMembers(rows: readonly Map<string, string>[], header: ReadonlySet<string>): void {
  for (const row of rows) {
    for (const name of row.keys()) {
      if (header.has(name)) continue
      const received = describeValue(name)
      const message = `a row has the member ${received}, which the first rows lack: name the columns to be written`
      throw new FindlingError('INVALID_ARGUMENT', message, { field: 'columns', received })
    }
  }
}
