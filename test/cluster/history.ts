/** What clients asked of one document, and what they were told. Times are of one clock; all that counts is their order. */
export interface HistoryEvent {
  readonly document: string
  readonly call: Call
  readonly invoked: number
  /** Infinity where no answer came: it may take effect at any time, or never. */
  readonly answered: number
  readonly outcome: Outcome
  /** The store that was asked: one that was set aside and joined anew is another. */
  readonly node: string
}

/** Of documents that have one content, which `insert` and `upsert` write, and one note, which `update` writes. No two writes of one text. */
export type Call =
  | { readonly type: 'insert'; readonly text: string }
  | { readonly type: 'upsert'; readonly text: string; readonly ifSeq?: number | undefined }
  | { readonly type: 'update'; readonly text: string; readonly ifSeq?: number | undefined }
  | { readonly type: 'delete'; readonly ifSeq?: number | undefined }
  | { readonly type: 'latest' }
  /** A read of the past, but not from before a position. */
  | { readonly type: 'read'; readonly position: number }

export type Outcome =
  /** @property seq of the change; null where there was nothing to delete */
  | { readonly type: 'ok'; readonly position: number; readonly seq: number | null }
  | { readonly type: 'refused'; readonly code: string }
  | { readonly type: 'found'; readonly found: Found | null }
  | { readonly type: 'unknown' }

export interface Found {
  readonly content: string
  readonly note: string | null
  readonly seq: number
}

export interface Violation {
  readonly rule: Rule
  readonly document: string
  readonly message: string
}

/**
 * `linearizable`: writes and latest reads. `numbers`: what was answered before has the smaller number and position.
 * `position`: reads from a position on. `node`: reads of one node. `undecided`: the search took too long.
 */
export type Rule = 'linearizable' | 'numbers' | 'position' | 'node' | 'undecided'

export function byDocument(history: readonly HistoryEvent[]): Map<string, HistoryEvent[]> {
  const groups = new Map<string, HistoryEvent[]>()
  for (const event of history) {
    const group = groups.get(event.document)
    if (group) group.push(event)
    else groups.set(event.document, [event])
  }
  return groups
}

export const isRead = ({ call }: HistoryEvent): boolean => call.type === 'read' || call.type === 'latest'
