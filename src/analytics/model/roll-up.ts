import { DistinctCount, type StoredCount } from '../../counting/distinct-count.ts'
import type { CallEntry, CallKind, EventEntry, Held } from './entries.ts'
import { FrequentRows, type Tallies } from './frequent-rows.ts'
import { Latencies } from './latencies.ts'

/** The numbers of a tally of calls; those of a text have two more. */
export const CALLS = 0
export const WITHOUT_HITS = 1
export const CORRECTED = 2
export const RELAXED = 3
export const CLICKED = 4
export const CLICKS = 5
export const VIEWS = 6
export const CONVERSIONS = 7
export const VALUE = 8
export const PLACES = 9
export const PLACED = 10
export const RECIPROCALS = 11
export const WITH_FEW = 12
export const TOTALS = 13
const CALL_WIDTH = 12
export const TEXT_WIDTH = 14

/** The numbers of a tally of a document. */
export const SHOWN = 0
export const HIT_CLICKS = 1
export const HIT_VIEWS = 2
export const HIT_CONVERSIONS = 3
export const HIT_VALUE = 4
export const HIT_PLACES = 5
export const HIT_PLACED = 6

/** Totals up to this one count as few. */
const FEW = 3
/** Positions of an answer that count as shown. */
const SHOWN_PLACES = 5

/** How many numbers there are of each. `next`: text after text; `choices`: documents clicked for a text. */
const widths = { texts: TEXT_WIDTH, next: 2, filters: 1, hits: 7, dropped: 1, choices: 2 } as const
export type TableName = keyof typeof widths
export const tableNames = Object.keys(widths) as readonly TableName[]
/** A part of a roll-up that is stored under a key of its own. */
export type Section = 'calls' | TableName
export const sections: readonly Section[] = ['calls', ...tableNames]

/** Maximum number of kinds of calls that are distinguished within an hour or day. */
export const MOST_KINDS = 64
/** Number of rows of a table that are guaranteed to be kept; up to twice as many are exact. */
const MOST_ROWS = 4096
/** Users that are counted exactly. */
const EXACT_USERS = 1024

/** Separates the parts of the name of a row; no text contains it. */
export const SEPARATOR = '\0'

export interface CountedCalls {
  readonly kind: CallKind
  readonly tally: Tallies
  readonly users: DistinctCount
  readonly latencies: Latencies
}

interface StoredCalls {
  readonly isCrowded: boolean
  readonly kinds: readonly {
    readonly kind: CallKind
    readonly tally: Tallies
    readonly users: StoredCount
    readonly latencies: readonly (readonly [number, number])[]
  }[]
}

const VERSION = 1

export const nameOfKind = ({ call, service, tags }: CallKind): string => JSON.stringify([call, service, tags])

/**
 * The counts of an hour or a day. Roll-ups can be added, including those of other processes: the sum is the same as if one had
 * counted everything.
 */
export class RollUp {
  readonly #kinds = new Map<string, number>()
  readonly #calls: CountedCalls[] = []
  readonly #tables: Readonly<Record<TableName, FrequentRows>>
  /** What differs from what is stored. */
  readonly changed = new Set<Section>()
  #isCrowded = false
  #lastKind: CallKind | undefined
  #lastCell = 0

  /** @param most number of rows of each table that are guaranteed to be kept */
  constructor(most = MOST_ROWS) {
    const tables = tableNames.map(name => [name, new FrequentRows(widths[name], most)])
    this.#tables = Object.fromEntries(tables) as Record<TableName, FrequentRows>
  }

  /** Reads what `stored` returned, for the given sections. */
  static of(stored: Partial<Record<Section, string>>): RollUp {
    const rollUp = new RollUp()
    for (const section of sections) {
      const text = stored[section]
      if (text !== undefined) rollUp.#take(section, text)
    }
    return rollUp
  }

  /** Whether more kinds of calls came than are distinguished. */
  get isCrowded(): boolean {
    return this.#isCrowded
  }

  get calls(): readonly CountedCalls[] {
    return this.#calls
  }

  table(name: TableName): FrequentRows {
    return this.#tables[name]
  }

  /** @param sign -1 subtracts it, except for the user, whom other calls may share */
  addCall(entry: CallEntry, sign: 1 | -1 = 1): void {
    const { kind, took, user, text, asked, dropped, shown, first = 1, previous } = entry
    const cell = this.#cellOf(kind)
    const calls = this.#calls[cell]!
    countCall(calls.tally, entry, sign)
    calls.latencies.add(took, sign)
    if (sign === 1 && user !== undefined) calls.users.addHash(user)
    this.changed.add('calls')
    if (text !== undefined) {
      countTextCall(this.#row('texts', cell, text, sign), entry, sign)
      if (previous !== undefined) this.#row('next', cell, previous + SEPARATOR + text, sign)[0]! += sign
    }
    for (const [way, field, value] of asked ?? [])
      this.#row(
        'filters',
        cell,
        [way, field, ...(value === null ? [] : [value])].join(SEPARATOR),
        sign,
      )[0]! += sign
    for (const word of dropped ?? []) this.#row('dropped', cell, word, sign)[0]! += sign
    for (let i = 0; i < shown.length && first + i <= SHOWN_PLACES; i++)
      this.#row('hits', cell, shown[i]!, sign)[SHOWN]! += sign
  }

  addEvent(entry: EventEntry, sign: 1 | -1 = 1): void {
    const { kind, type, id, place, text, previous, isFirst, value = 0 } = entry
    const cell = this.#cellOf(kind)
    countEvent(this.#calls[cell]!.tally, entry, sign)
    this.changed.add('calls')
    const hit = this.#row('hits', cell, id, sign)
    if (type === 'view') hit[HIT_VIEWS]! += sign
    else if (type === 'conversion') {
      hit[HIT_CONVERSIONS]! += sign
      hit[HIT_VALUE]! += value * sign
    } else {
      hit[HIT_CLICKS]! += sign
      if (place !== undefined) {
        hit[HIT_PLACES]! += place * sign
        hit[HIT_PLACED]! += sign
      }
    }
    if (text === undefined) return
    countEvent(this.#row('texts', cell, text, 0), entry, sign)
    if (type !== 'click') return
    if (place !== undefined) {
      const choice = this.#row('choices', cell, text + SEPARATOR + id, sign)
      choice[0]! += sign
      choice[1]! += place * sign
    }
    if (isFirst && previous !== undefined) this.#row('next', cell, previous + SEPARATOR + text, 0)[1]! += sign
  }

  /** Adds the counts of a text from before it could be stored. */
  addHeld(text: string, { kind, tally }: Held): void {
    const row = this.#row('texts', this.#cellOf(kind), text, tally[CALLS] ?? 0)
    for (let i = 0; i < TEXT_WIDTH; i++) row[i]! += tally[i] ?? 0
  }

  /** Adds another roll-up. */
  merge(other: RollUp): void {
    const places = other.#calls.map(({ kind, ...calls }) => {
      const cell = this.#cellOf(kind)
      addCalls(this.#calls[cell]!, calls)
      return cell
    })
    for (const section of sections) this.changed.add(section)
    for (const name of tableNames) this.#tables[name].merge(other.#tables[name], group => places[group])
    if (other.#isCrowded) this.#isCrowded = true
  }

  /** Adds the selected calls of another roll-up, as if they were of one kind. @param wanted the tables to add */
  mergeAlike(other: RollUp, isMeant: (kind: CallKind) => boolean, wanted: readonly Section[] = []): void {
    const meant = other.#calls.map(({ kind }) => isMeant(kind))
    const cell = this.#cellOf({ call: 'search' })
    for (const [i, calls] of other.#calls.entries()) if (meant[i]) addCalls(this.#calls[cell]!, calls)
    for (const name of wanted) {
      if (name !== 'calls')
        this.#tables[name].merge(other.#tables[name], group => (meant[group] ? cell : undefined))
    }
    if (other.#isCrowded) this.#isCrowded = true
  }

  /** The rows of a table, for all kinds of calls. */
  *rows(name: TableName): Generator<[label: string, tally: Readonly<Tallies>]> {
    for (const [, label, tally] of this.#tables[name]) yield [label, tally]
  }

  /** Removes rows. @param isGone by the label of the row */
  eraseRows(name: TableName, isGone: (label: string, kind: CallKind) => boolean): void {
    for (const [cell, label] of [...this.#tables[name]]) {
      if (isGone(label, this.#calls[cell]!.kind) && this.#tables[name].delete(cell, label))
        this.changed.add(name)
    }
  }

  /** Removes empty rows after a subtraction. */
  eraseEmpty(): void {
    for (const name of tableNames) {
      for (const [cell, label, tally] of [...this.#tables[name]]) {
        const isLeft = name === 'hits' ? tally.some(number => number > 0) : tally[0]! > 0
        if (!isLeft && this.#tables[name].delete(cell, label)) this.changed.add(name)
      }
    }
  }

  eraseUser(hash: number, isMeant: (kind: CallKind) => boolean = () => true): void {
    for (const { kind, users } of this.#calls)
      if (isMeant(kind) && users.removeHash(hash)) this.changed.add('calls')
  }

  stored(section: Section): string {
    if (section !== 'calls') return JSON.stringify({ version: VERSION, ...this.#tables[section].stored })
    const kinds = this.#calls.map(({ kind, tally, users, latencies }) => {
      return { kind, tally, users: users.stored, latencies: latencies.stored }
    })
    return JSON.stringify({ version: VERSION, isCrowded: this.#isCrowded, kinds })
  }

  #take(section: Section, text: string): void {
    // As `stored` has written it: the store has checked its seal.
    const stored = JSON.parse(text) as { version: number } & StoredCalls & FrequentRows['stored']
    // Counts of a later version are not mixed with those of this one.
    if (stored.version !== VERSION) return
    if (section !== 'calls') {
      this.#tables[section].take(stored)
      return
    }
    const { isCrowded, kinds } = stored
    this.#isCrowded = isCrowded
    for (const { kind, tally, users, latencies } of kinds) {
      this.#kinds.set(nameOfKind(kind), this.#calls.length)
      const counted = DistinctCount.of(EXACT_USERS, users)
      this.#calls.push({ kind, tally: [...tally], users: counted, latencies: Latencies.of(latencies) })
    }
  }

  #cellOf(kind: CallKind): number {
    // Calls of one kind usually share the same kind object.
    if (kind === this.#lastKind) return this.#lastCell
    const name = nameOfKind(kind)
    const known = this.#kinds.get(name)
    if (known !== undefined) {
      this.#lastKind = kind
      this.#lastCell = known
      return known
    }
    if (this.#kinds.size >= MOST_KINDS && kind.tags !== undefined) {
      this.#isCrowded = true
      return this.#cellOf({ call: kind.call, service: kind.service })
    }
    if (this.#kinds.size >= 2 * MOST_KINDS && kind.service !== undefined) {
      this.#isCrowded = true
      return this.#cellOf({ call: kind.call })
    }
    const cell = this.#calls.length
    this.#kinds.set(name, cell)
    const tally = new Array<number>(CALL_WIDTH).fill(0)
    this.#calls.push({ kind, tally, users: new DistinctCount(EXACT_USERS), latencies: new Latencies() })
    return cell
  }

  #row(table: TableName, cell: number, label: string, times: number): Tallies {
    this.changed.add(table)
    return this.#tables[table].of(cell, label, times)
  }
}

type CountedCall = Pick<CallEntry, 'total' | 'corrected' | 'relaxed'>

function countCall(tally: Tallies, { total, corrected, relaxed }: CountedCall, sign: 1 | -1): void {
  tally[CALLS]! += sign
  if (total === 0) tally[WITHOUT_HITS]! += sign
  if (corrected) tally[CORRECTED]! += sign
  if (relaxed) tally[RELAXED]! += sign
}

/** Counts a call for a text. @param sign -1 subtracts it */
export function countTextCall(tally: Tallies, call: CountedCall, sign: 1 | -1 = 1): void {
  countCall(tally, call, sign)
  if (call.total > 0 && call.total <= FEW) tally[WITH_FEW]! += sign
  tally[TOTALS]! += call.total * sign
}

/** @param sign -1 subtracts it */
export function countEvent(
  tally: Tallies,
  { type, place, value = 0, isFirst }: Pick<EventEntry, 'type' | 'place' | 'value' | 'isFirst'>,
  sign: 1 | -1 = 1,
): void {
  if (type === 'view') tally[VIEWS]! += sign
  else if (type === 'conversion') {
    tally[CONVERSIONS]! += sign
    tally[VALUE]! += value * sign
  } else {
    tally[CLICKS]! += sign
    if (isFirst) tally[CLICKED]! += sign
    if (place === undefined) return
    tally[PLACES]! += place * sign
    tally[PLACED]! += sign
    if (isFirst) tally[RECIPROCALS]! += sign / place
  }
}

function addCalls(to: CountedCalls, { tally, users, latencies }: Omit<CountedCalls, 'kind'>): void {
  for (let i = 0; i < CALL_WIDTH; i++) to.tally[i]! += tally[i] ?? 0
  to.users.merge(users)
  to.latencies.merge(latencies)
}
