import * as z from 'zod'

const form = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/

/** A day, which begins when it does in some time zone, or a moment. */
export const moment = z
  .string()
  .refine(
    text => form.test(text) && Number.isFinite(Date.parse(text)),
    'a day as 2027-05-01, or a moment as 2027-05-01T12:00:00Z',
  )

/** Milliseconds since 1970. */
export function momentIn(text: string, timeZone: string): number {
  const at = Date.parse(text)
  return text.includes('T') ? at : midnight(at, timeZone)
}

/** When the day begins that in UTC begins then. The second look is for days on which the clocks are changed. */
function midnight(utc: number, timeZone: string): number {
  const first = utc - offsetAt(utc, timeZone)
  return utc - offsetAt(first, timeZone)
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
