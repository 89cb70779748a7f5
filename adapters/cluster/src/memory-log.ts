import { randomUUID } from 'node:crypto'
import { FindlingError } from 'findling'
import { defaultLimit, type Entry, type Head, type Log } from './log.ts'

interface MemoryLogOptions {
  /** Milliseconds since 1970. Default Date.now. */
  clock?: () => number
  /** Id of this history. Default: random. */
  id?: string
}

/** What all connections to a log share. */
class History {
  entries: Entry[] = []
  /** Position of the first of these. */
  first = 1
  readonly positions = new Map<string, number>()
  readonly waiting = new Set<() => void>()

  constructor(
    public id: string,
    readonly clock: () => number,
  ) {}

  get last(): number {
    return this.first + this.entries.length - 1
  }
}

/** A log in the memory of one process, for testing nodes: it behaves like other logs, but is lost when the process ends. */
export class MemoryLog implements Log {
  readonly connections = 0
  readonly #history: History
  #id: string
  readonly #end = new AbortController()

  /** @param from options for a new log, or an existing log to open again */
  constructor(from: MemoryLogOptions | MemoryLog = {}) {
    this.#history =
      from instanceof MemoryLog ? from.#history : new History(from.id ?? randomUUID(), from.clock ?? Date.now)
    this.#id = this.#history.id
  }

  get id(): string {
    return this.#id
  }

  async append(batch: string, data: Uint8Array): Promise<number> {
    this.#assertSame()
    const { positions, entries, last, clock, waiting } = this.#history
    const known = positions.get(batch)
    if (known !== undefined) return known
    const position = last + 1
    const at = Math.max(entries.at(-1)?.at ?? 0, clock())
    entries.push({ position, batch, at, data: Uint8Array.from(data) })
    positions.set(batch, position)
    for (const wake of [...waiting]) wake()
    return position
  }

  async read(after: number, limit = defaultLimit): Promise<Entry[]> {
    this.#assertSame()
    const { entries, first, last } = this.#history
    if (after + 1 < first) throw cut(after + 1, first)
    if (after > last) throw endLost(after, last)
    const from = after + 1 - first
    const read: Entry[] = []
    let bytes = 0
    for (const entry of entries.slice(from, from + limit.entries)) {
      bytes += entry.data.byteLength
      if (read.length > 0 && bytes > limit.bytes) break
      read.push(entry)
    }
    return read
  }

  async wait(after: number, signal?: AbortSignal): Promise<void> {
    const ends = AbortSignal.any([this.#end.signal, ...(signal ? [signal] : [])])
    const { last, waiting } = this.#history
    if (ends.aborted || after < last) return
    await new Promise<void>(resolve => {
      const wake = () => {
        waiting.delete(wake)
        ends.removeEventListener('abort', wake)
        resolve()
      }
      waiting.add(wake)
      ends.addEventListener('abort', wake)
    })
  }

  async holds(position: number, batch: string): Promise<boolean> {
    this.#assertSame()
    const { entries, first } = this.#history
    return position < first || entries[position - first]?.batch === batch
  }

  async head(): Promise<Head> {
    this.#assertSame()
    const { last, first } = this.#history
    return { position: last, first }
  }

  async cut(before: number): Promise<void> {
    this.#assertOpen()
    if (this.#history.id !== this.#id) return
    const { entries, first } = this.#history
    const gone = Math.min(Math.max(before - first, 0), entries.length)
    this.#history.entries = entries.slice(gone)
    this.#history.first += gone
  }

  async begin(id: string, position: number, head: number): Promise<void> {
    this.#assertOpen()
    assertPassed(position, head)
    const history = this.#history
    if (history.id !== id) {
      this.#assertSame()
      if (head !== history.last) throw movedOn(head, history.last)
      Object.assign(history, { id, entries: [], first: position + 1 })
      history.positions.clear()
      for (const wake of [...history.waiting]) wake()
    }
    this.#id = id
  }

  /** Loses the entries after a position, as failover to a standby that lacks them does. */
  lose(after: number): void {
    const { entries, first, positions } = this.#history
    for (const { batch } of entries.splice(after + 1 - first)) positions.delete(batch)
  }

  async close(): Promise<void> {
    this.#end.abort()
  }

  #assertOpen(): void {
    if (this.#end.signal.aborted) throw new FindlingError('CLOSED', 'The log is closed.')
  }

  #assertSame(): void {
    this.#assertOpen()
    if (this.#history.id !== this.#id) throw anotherHistory()
  }
}

export const endLost = (wanted: number, last: number): FindlingError =>
  new FindlingError(
    'LOG_DIVERGED',
    `The log ends with entry ${last}, but ${wanted} had already been read. Set the store aside and join again.`,
    { field: 'position', received: String(wanted), expected: `at most ${last}` },
  )

export const anotherHistory = (): FindlingError =>
  new FindlingError('LOG_DIVERGED', 'The log is not the one that was opened: its id has changed.')

/** INVALID_ARGUMENT for a position at which no history can begin. */
export function assertPassed(position: number, head: number): void {
  if (position >= head) return
  throw new FindlingError(
    'INVALID_ARGUMENT',
    `The log is already at entry ${head}; another history cannot begin after ${position}.`,
    { field: 'position', received: String(position), expected: `at least ${head}` },
  )
}

export const movedOn = (head: number, last: number): FindlingError =>
  new FindlingError(
    'LOG_IN_USE',
    `The log has moved from entry ${head} to ${last}, so it is being written to. Close all nodes, and check again what would be lost.`,
    { field: 'head', received: String(head), expected: String(last) },
  )

export const cut = (wanted: number, first: number): FindlingError =>
  new FindlingError(
    'LOG_CUT',
    `The log no longer has entry ${wanted}: it begins with ${first}. Restore a newer snapshot.`,
    { field: 'position', received: String(wanted), expected: `at least ${first}` },
  )
