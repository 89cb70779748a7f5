import { type Adoption, type Engine, FindlingError, type JsonValue, type WriteOutcome } from 'findling'
import type { Shared, SharedBlob } from './shared.ts'

/** What a node has made for all nodes: a model of a service, a classifier, or ranking constants. */
export interface Handed {
  readonly what: Adoption
  readonly blob: SharedBlob
}

const ADOPTED = 'adopted'
/** Milliseconds after which a handover that has not finished counts as abandoned. */
const SETTLED_AFTER = 60 * 60 * 1000

/** Errors of the shared database, the disk or the node, not of the artifact: other nodes may be able to adopt it. */
const faultsElsewhere: ReadonlySet<string> = new Set([
  'LOG_AWAY',
  'CLOSED',
  'CANCELLED',
  'ARTIFACT_MISSING',
  'STORE_CORRUPT',
  'STORE_FAILED',
  'FORMAT_UNSUPPORTED',
  'WORKER_FAILED',
  'ANALYZER_MISSING',
  'ANALYZER_FAILED',
  'PACKAGE_MISSING',
])

/** Lets an engine adopt what a node has made, as all nodes do at this position of the log. If one refuses it, all do. */
export async function adoptHanded(
  engine: Engine,
  shared: Shared | undefined,
  { what, blob }: Handed,
): Promise<WriteOutcome> {
  if (!shared)
    throw new FindlingError(
      'ARTIFACT_MISSING',
      'The log has data that nodes share, but this node was opened without `shared`.',
    )
  // Other nodes may have been able to read what cannot be read here.
  let unread: unknown
  async function* read(): AsyncGenerator<Uint8Array, void> {
    try {
      yield* shared!.readBlob(blob.sha256)
    } catch (error) {
      unread = error
      throw error
    }
  }
  try {
    await engine.adopt(what, read())
    return { id: what.kind === 'service' ? what.id : what.dataset, seq: null }
  } catch (error) {
    if (unread !== undefined) throw unread
    if (error instanceof FindlingError && !faultsElsewhere.has(error.code)) return { error }
    throw error
  }
}

/** Notes that an entry of the log will need a blob. The blob stays at least until the position of that entry is noted. */
export async function announceHanded(shared: Shared, { sha256 }: SharedBlob): Promise<void> {
  await shared.put(ADOPTED, sha256, { position: null })
}

/** Notes the last position of the log that needs a blob. */
export async function noteHanded(shared: Shared, { sha256 }: SharedBlob, position: number): Promise<void> {
  const before = positionIn((await shared.get(ADOPTED, sha256))?.value)
  if (before === null || before < position) await shared.put(ADOPTED, sha256, { position })
}

/**
 * After the log was cut, removes blobs that no remaining entry needs.
 * @param head position of the newest entry, noted for interrupted announcements, whose entries come no later
 */
export async function forgetHanded(shared: Shared, before: number, head: number): Promise<void> {
  const ages = new Map((await shared.listBlobs()).map(({ sha256, age }) => [sha256, age]))
  for (const { key, value, age } of await shared.list(ADOPTED)) {
    // It may be in the middle of another handover.
    if (age < SETTLED_AFTER || (ages.get(key) ?? SETTLED_AFTER) < SETTLED_AFTER) continue
    const position = positionIn(value)
    if (position === null) await shared.put(ADOPTED, key, { position: head })
    else if (position < before) {
      await shared.removeBlob(key)
      await shared.delete(ADOPTED, key)
    }
  }
}

function positionIn(value: JsonValue | undefined): number | null {
  const { position = null } = (value ?? {}) as { position?: number | null }
  return position
}
