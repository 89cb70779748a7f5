import { FindlingError } from '../../errors.ts'
import { Stretch } from '../../scheduling/stretch.ts'
import { unseal } from '../checksum.ts'
import { fillFolder, type Put } from '../filled-folder.ts'
import { type BackupWatching, backupFailure } from './backup.ts'
import { type Catalogue, existingCatalogue, usableCatalogue } from './backup-folder.ts'
import { Layers } from './layers.ts'

/** Facts about a backup. */
export interface BackupFacts {
  /** When it was finished, in milliseconds since 1970. */
  madeAt: number
  /** Number of the newest change in it. */
  seq: number
  /** Entries of the store: documents, changes, tags, parts of indexes and everything else. */
  entries: number
  /** The size of all keys and values, uncompressed. */
  bytes: number
  /** The text that was given when it was made. */
  note?: string
}

/** What a backup says about itself, unverified; undefined if there is none. STORE_CORRUPT, FORMAT_UNSUPPORTED. */
export async function describeBackup(folder: string): Promise<BackupFacts | undefined> {
  try {
    const catalogue = await usableCatalogue(folder)
    return catalogue && factsOf(catalogue)
  } catch (error) {
    throw backupFailure(folder, error)
  }
}

const factsOf = ({ madeAt, seq, entries, bytes, note }: Catalogue): BackupFacts => ({
  ...{ madeAt, seq, entries, bytes },
  ...(note !== undefined && { note }),
})

/** Reads all of a backup and compares every checksum. STORE_CORRUPT, STORE_UNSUPPORTED, FORMAT_UNSUPPORTED. */
export async function verifyBackup(folder: string, watching: BackupWatching): Promise<BackupFacts> {
  try {
    return await readBackup(folder, watching, () => undefined)
  } catch (error) {
    throw backupFailure(folder, error)
  }
}

/** Restores a backup as a store in an empty folder; until it is complete, the folder does not open. */
export async function restoreBackup(
  backup: string,
  folder: string,
  watching: BackupWatching,
): Promise<BackupFacts> {
  try {
    await existingCatalogue(backup)
    return await fillFolder(folder, {
      write: put => readBackup(backup, watching, put),
      async finish(facts, [first]) {
        if (first !== undefined) throw disagreeing(backup, `its contents contradict each other. ${first}`)
        return facts
      },
    })
  } catch (error) {
    throw backupFailure(backup, error)
  }
}

/** All entries, verified, at the pace of the consumer. */
async function readBackup(
  folder: string,
  { signal, onProgress }: BackupWatching,
  take: Put,
): Promise<BackupFacts> {
  const catalogue = await existingCatalogue(folder)
  const { entries, bytes, layers } = catalogue
  const opened = await Layers.open(folder, layers)
  const stretch = new Stretch()
  const seen = { entries: 0, bytes: 0 }
  const told = (done: number) =>
    onProgress?.({
      done,
      total: bytes,
      phase: 'reading',
      percent: Math.round((Math.min(done, bytes) / bytes) * 10_000) / 100,
    })
  try {
    while (opened.head) {
      if (signal?.aborted)
        throw new FindlingError('CANCELLED', 'Reading the backup was cancelled.', {}, signal.reason)
      const { key, value } = opened.head
      if (!unseal(key, value)) throw disagreeing(folder, `the value of ${JSON.stringify(key)} is damaged.`)
      seen.entries++
      seen.bytes += Buffer.byteLength(key) + value.byteLength
      const taken = take(key, value)
      if (taken) await taken
      const wait = opened.next()
      if (wait) await wait
      if (!stretch.isOver) continue
      told(seen.bytes)
      await stretch.pause()
    }
  } finally {
    await opened.close()
  }
  if (seen.entries !== entries || seen.bytes !== bytes) {
    throw disagreeing(
      folder,
      `it has ${seen.entries} entries of ${seen.bytes} bytes, not ${entries} of ${bytes}.`,
    )
  }
  told(bytes)
  return factsOf(catalogue)
}

const disagreeing = (folder: string, why: string): FindlingError =>
  new FindlingError('STORE_CORRUPT', `The backup in ${folder} is damaged: ${why}`, { backup: folder })
