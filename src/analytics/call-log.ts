import { FindlingError } from '../errors.ts'
import { Once } from '../scheduling/once.ts'
import { Serial } from '../scheduling/serial.ts'
import { Stretch } from '../scheduling/stretch.ts'
import { sealText } from '../store/checksum.ts'
import type { DatasetNumber } from '../store/dataset-number.ts'
import {
  analyticsPrefix,
  callBlockKey,
  callBlocksPrefix,
  callEventsKey,
  callStateKey,
  keysWithin,
  knownTextsKey,
  rollUpKey,
  seqOf,
} from '../store/keyspace.ts'
import { datasetEntry } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import type { Transaction } from '../store/transaction.ts'
import {
  blockText,
  type CallEntry,
  type CallKind,
  type EventEntry,
  entriesOf,
  isEvent,
  type RecordedEntry,
} from './model/entries.ts'
import {
  type Erased,
  type Erasure,
  eraseNames,
  eraseText,
  ForgottenNames,
  hasTexts,
  isOfText,
  withoutNames,
  withoutText,
  withoutTexts,
} from './model/erasing.ts'
import { type Calendar, DAY, HOUR, QUARTER } from './model/hours-and-days.ts'
import { type Asking, KnownTexts } from './model/known-texts.ts'
import type { NotedCall } from './model/noted-call.ts'
import { RollUp, type Section, sections, tableNames } from './model/roll-up.ts'
import { nameOfAsked, nameOfDropped, nameOfText, textOfName } from './model/text-names.ts'

export interface CallLogContext {
  readonly store: Store
  readonly dataset: DatasetNumber
  readonly clock: () => number
  readonly calendar: Calendar
  readonly mode: 'counts' | 'full'
  /** Days after which everything, or only texts, are dropped. */
  readonly days: number
  readonly textDays: number | undefined
  readonly hashOf: (user: string) => number
  warn(message: string, details: Record<string, unknown>): void
}

/** An answered call that is not written yet. */
interface Recorded {
  readonly n: number
  readonly token: string
  readonly noted: NotedCall
}

/** An event, so that it counts only once, and the number of its entry. */
type Done = readonly [type: EventEntry['type'], id: string, n: number]

/** The last query of a user, and whether a hit of it was clicked. */
interface LastAsked {
  readonly n: number
  readonly text: string
  readonly at: number
  wasClicked: boolean
}

interface StoredState {
  readonly version: number
  readonly mode: CallLogContext['mode']
  readonly next: number
  /** Entries below this number are counted in the roll-ups. */
  readonly applied: number
  readonly blockBytes: number
  /** Bytes of the roll-ups, by their names, and whether their texts were dropped. */
  readonly sizes: readonly (readonly [name: string, bytes: number, isTextless?: boolean])[]
  /** Entries below this number have no texts. */
  readonly textsFrom?: number | undefined
  /** What is being erased. */
  readonly erasures?: readonly Erasure[]
  /** Whether the database still has bytes of what was erased. */
  readonly mustScrub?: true
}

interface StoredBlock {
  readonly key: string
  readonly length: number
  readonly entries: RecordedEntry[]
}

interface Rewriting {
  readonly blocks?: AsyncIterable<StoredBlock>
  changed?(rollUp: RollUp, before: RecordedEntry, after: RecordedEntry | undefined): void
}

/** An hour or day for which there are counts. */
export interface Bucket {
  readonly per: 'hour' | 'day'
  readonly start: number
}

const VERSION = 1
/** Characters of a block, and entries that are written at once. */
const [BLOCK_LENGTH, MOST_AT_ONCE] = [32_768, 1000]
/** Roll-ups in memory. */
const MOST_OPEN = 8
/** Milliseconds and entries after which roll-ups are stored again; after a crash, later entries are counted from the blocks. */
const [SAVE_EVERY, SAVE_ENTRIES] = [30_000, 20_000]
/** Older hours are merged into days. */
const HOURS_KEPT = 14 * DAY
/** Milliseconds within which a text counts as the next one that a user typed. */
const NEXT_WITHIN = 5 * 60_000
const [MOST_LAST, MOST_BLOCKS_READ, MOST_DONE] = [10_000, 8, 1000]
/** Blocks that are examined together when the oldest ones are dropped. */
const BLOCKS_LOOKED_AT = 50
/** Blocks and other keys that are replaced at once. */
const MOST_REPLACED = 200

/**
 * The calls of one dataset. They are written in blocks, at most a second after the answer, and then counted in roll-ups. These are
 * stored from time to time, along with the number of the last entry they include: after a crash, the missing entries are counted
 * from the blocks, and nothing is counted twice.
 */
export class CallLog {
  readonly dataset: DatasetNumber
  readonly #context: CallLogContext
  readonly #serial = new Serial()
  readonly #ready = new Once(() => this.#catchUp())
  #next = 0
  #written = 0
  #applied = 0
  #pending: (Recorded | EventEntry)[] = []
  /** The block that is written next: it grows until it is long enough. */
  #block: { first: number; texts: string[]; length: number } | undefined
  #blockBytes = 0
  /** By key: blocks that are replaced or deleted when the roll-ups that count them are stored, and other keys to delete. */
  readonly #replaced = new Map<string, Buffer | undefined>()
  /** Of calls whose events are not written yet. */
  readonly #done = new Map<number, Done[]>()
  readonly #sizes = new Map<string, number>()
  /** Whether there is a state in the store, and whether it was written in the mode that stores every text. */
  #isStored = false
  #hadAllTexts = false
  readonly #open = new Map<string, RollUp>()
  #texts = new KnownTexts()
  readonly #last = new Map<number, LastAsked>()
  #lastKind: CallKind | undefined
  /** Recently read blocks; replaced by a new map when blocks change, so that blocks being read then are not cached. */
  #read = new Map<number, RecordedEntry[]>()
  #savedAt = performance.now()
  #unsaved = 0
  /** By the number of its first entry: the time of the earliest entry of a block that has texts. */
  #earliest: Map<number, number> | undefined
  /** Whether this is known for all blocks. */
  #isEarliestKnown = false
  #textsFrom = 0
  /** Hours and days whose texts were dropped, until more is counted in them. */
  readonly #textless = new Set<string>()
  #erasures: Erasure[] = []
  #mustScrub = false
  /** The hour in which texts were last dropped. */
  #droppedIn = Number.NaN
  #tidiedIn = Number.NaN
  #isGone = false

  /** Reads what is stored for a dataset. */
  static async open(context: CallLogContext): Promise<CallLog> {
    const log = new CallLog(context)
    await log.#load()
    return log
  }

  /** @param context of a dataset for which nothing is stored yet */
  constructor(context: CallLogContext) {
    this.dataset = context.dataset
    this.#context = context
  }

  get pending(): number {
    return this.#pending.length
  }

  /** Bytes that are stored. */
  get bytes(): number {
    let bytes = this.#blockBytes
    for (const size of this.#sizes.values()) bytes += size
    return bytes
  }

  /** Number of the next entry: whoever takes it adds an entry. */
  get next(): number {
    return this.#next
  }

  record(token: string, noted: NotedCall): number {
    const n = this.#next++
    this.#pending.push({ n, token, noted })
    return n
  }

  /** Forgets everything recorded, and writes nothing more. */
  forget(): void {
    this.#isGone = true
    this.#pending = []
  }

  /** Writes pending calls, counts them, and stores the counts if they are due. */
  flush(): Promise<void> {
    return this.#serial.run(() => this.#flush())
  }

  /** The same, and stores all counts. */
  async save(): Promise<void> {
    await this.#serial.run(async () => {
      await this.#flush()
      await this.#save()
    })
  }

  /** Visits the selected hours and days, oldest first. No call is counted meanwhile. */
  visit(
    isMeant: (bucket: Bucket) => boolean,
    wanted: readonly Section[],
    visitor: (rollUp: RollUp, bucket: Bucket) => void,
  ): Promise<void> {
    return this.#serial.run(async () => {
      await this.#flush()
      // Many may ask at once.
      const stretch = new Stretch(undefined, this.#context.store.turn)
      for (const name of this.#names()) {
        const bucket = bucketOf(name)
        if (!isMeant(bucket)) continue
        const stored = this.#open.get(name) ?? (await this.#stored(name, wanted))
        while (stretch.isOver) await stretch.pause()
        visitor(stored, bucket)
      }
    })
  }

  /** Known texts with this beginning, most popular first. */
  async begunAs(beginning: string, limit: number): Promise<string[]> {
    await this.#ready.get()
    return this.#texts.begunAs(beginning, limit)
  }

  /** The call with this number, once it is written. */
  async callAt(n: number): Promise<CallEntry | undefined> {
    if (n >= this.#next) return undefined
    if (n >= this.#written) await this.flush()
    return await this.#writtenCall(n)
  }

  async #writtenCall(n: number): Promise<CallEntry | undefined> {
    const entries = await this.#blockOf(n)
    const entry = entries?.find(one => one.n === n)
    return entry && !isEvent(entry) ? entry : undefined
  }

  /**
   * Records an event of a call that `callAt` has returned.
   * @param eventOf makes the event from the present state of the call, parts of which may have been erased meanwhile
   * @returns false if the event is known already, undefined if the call is gone
   */
  happened(
    n: number,
    eventOf: (call: CallEntry) => Pick<EventEntry, 'type' | 'id' | 'place' | 'value' | 'user'>,
  ): Promise<boolean | undefined> {
    return this.#serial.run(async () => {
      await this.#ready.get()
      if (this.#isGone) return false
      const call = await this.#writtenCall(n)
      if (!call) return undefined
      const event = eventOf(call)
      const done = this.#done.get(n) ?? (await this.#storedDone(n))
      if (this.#isGone || done.length >= MOST_DONE) return false
      if (done.some(([type, id]) => type === event.type && id === event.id)) return false
      const isFirst = event.type === 'click' && done.every(([type]) => type !== 'click')
      done.push([event.type, event.id, this.#next])
      this.#done.set(call.n, done)
      const { user = call.user } = event
      const last = call.user === undefined ? undefined : this.#last.get(call.user)
      if (event.type === 'click' && last?.n === call.n) last.wasClicked = true
      const { kind, at, text, previous, wasClicked } = call
      this.#pending.push({
        ...event,
        ...{ n: this.#next++, of: call.n, kind, at, done: this.#context.clock(), user, text },
        ...(!wasClicked && { previous }),
        ...(isFirst && { isFirst }),
      })
      return true
    })
  }

  /** All entries in their order, block by block. */
  async *entries(): AsyncGenerator<readonly RecordedEntry[]> {
    await this.flush()
    for await (const { entries } of this.#blocks()) yield entries
  }

  /**
   * Drops the oldest calls, then the oldest roll-ups.
   * @returns how many bytes were freed
   */
  shrink(bytes: number): Promise<number> {
    return this.#serial.run(async () => {
      await this.#ready.get()
      const before = this.bytes
      const isEnough = () => before - this.bytes >= bytes
      await this.#dropBlocks(isEnough, () => true)
      // The newest one is still being counted in.
      for (const name of this.#names().slice(0, -1)) if (!isEnough()) await this.#dropBuckets([name])
      await this.#save()
      return before - this.bytes
    })
  }

  get isErasing(): boolean {
    return this.#erasures.length > 0 || this.#mustScrub
  }

  /** Stores what is to be erased, so that erasing continues even after a crash. */
  async beginErasing(what: Erased): Promise<void> {
    await this.#serial.run(async () => {
      await this.#flush()
      this.#erasures.push({ what, forgotten: [] })
      this.#unsaved++
      await this.#save()
    })
  }

  /** Erases everything that was begun: a text everywhere, a user with all counts of them, or everything before a moment. */
  erase(): Promise<void> {
    return this.#serial.run(async () => {
      await this.#flush()
      await this.#finishErasing()
      await this.#scrub()
    })
  }

  async #finishErasing(): Promise<void> {
    for (const erasure of [...this.#erasures]) {
      await this.#erase(erasure)
      this.#erasures = this.#erasures.filter(one => one !== erasure)
      this.#mustScrub = true
      this.#unsaved++
    }
    if (this.#mustScrub) await this.#save()
  }

  /** Removes erased data from the files of the database, too. */
  async #scrub(): Promise<void> {
    if (!this.#mustScrub) return
    await this.#context.store.scrub(analyticsPrefix(this.dataset))
    this.#mustScrub = false
    this.#unsaved++
    await this.#save()
  }

  async #erase(erasure: Erasure): Promise<void> {
    const { what } = erasure
    const { text, user, before } = what
    await this.#eraseEntries(what)
    // In the mode `full`, texts are stored whoever typed them.
    const forgotten = user === undefined ? [] : this.#texts.eraseUser(user)
    // Stored along with the known texts, which no longer contain these: afterwards nobody could tell which they were.
    if (this.#context.mode === 'counts') erasure.forgotten = [...erasure.forgotten, ...forgotten]
    const names = new ForgottenNames(erasure.forgotten)
    if (names.size > 0) await this.#rewrite(entry => withoutNames(entry, names))
    await this.#eraseCounted(what, names)
    if (text !== undefined) this.#texts.erase(name => isOfText(name, text))
    if (before !== undefined) this.#texts.eraseBefore(before)
    const gone = new Set(erasure.forgotten)
    for (const [n, name] of this.#rare)
      if (gone.has(name) || (text !== undefined && isOfText(name, text))) this.#rare.delete(n)
    for (const [one, last] of this.#last) {
      const isGone = last.text === text || gone.has(last.text)
      if (isGone || one === user || (before !== undefined && last.at < before)) this.#last.delete(one)
    }
  }

  async #flush(): Promise<void> {
    await this.#ready.get()
    const stretch = new Stretch()
    // Calls that arrive meanwhile wait for the next time: otherwise there would be a write for every few calls.
    let left = this.#pending.length
    while (left > 0 && !this.#isGone) {
      const entries: RecordedEntry[] = []
      const texts: string[] = []
      const some = this.#pending.splice(0, Math.min(left, MOST_AT_ONCE))
      left -= some.length
      for (const one of some) {
        const entry = 'noted' in one ? this.#entryOf(one) : this.#heldBack(one)
        entries.push(entry)
        texts.push(JSON.stringify(entry))
        if (stretch.isOver) await stretch.pause()
      }
      await this.#write(entries, texts)
      await this.#apply(entries, stretch)
    }
    const isLong = this.#unsaved > 0 && performance.now() - this.#savedAt > SAVE_EVERY
    if (isLong || this.#unsaved > SAVE_ENTRIES) await this.#save()
    await this.#tidy()
  }

  /** What is stored of a call: only texts that many people have typed, unless all texts may be stored. */
  #entryOf({ n, token, noted }: Recorded): CallEntry {
    const { calendar, hashOf } = this.#context
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
    const isStored = (name: string) =>
      this.#context.mode === 'full' || this.#texts.ask(name, asking, false).isKnown
    const words = dropped.filter(word => isStored(nameOfDropped(word)))
    const conditions = asked.filter(one => isStored(nameOfAsked(one)))
    if (words.length > 0) entry.dropped = words
    if (conditions.length > 0) entry.asked = conditions
  }

  #addText(entry: Writable<CallEntry>, text: string, asking: Asking): void {
    const { mode, calendar } = this.#context
    const { n, kind, total } = entry
    const name = nameOfText(text, kind.call)
    const { isKnown, held } = this.#texts.ask(name, asking, total > 0)
    if (isKnown || mode === 'full') {
      entry.text = text
      if (held.length > 0 && mode === 'counts') entry.held = held
      if (asking.user !== undefined && kind.call === 'search') this.#follow(entry, text, asking.user)
      return
    }
    this.#texts.hold(name, calendar.hourOf(entry.at), kind, entry)
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

  /** Texts of calls that could not be stored: events of these calls are held with the text. */
  readonly #rare = new Map<number, string>()

  #heldBack(entry: EventEntry): EventEntry {
    const name = this.#rare.get(entry.of)
    if (name === undefined) return entry
    if (this.#texts.has(name)) return { ...entry, text: textOfName(name) }
    this.#texts.holdEvent(name, this.#context.calendar.hourOf(entry.at), entry.kind, entry)
    return entry
  }

  async #write(entries: readonly RecordedEntry[], texts: readonly string[]): Promise<void> {
    const block = this.#block ?? { first: entries[0]!.n, texts: [], length: 0 }
    const before = block.length
    const all = [...block.texts, ...texts]
    const length = texts.reduce((sum, one) => sum + one.length + 1, before)
    const last = entries.at(-1)!.n
    const calls = new Set(entries.filter(isEvent).map(({ of }) => of))
    const key = callBlockKey(this.dataset, block.first)
    const value = sealText(key, blockText(all))
    // The next open has to know in which mode this was written.
    const state = this.#isStored ? undefined : sealText(callStateKey(this.dataset), this.#state())
    const events = [...calls].map(of => {
      const name = callEventsKey(this.dataset, of)
      const written = (this.#done.get(of) ?? []).filter(([, , n]) => n <= last)
      return [name, sealText(name, JSON.stringify(written))] as const
    })
    await this.#amend(transaction => {
      transaction.put(key, value)
      if (state) transaction.put(callStateKey(this.dataset), state)
      for (const [name, one] of events) transaction.put(name, one)
    })
    this.#isStored = true
    this.#blockBytes += length - before
    for (const of of calls) if (this.#done.get(of)?.every(([, , n]) => n <= last)) this.#done.delete(of)
    this.#written = last + 1
    this.#read.delete(block.first)
    this.#noteTexts(block.first, entries, this.#earliest?.get(block.first))
    this.#block = length < BLOCK_LENGTH ? { ...block, texts: all, length } : undefined
  }

  /** Counts written entries. */
  async #apply(entries: readonly RecordedEntry[], stretch: Stretch): Promise<void> {
    const { calendar } = this.#context
    let [hour, rollUp] = [Number.NaN, new RollUp(1)]
    for (const entry of entries) {
      const held = isEvent(entry) ? undefined : entry.held
      if (held || !(entry.at >= hour && entry.at < hour + QUARTER)) {
        const name = `h${calendar.hourOf(entry.at)}`
        const names = [name, ...(held ?? []).map(one => `h${one.hour}`)]
        await this.#opened(names)
        for (const one of names) this.#textless.delete(one)
        rollUp = this.#open.get(name)!
        // Within a quarter of an hour the hour is the same in every time zone.
        hour = Math.floor(entry.at / QUARTER) * QUARTER
      }
      if (isEvent(entry)) rollUp.addEvent(entry)
      else {
        rollUp.addCall(entry)
        if (held) for (const one of held) this.#open.get(`h${one.hour}`)!.addHeld(entry.text!, one)
      }
      this.#applied = entry.n + 1
      this.#unsaved++
      if (stretch.isOver) await stretch.pause()
    }
  }

  /** Loads roll-ups, so that entries can be counted in all of them at once. */
  async #opened(names: readonly string[]): Promise<void> {
    if (this.#open.size + names.length > MOST_OPEN) {
      await this.#save()
      this.#open.clear()
    }
    for (const name of names)
      if (!this.#open.has(name)) this.#open.set(name, await this.#stored(name, sections))
  }

  async #stored(name: string, wanted: readonly Section[]): Promise<RollUp> {
    if (!this.#sizes.has(name)) return new RollUp()
    const texts: Partial<Record<Section, string>> = {}
    // Rows are counted under the kinds of calls.
    for (const section of new Set<Section>(['calls', ...wanted])) {
      const text = await this.#textOf(this.#keyOf(name, section))
      if (text !== undefined) texts[section] = text
    }
    return texts.calls === undefined ? new RollUp() : RollUp.of(texts)
  }

  /** A damaged value counts as missing. */
  async #textOf(key: string): Promise<string | undefined> {
    try {
      return (await this.#context.store.get(key))?.toString()
    } catch (error) {
      if (!(error instanceof FindlingError) || error.code !== 'STORE_CORRUPT') throw error
      this.#context.warn('Some of the stored call counts are damaged and left out.', { error, key })
      return undefined
    }
  }

  /** Blocks from the one with a number on; damaged ones are left out. */
  async *#blocks(
    range: { from?: number; limit?: number; reverse?: boolean } = {},
  ): AsyncGenerator<StoredBlock> {
    const { from, limit = Number.POSITIVE_INFINITY, reverse = false } = range
    const prefix = callBlocksPrefix(this.dataset)
    const keys = {
      ...keysWithin(prefix),
      ...(from !== undefined && { gte: callBlockKey(this.dataset, from) }),
      ...(Number.isFinite(limit) && { limit }),
      ...(reverse && { reverse }),
    }
    const onDamage = (key: string) =>
      this.#context.warn('A block of recorded calls is damaged and left out.', { key })
    for await (const batch of this.#context.store.entries(keys, { onDamage })) {
      for (const [key, payload] of batch) {
        const text = payload.toString()
        yield { key, length: text.length, entries: entriesOf(text) ?? [] }
      }
    }
  }

  /**
   * Stores all counts, and the last entry that they include.
   * @param deleted keys to delete in the same write
   */
  async #save(deleted: readonly string[] = []): Promise<void> {
    if (this.#unsaved === 0 && deleted.length === 0 && this.#replaced.size === 0) return
    const stretch = new Stretch()
    const values = new Map<string, Buffer>()
    const gone = new Set(deleted)
    for (const [key, value] of this.#replaced)
      if (value) values.set(key, value)
      else gone.add(key)
    this.#replaced.clear()
    const put = (key: string, text: string): number => {
      const value = sealText(key, text)
      values.set(key, value)
      return value.byteLength
    }
    for (const [name, rollUp] of this.#open) {
      if (rollUp.changed.size === 0) continue
      let size = 0
      for (const section of sections) {
        const key = this.#keyOf(name, section)
        if (section !== 'calls' && rollUp.table(section).size === 0) gone.add(key)
        else size += put(key, rollUp.stored(section))
        if (stretch.isOver) await stretch.pause()
      }
      this.#sizes.set(name, size)
    }
    put(knownTextsKey(this.dataset), this.#texts.stored(this.#context.mode === 'full'))
    put(callStateKey(this.dataset), this.#state())
    await this.#amend(transaction => {
      for (const key of gone) transaction.delete(key)
      transaction.putSealed(values)
    })
    for (const rollUp of this.#open.values()) rollUp.changed.clear()
    this.#unsaved = 0
    this.#savedAt = performance.now()
  }

  #state(): string {
    return JSON.stringify({
      version: VERSION,
      // Until all of them are gone.
      mode: this.#hadAllTexts ? 'full' : this.#context.mode,
      // Unwritten entries may be lost, which frees their numbers.
      next: this.#written,
      applied: this.#applied,
      blockBytes: this.#blockBytes,
      sizes: [...this.#sizes].map(([name, size]) =>
        this.#textless.has(name) ? [name, size, true] : [name, size],
      ),
      // A crash during the first scan leaves texts in blocks that it had not reached.
      textsFrom: this.#isEarliestKnown
        ? (this.#earliest?.keys().next().value ?? this.#written)
        : this.#textsFrom,
      ...(this.#erasures.length > 0 && { erasures: this.#erasures }),
      ...(this.#mustScrub && { mustScrub: true as const }),
    } satisfies StoredState)
  }

  /** Writes as durably as documents, unless the dataset is gone. */
  async #amend(apply: (transaction: Transaction) => void): Promise<void> {
    await this.#context.store.amend(transaction => {
      if (!this.#isGone && datasetEntry(transaction.manifest, this.dataset)) apply(transaction)
    })
  }

  async #load(): Promise<void> {
    const state = await this.#textOf(callStateKey(this.dataset))
    const stored = state === undefined ? undefined : (JSON.parse(state) as StoredState)
    const isKnown = stored?.version === VERSION
    if (isKnown) {
      this.#isStored = true
      this.#hadAllTexts = stored.mode === 'full'
      this.#next = stored.next
      this.#applied = stored.applied
      this.#blockBytes = stored.blockBytes
      for (const [name, size, isTextless] of stored.sizes) {
        this.#sizes.set(name, size)
        if (isTextless) this.#textless.add(name)
      }
      this.#textsFrom = stored.textsFrom ?? 0
      this.#erasures = [...(stored.erasures ?? [])]
      this.#mustScrub = stored.mustScrub ?? false
    }
    const texts = await this.#textOf(knownTextsKey(this.dataset))
    if (texts !== undefined) this.#texts = KnownTexts.of(texts)
    const last = await this.#blockAt(Number.MAX_SAFE_INTEGER)
    if (last) this.#next = Math.max(this.#next, (last.entries.at(-1)?.n ?? last.first) + 1)
    this.#written = this.#next
  }

  /** Counts entries that were written after the roll-ups were stored. */
  async #catchUp(): Promise<void> {
    const mustForget = this.#hadAllTexts && this.#context.mode === 'counts'
    await this.#countMissing(!mustForget)
    if (mustForget) await this.#forgetTexts()
    await this.#finishErasing()
    const { store, warn } = this.#context
    // Calls can be counted even if this fails.
    await this.#scrub().catch(error => {
      if (!store.isClosing)
        warn(
          'Some bytes of erased data are still in the store; removing them is retried when the store is next opened.',
          {
            error,
          },
        )
    })
  }

  /** The mode has changed to `counts`: drops all stored texts, which are gone once this is saved and scrubbed. */
  async #forgetTexts(): Promise<void> {
    await this.#dropTexts(Number.POSITIVE_INFINITY)
    this.#texts = new KnownTexts()
    this.#hadAllTexts = false
    this.#mustScrub = true
    this.#unsaved++
  }

  /** @param learns whether the texts of calls are known because they are stored */
  async #countMissing(learns: boolean): Promise<void> {
    if (this.#applied >= this.#written) return
    const stretch = new Stretch()
    const begun = await this.#blockAt(this.#applied)
    for await (const { entries, length } of this.#blocks({ from: begun?.first ?? 0 })) {
      const after = entries.filter(({ n }) => n >= this.#applied)
      if (after.length === entries.length) this.#blockBytes += length
      if (learns) for (const entry of after) if (!isEvent(entry)) this.#learn(entry)
      await this.#apply(after, stretch)
    }
    this.#applied = this.#written
  }

  /** Learns known texts from a call that was counted before a crash. */
  #learn({ text, kind, user, at, total, dropped, asked }: CallEntry): void {
    const asking = { user, at, day: this.#context.calendar.dayOf(at) }
    const names = [...(dropped ?? []).map(nameOfDropped), ...(asked ?? []).map(nameOfAsked)]
    const isKnown = this.#context.mode === 'counts'
    if (text !== undefined) {
      if (isKnown) this.#texts.learn(nameOfText(text, kind.call), at)
      this.#texts.ask(nameOfText(text, kind.call), asking, total > 0)
    }
    for (const name of names) if (isKnown) this.#texts.learn(name, at)
  }

  async #storedDone(n: number): Promise<Done[]> {
    const text = await this.#textOf(callEventsKey(this.dataset, n))
    return text === undefined ? [] : (JSON.parse(text) as Done[])
  }

  async #blockOf(n: number): Promise<readonly RecordedEntry[] | undefined> {
    for (const entries of this.#read.values())
      if (entries.length > 0 && entries[0]!.n <= n && n <= entries.at(-1)!.n) return entries
    const read = this.#read
    const block = await this.#blockAt(n)
    if (!block) return undefined
    read.set(block.first, block.entries)
    if (read.size > MOST_BLOCKS_READ) read.delete(read.keys().next().value!)
    return block.entries
  }

  /** The last block that does not begin after a number. */
  async #blockAt(n: number): Promise<{ first: number; entries: RecordedEntry[] } | undefined> {
    const range = {
      ...keysWithin(callBlocksPrefix(this.dataset)),
      ...(n < Number.MAX_SAFE_INTEGER && { lt: callBlockKey(this.dataset, n + 1) }),
      ...{ reverse: true, limit: 1 },
    }
    const onDamage = (key: string) =>
      this.#context.warn('A block of recorded calls is damaged and left out.', { key })
    for await (const batch of this.#context.store.entries(range, { onDamage }))
      for (const [key, payload] of batch)
        return { first: seqOf(key), entries: entriesOf(payload.toString()) ?? [] }
    return undefined
  }

  /** Drops what is too old, and merges old hours into days: once an hour, the hours of one day at a time. */
  async #tidy(): Promise<void> {
    const { clock, calendar } = this.#context
    const now = clock()
    const hour = calendar.hourOf(now)
    if (this.#isGone) return
    if (hour !== this.#droppedIn) {
      this.#droppedIn = hour
      await this.#dropOld(now)
    }
    if (hour !== this.#tidiedIn && !(await this.#putTogether(calendar.dayOf(now - HOURS_KEPT))))
      this.#tidiedIn = hour
  }

  async #dropOld(now: number): Promise<void> {
    const { days, textDays } = this.#context
    const oldest = now - days * DAY
    await this.#dropBuckets(this.#names().filter(name => this.#endOf(name) <= oldest))
    await this.#dropBlocks(
      () => false,
      entries => entries.every(({ at }) => at < oldest),
    )
    this.#texts.eraseBefore(oldest)
    if (textDays !== undefined && textDays < days) await this.#dropTexts(now - textDays * DAY)
  }

  /** Merges the hours of one day before a moment into that day. @returns false if there are none */
  async #putTogether(before: number): Promise<boolean> {
    const { calendar } = this.#context
    const oldest = this.#names().find(name => name[0] === 'h' && bucketOf(name).start < before)
    if (oldest === undefined) return false
    const start = calendar.dayOf(bucketOf(oldest).start)
    const hours = this.#names().filter(
      name => name[0] === 'h' && calendar.dayOf(bucketOf(name).start) === start,
    )
    await this.#save()
    this.#open.clear()
    const day = await this.#stored(`d${start}`, sections)
    const stretch = new Stretch()
    for (const hour of hours) {
      day.merge(await this.#stored(hour, sections))
      if (stretch.isOver) await stretch.pause()
    }
    this.#open.set(`d${start}`, day)
    this.#textless.delete(`d${start}`)
    await this.#dropBuckets(hours)
    this.#open.clear()
    return true
  }

  /** Deletes roll-ups, and stores the other counts at the same time. */
  async #dropBuckets(names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    for (const name of names) {
      this.#sizes.delete(name)
      this.#open.delete(name)
      this.#textless.delete(name)
    }
    await this.#save(names.flatMap(name => sections.map(section => this.#keyOf(name, section))))
  }

  /** Drops old blocks, oldest first: examines a few at a time, and stops once one of these is not old. */
  async #dropBlocks(
    isEnough: () => boolean,
    isOld: (entries: readonly RecordedEntry[]) => boolean,
  ): Promise<void> {
    const stretch = new Stretch()
    for (let from: number | undefined = 0; from !== undefined; ) {
      from = await this.#dropSomeBlocks(from, isEnough, isOld)
      await stretch.pause()
    }
  }

  /** @returns the number from which on there may be more old blocks */
  async #dropSomeBlocks(
    from: number,
    isEnough: () => boolean,
    isOld: (entries: readonly RecordedEntry[]) => boolean,
  ): Promise<number | undefined> {
    let [looked, areOld, next] = [0, true, from]
    for await (const { key, length, entries } of this.#blocks({ from, limit: BLOCKS_LOOKED_AT })) {
      if (isEnough()) return undefined
      const first = seqOf(key)
      looked++
      next = first + 1
      if (first === this.#block?.first || !isOld(entries)) {
        areOld = false
        continue
      }
      const last = entries.at(-1)?.n ?? first
      const events = await this.#context.store.keys({
        gte: callEventsKey(this.dataset, first),
        lt: callEventsKey(this.dataset, last + 1),
      })
      this.#blockBytes = Math.max(0, this.#blockBytes - length)
      this.#earliest?.delete(first)
      this.#unsaved++
      await this.#amend(transaction => {
        transaction.delete(key)
        for (const one of events) transaction.delete(one)
      })
      this.#read = new Map()
    }
    return areOld && looked === BLOCKS_LOOKED_AT ? next : undefined
  }

  /**
   * Drops the texts of calls before a moment, and the counts of texts in hours and days that end before it. It reads only what is
   * due, except for the first time, when it finds out which blocks have texts.
   */
  async #dropTexts(before: number): Promise<void> {
    await this.#rewrite(entry => (entry.at < before ? withoutTexts(entry) : entry), {
      blocks: this.#blocksWithTexts(before),
    })
    for (const name of this.#names()) {
      if (this.#endOf(name) > before || this.#textless.has(name)) continue
      await this.#opened([name])
      const rollUp = this.#open.get(name)!
      for (const table of tableNames) if (table !== 'hits') rollUp.eraseRows(table, () => true)
      rollUp.eraseRows('hits', (_, { call }) => call === 'completion')
      this.#textless.add(name)
      this.#unsaved++
    }
    this.#texts.eraseBefore(before)
  }

  /** Blocks with texts before a moment, oldest first. */
  async *#blocksWithTexts(before: number): AsyncGenerator<StoredBlock> {
    const known = this.#earliest
    if (known) {
      // Times may go back, so a block says nothing about later ones.
      const due = [...known].filter(([, at]) => at < before)
      for (const [from] of due) yield* this.#blocks({ from, limit: 1 })
      return
    }
    const begun = await this.#blockAt(this.#textsFrom)
    this.#earliest = new Map()
    try {
      for await (const block of this.#blocks({ from: begun?.first ?? 0 })) {
        this.#noteTexts(seqOf(block.key), block.entries)
        yield block
      }
      this.#isEarliestKnown = true
    } finally {
      if (!this.#isEarliestKnown) this.#earliest = undefined
    }
  }

  /**
   * Records the earliest text of a block, keeping the blocks in order.
   * @param entries entries of a block
   * @param earliest the earliest time among its other entries
   */
  #noteTexts(
    first: number,
    entries: readonly (RecordedEntry | undefined)[],
    earliest = Number.POSITIVE_INFINITY,
  ): void {
    if (!this.#earliest) return
    for (const entry of entries) if (entry && entry.at < earliest && hasTexts(entry)) earliest = entry.at
    if (earliest < Number.POSITIVE_INFINITY) this.#earliest.set(first, earliest)
    else this.#earliest.delete(first)
  }

  /** Erases entries, newest first, so that the events of a call are known as long as it exists. */
  async #eraseEntries({ text, user, before }: Erased): Promise<void> {
    const calls = new Set<number>()
    if (user !== undefined)
      for await (const { entries } of this.#blocks())
        for (const entry of entries) if (!isEvent(entry) && entry.user === user) calls.add(entry.n)
    const isGone = (entry: RecordedEntry): boolean => {
      if (before !== undefined && entry.at < before) return true
      return user !== undefined && (entry.user === user || (isEvent(entry) && calls.has(entry.of)))
    }
    const erased = (entry: RecordedEntry) =>
      isGone(entry) ? undefined : text === undefined ? entry : withoutText(entry, text)
    await this.#rewrite(erased, {
      blocks: this.#blocks({ reverse: true }),
      changed(rollUp, entry, after) {
        if (after) return
        if (isEvent(entry)) rollUp.addEvent(entry, -1)
        else rollUp.addCall(entry, -1)
      },
    })
  }

  /** @param forgotten names of texts that too few others have typed */
  async #eraseCounted(
    { text, user, before = Number.NEGATIVE_INFINITY }: Erased,
    forgotten: ForgottenNames,
  ): Promise<void> {
    await this.#dropBuckets(this.#names().filter(name => this.#endOf(name) <= before))
    const stretch = new Stretch()
    for (const name of this.#names()) {
      if (stretch.isOver) await stretch.pause()
      await this.#opened([name])
      const rollUp = this.#open.get(name)!
      if (user !== undefined) rollUp.eraseUser(user)
      if (text !== undefined) eraseText(rollUp, text)
      eraseNames(rollUp, forgotten)
      rollUp.eraseEmpty()
      if (rollUp.changed.size > 0) this.#unsaved++
    }
  }

  /**
   * Changes or drops written entries. A block and the roll-ups that count it are stored together: a crash leaves no call without
   * its counts, and no counts without their call.
   * @param changed called for each changed entry, with the hour or day in which it is counted
   * @param blocks the blocks to examine; default: all
   */
  async #rewrite(
    change: (entry: RecordedEntry) => RecordedEntry | undefined,
    { changed, blocks = this.#blocks() }: Rewriting = {},
  ): Promise<void> {
    const stretch = new Stretch()
    for await (const { key, length, entries } of blocks) {
      if (stretch.isOver) await stretch.pause()
      const after = entries.map(change)
      if (after.every((entry, i) => entry === entries[i])) continue
      const isChanged = (_: unknown, i: number) => after[i] !== entries[i]
      const names = changed ? entries.filter(isChanged).map(({ at }) => this.#nameFor(at)) : []
      await this.#opened([...new Set(names)])
      // There is no pause from here to the end of the block, so that what is stored together is consistent.
      for (const [i, entry] of entries.entries())
        if (after[i] !== entry) changed?.(this.#open.get(this.#nameFor(entry.at))!, entry, after[i])
      this.#replace(key, length, entries, after)
      if (this.#replaced.size >= MOST_REPLACED) await this.#save()
    }
    await this.#save()
    this.#read = new Map()
  }

  #replace(
    key: string,
    length: number,
    before: readonly RecordedEntry[],
    after: readonly (RecordedEntry | undefined)[],
  ): void {
    const texts = after.flatMap(entry => (entry ? [JSON.stringify(entry)] : []))
    const text = blockText(texts)
    const first = seqOf(key)
    // Events of completions contain their texts.
    const gone = before.filter(
      (entry, i) =>
        !isEvent(entry) &&
        (after[i] === undefined || (entry.kind.call === 'completion' && after[i] !== entry)),
    )
    if (this.#block?.first === first) this.#block = undefined
    this.#read.delete(first)
    this.#noteTexts(first, after)
    this.#blockBytes = Math.max(0, this.#blockBytes - length + (texts.length > 0 ? text.length : 0))
    this.#replaced.set(key, texts.length > 0 ? sealText(key, text) : undefined)
    for (const { n } of gone) this.#replaced.set(callEventsKey(this.dataset, n), undefined)
    this.#unsaved++
  }

  /** The name of the hour, or of the day into which it was merged. */
  #nameFor(at: number): string {
    const hour = this.#context.calendar.hourOf(at)
    const day = `d${this.#context.calendar.dayOf(hour)}`
    return !this.#sizes.has(`h${hour}`) && !this.#open.has(`h${hour}`) && this.#sizes.has(day)
      ? day
      : `h${hour}`
  }

  #endOf(name: string): number {
    const { per, start } = bucketOf(name)
    // No day has more than 25 hours.
    return per === 'hour' ? start + HOUR : this.#context.calendar.dayOf(start + DAY + 2 * HOUR)
  }

  /** Hours and days with counts, oldest first. */
  #names(): string[] {
    const names = [...new Set([...this.#sizes.keys(), ...this.#open.keys()])]
    return names.sort((a, b) => bucketOf(a).start - bucketOf(b).start)
  }

  #keyOf(name: string, section: Section): string {
    return rollUpKey(this.dataset, name[0] as 'h' | 'd', Number(name.slice(1)), section)
  }
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

function bucketOf(name: string): Bucket {
  return { per: name[0] === 'h' ? 'hour' : 'day', start: Number(name.slice(1)) }
}

/** Microseconds are enough. */
const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000
