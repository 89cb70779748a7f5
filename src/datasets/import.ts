import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { aFunction, parseInput } from '../input.ts'
import type { Job, JobBody, JobOptions } from '../jobs/job.ts'
import type { JobRunner } from '../jobs/runner.ts'
import { watching } from '../jobs/watching.ts'
import type { BulkRow } from './bulk.ts'
import { type Row, type RowSource, readRows, rowFormats, totalBytes } from './rows/rows.ts'
import type { DatasetState } from './state.ts'
import { type OwnerOptions, ownerMember } from './writes.ts'

/** What `documents.import()` takes. */
export interface ImportOptions extends JobOptions, OwnerOptions {
  /** `jsonl`, `csv` or `json` (one list of objects). Taken from the file's ending unless given; objects need none. */
  format?: 'jsonl' | 'csv' | 'json' | undefined
  /** Between the values of a CSV: one character, guessed from the first line unless given. */
  delimiter?: string | undefined
  /**
   * Turns the text of a CSV cell into a value, undefined for none. Unless given, columns of an export come back as they
   * were. In columns without a type, cells of fields that sample or schema know as numbers, booleans, lists (joined by
   * `|`) or objects (JSON) become those where they can; all others are text, but tags joined by `|` a list.
   */
  convert?: ((field: string, text: string) => unknown) | undefined
}

const importOptions = z.strictObject({
  format: z.enum(rowFormats).optional(),
  delimiter: z
    .string()
    .regex(/^[^"\r\n\\]$/, 'one character other than a quote, a backslash or a line end')
    .optional(),
  convert: aFunction<NonNullable<ImportOptions['convert']>>().optional(),
  ...watching,
  ...ownerMember,
})

/** The result of an import. */
export interface ImportReport {
  /** Rows read, good and bad. */
  rows: number
  stored: number
  failed: number
  /** The first 1,000 failures. */
  errors: { line: number; id: string | null; code: string; message: string }[]
}

const ERRORS_KEPT = 1000
const REASONS_TOLD = 10
/** An import of which none of so many first rows can be stored is at an end. */
const REFUSED_AT_FIRST = 100_000

export function importing(
  { jobs, state }: { jobs: JobRunner; state: DatasetState },
  source: RowSource,
  input: ImportOptions,
  store: (documents: unknown[], owner: string) => Promise<BulkRow[]>,
): Job<ImportReport> {
  const { signal, onProgress, owner, ...reading } = parseInput(importOptions, input, 'options')
  const body: JobBody<ImportReport> = async function* (job) {
    const total = await totalBytes(source)
    const known = { root: state.schema.root, tagField: state.settings.tagField }
    const report: ImportReport = { rows: 0, stored: 0, failed: 0, errors: [] }
    let pending: Promise<void> = Promise.resolve()
    let done = 0
    try {
      for await (const rows of readRows(source, { ...reading, known, signal: job.signal })) {
        // One group is being written while the next is read; never more.
        await pending
        state.assertThere()
        refuseUseless(report)
        pending = storeRows(rows, report, documents => store(documents, owner))
        pending.catch(() => {})
        done = total === undefined ? report.rows : (rows.at(-1)?.bytesRead ?? done)
        yield { done, total, phase: 'importing' }
      }
    } finally {
      // A job that is over, cancelled too, writes nothing any more.
      await pending
    }
    if (report.failed > 0 && report.stored === 0)
      throw useless(report, `None of ${report.rows} rows could be stored.`)
    return report
  }
  return jobs.start('import', `Importing into ${state.name}`, body, {
    signal,
    onProgress,
    datasets: [state.name],
  })
}

function refuseUseless(report: ImportReport): void {
  const { stored, failed } = report
  if (stored > 0 || failed < REFUSED_AT_FIRST) return
  const message =
    `None of the first ${failed} rows could be stored, and the import ended: it goes on while one of the first ` +
    `${REFUSED_AT_FIRST} can.`
  throw useless(report, message)
}

/** A sentence, and behind it a line for each of the first reasons. */
function useless(report: ImportReport, sentence: string): FindlingError {
  const reasons = report.errors
    .slice(0, REASONS_TOLD)
    .map(({ line, message }) => (message.startsWith(`line ${line} `) ? message : `line ${line}: ${message}`))
  return new FindlingError('INVALID_ROW', [sentence, ...reasons].join('\n'), {
    line: report.errors[0]?.line,
    report,
  })
}

async function storeRows(
  rows: readonly Row[],
  report: ImportReport,
  store: (documents: unknown[]) => Promise<BulkRow[]>,
): Promise<void> {
  const good = rows.filter(row => !row.error)
  const failures = rows.flatMap(({ line, error }) =>
    error ? [{ line, id: null as string | null, error }] : [],
  )
  report.rows += rows.length
  if (good.length > 0) {
    for (const { row, id, error } of await store(good.map(row => row.value))) {
      if (error) failures.push({ line: good[row]!.line, id, error })
      else report.stored++
    }
  }
  failures.sort((one, other) => one.line - other.line)
  for (const { line, id, error } of failures) fail(report, line, id, error)
}

function fail(report: ImportReport, line: number, id: string | null, error: FindlingError): void {
  report.failed++
  if (report.errors.length < ERRORS_KEPT) {
    report.errors.push({ line, id, code: error.code, message: error.message })
  }
}
