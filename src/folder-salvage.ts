import { readdir, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Dataset } from './dataset.ts'
import { defineDataset } from './datasets/dataset-definition.ts'
import { documentIn } from './datasets/record.ts'
import type { Fault } from './doctor.ts'
import { Engine } from './engine.ts'
import { FindlingError } from './errors.ts'
import { IN_USE, isInUse, refusalOf } from './folder-doctor.ts'
import type { JsonObject } from './json.ts'
import type { DatasetEntry } from './store/manifest.ts'
import { claim } from './store/open-folders.ts'
import { type Remains, salvage } from './store/salvage.ts'

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
  const refusal = refusalOf(await readdir(path))
  if (refusal) throw new FindlingError('STORE_UNSUPPORTED', refusal, { field: 'folder', received: damaged })
  if (await isInUse(path, tmpdir())) throw new FindlingError('STORE_LOCKED', IN_USE, { field: 'folder' })
  const held = claim(path, '', damaged)
  try {
    const { entries, losses, undescribed } = await salvage(path, into, describe)
    return { entries, losses, ...(await repaired(into, undescribed)) }
  } finally {
    held.release()
  }
}

/** A dataset with the default settings; the id of a document tells which field holds it. */
function describe({ dataset, name, id, value }: Remains): DatasetEntry {
  const fields = Object.entries(documentIn(value)).filter(([, content]) => String(content) === id)
  const [idField] = fields.map(([field]) => field)
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
    const engine = await Engine.open({ store: folder, accept: ['DATASETS_LOST'] })
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
