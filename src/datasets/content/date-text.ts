import { compileDateFormat, type DateParser } from '../schema/dates.ts'

const time = '[ HH:mm[:ss]]'

/** ISO 8601, as spreadsheets are read: no other format writes a date like this. */
export const isoFormat = `yyyy-MM-dd['T'HH:mm[:ss[.SSS]][ZZ]]||yyyy-MM-dd${time}`

/** Formats to try for dates without a specified format; days and months may have one digit. */
const formats = [
  isoFormat,
  `yyyy/MM/dd${time}`,
  `dd.MM.yyyy${time}`,
  `dd.MM.yy${time}`,
  `dd/MM/yyyy${time}`,
  `MM/dd/yyyy${time}`,
  `dd-MM-yyyy${time}`,
].map(format => ({ format, parse: compileDateFormat(format) }))

/** No date of these formats is longer. */
const longest = 60

/** Whether a text is a date in one of the usual forms. */
export function isDateText(text: string): boolean {
  const trimmed = trimmedDate(text)
  return trimmed !== undefined && formats.some(({ parse }) => parse(trimmed) !== undefined)
}

/** The text without spaces around it where it may be a date. */
function trimmedDate(text: string): string | undefined {
  if (text.length > longest) return undefined
  const trimmed = text.trim()
  return /^\d{1,4}[-./]\d/.test(trimmed) ? trimmed : undefined
}

/** Detects the format of the dates in a column. */
export class DateEvidence {
  readonly #fits = new Map(formats.map(({ format }) => [format, 0]))
  #dates = 0

  add(text: string): void {
    const trimmed = trimmedDate(text)
    if (trimmed === undefined) return
    let isDate = false
    for (const { format, parse } of formats) {
      if (parse(trimmed) === undefined) continue
      isDate = true
      this.#fits.set(format, this.#fits.get(format)! + 1)
    }
    if (isDate) this.#dates++
  }

  /** The formats in which most of these are dates: several where days may be months. */
  get formats(): string[] {
    const best = Math.max(...this.#fits.values())
    if (best < mostly * this.#dates) return []
    return [...this.#fits].filter(([, count]) => count === best && count > 0).map(([format]) => format)
  }
}

const mostly = 0.9
const DAY = 86_400_000

/** Compiles a reader that turns a date into text that every program knows: `2024-12-31`, with its time if it has one. */
export function isoReader(format: string): (text: string) => string | undefined {
  const parse: DateParser = compileDateFormat(format, 'format')
  return text => {
    const moment = text.length > longest ? undefined : parse(text.trim())
    if (moment === undefined) return undefined
    const iso = new Date(moment).toISOString()
    return moment % DAY === 0 ? iso.slice(0, -'T00:00:00.000Z'.length) : iso
  }
}
