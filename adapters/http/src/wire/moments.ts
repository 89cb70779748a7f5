import * as z from 'zod'

const DAY_MS = 86_400_000

const form = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/

/** A day, whose beginning depends on the time zone, or a moment. */
export const moment = z
  .string()
  .refine(
    text => form.test(text) && isInCalendar(text.slice(0, 10)) && Number.isFinite(Date.parse(text)),
    'a day as 2027-05-01, or a moment as 2027-05-01T12:00:00Z',
  )

/** Whether the day exists: `Date` reads the 31st of February as the 3rd of March. */
function isInCalendar(day: string): boolean {
  const at = Date.parse(day)
  return Number.isFinite(at) && new Date(at).toISOString().slice(0, 10) === day
}

/** Milliseconds since 1970. */
export function momentIn(text: string, timeZone: string): number {
  const at = Date.parse(text)
  return text.includes('T') ? at : midnight(at, timeZone)
}

/** The first moment, in a time zone, of the day that begins at `utc` in UTC. */
function midnight(utc: number, timeZone: string): number {
  // Clocks change at most once in the day and a half around a midnight.
  const [before, after] = [utc - DAY_MS, utc + DAY_MS].map(at => offsetAt(at, timeZone)) as [number, number]
  const [early, late] = [utc - Math.max(before, after), utc - Math.min(before, after)]
  if (early + offsetAt(early, timeZone) === utc) return early
  if (late + offsetAt(late, timeZone) === utc) return late
  return changeWithin(early, late, timeZone)
}

/** The moment between two others at which clocks change: if they skip midnight, the day begins then. */
function changeWithin(from: number, to: number, timeZone: string): number {
  const offset = offsetAt(from, timeZone)
  let [before, after] = [from, to]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(middle, timeZone) === offset) before = middle
    else after = middle
  }
  return after
}

/** Milliseconds by which clocks in a time zone are ahead of UTC. */
function offsetAt(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at)
  const part = (type: string) => Number(parts.find(one => one.type === type)!.value)
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  )
  return shown - Math.floor(at / 1000) * 1000
}
