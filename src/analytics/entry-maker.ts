import {
  type CallEntry,
  type CallKind,
  type EventEntry,
  isEvent,
  type RecordedEntry,
} from './model/entries.ts'
import { type Erased, isOfText } from './model/erasing.ts'
import type { Asking } from './model/known-texts.ts'
import type { NotedCall } from './model/noted-call.ts'
import { nameOfAsked, nameOfDropped, nameOfText, textOfName } from './model/text-names.ts'
import type { StoredCalls } from './stored-calls.ts'

/** An answered call that is not written yet. */
export interface RecordedCall {
  readonly n: number
  readonly token: string
  readonly noted: NotedCall
}

/** The last query of a user, and whether a hit of it was clicked. */
interface LastAsked {
  readonly n: number
  readonly text: string
  readonly at: number
  wasClicked: boolean
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

/** Milliseconds within which a text counts as the next one that a user typed. */
const NEXT_WITHIN = 5 * 60_000
const MOST_LAST = 10_000

/** Makes what is stored of calls and events: only texts that many people have typed, unless all texts may be stored. */
export class EntryMaker {
  readonly #stored: StoredCalls
  readonly #last = new Map<number, LastAsked>()
  /** Texts of calls that could not be stored: events of these calls are held with the text. */
  readonly #rare = new Map<number, string>()
  #lastKind: CallKind | undefined

  constructor(stored: StoredCalls) {
    this.#stored = stored
  }

  entryOf(recorded: RecordedCall | EventEntry): RecordedEntry {
    return 'noted' in recorded ? this.#callEntry(recorded) : this.#heldBack(recorded)
  }

  #callEntry({ n, token, noted }: RecordedCall): CallEntry {
    const { calendar, hashOf } = this.#stored.context
    const { at, took, key, text, total, corrected, first, shown } = noted
    const kind = this.#alike(noted.kind)
    const user = noted.user === undefined ? undefined : hashOf(noted.user)
    const asking: Asking = { user, at, day: calendar.dayOf(at) }
    const entry: Writable<CallEntry> = { n, token, kind, at, took: rounded(took), total, shown }
    if (user !== undefined) entry.user = user
    if (key !== undefined) entry.key = key
    if (corrected) entry.corrected = true
    if (noted.dropped.length > 0) entry.relaxed = true
    if (first !== 1) entry.first = first
    if (noted.isCut) entry.isCut = true
    if (noted.dropped.length > 0 || noted.asked.length > 0) this.#addWords(entry, noted, asking)
    if (text !== undefined) this.#addText(entry, text, asking)
    return entry
  }

  #addWords(entry: Writable<CallEntry>, { dropped, asked }: NotedCall, asking: Asking): void {
    const { context, texts } = this.#stored
    const isStored = (name: string) => context.mode === 'full' || texts.ask(name, asking, false).isKnown
    const words = dropped.filter(word => isStored(nameOfDropped(word)))
    const conditions = asked.filter(one => isStored(nameOfAsked(one)))
    if (words.length > 0) entry.dropped = words
    if (conditions.length > 0) entry.asked = conditions
  }

  #addText(entry: Writable<CallEntry>, text: string, asking: Asking): void {
    const { context, texts } = this.#stored
    const { mode, calendar } = context
    const { n, kind } = entry
    const name = nameOfText(text, kind.call)
    const { isKnown, held } = texts.ask(name, asking, findsAsTyped(entry))
    if (isKnown || mode === 'full') {
      entry.text = text
      if (held.length > 0 && mode === 'counts') entry.held = held
      if (asking.user !== undefined && kind.call === 'search') this.#follow(entry, text, asking.user)
      return
    }
    texts.hold(name, calendar.hourOf(entry.at), kind, entry)
    if (asking.user !== undefined) this.#last.delete(asking.user)
    this.#rare.set(n, name)
    if (this.#rare.size > MOST_LAST) this.#rare.delete(this.#rare.keys().next().value!)
  }

  /** Adds what the same user had searched for before. */
  #follow(entry: Writable<CallEntry>, text: string, user: number): void {
    const { n, at } = entry
    const last = this.#last.get(user)
    this.#last.delete(user)
    this.#last.set(user, { n, text, at, wasClicked: false })
    if (this.#last.size > MOST_LAST) this.#last.delete(this.#last.keys().next().value!)
    if (!last || last.text === text || at < last.at || at - last.at > NEXT_WITHIN) return
    entry.previous = last.text
    if (last.wasClicked) entry.wasClicked = true
  }

  /** The same object for all calls of a kind, for quick lookup. */
  #alike(kind: CallKind): CallKind {
    const last = this.#lastKind
    const isSame =
      last !== undefined &&
      last.call === kind.call &&
      last.service === kind.service &&
      last.tags?.length === kind.tags?.length &&
      (kind.tags === undefined || kind.tags.every((tag, i) => tag === last.tags![i]))
    if (isSame) return last
    this.#lastKind = kind
    return kind
  }

  #heldBack(event: EventEntry): EventEntry {
    const { context, texts } = this.#stored
    const name = this.#rare.get(event.of)
    if (name === undefined) return event
    if (texts.has(name)) return { ...event, text: textOfName(name) }
    texts.holdEvent(name, context.calendar.hourOf(event.at), event.kind, event)
    return event
  }

  clicked({ n, user }: CallEntry): void {
    const last = user === undefined ? undefined : this.#last.get(user)
    if (last?.n === n) last.wasClicked = true
  }

  /** Learns known texts from what was counted before a crash. */
  learn(entry: RecordedEntry): void {
    if (isEvent(entry)) return
    const { text, kind, user, at, dropped, asked } = entry
    const { context, texts } = this.#stored
    const asking = { user, at, day: context.calendar.dayOf(at) }
    const names = [...(dropped ?? []).map(nameOfDropped), ...(asked ?? []).map(nameOfAsked)]
    const isKnown = context.mode === 'counts'
    if (text !== undefined) {
      if (isKnown) texts.learn(nameOfText(text, kind.call), at)
      texts.ask(nameOfText(text, kind.call), asking, findsAsTyped(entry))
    }
    for (const name of names) if (isKnown) texts.learn(name, at)
  }

  /** @param gone names of texts that too few others have typed */
  forget({ text, user, before }: Erased, gone: ReadonlySet<string>): void {
    for (const [n, name] of this.#rare)
      if (gone.has(name) || (text !== undefined && isOfText(name, text))) this.#rare.delete(n)
    for (const [one, last] of this.#last) {
      const isGone = last.text === text || gone.has(last.text)
      if (isGone || one === user || (before !== undefined && last.at < before)) this.#last.delete(one)
    }
  }
}

/** Microseconds are enough. */
const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000

/** What is misspelt finds something, too, but completes nothing. */
const findsAsTyped = ({ total, corrected }: CallEntry): boolean => total > 0 && !corrected
