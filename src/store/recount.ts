import { SEAL_BYTES, sumOf } from './checksum.ts'
import { noContent, withContent } from './content-sum.ts'
import { type Counts, noCounts } from './counts.ts'
import { type Database, ENCODINGS, type KeyRange } from './database.ts'
import type { DatasetNumber } from './dataset-number.ts'
import { changePrefix, documentPrefix, keysWithin, seqOf } from './keyspace.ts'
import type { Manifest } from './manifest.ts'

/** Counts everything that is stored, to make a store consistent again after its log was damaged. */
export async function recount(
  db: Database,
  manifest: Manifest,
  before: ReadonlyMap<DatasetNumber, Counts>,
): Promise<{ seq: number; counts: Map<DatasetNumber, Counts> }> {
  const counts = new Map<DatasetNumber, Counts>()
  let seq = 0
  for (const { dataset } of manifest.datasets) {
    const found: Counts = { ...noCounts(), prunedSeq: before.get(dataset)?.prunedSeq ?? 0 }
    const prefix = documentPrefix(dataset)
    let content = noContent
    await each(db, keysWithin(prefix), (key, value) => {
      found.documents++
      found.digest = (found.digest + sumOf(value)) >>> 0
      content = withContent(content, key.slice(prefix.length), undefined, value.subarray(SEAL_BYTES))
    })
    found.content = content
    await each(db, keysWithin(changePrefix(dataset)), (key, value) => {
      if (value[SEAL_BYTES] === REMOVAL) found.tombstones++
      seq = Math.max(seq, seqOf(key))
    })
    counts.set(dataset, found)
  }
  return { seq, counts }
}

const REMOVAL = 'r'.charCodeAt(0)

async function each(
  db: Database,
  range: KeyRange,
  visit: (key: string, value: Uint8Array) => void,
): Promise<void> {
  const iterator = db.iterator({ ...range, ...ENCODINGS })
  try {
    for (;;) {
      const batch = await iterator.nextv(500)
      if (batch.length === 0) return
      for (const [key, value] of batch) visit(key, value)
    }
  } finally {
    await iterator.close()
  }
}
