import { join } from 'node:path'
import { FindlingError } from '../../errors.ts'
import { sealedValueOf } from '../checksum.ts'
import { CHECKPOINT_KEY, JOURNAL_PREFIX, seqOf } from '../keyspace.ts'
import type { Store } from '../store.ts'
import {
  BACKUP_VERSION,
  type Catalogue,
  claimBackupFolder,
  nextLayer,
  readCatalogue,
  removeLeftOver,
  replaceCatalogue,
} from './backup-folder.ts'
import { type Layer, LayerWriter } from './layer.ts'
import { compareKeys, Layers } from './layers.ts'

/** The result of `engine.backup()`. */
export interface BackupReport {
  /** Number of the newest change in the backup. */
  seq: number
  /** Entries of the store: documents, changes, tags, parts of indexes and everything else. */
  entries: number
  /** The size of all keys and values, uncompressed. */
  bytes: number
  /** Bytes that were written into the folder. */
  written: number
  /** Whether everything was written, not only the changes since the previous backup. */
  full: boolean
}

/** Options to watch and cancel the making, verifying or restoring of a backup. */
export interface BackupWatching {
  signal?: AbortSignal | undefined
  /** Called with the progress in bytes; `total` is undefined for the first backup. An error thrown here ends the work. */
  onProgress?:
    | ((progress: { done: number; total: number | undefined; phase: string; percent: number }) => void)
    | undefined
}

/** What `engine.backup()` takes. */
export interface BackupMaking extends BackupWatching {
  /** A text of up to 10,000 characters, kept with the backup; `describeBackup()` and `verifyBackup()` return it. */
  note?: string | undefined
  /**
   * With `false`, the copy is for another engine that runs beside this one, and leaves out what belongs to this engine alone:
   * jobs, analytics, recorded damage, and namespaces that it has opened with `local`. Default true.
   */
  own?: boolean | undefined
}

export interface BackupOptions {
  readonly signal: AbortSignal
  /** Whether a key is left out, such as the record of this very job. */
  readonly without: (key: string) => boolean
  /** A text that can be read without reading the backup. */
  readonly note: string | undefined
  readonly clock: () => number
  readonly warn: (message: string, details: Record<string, unknown>) => void
}

type Steps = AsyncGenerator<{ done: number; total: number | undefined; phase: string }, BackupReport, void>

/**
 * Copies a store, as of the moment of the first read, into a folder. If the folder has a backup, that is read and compared, and
 * the differences become a layer on top of it.
 */
export async function* backUp(store: Store, folder: string, options: BackupOptions): Steps {
  if (!store.hasSnapshots) throw unfit('has no snapshots', 'a store whose iterators read as of one moment')
  try {
    const { path, release } = await claimBackupFolder(folder)
    try {
      const found = await readCatalogue(path)
      if (found === 'damaged')
        options.warn(`The backup in ${path} cannot be read and is being recreated.`, { folder })
      const before = found === 'damaged' ? undefined : found
      if (found !== 'damaged') await removeLeftOver(path, before)
      const job = { store, path, before, options }
      const lower = before ? kept(before.layers) : []
      try {
        return yield* compare(job, lower)
      } catch (error) {
        if (!isOfBackup(error)) throw error
        options.warn(`${error.message} Everything is being written again.`, { folder })
        return yield* compare(job, [])
      }
    } finally {
      release()
    }
  } catch (error) {
    throw backupFailure(folder, error)
  }
}

/**
 * The layers that stay. The new layer absorbs those that were made of as many backups as it was so far, like the digits of a
 * binary counter: n backups give about log2(n) layers. Once the changes take more than half of the full layer, all is written.
 */
function kept(layers: readonly Layer[]): Layer[] {
  const [first, ...changes] = layers
  const changed = changes.reduce((sum, { bytes }) => sum + bytes, 0)
  if (!first || changed > first.bytes / 2) return []
  for (let weight = 1; changes.at(-1)?.weight === weight; weight *= 2) changes.pop()
  return [first, ...changes]
}

interface Job {
  readonly store: Store
  readonly path: string
  readonly before: Catalogue | undefined
  readonly options: BackupOptions
}

async function* compare({ store, path, before, options }: Job, lower: readonly Layer[]): Steps {
  const { signal, without, clock, note } = options
  const total = before?.bytes
  const file = await nextLayer(path)
  const writer = await LayerWriter.create(join(path, file))
  const old = await Layers.open(path, lower).catch(async error => {
    await writer.discard()
    throw error
  })
  const made = { seq: 0, entries: 0, bytes: 0 }
  let isFinished = false
  try {
    let last = ''
    for await (const batch of store.entries({}, { signal, largeBatches: true })) {
      for (const [key, payload] of batch) {
        if (without(key)) continue
        if (compareKeys(last, key) >= 0)
          throw unfit('does not order its keys by their bytes', 'a store that does')
        last = key
        while (old.head && compareKeys(old.head.key, key) < 0) {
          await writer.add({ key: old.head.key, value: undefined })
          await old.next()
        }
        const value = sealedValueOf(payload)
        const isOld = old.head?.key === key
        if (!isOld || Buffer.compare(old.head!.value, value) !== 0) {
          const wait = writer.add({ key, value })
          if (wait) await wait
        }
        const wait = isOld && old.next()
        if (wait) await wait
        made.entries++
        made.bytes += Buffer.byteLength(key) + value.byteLength
        if (key === CHECKPOINT_KEY) made.seq = (JSON.parse(payload.toString()) as { seq: number }).seq
        else if (key.startsWith(JOURNAL_PREFIX)) made.seq = seqOf(key)
      }
      yield { done: made.bytes, total, phase: 'copying' }
    }
    for (; old.head; await old.next()) await writer.add({ key: old.head.key, value: undefined })
    const layers = [...lower]
    const folded = lower.length > 0 ? before!.layers.slice(lower.length) : []
    const weight = folded.reduce((sum, one) => sum + one.weight, 1)
    const written = await writer.finish()
    layers.push({ file, ...written, weight })
    isFinished = true
    const base = { format: 'findling-backup', version: BACKUP_VERSION, madeAt: clock(), note } as const
    await replaceCatalogue(path, { ...base, ...made, layers })
    return { ...made, written: written.bytes, full: lower.length === 0 }
  } finally {
    await old.close()
    if (!isFinished) await writer.discard()
  }
}

const isOfBackup = (error: unknown): error is FindlingError =>
  error instanceof FindlingError && error.code === 'STORE_CORRUPT' && error.details.backup !== undefined

const unfit = (why: string, expected: string): FindlingError =>
  new FindlingError('STORE_UNSUPPORTED', `The store cannot be backed up: its database ${why}.`, {
    field: 'store',
    expected,
  })

/** An error of the file system, as an error of the engine. */
export function backupFailure(folder: string, error: unknown): unknown {
  if (error instanceof FindlingError || !(error instanceof Error) || !('syscall' in error)) return error
  return new FindlingError(
    'STORE_FAILED',
    `The backup (${folder}) could not be written or read: ${error.message}`,
    {
      field: 'folder',
      received: folder,
      expected: 'a folder that can be read and written, with enough space',
    },
    error,
  )
}
