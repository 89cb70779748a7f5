import { type Engine, FindlingError, type SingleOperation } from 'findling'
import type { Log } from './log.ts'

/** How far a store has applied its log; stored in the same commit as what was applied. */
export interface Applied {
  readonly log: string
  readonly position: number
  readonly batch: string
  /** The latest version of commands up to there; missing in stores of version 1. */
  readonly commands?: number
}

const NAMESPACE = 'findling-cluster'
const POSITION = 'position'
/** Marks a store that was written to without its log, or that is about to become the beginning of one. */
const ALONE = 'alone'

/** A change number above those that an engine uses when it is opened, and below those of the first entry. */
const BEGUN = 2 ** 19

/** What a store records of itself. */
interface Recorded {
  readonly applied: Applied | undefined
  /** Whether it was written to without the log since then. */
  readonly isAlone: boolean
}

export async function recordIn(engine: Engine): Promise<Recorded> {
  const record = engine.namespace(NAMESPACE)
  const [applied, alone] = await Promise.all([record.get(POSITION), record.get(ALONE)])
  return { applied: applied as Applied | undefined, isAlone: alone !== undefined }
}

/** INVALID_ARGUMENT for a store with data that do not come from a log. */
export async function appliedIn(engine: Engine, log: Log): Promise<Applied> {
  const { applied, isAlone } = await recordIn(engine)
  if (isAlone || (!applied && (await hasData(engine)))) throw ownData()
  if (applied) return applied
  const begun = { log: log.id, position: 0, batch: '' }
  // From now on it is the store of a node.
  await engine.write([noteOf(begun)], { seqFrom: BEGUN })
  return begun
}

/** Whether the store holds more than the notes of a node. */
export async function hasData(engine: Engine): Promise<boolean> {
  if (engine.datasets.list().length > 0 || engine.services.list().length > 0) return true
  return (await engine.namespaces()).some(name => name !== NAMESPACE)
}

/** Keeps every node from opening the store. */
export async function holdBack(engine: Engine): Promise<void> {
  await engine.namespace(NAMESPACE, { local: true }).put(ALONE, true)
}

export async function releaseHeldBack(engine: Engine): Promise<void> {
  await engine.namespace(NAMESPACE, { local: true }).delete(ALONE)
}

/** Makes the store that of a node at this position. The engine must write directly, not through a log. */
export async function beginWith(engine: Engine, applied: Applied): Promise<void> {
  const entries = [{ key: POSITION, value: applied }, { key: ALONE }]
  await engine.namespace(NAMESPACE).write(entries)
}

/** Written with what was applied. */
export const noteOf = (applied: Applied): SingleOperation => ({
  ...{ type: 'put', namespace: NAMESPACE, key: POSITION, value: { ...applied } },
})

/** LOG_DIVERGED if a store has applied an entry that the log does not have. */
export async function verify(log: Log, { log: id, position, batch }: Applied): Promise<void> {
  if (id !== log.id)
    throw diverged(`the store follows the log ${id}, but this is ${log.id}`, position, { log: id })
  if (position > 0 && !(await log.holds(position, batch)))
    throw diverged(`the store has applied an entry ${position} that the log does not have`, position)
}

/** @param of the log that the store follows, if it is a different one */
export const diverged = (why: string, applied: number, of: { log?: string } = {}): FindlingError =>
  new FindlingError(
    'LOG_DIVERGED',
    `The store cannot follow the log: ${why}. Set the store aside and join again.`,
    { applied, ...of },
  )

const ownData = (): FindlingError =>
  new FindlingError(
    'INVALID_ARGUMENT',
    'The store has data that do not come from the log. Make it the beginning of the log (recover), or start with an empty store.',
    {
      ...{
        field: 'store',
        received: 'a store with data of its own',
        expected: 'an empty store, or the store of a node',
      },
    },
  )
