import { Stretch } from '../scheduling/stretch.ts'
import { sealText } from '../store/checksum.ts'
import { callBlockKey, callEventsKey, callStateKey, knownTextsKey } from '../store/keyspace.ts'
import { datasetEntry } from '../store/manifest.ts'
import type { Transaction } from '../store/transaction.ts'
import { CallBlocks, type StoredBlock } from './call-blocks.ts'
import { type CallLogContext, storedText } from './call-log-context.ts'
import { blockText, type DoneEvent, isEvent, type RecordedEntry } from './model/entries.ts'
import type { Erasure } from './model/erasing.ts'
import { KnownTexts } from './model/known-texts.ts'
import type { RollUp } from './model/roll-up.ts'
import { type RollUpSize, StoredRollUps } from './stored-roll-ups.ts'

interface StoredState {
  readonly version: number
  readonly mode: CallLogContext['mode']
  readonly next: number
  /** Entries below this number are counted in the roll-ups. */
  readonly applied: number
  readonly blockBytes: number
  readonly sizes: readonly RollUpSize[]
  /** Entries below this number have no texts. */
  readonly textsFrom?: number | undefined
  /** What is being erased. */
  readonly erasures?: readonly Erasure[]
  /** Whether the database still has bytes of what was erased. */
  readonly mustScrub?: true
}

interface Rewriting {
  readonly blocks?: AsyncIterable<StoredBlock>
  changed?(rollUp: RollUp, before: RecordedEntry, after: RecordedEntry | undefined): void
}

const VERSION = 1
/** Milliseconds and entries after which roll-ups are stored again; after a crash, later entries are counted from the blocks. */
const [SAVE_EVERY, SAVE_ENTRIES] = [30_000, 20_000]
/** Blocks and other keys that are replaced at once. */
const MOST_REPLACED = 200

/**
 * What is stored of the calls of one dataset: blocks, roll-ups, known texts, and up to which entry the roll-ups count. One call at
 * a time changes it.
 */
export class StoredCalls {
  readonly context: CallLogContext
  readonly blocks: CallBlocks
  readonly rollUps: StoredRollUps
  texts = new KnownTexts()
  /** Entries below these numbers are in blocks, and counted in roll-ups. */
  written = 0
  applied = 0
  /** Entries and other changes since everything was saved. */
  unsaved = 0
  /** Whether it was written in the mode that stores every text. */
  hadAllTexts = false
  erasures: Erasure[] = []
  mustScrub = false
  /** Whether nothing more may be written. */
  isGone = false
  /** Whether there is a state in the store. */
  #isStored = false
  #savedAt = performance.now()
  /** By key: blocks that are replaced or deleted when the roll-ups that count them are stored, and other keys to delete. */
  readonly #replaced = new Map<string, Buffer | undefined>()

  constructor(context: CallLogContext) {
    this.context = context
    this.blocks = new CallBlocks(context)
    this.rollUps = new StoredRollUps(context)
  }

  get bytes(): number {
    return this.blocks.bytes + this.rollUps.bytes
  }

  get mustSave(): boolean {
    const isLong = this.unsaved > 0 && performance.now() - this.#savedAt > SAVE_EVERY
    return isLong || this.unsaved > SAVE_ENTRIES
  }

  async load(): Promise<void> {
    const { dataset } = this.context
    const state = await storedText(this.context, callStateKey(dataset))
    const stored = state === undefined ? undefined : (JSON.parse(state) as StoredState)
    if (stored?.version === VERSION) {
      this.#isStored = true
      this.hadAllTexts = stored.mode === 'full'
      this.written = stored.next
      this.applied = stored.applied
      this.blocks.restore(stored.blockBytes, stored.textsFrom ?? 0)
      this.rollUps.restore(stored.sizes)
      this.erasures = [...(stored.erasures ?? [])]
      this.mustScrub = stored.mustScrub ?? false
    }
    const texts = await storedText(this.context, knownTextsKey(dataset))
    if (texts !== undefined) this.texts = KnownTexts.of(texts)
    const last = await this.blocks.at(Number.MAX_SAFE_INTEGER)
    if (last) this.written = Math.max(this.written, (last.entries.at(-1)?.n ?? last.first) + 1)
  }

  /**
   * Writes entries that are to be counted.
   * @param texts of the entries, as they are stored
   * @param events by the number of a call: what is known to have happened to it
   */
  async write(
    entries: readonly RecordedEntry[],
    texts: readonly string[],
    events: readonly (readonly [of: number, text: string])[],
  ): Promise<void> {
    const { dataset } = this.context
    const block = this.blocks.grown(entries[0]!.n, texts)
    const values = new Map<string, Buffer>()
    putText(values, callBlockKey(dataset, block.first), blockText(block.texts))
    // The next open has to know in which mode this was written.
    if (!this.#isStored) putText(values, callStateKey(dataset), this.#state())
    for (const [of, text] of events) putText(values, callEventsKey(dataset, of), text)
    await this.amend(transaction => transaction.putSealed(values))
    this.#isStored = true
    this.written = entries.at(-1)!.n + 1
    this.blocks.wrote(block, entries)
  }

  /** Loads roll-ups, so that entries can be counted in all of them at once. */
  async open(names: readonly string[]): Promise<void> {
    if (!this.rollUps.hasRoomFor(names.length)) {
      await this.save()
      this.rollUps.unload()
    }
    await this.rollUps.open(names)
  }

  /** Deletes roll-ups, and stores the other counts at the same time. */
  async dropRollUps(names: readonly string[]): Promise<void> {
    if (names.length > 0) await this.save(this.rollUps.drop(names))
  }

  /**
   * Stores all counts, and the last entry that they include.
   * @param deleted keys to delete in the same write
   */
  async save(deleted: readonly string[] = []): Promise<void> {
    if (this.unsaved === 0 && deleted.length === 0 && this.#replaced.size === 0) return
    const { dataset, mode } = this.context
    const values = new Map<string, Buffer>()
    const gone = new Set(deleted)
    for (const [key, value] of this.#replaced)
      if (value) values.set(key, value)
      else gone.add(key)
    this.#replaced.clear()
    const put = (key: string, text: string) => putText(values, key, text)
    await this.rollUps.store(put, key => gone.add(key), new Stretch())
    put(knownTextsKey(dataset), this.texts.stored(mode === 'full'))
    put(callStateKey(dataset), this.#state())
    await this.amend(transaction => {
      for (const key of gone) transaction.delete(key)
      transaction.putSealed(values)
    })
    this.rollUps.stored()
    this.unsaved = 0
    this.#savedAt = performance.now()
  }

  #state(): string {
    return JSON.stringify({
      version: VERSION,
      // Until all of them are gone.
      mode: this.hadAllTexts ? 'full' : this.context.mode,
      // Unwritten entries may be lost, which frees their numbers.
      next: this.written,
      applied: this.applied,
      blockBytes: this.blocks.bytes,
      sizes: this.rollUps.sizes,
      textsFrom: this.blocks.textsFrom(this.written),
      ...(this.erasures.length > 0 && { erasures: this.erasures }),
      ...(this.mustScrub && { mustScrub: true as const }),
    } satisfies StoredState)
  }

  /** Writes as durably as documents, unless the dataset is gone. */
  async amend(apply: (transaction: Transaction) => void): Promise<void> {
    await this.context.store.amend(transaction => {
      if (!this.isGone && datasetEntry(transaction.manifest, this.context.dataset)) apply(transaction)
    })
  }

  /**
   * Changes or drops written entries. A block and the roll-ups that count it are stored together: a crash leaves no call without
   * its counts, and no counts without their call.
   * @param changed called for each changed entry, with the hour or day in which it is counted
   * @param blocks the blocks to examine; default: all
   */
  async rewrite(
    change: (entry: RecordedEntry) => RecordedEntry | undefined,
    { changed, blocks = this.blocks.all() }: Rewriting = {},
  ): Promise<void> {
    const stretch = new Stretch()
    for await (const block of blocks) {
      if (stretch.isOver) await stretch.pause()
      const { entries } = block
      const after = entries.map(change)
      if (after.every((entry, i) => entry === entries[i])) continue
      const isChanged = (_: unknown, i: number) => after[i] !== entries[i]
      const names = changed ? entries.filter(isChanged).map(({ at }) => this.rollUps.nameFor(at)) : []
      // A block outlives the counts of its oldest entries.
      await this.open([...new Set(names)].filter(name => this.rollUps.has(name)))
      const lists = await this.#eventLists(entries, after)
      // There is no pause from here to the end of the block, so that what is stored together is consistent.
      for (const [i, entry] of entries.entries()) {
        const name = after[i] === entry ? undefined : this.rollUps.nameFor(entry.at)
        if (name !== undefined && this.rollUps.has(name)) changed?.(this.rollUps.get(name), entry, after[i])
      }
      this.#replace(block, after, lists)
      if (this.#replaced.size >= MOST_REPLACED) await this.save()
    }
    await this.save()
    this.blocks.forgetRead()
  }

  /** What is known to have happened to calls of which a part is erased; undefined for those that are gone. */
  async #eventLists(
    entries: readonly RecordedEntry[],
    after: readonly (RecordedEntry | undefined)[],
  ): Promise<Map<string, string | undefined>> {
    const { dataset } = this.context
    const lists = new Map<string, string | undefined>()
    const changed = new Map<string, Map<number, RecordedEntry | undefined>>()
    for (const [i, entry] of entries.entries()) {
      if (after[i] === entry) continue
      if (!isEvent(entry)) {
        if (!after[i]) lists.set(callEventsKey(dataset, entry.n), undefined)
        continue
      }
      const key = callEventsKey(dataset, entry.of)
      changed.set(key, (changed.get(key) ?? new Map()).set(entry.n, after[i]))
    }
    for (const [key, events] of changed) {
      if (lists.has(key)) continue
      if (this.#replaced.has(key)) await this.save()
      const text = await storedText(this.context, key)
      if (text === undefined) continue
      const left = (JSON.parse(text) as DoneEvent[]).flatMap((done): DoneEvent[] => {
        const [type, , n] = done
        if (!events.has(n)) return [done]
        const event = events.get(n)
        return event && isEvent(event) ? [[type, event.id, n]] : []
      })
      lists.set(key, JSON.stringify(left))
    }
    return lists
  }

  #replace(
    block: StoredBlock,
    after: readonly (RecordedEntry | undefined)[],
    lists: ReadonlyMap<string, string | undefined>,
  ): void {
    const { key } = block
    const text = this.blocks.changed(block, after)
    for (const [one, value] of [...lists, [key, text] as const])
      this.#replaced.set(one, value === undefined ? undefined : sealText(one, value))
    this.unsaved++
  }
}

/** @returns the size of the value */
function putText(values: Map<string, Buffer>, key: string, text: string): number {
  const value = sealText(key, text)
  values.set(key, value)
  return value.byteLength
}
