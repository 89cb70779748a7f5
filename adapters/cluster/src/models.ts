import { type Adoption, type Engine, FindlingError, type WriteOutcome } from 'findling'
import type { Shared, SharedBlob } from './shared.ts'

/** What a node has made for all: a model of a service, a classifier, or the constants of a ranking. */
export interface Handed {
  readonly what: Adoption
  readonly blob: SharedBlob
}

const ADOPTED = 'adopted'

/** Of the shared database, the disk or the node, and not of what was made: other nodes may adopt it. */
const faultsElsewhere: ReadonlySet<string> = new Set([
  'LOG_AWAY',
  'CLOSED',
  'CANCELLED',
  'ARTIFACT_MISSING',
  'STORE_CORRUPT',
  'STORE_FAILED',
  'FORMAT_UNSUPPORTED',
  'WORKER_FAILED',
])

/** Has an engine adopt what a node has made, as all others do at this place of the log. What one refuses, all refuse. */
export async function adoptHanded(
  engine: Engine,
  shared: Shared | undefined,
  { what, blob }: Handed,
): Promise<WriteOutcome> {
  if (!shared)
    throw new FindlingError(
      'ARTIFACT_MISSING',
      'The log has what nodes share, and this one was opened without `shared`.',
    )
  try {
    await engine.adopt(what, shared.readBlob(blob.sha256))
    return { id: what.kind === 'service' ? what.id : what.dataset, seq: null }
  } catch (error) {
    if (error instanceof FindlingError && !faultsElsewhere.has(error.code)) return { error }
    throw error
  }
}

/** Notes up to where the log needs a blob. */
export async function noteHanded(shared: Shared, { sha256 }: SharedBlob, position: number): Promise<void> {
  await shared.put(ADOPTED, sha256, { position })
}

/** Removes what no entry of the log needs any more, once it is cut. */
export async function forgetHanded(shared: Shared, before: number): Promise<void> {
  for (const { key, value } of await shared.list(ADOPTED)) {
    const { position } = value as { position: number }
    if (position >= before) continue
    await shared.removeBlob(key)
    await shared.delete(ADOPTED, key)
  }
}
