import { readdir, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import type { Dataset } from './dataset.ts'
import { defineDataset } from './datasets/dataset-definition.ts'
import { documentIn } from './datasets/record.ts'
import type { Fault } from './doctor.ts'
import { Engine } from './engine.ts'
import type { EngineOptions } from './engine-options.ts'
import { FindlingError } from './errors.ts'
import { IN_USE, isInUse, refusalOf } from './folder-doctor.ts'
import type { JsonObject } from './json.ts'
import { liesWithin } from './store/enclosing-folder.ts'
import type { DatasetEntry } from './store/manifest.ts'
import { claim } from './store/open-folders.ts'
import { RESTORE_MARK } from './store/restore-mark.ts'
import { type Remains, type Salvage, salvage } from './store/salvage.ts'

/** What became of a damaged folder. */
export interface SalvageReport {
  entries: number
  /** What cannot be read, one sentence each. */
  losses: string[]
  /** What the doctor found in the new store, and repaired if it says so; undefined if the store needs modules to open. */
  faults: Fault[] | undefined
  datasets: number
  documents: number
}

/**
 * Writes what can still be read of a damaged store into an empty or new folder, and repairs that. The damaged folder is not
 * changed. STORE_CORRUPT, STORE_LOCKED, STORE_UNSUPPORTED
 */
export async function salvageFolder(damaged: string, into: string): Promise<SalvageReport> {
  const path = await realpath(damaged)
  const names = await readdir(path)
  const refusal = refusalOf(names)
  if (refusal) throw new FindlingError('STORE_UNSUPPORTED', refusal, { field: 'folder', received: damaged })
  if (await liesWithin(resolve(into), path)) throw inside(into)
  if (await isInUse(path, tmpdir())) throw new FindlingError('STORE_LOCKED', IN_USE, { field: 'folder' })
  const held = claim(path, '', damaged)
  try {
    const repair = async ({ entries, losses, undescribed }: Salvage) => ({
      entries,
      losses: names.includes(RESTORE_MARK) ? [UNFINISHED, ...losses] : losses,
      ...(await repaired(into, undescribed)),
    })
    return await salvage(path, into, { idFields, describe }, repair)
  } finally {
    held.release()
  }
}

const UNFINISHED = 'A restore or salvage into the folder was not finished, so it never had everything.'

const inside = (into: string): FindlingError =>
  new FindlingError(
    'STORE_UNSUPPORTED',
    `The new folder (${into}) lies in the damaged one, in which nothing is changed.`,
    { field: 'folder', received: into, expected: 'a folder elsewhere' },
  )

function idFields(id: string, document: Uint8Array): string[] {
  const fields = Object.entries(documentIn(document)).filter(([, content]) => String(content) === id)
  return fields.map(([field]) => field)
}

/** A dataset with the default settings. */
function describe({ dataset, name, idField }: Remains): DatasetEntry {
  return {
    dataset,
    name: name ?? `dataset-${dataset}`,
    createdAt: Date.now(),
    ...defineDataset(idField === undefined ? {} : { idField }),
    index: 1,
    tagsToClean: [],
  }
}

async function repaired(folder: string, undescribed: readonly string[]) {
  try {
    const options: EngineOptions = { store: folder, accept: ['DATASETS_LOST'] }
    const engine = await Engine.openWith(options, { isRestoring: true })
    try {
      for (const name of undescribed) await findFields(engine.datasets.get(name))
      const { faults, datasets, documents } = await engine.doctor({ repair: true })
      return { faults, datasets, documents }
    } finally {
      await engine.close()
    }
  } catch (error) {
    if (!(error instanceof FindlingError && error.code === 'ANALYZER_MISSING')) throw error
    return { faults: undefined, datasets: 0, documents: 0 }
  }
}

/** The first documents that are written to a dataset without settings decide which fields are searched. */
async function findFields({ documents }: Dataset): Promise<void> {
  const first: JsonObject[] = []
  for await (const { document } of documents.scan()) if (first.push(document) === FIRST) break
  await documents.bulk(first)
}

const FIRST = 1000
