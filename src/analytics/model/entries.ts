import type { AnalyzedCall, EventType } from './figures.ts'
import type { Tallies } from './frequent-rows.ts'

/** The kind of a call: its type, service and tags. Calls of one kind are counted together. */
export interface CallKind {
  readonly call: AnalyzedCall
  readonly service?: string | undefined
  /** Sorted, without duplicates. */
  readonly tags?: readonly string[] | undefined
}

/** How a call asked for documents: the kind of condition, its field and its value. */
export type Asked = readonly [kind: 'filter' | 'facet' | 'tag' | 'sort', field: string, value: string | null]

/** What was counted of a text before it could be stored. */
export interface Held {
  /** When the hour begins. */
  readonly hour: number
  readonly kind: CallKind
  readonly tally: Tallies
}

/** A call that was answered, as it is stored. */
export interface CallEntry {
  readonly n: number
  readonly kind: CallKind
  readonly at: number
  readonly took: number
  /** What makes its `queryId` hard to guess. */
  readonly token: string
  /** Hash of the user. */
  readonly user?: number | undefined
  readonly key?: string | undefined
  /** Folded; absent for calls without a text, and if the text may not be stored. */
  readonly text?: string | undefined
  /** Number of matching documents; for completions and the like, of those shown. */
  readonly total: number
  readonly corrected?: true | undefined
  readonly relaxed?: true | undefined
  readonly dropped?: readonly string[] | undefined
  readonly asked?: readonly Asked[] | undefined
  /** Ids in order, and the position of the first. */
  readonly shown: readonly string[]
  readonly first?: number | undefined
  /** Whether more was shown than is known. */
  readonly isCut?: true | undefined
  /** The text that the same user had asked for shortly before. */
  readonly previous?: string | undefined
  /** Whether a hit of that text was clicked. */
  readonly wasClicked?: true | undefined
  /** What was counted of the text before: it may be stored from now on. */
  readonly held?: readonly Held[] | undefined
}

/** What was done with an answer, as it is stored, with everything about the call that is needed to count it. */
export interface EventEntry {
  readonly n: number
  /** Number of the call. */
  readonly of: number
  readonly kind: CallKind
  /** Time of the call. */
  readonly at: number
  /** Time of the event. */
  readonly done: number
  readonly type: EventType
  readonly id: string
  readonly place?: number | undefined
  readonly value?: number | undefined
  readonly user?: number | undefined
  readonly text?: string | undefined
  /** The text that the same user had asked for shortly before without clicking anything. */
  readonly previous?: string | undefined
  /** Whether it is the first click of its call. */
  readonly isFirst?: true | undefined
}

/** An event, so that it counts only once, and the number of its entry. */
export type DoneEvent = readonly [type: EventType, id: string, n: number]

export type RecordedEntry = CallEntry | EventEntry

export const isEvent = (entry: RecordedEntry): entry is EventEntry => 'of' in entry

const VERSION = 1

/** A block of entries: the JSON list of their texts. */
export const blockText = (texts: readonly string[]): string =>
  `{"version":${VERSION},"entries":[${texts.join(',')}]}`

/** The entries of a block; undefined if another version wrote it. */
export function entriesOf(text: string): RecordedEntry[] | undefined {
  const { version, entries } = JSON.parse(text) as { version: number; entries: RecordedEntry[] }
  return version === VERSION ? entries : undefined
}
