import { byDocument, type Found, type HistoryEvent, type Violation } from './history.ts'

/** What a document holds: null where there is none. */
type State = Content | null

interface Content {
  readonly content: string
  readonly note: string | null
  /** Undefined where nobody was ever told it. */
  readonly seq: number | undefined
}

/** States that one search looks at. */
const MOST_STATES = 300_000

/**
 * Whether there is an order of the writes and latest reads of each document in which a single register would have answered
 * as they were answered, and in which nothing stands before what was answered before it began: the search of
 * J. M. Wing and C. Gong, "Testing and Verifying Concurrent Objects" (Journal of Parallel and Distributed Computing 17,
 * 1993), which remembers where it has been, as G. Lowe, "Testing for linearizability" (Concurrency and Computation:
 * Practice and Experience 29, 2017). Each document is searched for itself, since linearizability is local (M. Herlihy and
 * J. M. Wing, "Linearizability: A Correctness Condition for Concurrent Objects", TOPLAS 12, 1990).
 */
export function linearizabilityViolations(
  history: readonly HistoryEvent[],
  { states = MOST_STATES } = {},
): Violation[] {
  const violations: Violation[] = []
  for (const [document, events] of byDocument(history)) {
    const verdict = new Search(events).run(states)
    if (verdict === 'linearizable') continue
    const rule = verdict === 'undecided' ? 'undecided' : 'linearizable'
    const message =
      verdict === 'undecided'
        ? `more than ${states} states of ${events.length} events`
        : `no order explains ${verdict.stuck}, whatever came before it`
    violations.push({ rule, document, message })
  }
  return violations
}

/** A step of the path that the search is on: which event it took, and what else it could take. */
interface Step {
  readonly before: State
  readonly taken: number
  readonly others: number[]
}

class Search {
  /** By when they were invoked. */
  readonly #events: readonly HistoryEvent[]
  readonly #seqs: ReadonlyMap<string, number>
  readonly #isTaken: boolean[]
  #taken = 0n
  /** Answered events that are not taken yet. */
  #left: number
  /** All before it are taken. */
  #from = 0

  constructor(events: readonly HistoryEvent[]) {
    this.#events = events.filter(({ call }) => call.type !== 'read').sort((a, b) => a.invoked - b.invoked)
    this.#seqs = seqsOf(events)
    this.#isTaken = this.#events.map(() => false)
    this.#left = this.#events.filter(({ answered }) => answered !== Number.POSITIVE_INFINITY).length
  }

  run(most: number): 'linearizable' | 'undecided' | { stuck: string } {
    const seen = new Set<string>()
    const path: Step[] = []
    let state: State = null
    let others = this.#candidates()
    let deepest = { left: this.#left, stuck: '' }
    while (this.#left > 0) {
      const next = others.pop()
      if (next === undefined) {
        if (this.#left <= deepest.left) deepest = { left: this.#left, stuck: this.#firstToBeTaken() }
        const last = path.pop()
        if (!last) return { stuck: deepest.stuck }
        this.#giveBack(last.taken)
        state = last.before
        others = last.others
        continue
      }
      const after = this.#after(state, this.#events[next]!)
      if (after === undefined) continue
      this.#take(next)
      const key = `${this.#taken.toString(36)} ${after ? `${after.content} ${after.note}` : ''}`
      if (seen.has(key)) {
        this.#giveBack(next)
        continue
      }
      if (seen.size === most) return 'undecided'
      seen.add(key)
      path.push({ before: state, taken: next, others })
      state = after
      others = this.#candidates()
    }
    return 'linearizable'
  }

  /** Those that began before any other of those that are left was answered; what has no answer is tried last. */
  #candidates(): number[] {
    let until = Number.POSITIVE_INFINITY
    const answered: number[] = []
    const open: number[] = []
    for (let i = this.#from; i < this.#events.length; i++) {
      const event = this.#events[i]!
      if (event.invoked > until) break
      if (this.#isTaken[i]) continue
      until = Math.min(until, event.answered)
      if (event.answered === Number.POSITIVE_INFINITY) open.push(i)
      else answered.push(i)
    }
    // The last is tried first.
    return [...open, ...answered.reverse()]
  }

  #firstToBeTaken(): string {
    const left = this.#events.filter((_, i) => !this.#isTaken[i])
    const [first] = left.sort((a, b) => a.answered - b.answered)
    return first ? described(first) : ''
  }

  #take(i: number): void {
    this.#isTaken[i] = true
    this.#taken |= 1n << BigInt(i)
    if (this.#events[i]!.answered !== Number.POSITIVE_INFINITY) this.#left--
    while (this.#isTaken[this.#from]) this.#from++
  }

  #giveBack(i: number): void {
    this.#isTaken[i] = false
    this.#taken &= ~(1n << BigInt(i))
    if (this.#events[i]!.answered !== Number.POSITIVE_INFINITY) this.#left++
    this.#from = Math.min(this.#from, i)
  }

  /** The state after an event; undefined where it cannot have been answered so. */
  #after(state: State, { call, outcome }: HistoryEvent): State | undefined {
    if (outcome.type === 'found') return isSame(state, outcome.found) ? state : undefined
    if (call.type === 'read' || call.type === 'latest') return state
    const refusal = refusalOf(state, call)
    if (outcome.type === 'unknown') return refusal ? state : this.#written(state, call, undefined)
    if (outcome.type === 'refused') return refusal === outcome.code ? state : undefined
    if (refusal) return undefined
    // A deletion has a number if there was something to delete.
    if (call.type === 'delete' && (outcome.seq === null) !== (state === null)) return undefined
    return this.#written(state, call, outcome.seq ?? undefined)
  }

  #written(
    state: State,
    call: Exclude<HistoryEvent['call'], { type: 'read' | 'latest' }>,
    seq?: number,
  ): State {
    if (call.type === 'delete') return null
    const number = seq ?? this.#seqs.get(call.text)
    return call.type === 'update'
      ? { content: state!.content, note: call.text, seq: number }
      : { content: call.text, note: null, seq: number }
  }
}

/** The numbers that reads, also those of the past, have told of writes. */
function seqsOf(events: readonly HistoryEvent[]): Map<string, number> {
  const seqs = new Map<string, number>()
  for (const { outcome } of events) {
    if (outcome.type !== 'found' || !outcome.found) continue
    const { content, note, seq } = outcome.found
    seqs.set(note ?? content, seq)
  }
  return seqs
}

function refusalOf(state: State, call: HistoryEvent['call']): string | undefined {
  if (call.type === 'insert') return state ? 'DOCUMENT_EXISTS' : undefined
  if (call.type === 'update' && !state) return 'DOCUMENT_NOT_FOUND'
  if (call.type === 'read' || call.type === 'latest' || call.ifSeq === undefined) return undefined
  return call.ifSeq === (state ? state.seq : 0) ? undefined : 'SEQUENCE_MISMATCH'
}

const isSame = (state: State, found: Found | null): boolean =>
  state && found
    ? state.content === found.content && state.note === found.note && state.seq === found.seq
    : state === found

export const described = ({ call, outcome, node, invoked, answered }: HistoryEvent): string =>
  `${JSON.stringify(call)} of ${node} from ${invoked} to ${answered}: ${JSON.stringify(outcome)}`
