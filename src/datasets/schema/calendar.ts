/** What a date pattern read. */
export class DateParts {
  year: number | undefined
  month: number | undefined
  day: number | undefined
  dayOfYear: number | undefined
  weekYear: number | undefined
  week: number | undefined
  weekday: number | undefined
  hour: number | undefined
  /** Hour of a half day (0 to 11), which `afternoon` completes. */
  halfDayHour: number | undefined
  afternoon = false
  minute: number | undefined
  second: number | undefined
  millisecond: number | undefined
  /** Minutes east of UTC. */
  offset = 0
}

export type NumericPart = Exclude<keyof DateParts, 'afternoon'>

const dayLength = 86_400_000
/** The range of the language's own dates, ECMA-262 21.4.1.1. */
const farthest = 8.64e15

/**
 * Milliseconds since 1970-01-01T00:00Z, or undefined for a day that is in no calendar. Parts that were not read are
 * those of 1970-01-01T00:00.
 * @param last whether those finer than what was read are the last there are: `2024-02` is then the end of February
 */
export function epochMillis(parts: DateParts, last = false): number | undefined {
  let open = last
  const filled = (read: number | undefined, most: number): number => {
    if (read !== undefined) open = false
    return read ?? (open ? most : 0)
  }
  const millisecond = filled(parts.millisecond, 999)
  const second = filled(parts.second, 59)
  const minute = filled(parts.minute, 59)
  const hour = filled(hourOf(parts), 23)
  const day = dayOf(parts, open)
  if (day === undefined) return undefined
  const minutes = hour * 60 + minute - parts.offset
  const time = day * dayLength + minutes * 60_000 + second * 1000 + millisecond
  return Math.abs(time) <= farthest ? time : undefined
}

const hourOf = ({ hour, halfDayHour, afternoon }: DateParts): number | undefined =>
  halfDayHour === undefined ? hour : halfDayHour + (afternoon ? 12 : 0)

function dayOf(parts: DateParts, last: boolean): number | undefined {
  if (parts.weekYear !== undefined) return dayOfWeekDate(parts.weekYear, parts, last)
  const year = parts.year ?? 1970
  const day =
    parts.dayOfYear === undefined ? dayOfMonth(year, parts, last) : dayOfOrdinal(year, parts.dayOfYear)
  if (day === undefined || parts.weekday === undefined) return day
  return weekdayOf(day) === parts.weekday ? day : undefined
}

function dayOfMonth(year: number, { month, day }: DateParts, last: boolean): number | undefined {
  if (day !== undefined || !last) return dayOfDate(year, month ?? 1, day ?? 1)
  return dayOfDate(year, month ?? 12, daysInMonth(year, month ?? 12))
}

function dayOfDate(year: number, month: number, day: number): number | undefined {
  return day <= daysInMonth(year, month) ? daysFromCivil(year, month, day) : undefined
}

function dayOfOrdinal(year: number, dayOfYear: number): number | undefined {
  return dayOfYear <= (isLeap(year) ? 366 : 365) ? daysFromCivil(year, 1, 1) + dayOfYear - 1 : undefined
}

/** ISO 8601 week dates: the week belongs to the year in which its Thursday lies. */
function dayOfWeekDate(weekYear: number, { week, weekday }: DateParts, last: boolean): number | undefined {
  const next = firstMonday(weekYear + 1)
  if (last && week === undefined && weekday === undefined) return next - 1
  const monday = firstMonday(weekYear) + ((week ?? 1) - 1) * 7
  return monday < next ? monday + (weekday ?? (last ? 7 : 1)) - 1 : undefined
}

function firstMonday(weekYear: number): number {
  const fourthOfJanuary = daysFromCivil(weekYear, 1, 4)
  return fourthOfJanuary - weekdayOf(fourthOfJanuary) + 1
}

/** 1 is Monday, 7 Sunday. */
function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1 // 1970-01-01 was a Thursday
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Days since 1970-01-01, after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil. */
function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}
