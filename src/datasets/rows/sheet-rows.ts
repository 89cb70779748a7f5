import { FindlingError } from '../../errors.ts'
import { describeValue } from '../../input.ts'
import { Stretch } from '../../scheduling/stretch.ts'
import { invalidRow, type Row } from './row.ts'
import { type TableOptions, TableRows } from './table-rows.ts'
import type { Cell } from './typed-cells.ts'

/** Reads the cells of a spreadsheet elsewhere: lines of JSON, each the number of a row and its cells. */
export type SheetReader = (bytes: Uint8Array, sheet: string | null, signal?: AbortSignal) => Promise<string>

export interface SheetOptions extends TableOptions {
  readonly readSheet: SheetReader
  /** Its name; null for the first. */
  readonly sheet: string | null
  readonly signal?: AbortSignal | undefined
}

/** Bytes of a file that is read as a whole. */
const longestFile = 256 * 2 ** 20

/** The rows of a sheet in groups; the first that has a cell names the columns. */
export async function* sheetRows(
  items: AsyncIterable<unknown>,
  { readSheet, sheet, signal, ...options }: SheetOptions,
): AsyncGenerator<Row[], void, void> {
  const bytes = await bytesOfFile(items)
  const text = await readSheet(bytes, sheet, signal)
  const table = new TableRows({ ...options, isSheet: true })
  const stretch = new Stretch()
  let rows: Row[] = []
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from)
    // As extraction/formats/sheet-cells.ts writes them.
    const [line, cells] = JSON.parse(text.slice(from, end)) as [number, Cell[]]
    from = end + 1
    const bytesRead = Math.floor((from / text.length) * bytes.length)
    if (table.width === undefined) await stretch.through(table.header(cells.map(String), line))
    else
      for (const row of await stretch.through(table.take(filled(cells, table.width), line, bytesRead)))
        rows.push(row)
    if (stretch.isOver) await stretch.pause()
    while (rows.length >= groupRows) yield rows.splice(0, groupRows)
  }
  for (const row of await stretch.through(table.end())) rows.push(row)
  for (; rows.length > 0; rows = rows.slice(groupRows)) yield rows.slice(0, groupRows)
}

const groupRows = 500

/** Rows end with their last cell that is not empty. */
function filled(cells: Cell[], width: number): Cell[] {
  while (cells.length < width) cells.push('')
  return cells
}

async function bytesOfFile(items: AsyncIterable<unknown>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const item of items) {
    if (!(item instanceof Uint8Array)) throw noBytes(item)
    length += item.length
    if (length > longestFile) throw invalidRow(1, `belongs to a file of more than ${longestFile} bytes`)
    parts.push(item)
  }
  return Buffer.concat(parts)
}

function noBytes(item: unknown): FindlingError {
  const [received, expected] = [describeValue(item), 'the bytes of a file']
  return new FindlingError('INVALID_ARGUMENT', `the source delivered ${received}; expected ${expected}`, {
    field: 'source',
    received,
    expected,
  })
}
