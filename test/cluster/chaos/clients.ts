import { setTimeout as pause } from 'node:timers/promises'
import { pick } from '../../../bench/random.ts'
import type { Call, Found, HistoryEvent, Outcome } from '../history.ts'

/** Calls to one document, after which another takes its place: short histories can be searched. */
const CALLS_OF_ONE = 80
/** The same for calls that were not answered: each may have its effect at any time. */
const UNKNOWN_OF_ONE = 6
const refusals: ReadonlySet<string> = new Set(['DOCUMENT_EXISTS', 'DOCUMENT_NOT_FOUND', 'SEQUENCE_MISMATCH'])
/** What a node answers that cannot do it now: nothing is known of a write then, and a read has not happened. */
const troubles: ReadonlySet<string> = new Set([
  ...['GONE', 'LOG_AWAY', 'BEHIND', 'CLOSED', 'LOG_DIVERGED', 'STORE_FAILED'],
])

/** Who can be asked. */
export interface Asked {
  /** Of the store that it has: another one after it was set aside. */
  readonly store: string
  readonly process: { ask<Answer>(call: 'read' | 'write', args: object): Promise<Answer> }
}

/** Clients that write and read at random, and what they were told. */
export class Clients {
  readonly history: HistoryEvent[] = []
  /** By code, how often a call was refused or not answered. */
  readonly codes = new Map<string, number>()
  readonly #next: () => number
  readonly #nodes: () => readonly Asked[]
  readonly #documents: { id: string; calls: number; unknown: number; seqs: number[] }[] = []
  #clock = 0
  #texts = 0
  #made = 0
  #position = 0
  #isOver = false

  constructor(next: () => number, nodes: () => readonly Asked[], documents: number) {
    this.#next = next
    this.#nodes = nodes
    for (let i = 0; i < documents; i++) this.#documents.push(this.#document())
  }

  /** Newest position that a write was acknowledged with. */
  get position(): number {
    return this.#position
  }

  /** Positions behind the end of the log are known no more: a read that asks for one waits as long as a node has patience. */
  forget(end: number): void {
    this.#position = Math.min(this.#position, end)
  }

  get ids(): string[] {
    return [...new Set(this.history.map(({ document }) => document))]
  }

  /** @returns ends the clients, and resolves when they have ended */
  run(count: number): () => Promise<void> {
    this.#isOver = false
    const running = Array.from({ length: count }, () => this.#client())
    return async () => {
      this.#isOver = true
      await Promise.all(running)
    }
  }

  async #client(): Promise<void> {
    while (!this.#isOver) {
      const nodes = this.#nodes()
      if (nodes.length === 0) {
        await pause(10)
        continue
      }
      const place = Math.floor(this.#next() * this.#documents.length)
      const document = this.#documents[place]!
      if (++document.calls >= CALLS_OF_ONE || document.unknown >= UNKNOWN_OF_ONE)
        this.#documents[place] = this.#document()
      const event = await this.call(pick(this.#next, nodes), document.id, this.#call(document.seqs))
      const { outcome } = event ?? {}
      if (outcome?.type === 'ok' && outcome.seq !== null) document.seqs.push(outcome.seq)
      if (outcome?.type === 'found' && outcome.found) document.seqs.push(outcome.found.seq)
      if (outcome?.type === 'unknown') document.unknown++
      // Who could not be answered tries again a little later.
      if (!outcome || outcome.type === 'unknown') await pause(5)
    }
  }

  #document() {
    return { id: `d${this.#made++}`, calls: 0, unknown: 0, seqs: [0] }
  }

  #call(seqs: readonly number[]): Call {
    const kind = Math.floor(this.#next() * 10)
    const text = `t${this.#texts++}`
    const ifSeq = this.#next() < 0.25 ? pick(this.#next, seqs.slice(-2)) : undefined
    if (kind < 2) return { type: 'insert', text }
    if (kind < 4) return { type: 'upsert', text, ifSeq }
    if (kind < 6) return { type: 'update', text, ifSeq }
    if (kind < 7) return { type: 'delete', ifSeq }
    if (kind < 8) return { type: 'latest' }
    return { type: 'read', position: this.#next() < 0.5 ? this.#position : 0 }
  }

  /** Asks, and notes what is answered; undefined where a read was not. */
  async call({ store, process }: Asked, document: string, call: Call): Promise<HistoryEvent | undefined> {
    const invoked = this.#clock++
    const note = (outcome: Outcome, answered = this.#clock++) => {
      const event = { document, call, invoked, answered, outcome, node: store }
      this.history.push(event)
      return event
    }
    const isRead = call.type === 'latest' || call.type === 'read'
    try {
      if (isRead) {
        const position = call.type === 'read' ? call.position : undefined
        const found = await process.ask<{ content: string; note?: string; seq: number } | null>('read', {
          id: document,
          position,
        })
        return note({ type: 'found', found: found && foundOf(found) })
      }
      const answer = await process.ask<
        { refused: string } | { refused?: undefined; position: number; seq: number | null }
      >('write', { operation: operationOf(document, call) })
      if (answer.refused !== undefined) {
        if (!refusals.has(answer.refused)) throw new Error(`refused with ${answer.refused}`)
        this.#count(answer.refused)
        return note({ type: 'refused', code: answer.refused })
      }
      this.#position = Math.max(this.#position, answer.position)
      return note({ type: 'ok', position: answer.position, seq: answer.seq })
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (!troubles.has(code)) throw error
      this.#count(code)
      return isRead ? undefined : note({ type: 'unknown' }, Number.POSITIVE_INFINITY)
    }
  }

  #count(code: string): void {
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1)
  }
}

const foundOf = ({ content, note, seq }: { content: string; note?: string; seq: number }): Found => ({
  // Behind the text are words to search for.
  content: content.split(' ')[0]!,
  note: note ?? null,
  seq,
})

const words = ['desk', 'lamp', 'green', 'garden', 'hose', 'steel', 'rake', 'mouse']
export const questions = [...words, 'green lamp', 'steel garden']

function operationOf(id: string, call: Exclude<Call, { type: 'latest' | 'read' }>): object {
  const condition = 'ifSeq' in call && call.ifSeq !== undefined ? { ifSeq: call.ifSeq } : {}
  const given = { type: call.type, dataset: 'documents', ...condition }
  if (call.type === 'delete') return { ...given, id }
  if (call.type === 'update') return { ...given, id, patch: { note: call.text } }
  const number = Number(call.text.slice(1))
  const content = `${call.text} ${words[number % 8]} ${words[(number * 5 + 3) % 8]}`
  return { ...given, document: { id, content } }
}
