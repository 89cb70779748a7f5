import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { aFunction } from '../function-schema.ts'
import { parseInput } from '../input.ts'
import type { Job, JobBody, JobOptions } from '../jobs/job.ts'
import { watching } from '../jobs/watching.ts'
import { Stretch } from '../scheduling/stretch.ts'
import type { BulkRow } from './bulk.ts'
import { decimalSigns } from './content/number-text.ts'
import { type GuessedFields, ImportGuess } from './import-guess.ts'
import { ImportedTags, type TagPathOption, tagPathOption } from './imported-tags.ts'
import { ImportWrites } from './imported-writes.ts'
import { type WriteMode, writeModes } from './row-steps.ts'
import { columnsOption, encodingOption, type ImportColumns } from './rows/column-options.ts'
import { knownFieldsOf } from './rows/csv-cells.ts'
import { Findings, type ImportReading } from './rows/findings.ts'
import { invalidRow } from './rows/row.ts'
import { importFormats, type Row, type RowSource, readRows, totalBytes } from './rows/row-reader.ts'
import type { SheetReader } from './rows/sheet-rows.ts'
import { type DocumentsContext, type OwnerOptions, ownerMember } from './writes.ts'

/** What `documents.import()` takes. */
export interface ImportOptions extends JobOptions, OwnerOptions {
  /**
   * `jsonl`, `csv`, `json` (one list of objects), `xlsx` or `ods`. By default taken from the file's extension; objects need
   * none. Spreadsheets are read as a whole, in a separate process and within the limits of the engine's option `extraction`. The
   * first row of a CSV or spreadsheet names the columns.
   */
  format?: 'jsonl' | 'csv' | 'json' | 'xlsx' | 'ods' | undefined
  /** Name of the sheet in a spreadsheet. Default: the first. */
  sheet?: string | undefined
  /**
   * `upsert` (default): a row replaces a document with the same id. `insert`: the document stays, and the row fails. `update`:
   * a row changes the members that it has, as update() does, and fails if no document has its id (DOCUMENT_NOT_FOUND); an
   * unchanged document is not written again.
   */
  mode?: 'upsert' | 'insert' | 'update' | undefined
  /** The delimiter of a CSV: one character, by default guessed from the first line. */
  delimiter?: string | undefined
  /**
   * The encoding, by its name in the Encoding Standard, such as `windows-1252` or `utf-16le`. By default taken from
   * the byte order mark; a CSV without one that is not UTF-8 is read as windows-1252, which spreadsheets write.
   */
  encoding?: string | undefined
  /**
   * For a CSV: the fields and types of columns, by their names in the header without surrounding spaces.
   * `'Preis (€)': 'price'` renames a column, `'price:number'` also sets its type, null ignores it. Other columns keep their
   * names. A name that is not in the header is INVALID_ARGUMENT.
   */
  columns?: ImportColumns | undefined
  /**
   * The decimal separator in the numeric columns of a CSV; thousands may be separated by the other sign, spaces or apostrophes.
   * By default it is detected from the first 1,000 rows; a number that is still ambiguous, such as `1.200`, is reported and not
   * converted.
   */
  decimal?: '.' | ',' | undefined
  /**
   * Turns the text of a CSV cell into a value, undefined for none. By default, exported columns come back as they were; in
   * columns without a type, a cell whose field the sample or schema declares as a number, boolean, list (joined by `|`, or JSON)
   * or object (JSON) is converted if it can be, as are vectors. All other cells are text, except that tags joined by `|` become a
   * list.
   */
  convert?: ((field: string, text: string) => unknown) | undefined
  /**
   * Turns a row into documents: one, a list of several, or undefined for none. For a CSV, `cells` has the values by field, after
   * `columns` and `convert` were applied. If it throws, the row fails.
   */
  row?: ((cells: Record<string, unknown>, line: number) => unknown) | undefined
  /**
   * Guesses from the first 1,000 rows what you do not specify: the types of CSV columns, which field has the ids, and which the
   * categories. Ids go to the dataset's id field, categories become tags as with `tagPath`; if no field has ids, the line number
   * is the id. `report.reading` lists all guesses. Default false.
   */
  guess?: boolean | undefined
  /**
   * Field with a path of tag names, such as `Garden > Hoses`, or a list of paths, that becomes tags; missing tags are created.
   * Names that differ only in case and spaces are the same tag, which is reported. Default separator: `>`.
   */
  tagPath?: TagPathOption | undefined
}

const importOptions = z.strictObject({
  format: z.enum(importFormats).optional(),
  sheet: z.string().max(1000).optional(),
  mode: z.enum(writeModes).default('upsert'),
  delimiter: z
    .string()
    .regex(/^[^"\r\n\\]$/, 'one character other than a quote, a backslash or a line end')
    .optional(),
  encoding: encodingOption.optional(),
  columns: columnsOption.optional(),
  decimal: z.enum(decimalSigns).optional(),
  convert: aFunction<NonNullable<ImportOptions['convert']>>().optional(),
  row: aFunction<NonNullable<ImportOptions['row']>>().optional(),
  guess: z.boolean().default(false),
  tagPath: tagPathOption.optional(),
  ...watching,
  ...ownerMember,
})

/** The result of an import. */
export interface ImportReport {
  /** Rows read, good and bad. */
  rows: number
  /** Documents stored; with the option `row`, a row may give several, or none. */
  stored: number
  /** How many of these had the id of an existing document, from before the import or from an earlier row. */
  replaced: number
  /** In mode `update`: how many of these stayed as they were. */
  unchanged: number
  failed: number
  /** The first 1,000 failures. */
  errors: { line: number; id: string | null; code: string; message: string }[]
  /** How the source was read, and what was doubtful. */
  reading: ImportReading
  /** How many tags `tagPath` has created. */
  tags: number
}

const ERRORS_KEPT = 1000
const COLUMNS_TOLD = 30
const REASONS_TOLD = 10
/** An import stops if none of its first rows, this many, can be stored. */
const REFUSED_AT_FIRST = 100_000

type MakeDocuments = NonNullable<ImportOptions['row']>

export function importing(
  context: DocumentsContext,
  source: RowSource,
  input: ImportOptions,
): Job<ImportReport> {
  const { signal, onProgress, owner, mode, row, tagPath, ...reading } = parseInput(
    importOptions,
    input,
    'options',
  )
  const { jobs, state } = context
  const body: JobBody<ImportReport> = async function* (job) {
    const total = await totalBytes(source)
    const known = knownFieldsOf(state)
    const findings = new Findings()
    const { guess } = reading
    const readSheet: SheetReader = (bytes, sheet, signal) => context.readSheet(bytes, sheet, owner, signal)
    const target = new ImportTarget(context, { owner, mode, row, guess, tagPath, findings })
    let pending: Promise<void> = Promise.resolve()
    let done = 0
    try {
      for await (const rows of readRows(source, {
        ...reading,
        known,
        findings,
        readSheet,
        signal: job.signal,
      })) {
        // One group is being written while the next is read; never more.
        await pending
        state.assertThere()
        target.refuseUseless()
        pending = target.store(rows)
        pending.catch(() => {})
        done = total === undefined ? target.rows : findings.sourceBytes(rows.at(-1)?.bytesRead ?? 0)
        yield { done: Math.min(done, total ?? done), total, phase: 'importing' }
      }
    } finally {
      // A job that is over, cancelled too, writes nothing any more.
      await pending
    }
    await target.end()
    return target.result()
  }
  return jobs.start('import', `Importing into ${state.name}`, body, {
    signal,
    onProgress,
    datasets: [state.name],
  })
}

interface TargetOptions {
  readonly owner: string
  readonly mode: WriteMode
  readonly row: MakeDocuments | undefined
  readonly guess: boolean
  readonly tagPath: z.output<typeof tagPathOption> | undefined
  readonly findings: Findings
}

/** Where the rows of one import go, and what has become of them so far. */
class ImportTarget {
  readonly #context: DocumentsContext
  readonly #writes: ImportWrites
  #tags: ImportedTags | undefined
  /** Undefined once the guess is made. */
  #guess: ImportGuess | undefined
  #guessed: GuessedFields | undefined
  readonly #make: MakeDocuments | undefined
  readonly #findings: Findings
  readonly #counts = { rows: 0, stored: 0, failed: 0 }
  readonly #errors: ImportReport['errors'] = []
  readonly #stretch = new Stretch()

  constructor(context: DocumentsContext, { owner, mode, row, guess, tagPath, findings }: TargetOptions) {
    this.#context = { ...context, owner }
    this.#writes = new ImportWrites(this.#context, mode)
    this.#tags = tagPath && new ImportedTags(context, tagPath, findings)
    this.#guess = guess ? new ImportGuess(context.state.settings) : undefined
    this.#make = row
    this.#findings = findings
  }

  get rows(): number {
    return this.#counts.rows
  }

  async store(rows: readonly Row[]): Promise<void> {
    this.#counts.rows += rows.length
    const made = this.#make ? await this.#made(rows, this.#make) : rows
    if (this.#guess && !(await this.#guess.take(made))) return
    await this.#write(this.#guess ? await this.#decide(this.#guess) : made)
  }

  /** Stores the rows that were kept until more is known. */
  async end(): Promise<void> {
    if (this.#guess) await this.#write(await this.#decide(this.#guess))
  }

  async #decide(guess: ImportGuess): Promise<readonly Row[]> {
    this.#guess = undefined
    this.#guessed = await guess.decide(this.#findings)
    const { category } = this.#guessed
    if (category) this.#tags ??= new ImportedTags(this.#context, category, this.#findings)
    return guess.rows
  }

  async #write(rows: readonly Row[]): Promise<void> {
    const placed = this.#guessed ? this.#guessed.place(rows) : rows
    const tagged = this.#tags ? await this.#tags.give(placed) : placed
    const good = tagged.filter(row => !row.error)
    const failures = tagged.flatMap(({ line, error }) =>
      error ? [{ line, id: null as string | null, error }] : [],
    )
    for (const { row, id, error } of await this.#written(good.map(row => row.value))) {
      if (error) failures.push({ line: good[row]!.line, id, error })
      else this.#counts.stored++
    }
    failures.sort((one, other) => one.line - other.line)
    for (const { line, id, error } of failures) this.#fail(line, id, error)
  }

  /** INVALID_ROW if none of very many rows could be stored. */
  refuseUseless(): void {
    const { stored, failed } = this.#counts
    if (stored > 0 || failed < REFUSED_AT_FIRST) return
    throw this.#useless(
      `None of the first ${failed} rows could be stored, so the import ended; it continues only if one of the first ` +
        `${REFUSED_AT_FIRST} can be stored.`,
    )
  }

  /** INVALID_ROW if nothing could be stored. */
  result(): ImportReport {
    const { rows, stored, failed } = this.#counts
    if (failed > 0 && stored === 0) throw this.#useless(`None of ${rows} rows could be stored.`)
    return this.#report()
  }

  #report(): ImportReport {
    const { rows, stored, failed } = this.#counts
    const { replaced, unchanged } = this.#writes
    const [errors, { reading }, tags] = [this.#errors, this.#findings, this.#tags?.made ?? 0]
    return { rows, stored, replaced, unchanged, failed, errors, reading, tags }
  }

  async #written(documents: readonly unknown[]): Promise<BulkRow[]> {
    if (documents.length === 0) return []
    return await this.#writes.write(documents)
  }

  async #made(rows: readonly Row[], make: MakeDocuments): Promise<Row[]> {
    const all: Row[] = []
    for (const row of rows) {
      if (this.#stretch.isOver) await this.#stretch.pause()
      for (const one of row.error ? [row] : documentsOf(row, make)) all.push(one)
    }
    return all
  }

  /** A sentence, and after it a line for each of the first reasons. */
  #useless(sentence: string): FindlingError {
    const reasons = this.#errors
      .slice(0, REASONS_TOLD)
      .map(({ line, message }) =>
        message.startsWith(`line ${line} `) ? message : `line ${line}: ${message}`,
      )
      // Some quote the row, which may have lines of its own.
      .map(reason => reason.replace(/[\r\n]+/g, ' '))
    return new FindlingError('INVALID_ROW', [sentence, ...this.#withoutIds(), ...reasons].join('\n'), {
      line: this.#errors[0]?.line,
      report: this.#report(),
    })
  }

  /** A line, if it is a table without a column of ids. */
  #withoutIds(): string[] {
    const { columns } = this.#findings.reading
    const { idField } = this.#context.state.settings
    if (this.#make || this.#guessed || columns.length === 0) return []
    if (columns.some(({ field }) => field === idField)) return []
    const names = columns.slice(0, COLUMNS_TOLD).map(({ column }) => JSON.stringify(column))
    const all = `${names.join(', ')}${columns.length > names.length ? ', …' : ''}`
    return [
      `No column is named ${JSON.stringify(idField)}, the field of ids; the header has ${all}. ` +
        'Rename one, in the file or with the option columns, or set the option guess.',
    ]
  }

  #fail(line: number, id: string | null, { code, message }: FindlingError): void {
    this.#counts.failed++
    if (this.#errors.length < ERRORS_KEPT) this.#errors.push({ line, id, code, message })
  }
}

function documentsOf(row: Row, make: MakeDocuments): Row[] {
  const { line, bytesRead } = row
  try {
    // It may be anything: `row` sees it before the rules of the dataset check it.
    const made = make(row.value as Record<string, unknown>, line)
    const documents = Array.isArray(made) ? made : made === undefined || made === null ? [] : [made]
    return documents.map(value => ({ line, bytesRead, value }))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return [{ line, bytesRead, error: invalidRow(line, `is refused by row(): ${reason}`, cause) }]
  }
}
