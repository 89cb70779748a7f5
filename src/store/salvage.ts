import { FindlingError } from '../errors.ts'
import { Stretch } from '../scheduling/stretch.ts'
import { sealText, unseal } from './checksum.ts'
import { type DatasetNumber, datasetAfter } from './dataset-number.ts'
import { fillFolder, type Put } from './filled-folder.ts'
import { type HighWater, readHighWater } from './high-water.ts'
import { FORMAT_KEY, FORMAT_VERSION, MANIFEST_KEY, splitKey } from './keyspace.ts'
import { salvaged } from './leveldb/salvaged.ts'
import { type DatasetEntry, emptyManifest, manifestOperation } from './manifest.ts'

/** What was taken from a damaged folder. */
export interface Salvage {
  /** Entries of the store: documents, changes, tags, parts of indexes and everything else. */
  entries: number
  /** What cannot be read, one sentence each. */
  losses: string[]
  /** Names of the datasets whose settings are lost. */
  undescribed: string[]
}

/** What is known of a dataset whose settings are lost: one of its documents, and perhaps its name. */
export interface Remains {
  readonly dataset: DatasetNumber
  readonly name: string | undefined
  readonly id: string
  /** Of the document, sealed. */
  readonly value: Uint8Array
}

export type Describe = (remains: Remains) => DatasetEntry

/**
 * Writes what can still be read of a damaged folder into a new one, as a store. Nothing in the damaged folder is changed. What
 * was removed or replaced may be back if the newer record is damaged.
 * @param describe how a dataset is described if the record of the datasets is lost
 */
export async function salvage(folder: string, into: string, describe: Describe): Promise<Salvage> {
  const found = await readHighWater(folder)
  const highWater = typeof found === 'object' ? found : undefined
  return await fillFolder(into, {
    highWater,
    write: put => new Reading(folder, put).run(highWater, describe),
    judge: () => undefined,
  })
}

class Reading {
  readonly #folder: string
  readonly #put: Put
  readonly #losses: string[] = []
  /** A document of each dataset. */
  readonly #samples = new Map<DatasetNumber, Pick<Remains, 'id' | 'value'>>()
  #entries = 0
  #knowsFormat = false
  #knowsDatasets = false

  constructor(folder: string, put: Put) {
    this.#folder = folder
    this.#put = put
  }

  async run(highWater: HighWater | undefined, describe: Describe): Promise<Salvage> {
    const stretch = new Stretch()
    const lost = (file: string, what: string) => void this.#losses.push(file ? `${file}: ${what}.` : what)
    for (const entry of await salvaged(this.#folder, lost)) {
      const taken = entry && this.#take(entry.key.toString(), entry.value)
      if (taken) await taken
      if (stretch.isOver) await stretch.pause()
    }
    if (this.#entries === 0) throw nothingLeft(this.#folder)
    if (!this.#knowsFormat) {
      const format = sealText(FORMAT_KEY, JSON.stringify({ format: 'findling', version: FORMAT_VERSION }))
      await this.#put(FORMAT_KEY, format)
    }
    const names = new Map(highWater?.datasets ?? [])
    const undescribed = this.#knowsDatasets ? [] : await this.#describeAll(names, describe)
    return { entries: this.#entries, losses: this.#losses, undescribed }
  }

  #take(key: string, value: Uint8Array): Promise<void> | undefined {
    const { room, dataset, rest } = splitKey(key)
    if (!unseal(key, value)) {
      this.#losses.push(`The value of ${JSON.stringify(key)} is damaged.`)
      return undefined
    }
    this.#entries++
    this.#knowsFormat ||= key === FORMAT_KEY
    this.#knowsDatasets ||= key === MANIFEST_KEY
    if (room === 'd' && dataset !== undefined && !this.#samples.has(dataset))
      this.#samples.set(dataset, { id: rest, value: Uint8Array.from(value) })
    return this.#put(key, value)
  }

  async #describeAll(names: ReadonlyMap<DatasetNumber, string>, describe: Describe): Promise<string[]> {
    this.#losses.push('The record of the datasets, their settings and the services is lost.')
    let { nextDataset } = emptyManifest()
    const datasets: DatasetEntry[] = []
    for (const [dataset, sample] of [...this.#samples].sort(([a], [b]) => a - b)) {
      datasets.push(describe({ dataset, name: names.get(dataset), ...sample }))
      nextDataset = datasetAfter(dataset)
    }
    const { key, value } = manifestOperation({ ...emptyManifest(), nextDataset, datasets })
    await this.#put(key, value)
    return datasets.map(({ name }) => name)
  }
}

const nothingLeft = (folder: string): FindlingError =>
  new FindlingError('STORE_CORRUPT', `Nothing in ${folder} can be read.`, {
    field: 'folder',
    received: folder,
  })
