import { brokenFile } from '../reader/budget.ts'
import { readXml, type XmlElement, type XmlListener } from '../reader/xml.ts'
import type { Parts } from '../reader/zip.ts'
import { timeOf } from './cell-dates.ts'
import { type SheetCell, type SheetRows, sheetNamed } from './sheet-cells.ts'

/** Passes on the cells of one sheet of an ods file: of the one with this name, or of the first. */
export async function readOpenSheet(parts: Parts, name: string | null, rows: SheetRows): Promise<void> {
  if (!parts.has('content.xml')) throw brokenFile('it has no part content.xml')
  const reading = new TablesReading(name, rows)
  await readXml(parts.read('content.xml'), reading)
  if (!reading.isFound) sheetNamed(reading.sheets, name)
}

/** Elements such as comments, whose text is not part of the cell. */
const besides = new Set(['annotation', 'shapes', 'tracked-changes'])

/** Elements of a cell that have its paragraphs inside; in all others, such as pictures, paragraphs are not part of it. */
const around = new Set(['list', 'list-item', 'list-header', 'numbered-paragraph', 'section'])

/** Elements of a paragraph that are not part of it: other paragraphs, and drawings with their descriptions. */
const drawn = new Set(
  'p frame control g rect circle ellipse line path polygon polyline regular-polygon custom-shape connector caption measure'.split(
    ' ',
  ),
)

class TablesReading implements XmlListener {
  readonly sheets: { readonly name: string }[] = []
  isFound = false
  readonly #wanted: string | null
  readonly #rows: SheetRows
  #isInside = false
  #isInCell = false
  /** How many elements are open in and with the one that is left out. */
  #besides = 0
  #row = 0
  #rowTimes = 1
  #column = 0
  #cellTimes = 1
  #value: SheetCell | undefined
  #text: string[] = []
  #paragraphs = 0
  #isInParagraph = 0

  constructor(wanted: string | null, rows: SheetRows) {
    this.#wanted = wanted
    this.#rows = rows
  }

  open(element: XmlElement): void {
    const { name } = element
    if (this.#besides > 0 || this.#isBeside(name)) this.#besides++
    if (this.#besides > 0) return
    if (name === 'table') this.#openTable(element)
    if (!this.#isInside) return
    if (name === 'table-row') {
      this.#rowTimes = countOf(element.attribute('number-rows-repeated'))
      this.#column = 0
    } else if (name === 'table-cell' || name === 'covered-table-cell') this.#openCell(element)
    else if (name === 'p') {
      if (this.#paragraphs++ > 0) this.#text.push('\n')
      this.#isInParagraph++
    } else if (this.#isInParagraph > 0) this.#openInside(element)
  }

  close(name: string): void {
    if (this.#besides > 0) {
      this.#besides--
      return
    }
    if (!this.#isInside) return
    if (name === 'table') this.#isInside = false
    else if (name === 'p') this.#isInParagraph--
    else if (name === 'table-cell' || name === 'covered-table-cell') this.#closeCell()
    else if (name === 'table-row') {
      this.#rows.end(this.#row + 1, this.#rowTimes)
      this.#row += this.#rowTimes
    }
  }

  text(text: string): void {
    if (this.#isInside && this.#besides === 0 && this.#isInParagraph > 0)
      this.#text.push(text.replace(/[\t\r\n ]+/g, ' '))
  }

  #isBeside(name: string): boolean {
    if (besides.has(name)) return true
    if (!this.#isInCell) return false
    return this.#isInParagraph > 0 ? drawn.has(name) : name !== 'p' && !around.has(name)
  }

  #openTable(element: XmlElement): void {
    const name = element.attribute('name') ?? ''
    this.sheets.push({ name })
    this.#isInside = !this.isFound && (this.#wanted === null || this.#wanted === name)
    this.isFound ||= this.#isInside
  }

  #openCell(element: XmlElement): void {
    this.#isInCell = true
    this.#cellTimes = countOf(element.attribute('number-columns-repeated'))
    this.#text = []
    this.#paragraphs = 0
    this.#value = typedValue(element)
  }

  #openInside(element: XmlElement): void {
    if (element.name === 's') this.#text.push(' '.repeat(Math.min(1000, countOf(element.attribute('c')))))
    else if (element.name === 'tab') this.#text.push('\t')
    else if (element.name === 'line-break') this.#text.push('\n')
  }

  /** Empty cells, often thousands at the end of a row, are skipped. */
  #closeCell(): void {
    this.#isInCell = false
    const cell = this.#value ?? this.#text.join('')
    if (cell !== '') for (let i = 0; i < this.#cellTimes; i++) this.#rows.put(this.#column + i, cell)
    this.#column += this.#cellTimes
    this.#value = undefined
  }
}

const countOf = (text: string | undefined): number => Math.max(1, Math.trunc(Number(text ?? 1)) || 1)

/** Undefined if the text of the cell is its value. */
function typedValue(element: XmlElement): SheetCell | undefined {
  switch (element.attribute('value-type')) {
    case 'float':
    case 'currency':
    case 'percentage': {
      const number = Number(element.attribute('value'))
      return Number.isFinite(number) ? number : undefined
    }
    case 'boolean':
      return element.attribute('boolean-value') === 'true'
    case 'date':
      return element.attribute('date-value')
    case 'time':
      return timeIn(element.attribute('time-value') ?? '')
    default:
      return element.attribute('string-value')
  }
}

/** `PT09H30M00S` as a workbook has it; undefined if it is something else. */
function timeIn(duration: string): string | undefined {
  const parts = /^PT(\d{1,9})H(\d\d?)M(\d\d?(?:\.\d{1,12})?)S$/.exec(duration.replace(',', '.'))
  if (!parts) return undefined
  const [hours, minutes, seconds] = parts.slice(1).map(Number) as [number, number, number]
  return timeOf(1000 * (3600 * hours + 60 * minutes + seconds))
}
