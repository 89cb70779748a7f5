import type { XmlElement, XmlListener } from '../reader/xml.ts'

/** Numbers of built-in formats that show dates (ECMA-376, part 1, 18.8.30). */
const builtIn = new Set([14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58])

/** The styles of a workbook that show numbers as dates. */
export class DateStyles implements XmlListener {
  readonly #formats = new Set<number>()
  readonly #styles: boolean[] = []
  #isInCells = false

  open({ name, attribute }: XmlElement): void {
    if (name === 'numFmt' && showsDay(attribute('formatCode') ?? ''))
      this.#formats.add(Number(attribute('numFmtId')))
    if (name === 'cellXfs') this.#isInCells = true
    if (name !== 'xf' || !this.#isInCells) return
    const format = Number(attribute('numFmtId'))
    this.#styles.push(builtIn.has(format) || this.#formats.has(format))
  }

  close(name: string): void {
    if (name === 'cellXfs') this.#isInCells = false
  }

  isDate(style: string): boolean {
    return this.#styles[Number(style)] ?? false
  }
}

/** Whether a format code shows a day or year: letters in quotes, brackets and behind backslashes are text. */
function showsDay(code: string): boolean {
  let closing = ''
  for (let i = 0; i < code.length; i++) {
    const sign = code[i]!
    if (closing !== '') closing = sign === closing ? '' : closing
    else if (sign === '"') closing = '"'
    else if (sign === '[') closing = ']'
    else if (sign === '\\' || sign === '_' || sign === '*') i++
    else if ('dDyY'.includes(sign)) return true
  }
  return false
}

const DAY = 86_400_000

/** The date that a number stands for, with its time if it has one; undefined if it is not a date. */
export function dateOfSerial(serial: number, from1904: boolean): string | undefined {
  if (!(serial >= 0 && serial < 2_958_466)) return undefined
  // 1900 counts as a leap year, as it did in the first spreadsheet programs.
  const days = from1904 ? serial - 24_107 : serial < 60 ? serial - 25_568 : serial - 25_569
  const iso = new Date(Math.round((days * DAY) / 1000) * 1000).toISOString()
  return Number.isInteger(serial) ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ')
}
