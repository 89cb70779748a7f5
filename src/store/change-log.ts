import { FindlingError } from '../errors.ts'
import { Stretch } from '../scheduling/stretch.ts'
import { SEAL_BYTES } from './checksum.ts'
import type { DatasetNumber } from './dataset-number.ts'
import { changeKey, changePrefix, keysWithin, seqOf } from './keyspace.ts'
import type { Store } from './store.ts'
import type { ChangeKind, Transaction } from './transaction.ts'

/** The newest change of one document. */
export interface LoggedChange {
  seq: number
  id: string
  kind: ChangeKind
}

const KINDS: Record<string, ChangeKind> = { c: 'content', t: 'tags', r: 'removal' }
const LETTERS: Record<ChangeKind, string> = { content: 'c', tags: 't', removal: 'r' }

/** Removals are kept until there are more of them than documents (and more than this many). */
const TOMBSTONES_KEPT = 1000

/** Writing more at once would block the event loop. */
const FORGOTTEN_AT_ONCE = 500

export function logEntry({ id, kind }: { id: string; kind: ChangeKind }): Buffer {
  const value = Buffer.allocUnsafe(SEAL_BYTES + 1 + Buffer.byteLength(id))
  value.write(LETTERS[kind] + id, SEAL_BYTES)
  return value
}

export function readLogEntry(key: string, payload: Buffer): LoggedChange {
  const kind = KINDS[payload.toString('latin1', 0, 1)]
  if (kind) return { seq: seqOf(key), kind, id: payload.toString('utf8', 1) }
  throw new FindlingError('STORE_CORRUPT', `The change log entry ${key} has an unknown kind.`, { key })
}

/**
 * Changes after `since`, oldest first, as of now: the latest of each document, perhaps preceded by its removals.
 * CHANGES_PRUNED when removals after `since` are no longer kept; a reader that starts from 0 needs none of them.
 * @param begun for a reader that started from 0 before: up to which change removals were no longer kept at that time
 */
export async function* changesSince(
  store: Store,
  dataset: DatasetNumber,
  since: number,
  { begun = 0, signal }: { begun?: number; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<LoggedChange[]> {
  const { prunedSeq } = store.counts(dataset)
  if (since > 0 && Math.max(since, begun) < prunedSeq) {
    throw new FindlingError(
      'CHANGES_PRUNED',
      `Removals up to change ${prunedSeq} are no longer in the change log. Start over: read all changes from 0.`,
      { field: 'since', received: String(since), expected: `0, or ${prunedSeq} and above` },
    )
  }
  const prefix = changePrefix(dataset)
  const range = { gt: changeKey(dataset, since), lt: keysWithin(prefix).lt }
  for await (const batch of store.entries(range, { signal })) {
    yield batch.map(([key, payload]) => readLogEntry(key, payload))
  }
}

export function tombstonesToPrune(counts: { documents: number; tombstones: number }): number {
  const limit = Math.max(TOMBSTONES_KEPT, counts.documents)
  return counts.tombstones > limit ? counts.tombstones - Math.floor(limit / 2) : 0
}

/** Forgets the oldest removals that every reader has passed, so that the log never outgrows the documents. */
export async function pruneTombstones(
  store: Store,
  dataset: DatasetNumber,
  passedSeq: number,
): Promise<number> {
  const wanted = tombstonesToPrune(store.counts(dataset))
  const keys: string[] = []
  if (wanted > 0) {
    for await (const changes of changesSince(store, dataset, 0)) {
      for (const { seq, kind } of changes) {
        if (kind === 'removal' && seq <= passedSeq) keys.push(changeKey(dataset, seq))
      }
      if (keys.length >= wanted) break
    }
  }
  const pruned = keys.slice(0, wanted)
  const stretch = new Stretch()
  for (let at = 0; at < pruned.length; at += FORGOTTEN_AT_ONCE) {
    if (stretch.isOver) await stretch.pause()
    await store.amend(forget(dataset, pruned.slice(at, at + FORGOTTEN_AT_ONCE)))
  }
  return pruned.length
}

const forget = (dataset: DatasetNumber, keys: string[]) => (transaction: Transaction) => {
  transaction.dataset(dataset)
  for (const key of keys) transaction.delete(key)
  const counts = transaction.counts(dataset)
  transaction.setCounts(dataset, {
    ...counts,
    tombstones: counts.tombstones - keys.length,
    prunedSeq: seqOf(keys.at(-1)!),
  })
}
