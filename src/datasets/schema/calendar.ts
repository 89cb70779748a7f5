/** What a date pattern read; what it did not read keeps the value it has here. */
export class DateParts {
  year = 1970
  month = 1
  day = 1
  dayOfYear: number | undefined
  weekYear: number | undefined
  week = 1
  weekday: number | undefined
  hour = 0
  /** Hour of a half day (0 to 11), which `afternoon` completes. */
  halfDayHour: number | undefined
  afternoon = false
  minute = 0
  second = 0
  millisecond = 0
  /** Minutes east of UTC. */
  offset = 0
}

const dayLength = 86_400_000
/** The range of the language's own dates, ECMA-262 21.4.1.1. */
const farthest = 8.64e15

/** Milliseconds since 1970-01-01T00:00Z, or undefined for a day that is in no calendar. */
export function epochMillis(parts: DateParts): number | undefined {
  const day = dayOf(parts)
  if (day === undefined) return undefined
  const hour = parts.halfDayHour === undefined ? parts.hour : parts.halfDayHour + (parts.afternoon ? 12 : 0)
  const minutes = hour * 60 + parts.minute - parts.offset
  const time = day * dayLength + minutes * 60_000 + parts.second * 1000 + parts.millisecond
  return Math.abs(time) <= farthest ? time : undefined
}

function dayOf(parts: DateParts): number | undefined {
  if (parts.weekYear !== undefined) return dayOfWeekDate(parts.weekYear, parts.week, parts.weekday ?? 1)
  const day =
    parts.dayOfYear === undefined
      ? dayOfDate(parts.year, parts.month, parts.day)
      : dayOfOrdinal(parts.year, parts.dayOfYear)
  if (day === undefined || parts.weekday === undefined) return day
  return weekdayOf(day) === parts.weekday ? day : undefined
}

function dayOfDate(year: number, month: number, day: number): number | undefined {
  return day <= daysInMonth(year, month) ? daysFromCivil(year, month, day) : undefined
}

function dayOfOrdinal(year: number, dayOfYear: number): number | undefined {
  return dayOfYear <= (isLeap(year) ? 366 : 365) ? daysFromCivil(year, 1, 1) + dayOfYear - 1 : undefined
}

/** ISO 8601 week dates: the week belongs to the year in which its Thursday lies. */
function dayOfWeekDate(weekYear: number, week: number, weekday: number): number | undefined {
  const monday = firstMonday(weekYear) + (week - 1) * 7
  return monday < firstMonday(weekYear + 1) ? monday + weekday - 1 : undefined
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
