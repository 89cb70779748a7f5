const MINUTE = 60_000
export const HOUR = 3_600_000
export const DAY = 24 * HOUR
/** No zone changes its offset more often than at quarters of an hour. */
export const QUARTER = 15 * MINUTE
const MOST_KNOWN = 4096

/** When the hours and days of a time zone begin, in milliseconds since 1970. */
export class Calendar {
  readonly #format: Intl.DateTimeFormat | undefined
  /** By quarter of an hour: how far local time is ahead of UTC. */
  readonly #offsets = new Map<number, number>()

  constructor(timeZone = 'UTC') {
    if (timeZone === 'UTC') return
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', era: 'short' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    })
  }

  /** The beginning of the hour, as clocks there show it. */
  hourOf(at: number): number {
    const time = Math.trunc(at)
    return time - positive(time + this.#offsetAt(time), HOUR)
  }

  /** The beginning of the day: the first moment of it, also where clocks skip midnight. */
  dayOf(at: number): number {
    const local = Math.trunc(at) + this.#offsetAt(at)
    const midnight = local - positive(local, DAY)
    // The offset at midnight may differ from that of a moment near it.
    let start = midnight - this.#offsetAt(midnight - this.#offsetAt(midnight))
    while (start + this.#offsetAt(start) < midnight) start += QUARTER
    while (start - QUARTER + this.#offsetAt(start - QUARTER) >= midnight) start -= QUARTER
    return start
  }

  #offsetAt(at: number): number {
    if (!this.#format) return 0
    const quarter = Math.floor(at / QUARTER)
    const known = this.#offsets.get(quarter)
    if (known !== undefined) return known
    const offset = offsetIn(this.#format, quarter * QUARTER)
    if (this.#offsets.size >= MOST_KNOWN) this.#offsets.clear()
    this.#offsets.set(quarter, offset)
    return offset
  }
}

function offsetIn(format: Intl.DateTimeFormat, at: number): number {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
  const part = (name: Intl.DateTimeFormatPartTypes) => Number(parts.get(name))
  const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year')
  const local = new Date(0)
  local.setUTCFullYear(year, part('month') - 1, part('day'))
  local.setUTCHours(part('hour'), part('minute'), part('second'), 0)
  return local.getTime() - at
}

const positive = (number: number, of: number): number => ((number % of) + of) % of
