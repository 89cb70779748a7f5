import { createHash } from 'node:crypto'
import type { DatasetState } from './datasets/state.ts'
import type { StoredTagTree } from './datasets/tags/stored-tag-tree.ts'
import { FindlingError } from './errors.ts'
import { Stretch } from './scheduling/stretch.ts'
import { sealedValueOf, sumOf } from './store/checksum.ts'
import { type ContentSum, noContent, textOfContent, withContent } from './store/content-sum.ts'
import type { DatasetNumber } from './store/dataset-number.ts'
import { documentPrefix, keysWithin } from './store/keyspace.ts'
import type { DatasetEntry, ServiceEntry } from './store/manifest.ts'
import type { Store } from './store/store.ts'
import type { Transaction } from './store/transaction.ts'

/** Digests of what a dataset holds: equal for equal content. */
export interface DatasetDigest {
  /** Its name. */
  name: string
  /** How many documents there are. */
  documents: number
  /** Digest of the documents with their ids, change numbers and modification times. */
  content: string
  /** Digest of the tag tree. */
  tags: string
  /** Digest of settings and schema. */
  settings: string
  /** Digest of all of it, including the name. */
  digest: string
}

/** Digests of everything that an engine holds. */
export interface EngineDigest {
  /** Number of the last change included. */
  seq: number
  /** By name. */
  datasets: DatasetDigest[]
  /** Digest of the definitions of the services: ids, names, settings, and whether they are active. */
  services: string
  /** Digest of all of it. */
  digest: string
}

export interface DigestedDataset {
  readonly state: DatasetState
  readonly tags: { readonly tree: StoredTagTree }
}

/** Attempts to count documents between two writes to them. */
const MOST_ATTEMPTS = 20

/** Computes the digests of an engine and its datasets. */
export class StateDigests {
  readonly #store: Store
  /** By stored settings and schema objects, which are always replaced as a whole. */
  readonly #hashes = new WeakMap<object, string>()

  constructor(store: Store) {
    this.#store = store
  }

  /** As of one moment, between two writes. */
  async ofEngine(datasets: () => DigestedDataset[]): Promise<EngineDigest> {
    for (;;) {
      const opened = datasets()
      for (const one of opened) await prepare(this.#store, one)
      const trees = new Map(opened.map(({ state, tags }) => [state.dataset, tags.tree]))
      const digest = await this.#store.amend(transaction => this.#everything(transaction, trees))
      // A dataset may have been created meanwhile.
      if (digest) return digest
    }
  }

  /** The same of one dataset. DATASET_NOT_FOUND */
  async ofDataset(one: DigestedDataset): Promise<DatasetDigest & { seq: number }> {
    for (;;) {
      await prepare(this.#store, one)
      const { state, tags } = one
      const digest = await this.#store.amend(transaction => {
        const found = this.#of(transaction, transaction.dataset(state.dataset, state.name), tags.tree)
        return found && { ...found, seq: transaction.seq }
      })
      if (digest) return digest
    }
  }

  #everything(
    transaction: Transaction,
    trees: ReadonlyMap<DatasetNumber, StoredTagTree>,
  ): EngineDigest | undefined {
    const { manifest, seq } = transaction
    const datasets: DatasetDigest[] = []
    for (const entry of manifest.datasets) {
      const digest = this.#of(transaction, entry, trees.get(entry.dataset))
      if (!digest) return undefined
      datasets.push(digest)
    }
    datasets.sort((one, other) => (one.name < other.name ? -1 : 1))
    const definitions = manifest.services.map(definitionOf)
    definitions.sort((one, other) => (one.id < other.id ? -1 : 1))
    const services = hashOf(definitions)
    return { seq, datasets, services, digest: hashOf([datasets.map(({ digest }) => digest), services]) }
  }

  /** Undefined if something is not known yet. */
  #of(
    transaction: Transaction,
    { dataset, name, settings, schema, findsFields = false }: DatasetEntry,
    tree: StoredTagTree | undefined,
  ): DatasetDigest | undefined {
    const { documents, content } = transaction.counts(dataset)
    const ofTags = tree?.plannedContent
    if (!content || !ofTags) return undefined
    const parts = {
      name,
      documents,
      content: textOfContent(content),
      tags: textOfContent(ofTags),
      settings: hashOf([this.#knownHash(settings), this.#knownHash(schema), findsFields]),
    }
    return { ...parts, digest: hashOf(parts) }
  }

  #knownHash(value: unknown): string {
    if (typeof value !== 'object' || value === null) return hashOf(value)
    let hash = this.#hashes.get(value)
    if (hash === undefined) {
      hash = hashOf(value)
      this.#hashes.set(value, hash)
    }
    return hash
  }
}

const definitionOf = ({
  createdAt: _,
  model: __,
  recommended: ___,
  activating: ____,
  ...own
}: ServiceEntry) => own

/** Prepares what the digest needs before its turn. DATASET_BUSY, STORE_CORRUPT */
async function prepare(store: Store, { state, tags }: DigestedDataset): Promise<void> {
  await tags.tree.current()
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++)
    if (store.counts(state.dataset).content || (await countContent(store, state))) return
  const message = `The documents of ${state.name} could not be counted, because they kept being written. Try again.`
  throw new FindlingError('DATASET_BUSY', message, { field: 'dataset', received: state.name })
}

/** Counts a dataset that an earlier version wrote; false if it was written to meanwhile. */
async function countContent(store: Store, { dataset }: DatasetState): Promise<boolean> {
  const prefix = documentPrefix(dataset)
  let [documents, digest] = [0, 0]
  let content: ContentSum = noContent
  const stretch = new Stretch()
  for await (const batch of store.entries(keysWithin(prefix), { largeBatches: true })) {
    for (const [key, payload] of batch) {
      if (stretch.isOver) await stretch.pause()
      documents++
      digest = (digest + sumOf(sealedValueOf(payload))) >>> 0
      content = withContent(content, key.slice(prefix.length), undefined, payload)
    }
  }
  return await store.amend(transaction => {
    transaction.dataset(dataset)
    const counts = transaction.counts(dataset)
    if (counts.documents !== documents || counts.digest !== digest) return false
    transaction.setCounts(dataset, { ...counts, content })
    return true
  })
}

/** Independent of the order of members. */
const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value, inOrder)).digest('hex').slice(0, 32)

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
