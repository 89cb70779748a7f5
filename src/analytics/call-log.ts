import { Once } from '../scheduling/once.ts'
import { Serial } from '../scheduling/serial.ts'
import { Stretch } from '../scheduling/stretch.ts'
import type { DatasetNumber } from '../store/dataset-number.ts'
import { callEventsKey } from '../store/keyspace.ts'
import { CallAgeing } from './call-ageing.ts'
import { CallErasing } from './call-erasing.ts'
import { type CallLogContext, storedText } from './call-log-context.ts'
import { EntryMaker, type RecordedCall } from './entry-maker.ts'
import {
  type CallEntry,
  type DoneEvent,
  type EventEntry,
  isEvent,
  type RecordedEntry,
} from './model/entries.ts'
import type { Erased } from './model/erasing.ts'
import { QUARTER } from './model/hours-and-days.ts'
import type { NotedCall } from './model/noted-call.ts'
import { RollUp, type Section } from './model/roll-up.ts'
import { StoredCalls } from './stored-calls.ts'
import { type Bucket, bucketOf } from './stored-roll-ups.ts'

/** Entries that are written at once, and events of one call. */
const [MOST_AT_ONCE, MOST_DONE] = [1000, 1000]

/**
 * The calls of one dataset. They are written in blocks, at most a second after the answer, and then counted in roll-ups. These are
 * stored from time to time, along with the number of the last entry they include: after a crash, the missing entries are counted
 * from the blocks, and nothing is counted twice.
 */
export class CallLog {
  readonly dataset: DatasetNumber
  readonly #context: CallLogContext
  readonly #stored: StoredCalls
  readonly #maker: EntryMaker
  readonly #ageing: CallAgeing
  readonly #erasing: CallErasing
  readonly #serial = new Serial()
  readonly #ready = new Once(() => this.#catchUp())
  #next = 0
  #pending: (RecordedCall | EventEntry)[] = []
  /** Of calls whose events are not written yet. */
  readonly #done = new Map<number, DoneEvent[]>()

  /** Reads what is stored for a dataset. */
  static async open(context: CallLogContext): Promise<CallLog> {
    const log = new CallLog(context)
    await log.#stored.load()
    log.#next = log.#stored.written
    return log
  }

  /** @param context of a dataset for which nothing is stored yet */
  constructor(context: CallLogContext) {
    this.dataset = context.dataset
    this.#context = context
    this.#stored = new StoredCalls(context)
    this.#maker = new EntryMaker(this.#stored)
    this.#ageing = new CallAgeing(this.#stored)
    this.#erasing = new CallErasing(this.#stored, this.#maker)
  }

  get pending(): number {
    return this.#pending.length
  }

  /** Bytes that are stored. */
  get bytes(): number {
    return this.#stored.bytes
  }

  record(token: string, noted: NotedCall): number {
    const n = this.#next++
    this.#pending.push({ n, token, noted })
    return n
  }

  /** Forgets everything recorded, and writes nothing more. */
  forget(): void {
    this.#stored.isGone = true
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
      await this.#stored.save()
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
      const { rollUps } = this.#stored
      for (const name of rollUps.names) {
        const bucket = bucketOf(name)
        if (!isMeant(bucket)) continue
        const rollUp = await rollUps.read(name, wanted)
        while (stretch.isOver) await stretch.pause()
        visitor(rollUp, bucket)
      }
    })
  }

  /** Known texts with this beginning, most popular first. */
  async begunAs(beginning: string, limit: number): Promise<string[]> {
    await this.#ready.get()
    return this.#stored.texts.begunAs(beginning, limit)
  }

  /** The call with this number, once it is written. */
  async callAt(n: number): Promise<CallEntry | undefined> {
    if (n >= this.#next) return undefined
    if (n >= this.#stored.written) await this.flush()
    return await this.#writtenCall(n)
  }

  async #writtenCall(n: number): Promise<CallEntry | undefined> {
    const entries = await this.#stored.blocks.of(n)
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
      if (this.#stored.isGone) return false
      const call = await this.#writtenCall(n)
      if (!call) return undefined
      const event = eventOf(call)
      const done = this.#done.get(n) ?? (await this.#storedDone(n))
      if (this.#stored.isGone || done.length >= MOST_DONE) return false
      if (done.some(([type, id]) => type === event.type && id === event.id)) return false
      const isFirst = event.type === 'click' && done.every(([type]) => type !== 'click')
      done.push([event.type, event.id, this.#next])
      this.#done.set(call.n, done)
      if (event.type === 'click') this.#maker.clicked(call)
      const { user = call.user } = event
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

  async #storedDone(n: number): Promise<DoneEvent[]> {
    const text = await storedText(this.#context, callEventsKey(this.dataset, n))
    return text === undefined ? [] : (JSON.parse(text) as DoneEvent[])
  }

  /** All entries in their order, block by block. */
  async *entries(): AsyncGenerator<readonly RecordedEntry[]> {
    await this.flush()
    for await (const { entries } of this.#stored.blocks.all()) yield entries
  }

  /**
   * Drops the oldest calls, then the oldest roll-ups.
   * @returns how many bytes were freed
   */
  shrink(bytes: number): Promise<number> {
    return this.#serial.run(async () => {
      await this.#ready.get()
      return await this.#ageing.shrink(bytes)
    })
  }

  get isErasing(): boolean {
    return this.#erasing.isBegun
  }

  /** Stores what is to be erased, so that erasing continues even after a crash. */
  async beginErasing(what: Erased): Promise<void> {
    await this.#serial.run(async () => {
      await this.#flush()
      await this.#erasing.begin(what)
    })
  }

  /** Erases everything that was begun. */
  erase(): Promise<void> {
    return this.#serial.run(async () => {
      await this.#flush()
      await this.#erasing.finish()
      await this.#erasing.scrub()
    })
  }

  async #flush(): Promise<void> {
    await this.#ready.get()
    const stretch = new Stretch()
    // Calls that arrive meanwhile wait for the next time: otherwise there would be a write for every few calls.
    let left = this.#pending.length
    while (left > 0 && !this.#stored.isGone) {
      const entries: RecordedEntry[] = []
      const texts: string[] = []
      const some = this.#pending.splice(0, Math.min(left, MOST_AT_ONCE))
      left -= some.length
      for (const one of some) {
        const entry = this.#maker.entryOf(one)
        entries.push(entry)
        texts.push(JSON.stringify(entry))
        if (stretch.isOver) await stretch.pause()
      }
      await this.#write(entries, texts)
      await this.#count(entries, stretch)
    }
    if (this.#stored.mustSave) await this.#stored.save()
    await this.#ageing.tidy()
  }

  async #write(entries: readonly RecordedEntry[], texts: readonly string[]): Promise<void> {
    const last = entries.at(-1)!.n
    const calls = [...new Set(entries.filter(isEvent).map(({ of }) => of))]
    const isWritten = ([, , n]: DoneEvent) => n <= last
    const eventsOf = (of: number) => JSON.stringify((this.#done.get(of) ?? []).filter(isWritten))
    await this.#stored.write(
      entries,
      texts,
      calls.map(of => [of, eventsOf(of)]),
    )
    for (const of of calls) if (this.#done.get(of)?.every(isWritten)) this.#done.delete(of)
  }

  /** Counts written entries. */
  async #count(entries: readonly RecordedEntry[], stretch: Stretch): Promise<void> {
    const stored = this.#stored
    const { rollUps } = stored
    let [hour, rollUp] = [Number.NaN, new RollUp(1)]
    for (const entry of entries) {
      const held = isEvent(entry) ? undefined : entry.held
      if (held || !(entry.at >= hour && entry.at < hour + QUARTER)) {
        const name = rollUps.nameFor(entry.at)
        // The counts of its call were too old, and are gone.
        if (isEvent(entry) && !rollUps.has(name)) {
          stored.applied = entry.n + 1
          stored.unsaved++
          continue
        }
        const names = [name, ...(held ?? []).map(one => rollUps.nameFor(one.hour))]
        await stored.open(names)
        for (const one of names) rollUps.textless.delete(one)
        rollUp = rollUps.get(name)
        // Within a quarter of an hour the hour is the same in every time zone.
        hour = Math.floor(entry.at / QUARTER) * QUARTER
      }
      if (isEvent(entry)) rollUp.addEvent(entry)
      else {
        rollUp.addCall(entry)
        if (held) for (const one of held) rollUps.get(rollUps.nameFor(one.hour)).addHeld(entry.text!, one)
      }
      stored.applied = entry.n + 1
      stored.unsaved++
      if (stretch.isOver) await stretch.pause()
    }
  }

  /** Counts entries that were written after the roll-ups were stored, and finishes what was being erased. */
  async #catchUp(): Promise<void> {
    const { store, mode, warn } = this.#context
    const mustForget = this.#stored.hadAllTexts && mode === 'counts'
    await this.#countMissing(!mustForget)
    if (mustForget) await this.#ageing.forgetTexts()
    await this.#erasing.finish()
    // Calls can be counted even if this fails.
    await this.#erasing.scrub().catch(error => {
      if (!store.isClosing)
        warn(
          'Some bytes of erased data are still in the store; removing them is retried when the store is next opened.',
          { error },
        )
    })
  }

  /** @param learns whether the texts of calls are known because they are stored */
  async #countMissing(learns: boolean): Promise<void> {
    const stored = this.#stored
    const { blocks, written } = stored
    if (stored.applied >= written) return
    const stretch = new Stretch()
    const begun = await blocks.at(stored.applied)
    for await (const { entries, length } of blocks.all({ from: begun?.first ?? 0 })) {
      const after = entries.filter(({ n }) => n >= stored.applied)
      if (after.length === entries.length) blocks.bytes += length
      if (learns) for (const entry of after) this.#maker.learn(entry)
      await this.#count(after, stretch)
    }
    stored.applied = written
  }
}
