import { byDocument, type Found, type HistoryEvent, isRead, type Violation } from './history.ts'
import { described } from './linearizability.ts'

/** A write that was acknowledged and has changed something. */
interface Change {
  readonly seq: number
  readonly position: number
  readonly event: HistoryEvent
}

const changeOf = (event: HistoryEvent): Change | undefined => {
  const { outcome } = event
  return outcome.type === 'ok' && outcome.seq !== null
    ? { seq: outcome.seq, position: outcome.position, event }
    : undefined
}

/** What was answered before another call began has the smaller number and position; no number is given twice. */
export function numberViolations(history: readonly HistoryEvent[]): Violation[] {
  const violations: Violation[] = []
  const changes = history.flatMap(event => changeOf(event) ?? [])
  const told = new Map<number, { document: string; writer: string }>()
  const tell = (seq: number, document: string, writer: string) => {
    const before = told.get(seq)
    if (before && (before.document !== document || before.writer !== writer)) {
      const message = `${seq} is the number of ${before.writer} of ${before.document} and of ${writer}`
      violations.push({ rule: 'numbers', document, message })
    }
    told.set(seq, { document, writer })
  }
  for (const { seq, event } of changes) tell(seq, event.document, writerOf(event))
  for (const { document, outcome } of history)
    if (outcome.type === 'found' && outcome.found) tell(outcome.found.seq, document, nameOf(outcome.found))
  const byAnswer = [...changes].sort((a, b) => a.event.answered - b.event.answered)
  let answered = 0
  let newest: Change | undefined
  let furthest = 0
  for (const change of [...changes].sort((a, b) => a.event.invoked - b.event.invoked)) {
    for (; byAnswer[answered] && byAnswer[answered]!.event.answered < change.event.invoked; answered++) {
      const one = byAnswer[answered]!
      if (!newest || one.seq > newest.seq) newest = one
      furthest = Math.max(furthest, one.position)
    }
    if (newest && (newest.seq >= change.seq || furthest >= change.position)) {
      const message = `${described(change.event)} after ${described(newest.event)}`
      violations.push({ rule: 'numbers', document: change.event.document, message })
    }
  }
  return violations
}

const writerOf = ({ call }: HistoryEvent): string => ('text' in call ? call.text : call.type)
const nameOf = ({ content, note }: Found): string => note ?? content

/**
 * Reads of the past: not from before the position that was asked for, nothing that nobody wrote, and on one node never from
 * before what it has shown or acknowledged.
 */
export function readViolations(history: readonly HistoryEvent[]): Violation[] {
  const documents = new Map(
    [...byDocument(history)].map(([document, events]) => [document, new Versions(events)]),
  )
  const violations: Violation[] = []
  const reads = history.filter(({ outcome }) => outcome.type === 'found')
  for (const event of reads) {
    const { document, call } = event
    const versions = documents.get(document)!
    const complain = (rule: Violation['rule'], why: string | undefined) => {
      if (why) violations.push({ rule, document, message: `${why}: ${described(event)}` })
    }
    complain('position', versions.madeUp(event))
    if (call.type === 'read')
      complain(
        'position',
        versions.staleness(event, ({ position }) => position <= call.position),
      )
  }
  for (const { event, bounds } of inTurn(history, documents)) {
    const { document } = event
    const why = documents
      .get(document)!
      .staleness(event, ({ seq }) => seq <= bounds.seq, bounds.behind.get(document))
    if (why) violations.push({ rule: 'node', document, message: `${why}: ${described(event)}` })
  }
  return violations
}

/** What a node has shown: everything up to a number, and of a document that it is behind a version. */
interface Bounds {
  readonly seq: number
  readonly behind: ReadonlyMap<string, number>
}

/** Reads with what their node had shown when they began. */
function inTurn(
  history: readonly HistoryEvent[],
  documents: ReadonlyMap<string, Versions>,
): { event: HistoryEvent; bounds: Bounds }[] {
  const bounds = new Map<string, Bounds>()
  const moments = history
    .filter(({ answered }) => answered !== Number.POSITIVE_INFINITY)
    .flatMap(event => [
      { at: event.invoked, isAnswer: false, event },
      { at: event.answered, isAnswer: true, event },
    ])
    // What begins in the moment of an answer may be beside it.
    .sort((a, b) => a.at - b.at || Number(a.isAnswer) - Number(b.isAnswer))
  const reads: { event: HistoryEvent; bounds: Bounds }[] = []
  const begun = new Map<HistoryEvent, Bounds>()
  for (const { isAnswer, event } of moments) {
    const { node, document, outcome } = event
    const before = bounds.get(node) ?? { seq: 0, behind: new Map() }
    if (!isAnswer) {
      if (!isRead(event)) continue
      reads.push({ event, bounds: before })
      begun.set(event, before)
    } else if (outcome.type === 'found' && !outcome.found) {
      // What the node has shown to others meanwhile, it may have shown later.
      const gone = documents.get(document)!.versionBehind(begun.get(event)!.seq)
      if (gone !== undefined && gone > (before.behind.get(document) ?? -1))
        bounds.set(node, { ...before, behind: new Map(before.behind).set(document, gone) })
    } else {
      const seq = outcome.type === 'found' ? outcome.found!.seq : (changeOf(event)?.seq ?? 0)
      if (seq > before.seq) bounds.set(node, { ...before, seq })
    }
  }
  return reads
}

/** What is known of the versions of a document. */
class Versions {
  readonly #events: readonly HistoryEvent[]
  /** From the newest on. */
  readonly #changes: readonly Change[]
  readonly #seen: readonly number[]

  constructor(events: readonly HistoryEvent[]) {
    this.#events = events
    this.#changes = events.flatMap(event => changeOf(event) ?? []).sort((a, b) => b.seq - a.seq)
    this.#seen = events.flatMap(({ outcome }) =>
      outcome.type === 'found' && outcome.found ? [outcome.found.seq] : [],
    )
  }

  /** Why a read is of nothing that was written before it was answered. */
  madeUp({ outcome, answered }: HistoryEvent): string | undefined {
    if (outcome.type !== 'found' || !outcome.found) return undefined
    const { content, note, seq } = outcome.found
    for (const text of [content, note]) {
      if (text === null) continue
      const writer = this.#events.find(({ call }) => 'text' in call && call.text === text)
      if (!writer) return `nobody has written ${text}`
      if (writer.outcome.type === 'refused') return `${text} was refused`
      if (writer.invoked > answered) return `${text} was written later`
      if (writer.outcome.type === 'ok' && text === (note ?? content) && writer.outcome.seq !== seq)
        return `${text} has the number ${writer.outcome.seq}`
    }
    return undefined
  }

  /** Why a read is from before the changes that it had to see. @param behind a version that it may not show any more */
  staleness(
    { outcome, answered }: HistoryEvent,
    hasToSee: (change: Change) => boolean,
    behind = -1,
  ): string | undefined {
    if (outcome.type !== 'found') return undefined
    const newest = this.#changes.find(hasToSee)
    if (outcome.found) {
      const { seq } = outcome.found
      if (newest && seq < newest.seq) return `from before ${described(newest.event)}`
      return seq <= behind ? `version ${behind} was gone` : undefined
    }
    if (!newest || newest.event.call.type === 'delete') return undefined
    const isDeleted = this.#events.some(
      event =>
        event.call.type === 'delete' &&
        event.invoked < answered &&
        (event.outcome.type === 'unknown' || (changeOf(event)?.seq ?? 0) > newest.seq),
    )
    return isDeleted ? undefined : `nobody has deleted what ${described(newest.event)} wrote`
  }

  /** The newest version that has a number up to this one: of which a node that has shown that number has shown the end. */
  versionBehind(most: number): number | undefined {
    const known = [...this.#changes.map(({ seq }) => seq), ...this.#seen].filter(seq => seq <= most)
    return known.length > 0 ? Math.max(...known) : undefined
  }
}
