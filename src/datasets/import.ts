import * as z from 'zod'
import type { FindlingError } from '../errors.ts'
import { parseInput } from '../input.ts'
import type { Job, JobBody, Progress } from '../jobs/job.ts'
import type { JobRunner } from '../jobs/runner.ts'
import type { BulkRow } from './bulk.ts'
import { cellReader } from './rows/csv-cells.ts'
import { type Row, type RowSource, readRows, totalBytes } from './rows/rows.ts'
import type { DatasetState } from './state.ts'

const importOptions = z.strictObject({
  /** Taken from the file's ending unless given; objects need none. */
  format: z.enum(['jsonl', 'csv']).optional(),
  /** Between the values of a CSV; a comma, or a tab in .tsv files, unless given. */
  delimiter: z.string().length(1).optional(),
  /**
   * Turns the text of a CSV cell into a value. Unless given, cells of fields that sample or schema know as numbers or
   * booleans become those where they can, and are left out where they are empty; all others stay text.
   */
  convert: z
    .custom<(field: string, text: string) => unknown>(value => typeof value === 'function')
    .optional(),
  signal: z.instanceof(AbortSignal, { error: 'an AbortSignal' }).optional(),
  onProgress: z.custom<(progress: Progress & { percent: number }) => void>(isFunction).optional(),
})
export type ImportOptions = z.input<typeof importOptions>

export interface ImportReport {
  /** Rows read, good and bad. */
  rows: number
  stored: number
  failed: number
  /** The first 1,000 failures. */
  errors: { line: number; id: string | null; code: string; message: string }[]
}

const ERRORS_KEPT = 1000

export function importing(
  { jobs, state }: { jobs: JobRunner; state: DatasetState },
  source: RowSource,
  input: ImportOptions,
  store: (documents: unknown[]) => Promise<BulkRow[]>,
): Job<ImportReport> {
  const { signal, onProgress, ...reading } = parseInput(importOptions, input, 'options')
  const watching = { ...(signal && { signal }), ...(onProgress && { onProgress }) }
  const body: JobBody<ImportReport> = async function* (job) {
    const total = await totalBytes(source)
    const convert = reading.convert ?? cellReader(state.schema.root)
    const report: ImportReport = { rows: 0, stored: 0, failed: 0, errors: [] }
    let pending: Promise<void> = Promise.resolve()
    let done = 0
    try {
      for await (const rows of readRows(source, { ...reading, convert, signal: job.signal })) {
        // One group is being written while the next is read; never more.
        await pending
        state.assertThere()
        pending = storeRows(rows, report, store)
        pending.catch(() => {})
        done = total === undefined ? report.rows : (rows.at(-1)?.bytesRead ?? done)
        yield { done, total, phase: 'importing' }
      }
    } finally {
      // A job that is over, cancelled too, writes nothing any more.
      await pending
    }
    return report
  }
  return jobs.start('import', `Importing into ${state.name}`, body, watching)
}

async function storeRows(
  rows: readonly Row[],
  report: ImportReport,
  store: (documents: unknown[]) => Promise<BulkRow[]>,
): Promise<void> {
  const good = rows.filter(row => !row.error)
  report.rows += rows.length
  for (const { line, error } of rows) if (error) fail(report, line, null, error)
  if (good.length === 0) return
  for (const { row, id, error } of await store(good.map(row => row.value))) {
    if (error) fail(report, good[row]!.line, id, error)
    else report.stored++
  }
}

function fail(report: ImportReport, line: number, id: string | null, error: FindlingError): void {
  report.failed++
  if (report.errors.length < ERRORS_KEPT) {
    report.errors.push({ line, id, code: error.code, message: error.message })
  }
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}
