import type { CallKind, Held } from './entries.ts'
import { countEvent, countTextCall, SEPARATOR, TEXT_WIDTH } from './roll-up.ts'

/** Number of users who make a text known. */
const LEAST_USERS = 5
/** If calls name no user: the number of calls and of days that make a text known. */
export const [LEAST_TIMES, LEAST_DAYS] = [5, 2]
/** Maximum number of known texts, and of texts that wait for enough users. */
const [MOST_KNOWN, MOST_WAITING] = [10_000, 10_000]
/** Maximum number of pairs of hour and kind of call for which a waiting text is counted separately. */
const MOST_HELD = 8
/** Number of last users whose repetition does not make a text more popular. */
const LAST_USERS = 8
/** Milliseconds within which unnamed users make a text more popular only once. */
const NAMELESS_PAUSE = 60_000

interface Known {
  /** How often it was asked for, not counting repetition by its last users. */
  popularity: number
  /** Whether it found something the last time, without a correction. */
  finds: boolean
  last: number[]
  at: number
}

interface Waiting {
  users: number[]
  /** Calls that named no user, and their days. */
  times: number
  days: number[]
  held: Held[]
  finds: boolean
  at: number
}

/** Who asks, and when. */
export interface Asking {
  readonly user: number | undefined
  readonly at: number
  readonly day: number
}

interface StoredTexts {
  readonly version: number
  readonly known: readonly (readonly [text: string, Known])[]
  readonly waiting: readonly (readonly [text: string, Waiting])[]
}

const VERSION = 1

/** Texts that enough people have typed to reveal nothing about any one of them. */
export class KnownTexts {
  readonly #known = new Map<string, Known>()
  /** Those that were asked last come last. */
  readonly #waiting = new Map<string, Waiting>()

  /** Reads what `stored` returned. */
  static of(text: string): KnownTexts {
    const texts = new KnownTexts()
    const { version, known, waiting } = JSON.parse(text) as StoredTexts
    if (version !== VERSION) return texts
    for (const [name, one] of known) texts.#known.set(name, one)
    for (const [name, one] of waiting) texts.#waiting.set(name, one)
    return texts
  }

  /** @param withWaiting also those that too few have typed */
  stored(withWaiting: boolean): string {
    const waiting = withWaiting ? [...this.#waiting] : []
    return JSON.stringify({ version: VERSION, known: [...this.#known], waiting } satisfies StoredTexts)
  }

  has(text: string): boolean {
    return this.#known.has(text)
  }

  /**
   * Records that somebody asked for a text. Returns whether it is known now, and its held counts if it has just become known.
   * @param finds whether something was found, without a correction
   */
  ask(text: string, { user, at, day }: Asking, finds: boolean): { isKnown: boolean; held: Held[] } {
    const known = this.#known.get(text)
    if (known) {
      const isNew =
        user === undefined ? Math.abs(at - known.at) >= NAMELESS_PAUSE : !known.last.includes(user)
      if (isNew) known.popularity++
      if (user !== undefined && isNew) known.last = [...known.last, user].slice(-LAST_USERS)
      known.finds = finds
      if (isNew || user !== undefined) known.at = at
      return { isKnown: true, held: [] }
    }
    const waiting = this.#waitingOf(text)
    waiting.at = at
    waiting.finds = finds
    if (user === undefined) {
      waiting.times++
      if (waiting.days.length < LEAST_DAYS && !waiting.days.includes(day)) waiting.days.push(day)
    } else if (!waiting.users.includes(user)) waiting.users.push(user)
    const isKnown =
      waiting.users.length >= LEAST_USERS ||
      (waiting.times >= LEAST_TIMES && waiting.days.length >= LEAST_DAYS)
    if (!isKnown) return { isKnown, held: [] }
    this.#waiting.delete(text)
    this.learn(text, at, { finds, users: waiting.users })
    return { isKnown, held: waiting.held }
  }

  /** Marks a text as known, because stored calls contain it. */
  learn(text: string, at: number, { finds = true, users = [] as number[] } = {}): void {
    if (this.#known.has(text)) return
    if (this.#known.size >= 2 * MOST_KNOWN) this.#letGo()
    this.#known.set(text, { popularity: LEAST_USERS, finds, last: users, at })
  }

  /** Counts a call for a text that is not known, until it is. */
  hold(text: string, hour: number, kind: CallKind, call: Parameters<typeof countTextCall>[1]): void {
    const { tally } = this.#heldOf(text, hour, kind)
    countTextCall(tally, call)
  }

  /** The same for an event. */
  holdEvent(text: string, hour: number, kind: CallKind, event: Parameters<typeof countEvent>[1]): void {
    if (this.#waiting.has(text)) countEvent(this.#heldOf(text, hour, kind).tally, event)
  }

  /** Known texts that begin this way and find something, most popular first. */
  begunAs(beginning: string, limit: number): string[] {
    const found: [string, number][] = []
    for (const [text, { finds, popularity }] of this.#known)
      if (finds && text.startsWith(beginning) && !text.includes(SEPARATOR)) found.push([text, popularity])
    found.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    return found.slice(0, limit).map(([text]) => text)
  }

  erase(isGone: (text: string) => boolean): void {
    for (const texts of [this.#known, this.#waiting])
      for (const text of texts.keys()) if (isGone(text)) texts.delete(text)
  }

  /**
   * Forgets a user, and the held counts of waiting texts, since nobody knows whose calls they are.
   * @returns the texts that are no longer known, since too few other users are left
   */
  eraseUser(user: number): string[] {
    const forgotten: string[] = []
    for (const [text, known] of this.#known) {
      if (!known.last.includes(user)) continue
      known.last = known.last.filter(one => one !== user)
      known.popularity--
      if (known.popularity >= LEAST_USERS) continue
      this.#known.delete(text)
      forgotten.push(text)
    }
    for (const [text, waiting] of this.#waiting) {
      if (!waiting.users.includes(user)) continue
      waiting.users = waiting.users.filter(one => one !== user)
      waiting.held = []
      if (waiting.users.length === 0 && waiting.times === 0) this.#waiting.delete(text)
    }
    return forgotten
  }

  /** Forgets texts that nobody has asked for since a moment. */
  eraseBefore(moment: number): void {
    for (const texts of [this.#known, this.#waiting])
      for (const [text, { at }] of texts) if (at < moment) texts.delete(text)
  }

  #waitingOf(text: string): Waiting {
    const waiting = this.#waiting.get(text) ?? {
      users: [],
      times: 0,
      days: [],
      held: [],
      finds: false,
      at: 0,
    }
    this.#waiting.delete(text)
    this.#waiting.set(text, waiting)
    if (this.#waiting.size > MOST_WAITING) this.#waiting.delete(this.#waiting.keys().next().value!)
    return waiting
  }

  #heldOf(text: string, hour: number, kind: CallKind): Held {
    const { held } = this.#waitingOf(text)
    const name = JSON.stringify(kind)
    const own = held.find(one => one.hour === hour && JSON.stringify(one.kind) === name)
    if (own) return own
    // Beyond the limit it counts as the last kind of call.
    if (held.length >= MOST_HELD) return held.at(-1)!
    const added = { hour, kind, tally: new Array<number>(TEXT_WIDTH).fill(0) }
    held.push(added)
    return added
  }

  /** Drops the less popular half. */
  #letGo(): void {
    const all = [...this.#known].sort((a, b) => b[1].popularity - a[1].popularity || b[1].at - a[1].at)
    for (const [text] of all.slice(MOST_KNOWN)) this.#known.delete(text)
  }
}
