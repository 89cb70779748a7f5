import { DateEvidence, isoFormat, isoReader } from '../content/date-text.ts'
import { FieldContent } from '../content/field-content.ts'
import { nameFit, nameWords } from '../content/field-names.ts'
import { numberListIn } from '../content/number-list.ts'
import {
  DecimalEvidence,
  type DecimalSign,
  isAmbiguous,
  type NumberReadings,
  readNumber,
} from '../content/number-text.ts'
import type { ColumnType, ImportColumn } from './column-options.ts'
import { cellReader, splitTexts } from './csv-cells.ts'

/** A cell of a table: text, in spreadsheets also a number or a boolean. */
export type Cell = string | number | boolean

export type ReadCell = (cell: Cell, line: number) => unknown

/** Reports a doubtful cell that was not converted. */
export type Tell = (line: number, text: string, problem: string) => void

/** What is detected from the first cells of a column before any of them is converted. */
export interface CellTyping {
  /** Whether there is anything to detect. */
  readonly looks: boolean
  /** For numbers: evidence for their decimal separator. */
  readonly evidence?: DecimalEvidence
  add(cell: Cell): void
  /** @param elsewhere the decimal separator found in the other columns */
  settle(elsewhere: DecimalSign | undefined): Settled
}

export interface Settled {
  readonly read: ReadCell
  /** The detected type of the cells. */
  readonly type?: ColumnType
  readonly decimal?: DecimalSign | undefined
  readonly format?: string | undefined
}

export const problems = {
  noNumber: 'is not a number; it stays text',
  otherDecimal: 'is not a number with this decimal sign; it is not read as one',
  twoNumbers:
    'is ambiguous without the option decimal, which sets the decimal sign; it is not read as a number',
  currency: 'has a different currency from the values before; it is not read as a number',
  noDate: 'is not a date in this format; it stays text',
  twoDates:
    'is ambiguous without the option format, which says whether the day or the month comes first; it stays text',
  noTruth: 'is neither yes nor no; it stays text',
  noList: 'is not a list of numbers; it stays text',
  otherType: 'has another type than its column, and keeps it',
  mixed: 'stays text, while other cells of its column are numbers or booleans',
} as const

/** How the cells of a column with a type are read. */
export function typingOf(
  { type, format, separator }: Omit<ImportColumn, 'field'>,
  numbers: NumberOptions,
): CellTyping {
  const { tell } = numbers
  switch (type) {
    case 'number':
      return new NumberTyping(numbers)
    case 'date':
      return new DateTyping(format, numbers)
    case 'boolean':
      return plain(cell => readTruth(cell), tell, problems.noTruth)
    case 'list':
      return plain(cell => listIn(String(cell), separator))
    case 'json':
      return plain(cell => (typeof cell === 'string' ? readJson(cell) : cell))
    default:
      return plain(cell => String(cell))
  }
}

/** An empty cell is no value; one that cannot be converted stays text, and is reported. */
function plain(read: (cell: Cell) => unknown, tell?: Tell, problem = ''): CellTyping {
  const readCell: ReadCell = (cell, line) => {
    if (isBlank(cell)) return undefined
    const value = read(cell)
    if (value !== undefined) return value
    tell?.(line, String(cell), problem)
    return cell
  }
  return { looks: false, add: () => {}, settle: () => ({ read: readCell }) }
}

const isBlank = (cell: Cell): boolean => typeof cell === 'string' && cell.trim() === ''

const readJson = cellReader({ path: [''], type: 'json' }, undefined)

function listIn(text: string, separator = '|'): string[] {
  const parts = separator === '|' ? splitTexts(text) : text.split(separator)
  return parts.map(part => part.trim()).filter(part => part !== '')
}

const truths = new Map<string, boolean>(
  (
    [
      [true, 'true yes y 1 x on ja j wahr oui vrai sí si sì s sim vero verdadero verdadeiro da ano tak да'],
      [false, 'false no n 0 off nein falsch non faux não nao falso nej nie ne нет'],
    ] as const
  ).flatMap(([truth, words]) => words.split(' ').map((word): [string, boolean] => [word, truth])),
)
const longestTruth = 20

function readTruth(cell: Cell): boolean | undefined {
  const text = String(cell)
  return text.length > longestTruth ? undefined : truths.get(text.trim().toLowerCase())
}

/** How a column is read. */
export interface CellOptions {
  readonly tell: Tell
  /** Whether the cells are those of a spreadsheet, where dates come in ISO 8601 however they are shown. */
  readonly areOfSheet: boolean
}

export interface NumberOptions extends CellOptions {
  /** The decimal separator, if given. */
  readonly decimal: DecimalSign | undefined
  /** Whether the dataset declares the field as a number: text then counts as a number, too, and doubtful values are left out. */
  readonly isKnown: boolean
  /** Reads a cell that is not a number, instead of reporting it. */
  readonly otherwise?: (text: string) => unknown
}

export class NumberTyping implements CellTyping {
  readonly looks: boolean
  readonly evidence = new DecimalEvidence()
  readonly #options: NumberOptions
  #currency = ''

  constructor(options: NumberOptions) {
    this.looks = options.decimal === undefined
    this.#options = options
  }

  add(cell: Cell): void {
    const readings = typeof cell === 'string' ? readNumber(cell) : undefined
    if (readings) this.evidence.add(readings)
  }

  settle(elsewhere: DecimalSign | undefined): Settled {
    const decimal = this.#options.decimal ?? this.evidence.decimal ?? elsewhere
    return { decimal, read: (cell, line) => this.#read(cell, line, decimal) }
  }

  #read(cell: Cell, line: number, decimal: DecimalSign | undefined): unknown {
    const { tell, isKnown, otherwise } = this.#options
    if (typeof cell === 'number') return cell
    if (isBlank(cell)) return undefined
    const text = String(cell)
    const readings = readNumber(text)
    if (!readings) {
      if (otherwise) return otherwise(text)
      tell(line, text, typeof cell === 'string' ? problems.noNumber : problems.otherType)
      return cell
    }
    const problem = this.#problemOf(readings, decimal)
    if (problem === undefined) return decimal ? readings[decimal] : (readings['.'] ?? readings[','])
    tell(line, text, problem)
    return isKnown ? undefined : cell
  }

  #problemOf(readings: NumberReadings, decimal: DecimalSign | undefined): string | undefined {
    if (!decimal && isAmbiguous(readings)) return problems.twoNumbers
    if (decimal && readings[decimal] === undefined) return problems.otherDecimal
    if (readings.currency === '') return undefined
    this.#currency ||= readings.currency
    return readings.currency === this.#currency ? undefined : problems.currency
  }
}

const readIso = isoReader(isoFormat)

class DateTyping implements CellTyping {
  readonly looks: boolean
  /** Of dates that are not in ISO 8601: in a spreadsheet, these are texts beside dates that need no format. */
  readonly #evidence = new DateEvidence()
  #hasIso = false
  readonly #format: string | undefined
  readonly #options: CellOptions

  constructor(format: string | undefined, options: CellOptions) {
    this.looks = format === undefined
    this.#format = format
    this.#options = options
  }

  add(cell: Cell): void {
    if (typeof cell !== 'string') return
    if (readIso(cell) === undefined) this.#evidence.add(cell)
    else this.#hasIso = true
  }

  settle(): Settled {
    const { tell, areOfSheet } = this.#options
    const formats = this.#format === undefined ? this.#detected() : [this.#format]
    const [format] = formats
    const hasIso = this.#format === undefined ? this.#hasIso : areOfSheet
    const readIfIso = hasIso ? readIso : () => undefined
    const readOther = format === undefined || formats.length > 1 ? () => undefined : isoReader(format)
    const problem = formats.length > 1 ? problems.twoDates : problems.noDate
    const readCell: ReadCell = (cell, line) => {
      if (isBlank(cell)) return undefined
      const text = String(cell)
      // A format that is given may read texts that look like ISO 8601 differently: yyyy-dd-MM.
      const date = readOther(text) ?? readIfIso(text)
      if (date === undefined) tell(line, text, typeof cell === 'string' ? problem : problems.otherType)
      return date ?? cell
    }
    const isoAlone = this.#hasIso && this.#format === undefined ? isoFormat : undefined
    return { format: formats.length === 1 ? format : isoAlone, read: readCell }
  }

  #detected(): readonly string[] {
    const { formats } = this.#evidence
    if (!this.#hasIso) return formats
    return formats.length === 0 ? [isoFormat] : formats.map(format => `${isoFormat}||${format}`)
  }
}

/** Names of columns whose digits are not numbers. */
const numerals = new Set(
  'zip postcode plz postleitzahl postal phone telephone tel telefon fax mobile isbn ean gtin upc barcode'.split(
    ' ',
  ),
)
const mostly = 0.9
const truthWords = new Set([...truths.keys()].filter(word => word.length > 1))

/** Detects the type of an unspecified column: numbers, lists of them, dates, booleans or text. */
export class GuessedTyping implements CellTyping {
  readonly looks = true
  readonly #content = new FieldContent()
  readonly #numbers: NumberTyping
  readonly #dates: DateTyping
  readonly #name: string
  readonly #readText: (text: string) => unknown
  readonly #tell: Tell
  #truths = 0
  #lists = 0
  /** Cells that have a type in a spreadsheet. */
  #typedNumbers = 0
  #typedTruths = 0

  constructor(name: string, numbers: NumberOptions, readText: (text: string) => unknown) {
    this.#name = name
    this.#numbers = new NumberTyping(numbers)
    this.#dates = new DateTyping(undefined, numbers)
    this.#tell = numbers.tell
    this.#readText = readText
  }

  get evidence(): DecimalEvidence {
    return this.#numbers.evidence
  }

  add(cell: Cell): void {
    if (typeof cell === 'number') this.#typedNumbers++
    if (typeof cell === 'boolean') this.#typedTruths++
    if (typeof cell !== 'string') return
    this.#content.add(cell)
    this.#numbers.add(cell)
    this.#dates.add(cell)
    if (cell.length <= longestTruth && truthWords.has(cell.trim().toLowerCase())) this.#truths++
    if (numberListIn(cell)) this.#lists++
  }

  settle(elsewhere: DecimalSign | undefined): Settled {
    const { read, type, ...settled } = this.#settled(elsewhere)
    // What has a type in a spreadsheet keeps it.
    const keep: ReadCell = (cell, line) => {
      if (typeof cell === 'string') return read(cell, line)
      if (type !== 'text' && type !== typeof cell) this.#tell(line, String(cell), problems.otherType)
      return cell
    }
    return { ...settled, type, read: keep }
  }

  #settled(elsewhere: DecimalSign | undefined): Settled & { readonly type: ColumnType } {
    const content = this.#content
    const { filled } = content
    const [numbers, truths] = [this.#typedNumbers, this.#typedTruths]
    // Typed cells that differ from their column keep their type: they only have to be fewer than the others.
    const fits = (texts: number, typed: number) =>
      texts + typed >= mostly * (filled + typed) && numbers + truths - typed < filled + typed
    if (filled > 0 && fits(this.#lists, 0))
      return {
        type: 'json',
        ...plain(cell => numberListIn(String(cell)), this.#tell, problems.noList).settle(elsewhere),
      }
    if (filled > 0 && fits(content.count('date'), 0)) return { type: 'date', ...this.#dates.settle() }
    const areNumbers = filled + numbers > 0 && fits(content.count('whole', 'decimal'), numbers)
    if (areNumbers && !this.#areNumerals()) return { type: 'number', ...this.#numbers.settle(elsewhere) }
    if (filled + truths > 1 && this.#truths === filled && numbers <= filled + truths) {
      const read: ReadCell = cell => (isBlank(cell) ? undefined : (readTruth(cell) ?? cell))
      return { type: 'boolean', read }
    }
    return { type: 'text', read: this.#textReader() }
  }

  /**
   * Reports the first text that looks like the typed cells beside it, or any where most cells are typed: this is probably no column
   * of texts.
   */
  #textReader(): ReadCell {
    const [numbers, truths] = [this.#typedNumbers, this.#typedTruths]
    const areMostTyped = numbers + truths > this.#content.filled
    const isOdd = (text: string) =>
      areMostTyped || (numbers > 0 && readNumber(text)) || (truths > 0 && readTruth(text) !== undefined)
    let isTold = numbers + truths === 0
    return (cell, line) => {
      if (isBlank(cell)) return undefined
      const text = String(cell)
      if (!isTold && isOdd(text)) {
        isTold = true
        this.#tell(line, text, problems.mixed)
      }
      return this.#readText(text)
    }
  }

  /** Whether digits in this column are not numbers. */
  #areNumerals(): boolean {
    const isNamed = (['id', 'code'] as const).some(role => nameFit(this.#name, role) > 0.5)
    return isNamed || this.#content.areNumerals || nameWords(this.#name).some(word => numerals.has(word))
  }
}
