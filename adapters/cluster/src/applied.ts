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
/** Put by a program that writes to the store of a node without the log: it is no node any more. */
const ALONE = 'alone'

/** INVALID_ARGUMENT for a store with data that are not of a log. */
export async function appliedIn(engine: Engine, log: Log): Promise<Applied> {
  const stored = (await engine.namespace(NAMESPACE).get(POSITION)) as Applied | undefined
  const wasAlone = (await engine.namespace(NAMESPACE, { local: true }).get(ALONE)) !== undefined
  if (wasAlone || (!stored && (engine.datasets.list().length > 0 || engine.services.list().length > 0)))
    throw ownData()
  return stored ?? { log: log.id, position: 0, batch: '' }
}

/** Written with what was applied. */
export const noteOf = (applied: Applied): SingleOperation => ({
  ...{ type: 'put', namespace: NAMESPACE, key: POSITION, value: { ...applied } },
})

/** LOG_DIVERGED when a store has applied what the log does not have. */
export async function verify(log: Log, { log: id, position, batch }: Applied): Promise<void> {
  if (id !== log.id) throw diverged(`the store follows the log ${id}, and this is ${log.id}`, position)
  if (position > 0 && !(await log.holds(position, batch)))
    throw diverged(
      `the store has applied entry ${position}, which the log does not have, or has another one`,
      position,
    )
}

export const diverged = (why: string, applied: number): FindlingError =>
  new FindlingError(
    'LOG_DIVERGED',
    `The store cannot follow the log: ${why}. Set the store aside and join anew.`,
    { applied },
  )

const ownData = (): FindlingError =>
  new FindlingError(
    'INVALID_ARGUMENT',
    'The store has data that are not from the log. Begin with an empty one, and import them.',
    {
      ...{
        field: 'store',
        received: 'a store with data of its own',
        expected: 'an empty store, or that of a node',
      },
    },
  )
