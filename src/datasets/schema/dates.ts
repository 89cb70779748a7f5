import type { FindlingError } from '../../errors.ts'
import { invalid, problem } from '../../input.ts'
import { compileDatePattern, type DateReader, type Widths } from './date-pattern.ts'

/**
 * Milliseconds since 1970-01-01T00:00Z of a value in the format, undefined when it does not fit.
 * @param last whether to return the last millisecond of the day, month or year that the value names, instead of the first
 */
export type DateParser = (value: string | number, last?: boolean) => number | undefined

export const defaultDateFormat = 'strict_date_optional_time||epoch_millis'

const anyTime = "'T'HH[:mm[:ss[.S][,S]]][ZZ]"

/** The named formats of Elasticsearch 2.2; most also exist with `strict_` before the name. */
const namedPatterns = new Map<string, readonly string[]>([
  [
    'date_optional_time',
    [`yyyy[-MM[-dd[${anyTime}]]]`, `yyyy-DDD[${anyTime}]`, `xxxx-'W'ww[-e[${anyTime}]]`],
  ],
  ['basic_date', ['yyyyMMdd']],
  ['basic_date_time', ["yyyyMMdd'T'HHmmss.SSSZ"]],
  ['basic_date_time_no_millis', ["yyyyMMdd'T'HHmmssZ"]],
  ['basic_ordinal_date', ['yyyyDDD']],
  ['basic_ordinal_date_time', ["yyyyDDD'T'HHmmss.SSSZ"]],
  ['basic_ordinal_date_time_no_millis', ["yyyyDDD'T'HHmmssZ"]],
  ['basic_time', ['HHmmss.SSSZ']],
  ['basic_time_no_millis', ['HHmmssZ']],
  ['basic_t_time', ["'T'HHmmss.SSSZ"]],
  ['basic_t_time_no_millis', ["'T'HHmmssZ"]],
  ['basic_week_date', ["xxxx'W'wwe"]],
  ['basic_week_date_time', ["xxxx'W'wwe'T'HHmmss.SSSZ"]],
  ['basic_week_date_time_no_millis', ["xxxx'W'wwe'T'HHmmssZ"]],
  ['date', ['yyyy-MM-dd']],
  ['date_hour', ["yyyy-MM-dd'T'HH"]],
  ['date_hour_minute', ["yyyy-MM-dd'T'HH:mm"]],
  ['date_hour_minute_second', ["yyyy-MM-dd'T'HH:mm:ss"]],
  ['date_hour_minute_second_fraction', ["yyyy-MM-dd'T'HH:mm:ss.SSS"]],
  ['date_hour_minute_second_millis', ["yyyy-MM-dd'T'HH:mm:ss.SSS"]],
  ['date_time', ["yyyy-MM-dd'T'HH:mm:ss.SSSZZ"]],
  ['date_time_no_millis', ["yyyy-MM-dd'T'HH:mm:ssZZ"]],
  ['hour', ['HH']],
  ['hour_minute', ['HH:mm']],
  ['hour_minute_second', ['HH:mm:ss']],
  ['hour_minute_second_fraction', ['HH:mm:ss.SSS']],
  ['hour_minute_second_millis', ['HH:mm:ss.SSS']],
  ['ordinal_date', ['yyyy-DDD']],
  ['ordinal_date_time', ["yyyy-DDD'T'HH:mm:ss.SSSZZ"]],
  ['ordinal_date_time_no_millis', ["yyyy-DDD'T'HH:mm:ssZZ"]],
  ['time', ['HH:mm:ss.SSSZZ']],
  ['time_no_millis', ['HH:mm:ssZZ']],
  ['t_time', ["'T'HH:mm:ss.SSSZZ"]],
  ['t_time_no_millis', ["'T'HH:mm:ssZZ"]],
  ['week_date', ["xxxx-'W'ww-e"]],
  ['week_date_time', ["xxxx-'W'ww-e'T'HH:mm:ss.SSSZZ"]],
  ['week_date_time_no_millis', ["xxxx-'W'ww-e'T'HH:mm:ssZZ"]],
  ['weekyear', ['xxxx']],
  ['weekyear_week', ["xxxx-'W'ww"]],
  ['weekyear_week_day', ["xxxx-'W'ww-e"]],
  ['year', ['yyyy']],
  ['year_month', ['yyyy-MM']],
  ['year_month_day', ['yyyy-MM-dd']],
])

const epochUnits = new Map([
  ['epoch_millis', 1],
  ['epoch_second', 1000],
])

/** Every name a date format may have; patterns such as `dd.MM.yyyy` may stand in its place. */
export const dateFormatNames: readonly string[] = [
  ...epochUnits.keys(),
  ...namedPatterns.keys(),
  ...[...namedPatterns.keys()].filter(hasStrictForm).map(name => `strict_${name}`),
]

const longestFormat = 500

/**
 * Compiles a date format: a name, a pattern as `yyyy/MM/dd HH:mm:ss`, or several joined by `||`, tried in their
 * order. Numbers are read by the epoch formats only; text without a zone is taken as UTC; parts that a format
 * leaves out are those of 1970-01-01T00:00Z.
 * @param field names the format in the error
 * @throws FindlingError INVALID_ARGUMENT for a format that is neither
 */
export function compileDateFormat(format: string, field = 'format'): DateParser {
  if (format.length > longestFormat) throw unknownFormat(format, field)
  const units: number[] = []
  const readers: DateReader[] = []
  for (const part of format.split('||').map(text => text.trim())) {
    const unit = epochUnits.get(part)
    if (unit !== undefined) units.push(unit)
    const compiled = unit === undefined ? readersOf(part) : [epochReader(unit)]
    if (!compiled) throw unknownFormat(part, field)
    readers.push(...compiled)
  }
  return (value, last) =>
    typeof value === 'number'
      ? firstOf(units, unit => epoch(value, unit, last))
      : firstOf(readers, read => read(value, last))
}

function readersOf(part: string): DateReader[] | undefined {
  const strict = part.startsWith('strict_')
  const name = strict ? part.slice('strict_'.length) : part
  const patterns = namedPatterns.get(name)
  if (!patterns) return compileAll([part], 'custom')
  return strict && !hasStrictForm(name) ? undefined : compileAll(patterns, strict ? 'strict' : 'free')
}

function compileAll(patterns: readonly string[], widths: Widths): DateReader[] | undefined {
  const readers: DateReader[] = []
  for (const pattern of patterns) {
    const reader = compileDatePattern(pattern, widths)
    if (!reader) return undefined
    readers.push(reader)
  }
  return readers
}

function hasStrictForm(name: string): boolean {
  return !name.startsWith('basic_') || name.startsWith('basic_week_date')
}

function epochReader(unit: number): DateReader {
  return (text, last) => (/^-?\d{1,16}(\.\d{1,3})?$/.test(text) ? epoch(Number(text), unit, last) : undefined)
}

/** A number of units is a moment, or with `last` the last one of the unit that it begins; fractions are whole milliseconds. */
function epoch(value: number, unit: number, last = false): number | undefined {
  const time = Math.round(value * unit)
  if (time / unit !== value || Math.abs(time) > 8.64e15) return undefined
  return last && Number.isInteger(value) ? time + unit - 1 : time
}

function firstOf<T>(choices: readonly T[], read: (choice: T) => number | undefined): number | undefined {
  for (const choice of choices) {
    const time = read(choice)
    if (time !== undefined) return time
  }
  return undefined
}

function unknownFormat(format: string, field: string): FindlingError {
  const expected = `a pattern of the letters yxMwdDeEaHkKhmsSZ or one of ${dateFormatNames.join(', ')}`
  return invalid('INVALID_ARGUMENT', '', [problem(field, format, expected)])
}
