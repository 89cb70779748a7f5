import { Stretch } from '../scheduling/stretch.ts'
import { callEventsKey, seqOf } from '../store/keyspace.ts'
import type { RecordedEntry } from './model/entries.ts'
import { withoutTexts } from './model/erasing.ts'
import { DAY } from './model/hours-and-days.ts'
import { KnownTexts } from './model/known-texts.ts'
import { tableNames } from './model/roll-up.ts'
import type { StoredCalls } from './stored-calls.ts'
import { bucketOf } from './stored-roll-ups.ts'

/** Older hours are merged into days. */
const HOURS_KEPT = 14 * DAY
/** Blocks that are examined together when the oldest ones are dropped. */
const BLOCKS_LOOKED_AT = 50

/** Drops what is too old, and merges old hours into days. */
export class CallAgeing {
  readonly #stored: StoredCalls
  /** The hour in which texts were last dropped. */
  #droppedIn = Number.NaN
  #tidiedIn = Number.NaN

  constructor(stored: StoredCalls) {
    this.#stored = stored
  }

  /** Once an hour, the hours of one day at a time. */
  async tidy(): Promise<void> {
    const { clock, calendar } = this.#stored.context
    const now = clock()
    const hour = calendar.hourOf(now)
    if (this.#stored.isGone) return
    if (hour !== this.#droppedIn) {
      this.#droppedIn = hour
      await this.#dropOld(now)
    }
    if (hour !== this.#tidiedIn && !(await this.#putTogether(calendar.dayOf(now - HOURS_KEPT))))
      this.#tidiedIn = hour
  }

  async #dropOld(now: number): Promise<void> {
    const { context, rollUps, texts } = this.#stored
    const { days, textDays } = context
    const oldest = now - days * DAY
    await this.#stored.dropRollUps(rollUps.names.filter(name => rollUps.endOf(name) <= oldest))
    await this.#dropBlocks(
      () => false,
      entries => entries.every(({ at }) => at < oldest),
    )
    texts.eraseBefore(oldest)
    if (textDays !== undefined && textDays < days) await this.#dropTexts(now - textDays * DAY)
  }

  /** Merges the hours of one day before a moment into that day. @returns false if there are none */
  async #putTogether(before: number): Promise<boolean> {
    const { context, rollUps } = this.#stored
    const { calendar } = context
    const hours = rollUps.names.filter(name => name[0] === 'h')
    const startOf = (hour: string) => calendar.dayOf(bucketOf(hour).start)
    const oldest = hours.find(name => bucketOf(name).start < before)
    if (oldest === undefined) return false
    const start = startOf(oldest)
    const name = `d${start}`
    const merged = hours.filter(hour => startOf(hour) === start)
    await this.#stored.save()
    rollUps.unload()
    const day = await rollUps.read(name)
    const stretch = new Stretch()
    for (const hour of merged) {
      day.merge(await rollUps.read(hour))
      if (stretch.isOver) await stretch.pause()
    }
    rollUps.hold(name, day)
    await this.#stored.dropRollUps(merged)
    rollUps.unload()
    return true
  }

  /** Drops the oldest calls, then the oldest roll-ups, until so many bytes are freed. @returns how many were */
  async shrink(bytes: number): Promise<number> {
    const stored = this.#stored
    const before = stored.bytes
    const isEnough = () => before - stored.bytes >= bytes
    await this.#dropBlocks(isEnough, () => true)
    // The newest one is still being counted in.
    for (const name of stored.rollUps.names.slice(0, -1)) if (!isEnough()) await stored.dropRollUps([name])
    await stored.save()
    return before - stored.bytes
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
    const { context, blocks } = this.#stored
    const { store, dataset } = context
    let [looked, areOld, next] = [0, true, from]
    for await (const block of blocks.all({ from, limit: BLOCKS_LOOKED_AT })) {
      if (isEnough()) return undefined
      const { key, entries } = block
      const first = seqOf(key)
      looked++
      next = first + 1
      if (blocks.isGrowing(first) || !isOld(entries)) {
        areOld = false
        continue
      }
      const last = entries.at(-1)?.n ?? first
      const events = await store.keys({
        gte: callEventsKey(dataset, first),
        lt: callEventsKey(dataset, last + 1),
      })
      blocks.drop(block)
      this.#stored.unsaved++
      await this.#stored.amend(transaction => {
        for (const one of [key, ...events]) transaction.delete(one)
      })
      blocks.forgetRead()
    }
    return areOld && looked === BLOCKS_LOOKED_AT ? next : undefined
  }

  /** The mode has changed to `counts`: drops all stored texts, which are gone once this is saved and scrubbed. */
  async forgetTexts(): Promise<void> {
    const stored = this.#stored
    await this.#dropTexts(Number.POSITIVE_INFINITY)
    stored.texts = new KnownTexts()
    stored.hadAllTexts = false
    stored.mustScrub = true
    stored.unsaved++
  }

  /**
   * Drops the texts of calls before a moment, and the counts of texts in hours and days that end before it. It reads only what is
   * due, except for the first time, when it finds out which blocks have texts.
   */
  async #dropTexts(before: number): Promise<void> {
    const { blocks, rollUps } = this.#stored
    await this.#stored.rewrite(entry => (entry.at < before ? withoutTexts(entry) : entry), {
      blocks: blocks.withTexts(before),
    })
    for (const name of rollUps.names) {
      if (rollUps.endOf(name) > before || rollUps.textless.has(name)) continue
      await this.#stored.open([name])
      const rollUp = rollUps.get(name)
      for (const table of tableNames) if (table !== 'hits') rollUp.eraseRows(table, () => true)
      rollUp.eraseRows('hits', (_, { call }) => call === 'completion')
      rollUps.textless.add(name)
      this.#stored.unsaved++
    }
    this.#stored.texts.eraseBefore(before)
  }
}
