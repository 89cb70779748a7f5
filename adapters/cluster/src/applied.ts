import { type Engine, FindlingError, type SingleOperation } from 'findling'
import type { Log } from './log.ts'

/** How far a store is: in the same commit as what it has applied. */
export interface Applied {
  readonly log: string
  readonly position: number
  readonly batch: string
  /** The latest version of commands up to there; stores of version 1 do not tell. */
  readonly commands?: number
}

const NAMESPACE = 'findling-cluster'
const POSITION = 'position'
/** Put by a program that writes to the store of a node without the log, and while it is to become the beginning of one. */
const ALONE = 'alone'

/** Beyond what an engine numbers for itself when it is opened, and before the numbers of the first entry. */
const BEGUN = 2 ** 19

/** What a store says of itself. */
interface Recorded {
  readonly applied: Applied | undefined
  /** Whether it was written to without the log since. */
  readonly isAlone: boolean
}

export async function recordIn(engine: Engine): Promise<Recorded> {
  const record = engine.namespace(NAMESPACE)
  const [applied, alone] = await Promise.all([record.get(POSITION), record.get(ALONE)])
  return { applied: applied as Applied | undefined, isAlone: alone !== undefined }
}

/** INVALID_ARGUMENT for a store with data that are not of a log. */
export async function appliedIn(engine: Engine, log: Log): Promise<Applied> {
  const { applied, isAlone } = await recordIn(engine)
  if (isAlone || (!applied && (await hasData(engine)))) throw ownData()
  if (applied) return applied
  const begun = { log: log.id, position: 0, batch: '' }
  // From now on what it has of its own is that of a node.
  await engine.write([noteOf(begun)], { seqFrom: BEGUN })
  return begun
}

/** Whether there is more in it than what a node notes. */
export async function hasData(engine: Engine): Promise<boolean> {
  if (engine.datasets.list().length > 0 || engine.services.list().length > 0) return true
  return (await engine.namespaces()).some(name => name !== NAMESPACE)
}

/** Lets no node open the store. */
export async function holdBack(engine: Engine): Promise<void> {
  await engine.namespace(NAMESPACE, { local: true }).put(ALONE, true)
}

export async function releaseHeldBack(engine: Engine): Promise<void> {
  await engine.namespace(NAMESPACE, { local: true }).delete(ALONE)
}

/** From now on it is the store of a node that is so far. The engine makes its writes itself. */
export async function beginWith(engine: Engine, applied: Applied): Promise<void> {
  const entries = [{ key: POSITION, value: applied }, { key: ALONE }]
  await engine.namespace(NAMESPACE).write(entries)
}

/** Written with what was applied. */
export const noteOf = (applied: Applied): SingleOperation => ({
  ...{ type: 'put', namespace: NAMESPACE, key: POSITION, value: { ...applied } },
})

/** LOG_DIVERGED when a store has applied what the log does not have. */
export async function verify(log: Log, { log: id, position, batch }: Applied): Promise<void> {
  if (id !== log.id)
    throw diverged(`the store follows the log ${id}, and this is ${log.id}`, position, { log: id })
  if (position > 0 && !(await log.holds(position, batch)))
    throw diverged(
      `the store has applied entry ${position}, which the log does not have, or has another one`,
      position,
    )
}

/** @param of the log that it follows, if it is another one */
export const diverged = (why: string, applied: number, of: { log?: string } = {}): FindlingError =>
  new FindlingError(
    'LOG_DIVERGED',
    `The store cannot follow the log: ${why}. Set the store aside and join anew.`,
    { applied, ...of },
  )

const ownData = (): FindlingError =>
  new FindlingError(
    'INVALID_ARGUMENT',
    'The store has data that are not from the log. Make it the beginning of the log (recover), or begin with an empty one.',
    {
      ...{
        field: 'store',
        received: 'a store with data of its own',
        expected: 'an empty store, or that of a node',
      },
    },
  )
