import type * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { sealText, unseal, verified } from './checksum.ts'
import { type Counts, checkpointOperations, checkpointSchema, journalSchema } from './counts.ts'
import { type Database, ENCODINGS, type OpenedDatabase } from './database.ts'
import {
  CHECKPOINT_KEY,
  FORMAT_KEY,
  FORMAT_VERSION,
  INCIDENTS_KEY,
  JOURNAL_PREFIX,
  MANIFEST_KEY,
  splitKey,
  within,
} from './keyspace.ts'
import { emptyManifest, type Manifest, manifestOperation, readManifest } from './manifest.ts'
import { recount } from './recount.ts'
import { snapshot } from './snapshot.ts'

/** The state a store is in when it has been opened. */
export interface Recovered {
  manifest: Manifest
  /** Number of the newest change. */
  seq: number
  counts: Map<number, Counts>
  /** Keys of the journal entries that the next checkpoint makes superfluous. */
  journalled: string[]
  /** Damage that earlier opens noticed, and what this one did. */
  incidents: string[]
  found: string[]
}

/**
 * Reads manifest, checkpoint and journal, or makes them in an empty database. Where acknowledged changes are missing
 * it says which and counts anew what is there.
 */
export async function recover(opened: OpenedDatabase, durability: 'disk' | 'process'): Promise<Recovered> {
  const { db } = opened
  const manifest = (await readFormat(opened))
    ? await readManifestRecord(db)
    : await initialise(opened, durability)
  const { seq, counts, journalled, damage } = await readJournal(db)
  const missed = damage.length > 0 ? [] : missedAfter(seq, opened.highWater)
  const found = [...damage, ...missed, ...opened.dropped]
  const truth = found.length > 0 ? await recount(db, manifest, counts) : { seq, counts }
  return {
    manifest,
    // Numbers of lost changes are not given again: a reader may have seen them.
    seq: Math.max(seq, truth.seq, opened.highWater || 0),
    counts: truth.counts,
    journalled,
    incidents: await readIncidents(db),
    found,
  }
}

async function readRecord(db: Database, key: string): Promise<string | undefined> {
  const value = await db.get(key, ENCODINGS)
  return value && verified(key, value).toString()
}

async function readFormat({ db, highWater }: OpenedDatabase): Promise<boolean> {
  const text = await readRecord(db, FORMAT_KEY)
  if (text === undefined) {
    if (highWater !== undefined) throw formatLost()
    await assertEmpty(db)
    return false
  }
  const { version } = JSON.parse(text) as { version?: unknown }
  if (version === FORMAT_VERSION) return true
  throw new FindlingError(
    'FORMAT_UNSUPPORTED',
    `The store has format version ${version}; this version of findling reads ${FORMAT_VERSION}. Open it with the version that wrote it, or a newer one.`,
    { field: 'store', received: String(version), expected: String(FORMAT_VERSION) },
  )
}

async function assertEmpty(db: Database): Promise<void> {
  const iterator = db.iterator({ ...ENCODINGS, limit: 1 })
  try {
    const [first] = await iterator.nextv(1)
    if (!first) return
    if (splitKey(first[0]).room) throw formatLost()
    throw new FindlingError(
      'STORE_UNSUPPORTED',
      'The database holds entries that findling did not write. Accepted: a store of findling, an empty database or a new folder.',
      { field: 'store', received: `a database with the key ${JSON.stringify(first[0].slice(0, 40))}` },
    )
  } finally {
    await iterator.close()
  }
}

const formatLost = (): FindlingError =>
  new FindlingError(
    'STORE_CORRUPT',
    'The store has lost its format record: it is damaged. Restore a copy of it.',
    { field: 'store' },
  )

async function initialise(
  { db, raiseHighWater }: OpenedDatabase,
  durability: 'disk' | 'process',
): Promise<Manifest> {
  const manifest = emptyManifest()
  const format = sealText(FORMAT_KEY, JSON.stringify({ format: 'findling', version: FORMAT_VERSION }))
  await db.batch(
    [
      { type: 'put', key: FORMAT_KEY, value: format },
      manifestOperation(manifest),
      ...checkpointOperations(0, new Map(), []),
    ],
    { ...ENCODINGS, sync: durability === 'disk' },
  )
  await raiseHighWater(0)
  return manifest
}

async function readManifestRecord(db: Database): Promise<Manifest> {
  const text = await readRecord(db, MANIFEST_KEY)
  if (text !== undefined) return readManifest(text)
  throw new FindlingError(
    'STORE_CORRUPT',
    'The store has lost its manifest, which names its datasets. Restore a copy of the store.',
    { field: 'store' },
  )
}

async function readIncidents(db: Database): Promise<string[]> {
  const value = await db.get(INCIDENTS_KEY, ENCODINGS)
  if (!value) return []
  const payload = unseal(INCIDENTS_KEY, value)
  return payload ? (JSON.parse(payload.toString()) as string[]) : ['The record of earlier damage is damaged.']
}

/** What the journal cannot tell: that its end is missing. */
function missedAfter(seq: number, highWater: number | undefined): string[] {
  if (highWater === undefined || highWater <= seq) return []
  return [
    Number.isNaN(highWater)
      ? 'The file findling.seq, which says how many changes there were, is damaged.'
      : `The changes ${seq + 1} to ${highWater} are lost.`,
  ]
}

interface Journal {
  seq: number
  counts: Map<number, Counts>
  journalled: string[]
  damage: string[]
}

async function readJournal(db: Database): Promise<Journal> {
  const damage: string[] = []
  let seq = 0
  const counts = new Map<number, Counts>()
  const journalled: string[] = []
  const value = await db.get(CHECKPOINT_KEY, ENCODINGS)
  const checkpoint = value && parsed(checkpointSchema, unseal(CHECKPOINT_KEY, value))
  if (!checkpoint) damage.push(`The checkpoint of the store is ${value ? 'damaged' : 'missing'}.`)
  else {
    seq = checkpoint.seq
    for (const [dataset, entry] of checkpoint.counts) counts.set(dataset, entry)
  }
  for await (const batch of snapshot(db, within(JOURNAL_PREFIX))) {
    for (const [key, value] of batch) {
      journalled.push(key)
      const entry = parsed(journalSchema, unseal(key, value))
      if (!entry) damage.push(`Journal entry ${key} is damaged.`)
      else {
        if (entry.first > seq + 1) damage.push(`The changes ${seq + 1} to ${entry.first - 1} are lost.`)
        seq = entry.last
        for (const [dataset, after] of entry.counts) counts.set(dataset, after)
      }
    }
  }
  return { seq, counts, journalled, damage }
}

const parsed = <T>(schema: z.ZodType<T>, payload: Buffer | undefined): T | undefined =>
  payload && schema.safeParse(JSON.parse(payload.toString())).data
