import { Stretch } from '../scheduling/stretch.ts'
import { analyticsPrefix } from '../store/keyspace.ts'
import type { EntryMaker } from './entry-maker.ts'
import { type CallKind, type EventEntry, isEvent, type RecordedEntry } from './model/entries.ts'
import {
  type Erased,
  type Erasure,
  eraseNames,
  eraseText,
  ForgottenNames,
  isOfText,
  withoutNames,
  withoutText,
} from './model/erasing.ts'
import { nameOfKind } from './model/roll-up.ts'
import type { StoredCalls } from './stored-calls.ts'

/** Erases what somebody asked to be erased: a text everywhere, a user with all counts of them, or everything before a moment. */
export class CallErasing {
  readonly #stored: StoredCalls
  readonly #maker: EntryMaker

  constructor(stored: StoredCalls, maker: EntryMaker) {
    this.#stored = stored
    this.#maker = maker
  }

  get isBegun(): boolean {
    return this.#stored.erasures.length > 0 || this.#stored.mustScrub
  }

  /** Stores what is to be erased, so that erasing continues even after a crash. */
  async begin(what: Erased): Promise<void> {
    this.#stored.erasures.push({ what, forgotten: [] })
    this.#stored.unsaved++
    await this.#stored.save()
  }

  async finish(): Promise<void> {
    const stored = this.#stored
    for (const erasure of [...stored.erasures]) {
      await this.#erase(erasure)
      stored.erasures = stored.erasures.filter(one => one !== erasure)
      stored.mustScrub = true
      stored.unsaved++
    }
    if (stored.mustScrub) await stored.save()
  }

  /** Removes erased data from the files of the database, too. */
  async scrub(): Promise<void> {
    const stored = this.#stored
    if (!stored.mustScrub) return
    await stored.context.store.scrub(analyticsPrefix(stored.context.dataset))
    stored.mustScrub = false
    stored.unsaved++
    await stored.save()
  }

  async #erase(erasure: Erasure): Promise<void> {
    const { what } = erasure
    const { text, user, before } = what
    await this.#eraseEntries(what)
    const { context, texts } = this.#stored
    // In the mode `full`, texts are stored whoever typed them.
    const forgotten = user === undefined ? [] : texts.eraseUser(user)
    // Stored along with the known texts, which no longer contain these: afterwards nobody could tell which they were.
    if (context.mode === 'counts') erasure.forgotten = [...erasure.forgotten, ...forgotten]
    const names = new ForgottenNames(erasure.forgotten)
    if (names.size > 0) await this.#stored.rewrite(entry => withoutNames(entry, names))
    await this.#eraseCounted(what, names)
    if (text !== undefined) texts.erase(name => isOfText(name, text))
    if (before !== undefined) texts.eraseBefore(before)
    this.#maker.forget(what, new Set(erasure.forgotten))
  }

  /** Erases entries, newest first, so that the events of a call are known as long as it exists. */
  async #eraseEntries({ text, user, before }: Erased): Promise<void> {
    const { blocks, rollUps } = this.#stored
    const left = await this.#whatIsLeft({ user, before })
    const isGone = (entry: RecordedEntry): boolean => {
      if (before !== undefined && entry.at < before) return true
      return user !== undefined && (entry.user === user || (isEvent(entry) && left.goneCalls.has(entry.of)))
    }
    const erased = (entry: RecordedEntry) => {
      if (isGone(entry)) return undefined
      const kept = text === undefined ? entry : withoutText(entry, text)
      return left.firstClicks.has(entry.n) ? { ...(kept as EventEntry), isFirst: true as const } : kept
    }
    await this.#stored.rewrite(erased, {
      blocks: blocks.all({ reverse: true }),
      changed(rollUp, entry, after) {
        if (!isEvent(entry)) {
          if (after) return
          rollUp.addCall(entry, -1)
          const { user: hash, kind } = entry
          // If nothing is left of an hour or day, its counts are dropped anyway.
          if (hash !== undefined && before !== undefined && rollUps.nameFor(entry.at) === left.begun)
            rollUp.eraseUser(
              hash,
              one => !left.users.has(userOf(hash, one)) && nameOfKind(one) === nameOfKind(kind),
            )
        } else if (!after || left.firstClicks.has(entry.n)) {
          rollUp.addEvent(entry, -1)
          if (after) rollUp.addEvent(after as EventEntry)
        }
      },
    })
  }

  /** What has to be known of all entries before any is erased. */
  async #whatIsLeft({ user, before }: Erased) {
    const { blocks, rollUps } = this.#stored
    /** Calls of the user. */
    const goneCalls = new Set<number>()
    /** Calls whose first click goes, and the clicks that are then the first. */
    const clickedCalls = new Set<number>()
    const firstClicks = new Set<number>()
    /** The hour or day that goes on, and its other users by kind of call. */
    const begun = before === undefined ? undefined : rollUps.nameFor(before)
    const users = new Set<string>()
    const look = (entry: RecordedEntry): void => {
      if (!isEvent(entry)) {
        if (user !== undefined && entry.user === user) goneCalls.add(entry.n)
        const isLeft = before !== undefined && entry.at >= before && entry.user !== user
        if (isLeft && entry.user !== undefined && rollUps.nameFor(entry.at) === begun)
          users.add(userOf(entry.user, entry.kind))
      } else if (user !== undefined && entry.type === 'click') {
        if (entry.user === user) {
          if (entry.isFirst) clickedCalls.add(entry.of)
        } else if (clickedCalls.delete(entry.of)) firstClicks.add(entry.n)
      }
    }
    if (user !== undefined || before !== undefined)
      for await (const { entries } of blocks.all()) for (const entry of entries) look(entry)
    return { goneCalls, firstClicks, begun, users }
  }

  /** @param forgotten names of texts that too few others have typed */
  async #eraseCounted(
    { text, user, before = Number.NEGATIVE_INFINITY }: Erased,
    forgotten: ForgottenNames,
  ): Promise<void> {
    const { rollUps } = this.#stored
    await this.#stored.dropRollUps(rollUps.names.filter(name => rollUps.endOf(name) <= before))
    const stretch = new Stretch()
    for (const name of rollUps.names) {
      if (stretch.isOver) await stretch.pause()
      await this.#stored.open([name])
      const rollUp = rollUps.get(name)
      if (user !== undefined) rollUp.eraseUser(user)
      if (text !== undefined) eraseText(rollUp, text)
      eraseNames(rollUp, forgotten)
      rollUp.eraseEmpty()
      if (rollUp.changed.size > 0) this.#stored.unsaved++
    }
  }
}

const userOf = (hash: number, kind: CallKind): string => `${hash} ${nameOfKind(kind)}`
