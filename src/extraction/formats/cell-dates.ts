import type { XmlElement, XmlListener } from '../reader/xml.ts'

/** Numbers of built-in formats that show dates (ECMA-376, part 1, 18.8.30). */
const builtIn = new Set([14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58])

const builtInTimes = new Set([18, 19, 20, 21, 32, 33, 34, 35, 45, 47])
const builtInDuration = 46

type Kind = 'day' | 'time' | 'duration'

/** The styles of a workbook that show numbers as dates or times. */
export class DateStyles implements XmlListener {
  readonly #formats = new Map<number, Kind>()
  readonly #styles: (Kind | undefined)[] = []
  #isInCells = false

  open({ name, attribute }: XmlElement): void {
    if (name === 'numFmt') {
      const kind = kindOf(attribute('formatCode') ?? '')
      if (kind) this.#formats.set(Number(attribute('numFmtId')), kind)
    }
    if (name === 'cellXfs') this.#isInCells = true
    if (name !== 'xf' || !this.#isInCells) return
    const format = Number(attribute('numFmtId'))
    this.#styles.push(builtInKind(format) ?? this.#formats.get(format))
  }

  close(name: string): void {
    if (name === 'cellXfs') this.#isInCells = false
  }

  /** The date, with its time if it has one, or the time that a number stands for; undefined if it is neither. */
  textOf(serial: number, style: string, from1904: boolean): string | undefined {
    const kind = this.#styles[Number(style)]
    if (kind === undefined || !(serial >= 0 && serial < 2_958_466)) return undefined
    // A moment may be shown by its time alone.
    const isDate = kind === 'day' || (kind === 'time' && serial >= 1)
    return isDate ? dateOfSerial(serial, from1904) : timeOf(serial * DAY)
  }
}

function builtInKind(format: number): Kind | undefined {
  if (builtIn.has(format)) return 'day'
  if (builtInTimes.has(format)) return 'time'
  return format === builtInDuration ? 'duration' : undefined
}

/** Letters in quotes, other brackets and behind backslashes are text. */
const literals = /"[^"]*"?|\[(?!(?:h+|m+|s+)\])[^\]]*\]?|[\\_*]./gi

/** Hours, minutes or seconds in brackets are counted on beyond a day. */
const elapsed = /\[[hms]/i

/** Whether a format code shows a day, month or year, or else hours or seconds; digits are only shown of seconds. */
function kindOf(code: string): Kind | undefined {
  const signs = code.replace(literals, '')
  if (/[dy]/i.test(signs)) return 'day'
  if (/[0#?]/.test(signs.replace(/s\]?[.,]?0+/gi, ''))) return undefined
  if (elapsed.test(signs)) return 'duration'
  if (/[hs]/i.test(signs)) return 'time'
  // Alone, this letter stands for the month.
  return /m/i.test(signs) ? 'day' : undefined
}

const DAY = 86_400_000

function dateOfSerial(serial: number, from1904: boolean): string {
  // 1900 counts as a leap year, as it did in the first spreadsheet programs.
  const days = from1904 ? serial - 24_107 : serial < 60 ? serial - 25_568 : serial - 25_569
  const iso = new Date(Math.round((days * DAY) / 1000) * 1000).toISOString()
  return Number.isInteger(serial) ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ')
}

/** A time of day or a duration as `09:30:00`, with milliseconds if there are any. */
export function timeOf(milliseconds: number): string {
  const whole = Math.round(milliseconds)
  const two = (number: number) => String(Math.trunc(number)).padStart(2, '0')
  const parts = [whole / 3_600_000, (whole / 60_000) % 60, (whole / 1000) % 60].map(two)
  const rest = whole % 1000
  return parts.join(':') + (rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`)
}
