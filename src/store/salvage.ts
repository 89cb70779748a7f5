import { FindlingError } from '../errors.ts'
import { Stretch } from '../scheduling/stretch.ts'
import { unseal } from './checksum.ts'
import { type DatasetNumber, datasetAfter } from './dataset-number.ts'
import { fillFolder, type Put } from './filled-folder.ts'
import { formatRecord } from './format.ts'
import { type HighWater, readHighWater } from './high-water.ts'
import { FORMAT_KEY, MANIFEST_KEY, splitKey } from './keyspace.ts'
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

/** What is known of a dataset whose settings are lost: perhaps its name, and a field that holds the ids of all documents. */
export interface Remains {
  readonly dataset: DatasetNumber
  readonly name: string | undefined
  readonly idField: string | undefined
}

/** How a dataset is described if the record of the datasets is lost. */
export interface Describing {
  /** The fields of a document, which is sealed, that hold its id. */
  idFields(id: string, document: Uint8Array): string[]
  describe(remains: Remains): DatasetEntry
}

/**
 * Writes what can still be read of a damaged folder into a new one, as a store. Nothing in the damaged folder is changed. What
 * was removed or replaced may be back if the newer record is damaged.
 * @param repair works on the new store before others can open it
 */
export async function salvage<R>(
  folder: string,
  into: string,
  describing: Describing,
  repair: (salvage: Salvage) => Promise<R>,
): Promise<R> {
  // It only tells what should be there.
  const found = await readHighWater(folder).catch(() => undefined)
  const highWater = typeof found === 'object' ? found : undefined
  return await fillFolder(into, {
    highWater,
    write: put => new Reading(folder, describing, put).run(highWater),
    finish: repair,
  })
}

class Reading {
  readonly #folder: string
  readonly #describing: Describing
  readonly #put: Put
  readonly #losses: string[] = []
  /** By dataset, the fields that hold the ids of all documents so far. */
  readonly #idFields = new Map<DatasetNumber, readonly string[]>()
  #entries = 0
  #knowsFormat = false
  #knowsDatasets = false

  constructor(folder: string, describing: Describing, put: Put) {
    this.#folder = folder
    this.#describing = describing
    this.#put = put
  }

  async run(highWater: HighWater | undefined): Promise<Salvage> {
    const stretch = new Stretch()
    const lost = (file: string, what: string) => void this.#losses.push(file ? `${file}: ${what}.` : what)
    for (const entry of await salvaged(this.#folder, lost)) {
      const taken = entry && this.#take(entry.key.toString(), entry.value)
      if (taken) await taken
      if (stretch.isOver) await stretch.pause()
    }
    if (this.#entries === 0) throw nothingLeft(this.#folder, this.#losses[0])
    if (!this.#knowsFormat) {
      await this.#put(FORMAT_KEY, formatRecord())
    }
    const names = new Map(highWater?.datasets ?? [])
    const undescribed = this.#knowsDatasets ? [] : await this.#describeAll(names)
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
    if (room === 'd' && dataset !== undefined) this.#compareIds(dataset, rest, value)
    return this.#put(key, value)
  }

  /** One document may hold its id in several fields: a quantity may be the same number. */
  #compareIds(dataset: DatasetNumber, id: string, document: Uint8Array): void {
    const before = this.#idFields.get(dataset)
    if (before && before.length < 2) return
    const fields = this.#describing.idFields(id, document)
    this.#idFields.set(dataset, before?.filter(field => fields.includes(field)) ?? fields)
  }

  async #describeAll(names: ReadonlyMap<DatasetNumber, string>): Promise<string[]> {
    this.#losses.push('The record of the datasets, their settings and the services is lost.')
    let { nextDataset } = emptyManifest()
    const datasets: DatasetEntry[] = []
    for (const [dataset, [idField]] of [...this.#idFields].sort(([a], [b]) => a - b)) {
      datasets.push(this.#describing.describe({ dataset, name: names.get(dataset), idField }))
      nextDataset = datasetAfter(dataset)
    }
    const { key, value } = manifestOperation({ ...emptyManifest(), nextDataset, datasets })
    await this.#put(key, value)
    return datasets.map(({ name }) => name)
  }
}

function nothingLeft(folder: string, why?: string): FindlingError {
  const message = `Nothing in ${folder} can be read${why === undefined ? '.' : `: ${why}`}`
  return new FindlingError('STORE_CORRUPT', message, { field: 'folder', received: folder })
}
