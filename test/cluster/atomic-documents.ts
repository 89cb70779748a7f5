import { random } from '../../bench/random.ts'
import type { Call, Found, HistoryEvent, Outcome } from './history.ts'

/** How far the numbers of two positions are apart. */
const APART = 100

interface Running {
  readonly document: string
  readonly call: Call
  readonly invoked: number
  readonly node: string
  outcome: Outcome | undefined
  /** The client hears nothing of it. */
  readonly isLost: boolean
}

/**
 * A history of clients of one atomic map with a log, and of nodes that follow it: every call takes effect at one moment between
 * its two ends, or at any time or never where no answer comes.
 */
export function madeHistory(seed: number, { clients = 5, turns = 120, documents = 2 } = {}): HistoryEvent[] {
  const next = random(seed)
  const below = (n: number) => Math.floor(next() * n)
  /** By position, the documents as they were then. */
  const states: ReadonlyMap<string, Found>[] = [new Map()]
  const reached = [0, 0, 0]
  const history: HistoryEvent[] = []
  const running: (Running | undefined)[] = Array.from({ length: clients }, () => undefined)
  const late: Running[] = []
  const known: number[] = [0]
  const positions: number[] = [0]
  let now = 0
  let texts = 0

  const begin = (): Running => {
    const kind = below(12)
    const text = `t${texts++}`
    const ifSeq = next() < 0.3 ? known[Math.max(0, known.length - 1 - below(3))] : undefined
    const call: Call =
      kind < 2
        ? { type: 'insert', text }
        : kind < 4
          ? { type: 'upsert', text, ifSeq }
          : kind < 6
            ? { type: 'update', text, ifSeq }
            : kind < 7
              ? { type: 'delete', ifSeq }
              : kind < 9
                ? { type: 'latest' }
                : { type: 'read', position: positions[below(positions.length)]! }
    const isWrite = 'text' in call || call.type === 'delete'
    return {
      document: `d${below(documents)}`,
      call,
      invoked: now++,
      node: String(below(reached.length)),
      outcome: undefined,
      isLost: isWrite && next() < 0.12,
    }
  }

  const takeEffect = (one: Running): void => {
    const { call, document, node } = one
    const state = states.at(-1)!
    if (call.type === 'latest') one.outcome = { type: 'found', found: state.get(document) ?? null }
    else if (call.type === 'read') {
      const at = Math.max(call.position, reached[Number(node)]!)
      reached[Number(node)] = at + below(states.length - at)
      one.outcome = { type: 'found', found: states[reached[Number(node)]!]!.get(document) ?? null }
    } else {
      const before = state.get(document)
      const after = new Map(state)
      const position = states.length
      const seq = APART * position + 1
      const code = refusal(before, call)
      if (code) one.outcome = { type: 'refused', code }
      else if (call.type === 'delete') {
        after.delete(document)
        one.outcome = { type: 'ok', position, seq: before ? seq : null }
      } else {
        const found =
          call.type === 'update'
            ? { content: before!.content, note: call.text, seq }
            : { content: call.text, note: null, seq }
        after.set(document, found)
        one.outcome = { type: 'ok', position, seq }
      }
      states.push(after)
    }
    if (call.type === 'latest' || !one.isLost) reached[Number(node)] = states.length - 1
  }

  const end = ({ document, call, invoked, node, outcome }: Running): void => {
    history.push({ document, call, invoked, node, answered: now++, outcome: outcome! })
    if (outcome!.type === 'ok') positions.push(outcome!.position)
    if (outcome!.type === 'found' && outcome!.found) known.push(outcome!.found.seq)
  }

  const giveUp = (one: Running): void => {
    const { document, call, invoked, node } = one
    history.push({
      document,
      call,
      invoked,
      node,
      answered: Number.POSITIVE_INFINITY,
      outcome: { type: 'unknown' },
    })
    if (!one.outcome && next() < 0.6) late.push(one)
  }

  for (let turn = 0; turn < turns; turn++) {
    if (late.length > 0 && next() < 0.1) takeEffect(late.splice(below(late.length), 1)[0]!)
    const client = below(clients)
    const one = running[client]
    if (!one) running[client] = begin()
    else if (one.isLost && next() < 0.5) {
      giveUp(one)
      running[client] = undefined
    } else if (!one.outcome) takeEffect(one)
    else if (!one.isLost) {
      end(one)
      running[client] = undefined
    }
  }
  for (const one of running) {
    if (!one) continue
    if (!one.outcome && !one.isLost) takeEffect(one)
    if (one.isLost) giveUp(one)
    else end(one)
  }
  return history
}

function refusal(
  before: Found | undefined,
  call: Exclude<Call, { type: 'read' | 'latest' }>,
): string | undefined {
  if (call.type === 'insert') return before ? 'DOCUMENT_EXISTS' : undefined
  if (call.type === 'update' && !before) return 'DOCUMENT_NOT_FOUND'
  if (call.ifSeq === undefined || call.ifSeq === (before?.seq ?? 0)) return undefined
  return 'SEQUENCE_MISMATCH'
}
