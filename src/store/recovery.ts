import type * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { sumOf, unseal, verified } from './checksum.ts'
import { type Counts, checkpointOperations, checkpointSchema, journalSchema } from './counts.ts'
import { answered, type Database, ENCODINGS, type OpenedDatabase } from './database.ts'
import { type DatasetNumber, datasetAfter } from './dataset-number.ts'
import { EARLIER_VERSION, FORMAT_VERSION, formatRecord } from './format.ts'
import {
  CHECKPOINT_KEY,
  FORMAT_KEY,
  INCIDENTS_KEY,
  JOURNAL_PREFIX,
  keysWithin,
  MANIFEST_KEY,
  splitKey,
} from './keyspace.ts'
import { emptyManifest, type Manifest, manifestOperation, readManifest } from './manifest.ts'
import { recount } from './recount.ts'
import { snapshot } from './snapshot.ts'

/** The state of a store after opening. */
export interface Recovered {
  manifest: Manifest
  /** Checksum of its stored value. */
  manifestSum: number
  /** Number of the newest change. */
  seq: number
  counts: Map<DatasetNumber, Counts>
  /** Keys of the journal entries that the next checkpoint makes superfluous. */
  journalled: string[]
  /** Damage that this and earlier opens noticed. */
  incidents: string[]
  found: string[]
}

export interface RecoveryOptions {
  durability: 'disk' | 'process'
  /** Whether to continue if datasets are gone, which is DATASETS_LOST otherwise. */
  acceptsLostDatasets: boolean
}

/**
 * Reads manifest, checkpoint and journal, or creates them in an empty database. If acknowledged changes are missing, it reports
 * which, and counts again what is there.
 */
export async function recover(opened: OpenedDatabase, options: RecoveryOptions): Promise<Recovered> {
  const { db, highWater } = opened
  const version = await readFormat(opened)
  const stored =
    version === undefined ? await initialise(opened, options.durability) : await readManifestRecord(db)
  const { seq, counts, journalled, damage, manifestSum } = await readJournal(db)
  const gone = goneDatasets(stored.manifest, highWater)
  if (gone.length > 0 && !options.acceptsLostDatasets) throw datasetsLost(gone)
  const missed = damage.length > 0 ? [] : missedAfter(seq, highWater)
  const found = [...damage, ...missed, ...opened.lost]
  if (gone.length > 0) found.push(`Datasets are lost: ${named(gone)}.`)
  if (manifestSum !== undefined && manifestSum !== stored.sum) {
    found.push('The record of the datasets and their settings is out of date.')
  }
  const isWhole = found.length === 0
  const truth = isWhole ? { seq, counts } : await recount(db, stored.manifest, counts)
  if (version === EARLIER_VERSION) await raiseVersion(db, options.durability)
  return {
    manifest: isWhole ? stored.manifest : await withUnusedNumbers(db, stored.manifest),
    manifestSum: stored.sum,
    // Numbers of lost changes are not reused: a reader may have seen them.
    seq: Math.max(seq, truth.seq, typeof highWater === 'object' ? highWater.seq : 0),
    counts: truth.counts,
    journalled,
    incidents: await readIncidents(db),
    found,
  }
}

function goneDatasets(manifest: Manifest, highWater: OpenedDatabase['highWater']): string[] {
  if (typeof highWater !== 'object') return []
  const there = new Set(manifest.datasets.map(({ dataset }) => dataset))
  return (highWater.datasets ?? []).filter(([dataset]) => !there.has(dataset)).map(([, name]) => name)
}

const named = (names: readonly string[]): string => names.map(name => JSON.stringify(name)).join(', ')

const datasetsLost = (datasets: readonly string[]): FindlingError =>
  new FindlingError(
    'DATASETS_LOST',
    `The store held datasets that are gone: ${named(datasets)}. Restore a copy of the store, or open it with accept: ['DATASETS_LOST'] to go on without them.`,
    { field: 'store', datasets },
  )

/** Skips numbers under which a lost dataset has left data; an older manifest would assign them again. */
async function withUnusedNumbers(db: Database, manifest: Manifest): Promise<Manifest> {
  let { nextDataset } = manifest
  for (const room of ['a/', 'c/', 'd/', 'g/', 'l/', 'q/', 'r/', 't/', 'x/']) {
    const iterator = db.iterator({
      ...keysWithin(room),
      ...ENCODINGS,
      reverse: true,
      limit: 1,
      values: false,
    })
    const [last] = await answered(iterator.nextv(1)).finally(() => iterator.close())
    const { dataset } = splitKey(last?.[0] ?? '')
    if (dataset !== undefined && dataset >= nextDataset) nextDataset = datasetAfter(dataset)
  }
  return { ...manifest, nextDataset }
}

async function readText(db: Database, key: string): Promise<string | undefined> {
  const value = await db.get(key, ENCODINGS)
  return value && verified(key, value).toString()
}

/** The version of what is stored; undefined for an empty database. */
async function readFormat({ db, highWater }: OpenedDatabase): Promise<number | undefined> {
  const text = await readText(db, FORMAT_KEY)
  if (text === undefined) {
    if (highWater !== undefined) throw formatLost()
    await assertEmpty(db)
    return undefined
  }
  const { version } = JSON.parse(text) as { version?: unknown }
  if (version === FORMAT_VERSION || version === EARLIER_VERSION) return version
  throw new FindlingError(
    'FORMAT_UNSUPPORTED',
    `The store has format version ${version}; this version of Findling reads ${EARLIER_VERSION} and ${FORMAT_VERSION}. Open it with the version that wrote it, or a newer one.`,
    { field: 'store', received: String(version), expected: `${EARLIER_VERSION} or ${FORMAT_VERSION}` },
  )
}

/** Before anything is written that earlier versions of Findling cannot read: they refuse the store from now on. */
async function raiseVersion(db: Database, durability: 'disk' | 'process'): Promise<void> {
  const put = { type: 'put', key: FORMAT_KEY, value: formatRecord() } as const
  await db.batch([put], { ...ENCODINGS, sync: durability === 'disk' })
}

async function assertEmpty(db: Database): Promise<void> {
  const iterator = db.iterator({ ...ENCODINGS, limit: 1 })
  try {
    const [first] = await iterator.nextv(1)
    if (!first) return
    if (splitKey(first[0]).room) throw formatLost()
    throw new FindlingError(
      'STORE_UNSUPPORTED',
      'The database holds entries that Findling did not write. Accepted: a store of Findling, an empty database or a new folder.',
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
): Promise<StoredManifest> {
  const manifest = emptyManifest()
  const operation = manifestOperation(manifest)
  const sum = sumOf(operation.value)
  await db.batch(
    [
      { type: 'put', key: FORMAT_KEY, value: formatRecord() },
      operation,
      ...checkpointOperations({ seq: 0, counts: new Map(), manifest: sum }, []),
    ],
    { ...ENCODINGS, sync: durability === 'disk' },
  )
  await raiseHighWater({ seq: 0, datasets: [] })
  return { manifest, sum }
}

interface StoredManifest {
  manifest: Manifest
  /** Checksum of its stored value. */
  sum: number
}

async function readManifestRecord(db: Database): Promise<StoredManifest> {
  const value = await db.get(MANIFEST_KEY, ENCODINGS)
  if (value) {
    return { manifest: readManifest(verified(MANIFEST_KEY, value).toString()), sum: sumOf(value) }
  }
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

/** Detects what the journal cannot reveal: that its end is missing. */
function missedAfter(seq: number, highWater: OpenedDatabase['highWater']): string[] {
  if (highWater === 'damaged')
    return ['The file findling.seq, which says how many changes there were, is damaged.']
  if (highWater === undefined || highWater.seq <= seq) return []
  return [`The changes ${seq + 1} to ${highWater.seq} are lost.`]
}

interface Journal {
  seq: number
  counts: Map<DatasetNumber, Counts>
  journalled: string[]
  damage: string[]
  /** Checksum of the manifest's newest value; undefined if an earlier version did not write it. */
  manifestSum: number | undefined
}

async function readJournal(db: Database): Promise<Journal> {
  const damage: string[] = []
  let seq = 0
  let manifestSum: number | undefined
  const counts = new Map<DatasetNumber, Counts>()
  const journalled: string[] = []
  const value = await db.get(CHECKPOINT_KEY, ENCODINGS)
  const checkpoint = value && parsed(checkpointSchema, unseal(CHECKPOINT_KEY, value))
  if (!checkpoint) damage.push(`The checkpoint of the store is ${value ? 'damaged' : 'missing'}.`)
  else {
    seq = checkpoint.seq
    manifestSum = checkpoint.manifest
    for (const [dataset, entry] of checkpoint.counts) counts.set(dataset, entry)
  }
  for await (const batch of snapshot(db, keysWithin(JOURNAL_PREFIX))) {
    for (const [key, value] of batch) {
      journalled.push(key)
      const entry = parsed(journalSchema, unseal(key, value))
      if (!entry) damage.push(`Journal entry ${key} is damaged.`)
      else {
        if (entry.first > seq + 1) damage.push(`The changes ${seq + 1} to ${entry.first - 1} are lost.`)
        seq = entry.last
        manifestSum = entry.manifest ?? manifestSum
        for (const [dataset, after] of entry.counts) counts.set(dataset, after)
      }
    }
  }
  return { seq, counts, journalled, damage, manifestSum }
}

const parsed = <T>(schema: z.ZodType<T>, payload: Buffer | undefined): T | undefined =>
  payload && schema.safeParse(JSON.parse(payload.toString())).data
