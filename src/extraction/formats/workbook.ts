import { brokenFile } from '../reader/budget.ts'
import type { PlainText } from '../reader/plain-text.ts'
import { readXml, type XmlElement, type XmlListener } from '../reader/xml.ts'
import type { Parts } from '../reader/zip.ts'
import { DateStyles } from './cell-dates.ts'
import { inOrderOf, readRelations } from './relations.ts'
import { type SheetCell, type SheetRows, sheetNamed } from './sheet-cells.ts'

export interface WorkbookParts {
  readonly main: string
  readonly strings: string | undefined
  readonly styles: string | undefined
  readonly sheets: readonly string[]
}

/** Names and cells of the sheets of an xlsx file, in their order; parts that the workbook does not list come last. */
export async function readWorkbook(parts: Parts, workbook: WorkbookParts, text: PlainText): Promise<void> {
  const { main, sheets } = workbook
  const book = new BookReading()
  await readXml(parts.read(main), book)
  const shared = await readShared(parts, workbook, book)
  const related = await readRelations(parts, main)
  const names = new Map(book.sheets.map(({ name, id }) => [related.get(id), name]))
  for (const sheet of inOrderOf([...names.keys()], sheets)) {
    text.add(names.get(sheet) ?? '')
    text.endLine()
    await readXml(parts.read(sheet), new ShownCells(text, shared))
    text.endLine()
  }
}

/** What the cells of all sheets refer to. */
interface Shared {
  readonly strings: readonly string[]
  readonly dates: DateStyles
  readonly from1904: boolean
}

async function readShared(
  parts: Parts,
  { strings, styles }: WorkbookParts,
  { from1904 }: BookReading,
): Promise<Shared> {
  const texts = new StringsReading()
  await readXml(parts.read(strings ?? ''), texts)
  const dates = new DateStyles()
  await readXml(parts.read(styles ?? ''), dates)
  return { strings: texts.strings, dates, from1904 }
}

/** Passes on the cells of one sheet: of the one with this name, or of the first. */
export async function readSheet(
  parts: Parts,
  workbook: WorkbookParts,
  name: string | null,
  rows: SheetRows,
): Promise<void> {
  const { main, sheets } = workbook
  const book = new BookReading()
  await readXml(parts.read(main), book)
  const related = await readRelations(parts, main)
  // Sheets that hold only a diagram are listed, too.
  const named = book.sheets.flatMap(({ name, id }) => {
    const part = related.get(id)
    return part !== undefined && sheets.includes(part) ? [{ name, part }] : []
  })
  const all = named.length > 0 ? named : sheets.map(part => ({ name: '', part }))
  const { part } = sheetNamed(all, name)
  const shared = await readShared(parts, workbook, book)
  await readXml(parts.read(part), new PlacedCells(rows, shared))
}

/** Reads the cells of a sheet that have a value. */
abstract class CellsReading implements XmlListener {
  readonly #shared: Shared
  #type = ''
  #style = ''
  #value = ''
  #isValue = false
  #phonetic = 0

  constructor(shared: Shared) {
    this.#shared = shared
  }

  protected abstract put(type: string, value: string): void
  protected abstract endRow(): void

  open({ name, attribute }: XmlElement): void {
    if (name === 'rPh') this.#phonetic++
    if (name === 'c') {
      this.#type = attribute('t') ?? 'n'
      this.#style = attribute('s') ?? ''
      this.#value = ''
    }
    this.#isValue = (name === 'v' || name === 't') && this.#phonetic === 0
  }

  close(name: string): void {
    this.#isValue = false
    if (name === 'rPh') this.#phonetic--
    if (name === 'row') this.endRow()
    if (name === 'c' && this.#value !== '') this.put(this.#type, this.#value)
  }

  text(text: string): void {
    if (this.#isValue) this.#value += text
  }

  protected sharedText(number: string): string {
    const text = this.#shared.strings[Number(number)]
    if (text === undefined)
      throw brokenFile(`a cell refers to the text ${number.slice(0, 20)}, which does not exist`)
    return text
  }

  /** Undefined for a number that is no date. */
  protected dateOf(value: string): string | undefined {
    return this.#shared.dates.textOf(Number(value), this.#style, this.#shared.from1904)
  }
}

/** Passes on each cell at its position. */
class PlacedCells extends CellsReading {
  readonly #rows: SheetRows
  #row = 0
  #column = -1

  constructor(rows: SheetRows, shared: Shared) {
    super(shared)
    this.#rows = rows
  }

  override open(element: XmlElement): void {
    const { name, attribute } = element
    if (name === 'row') {
      this.#row = Number(attribute('r')) || this.#row + 1
      this.#column = -1
    } else if (name === 'c') this.#column = columnOf(attribute('r')) ?? this.#column + 1
    super.open(element)
  }

  protected endRow(): void {
    this.#rows.end(this.#row)
  }

  protected put(type: string, value: string): void {
    const cell = this.#cell(type, value)
    if (cell !== undefined) this.#rows.put(this.#column, cell)
  }

  /** Undefined for errors, such as a division by zero in a formula. */
  #cell(type: string, value: string): SheetCell | undefined {
    if (type === 'e') return undefined
    if (type === 'b') return value === '1' || value === 'true'
    if (type === 's') return this.sharedText(value)
    if (type !== 'n') return unescaped(value)
    const number = Number(value)
    return this.dateOf(value)?.replace(' ', 'T') ?? (Number.isFinite(number) ? number : value)
  }
}

/** The column of a reference such as `C5`, from 0; undefined if it is not a reference. */
function columnOf(place: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(place ?? '')?.[0]
  if (letters === undefined) return undefined
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

class BookReading implements XmlListener {
  readonly sheets: { readonly name: string; readonly id: string }[] = []
  from1904 = false

  open({ name, attribute, relation }: XmlElement): void {
    if (name === 'sheet') this.sheets.push({ name: attribute('name') ?? '', id: relation() ?? '' })
    if (name === 'workbookPr') this.from1904 = ['1', 'true'].includes(attribute('date1904') ?? '')
  }
}

/** Shared strings, to which cells refer by number; phonetic hints are left out. */
class StringsReading implements XmlListener {
  readonly strings: string[] = []
  #text = ''
  #isText = false
  #phonetic = 0

  open({ name }: XmlElement): void {
    if (name === 'rPh') this.#phonetic++
    this.#isText = name === 't' && this.#phonetic === 0
  }

  close(name: string): void {
    if (name === 'rPh') this.#phonetic--
    this.#isText = false
    if (name !== 'si') return
    this.strings.push(unescaped(this.#text))
    this.#text = ''
  }

  text(text: string): void {
    if (this.#isText) this.#text += text
  }
}

/** Writes the cells as they are shown. */
class ShownCells extends CellsReading {
  readonly #text: PlainText

  constructor(text: PlainText, shared: Shared) {
    super(shared)
    this.#text = text
  }

  protected endRow(): void {
    this.#text.endLine()
  }

  protected put(type: string, value: string): void {
    this.#text.tab()
    this.#text.add(this.#shown(type, value))
  }

  #shown(type: string, value: string): string {
    switch (type) {
      case 's':
        return this.sharedText(value)
      case 'n':
        return this.dateOf(value) ?? value
      case 'b':
        return value === '1' ? 'TRUE' : 'FALSE'
      default:
        return unescaped(value)
    }
  }
}

/** Text in which `_x000D_` stands for a carriage return, and `_x005F_` for a low line (ECMA-376, part 1, 22.9.2.19). */
function unescaped(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9A-F]{4})_/gi, (written, hex: string) => {
    const unit = Number.parseInt(hex, 16)
    return unit === 0 || (unit >= 0xd800 && unit < 0xe000) ? written : String.fromCharCode(unit)
  })
}
