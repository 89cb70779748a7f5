import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { sealText } from './checksum.ts'
import { type DatasetNumber, datasetNumberSchema, FIRST_DATASET } from './dataset-number.ts'
import { MANIFEST_KEY } from './keyspace.ts'

/** A service, which answers questions about a dataset with a model made from its documents. */
const serviceSchema = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string(),
  alias: z.string().nullable(),
  description: z.string().nullable(),
  createdAt: z.number(),
  /** Name of the dataset, set when its preparation is requested; it follows when the dataset is renamed. */
  dataset: z.string().nullable(),
  /** Generation of the model that answers; 0 while there is none. */
  model: z.int().nonnegative(),
  /** The settings with which the model was made. */
  prepared: z.unknown(),
  /** Default settings for its use. */
  recommended: z.unknown(),
  /** Settings that were given instead. */
  given: z.unknown(),
  isActive: z.boolean(),
  /** The settings with which it is being activated: if the process ends meanwhile, the next open activates it. */
  activating: z.unknown().optional(),
})

export type ServiceEntry = z.output<typeof serviceSchema>

/**
 * The existing datasets and the generations in use. It is one value, replaced as a whole: build beside, then flip. Whatever the
 * manifest does not name does not exist; `trash` names what is still to be swept.
 */
const manifestSchema = z.object({
  /** Never reused, so that a removed dataset's leftovers cannot be taken for a new one's. */
  nextDataset: datasetNumberSchema,
  datasets: z.array(
    z.object({
      dataset: datasetNumberSchema,
      name: z.string(),
      createdAt: z.number(),
      settings: z.unknown(),
      schema: z.unknown(),
      /** Whether the searched fields are the text fields of the first documents, which may still add more. */
      findsFields: z.boolean().optional(),
      /** Generation of the index that answers. */
      index: z.int().positive(),
      /** Generation of the classifier; absent if none was trained. */
      classifier: z.int().positive().optional(),
      /** Generation of the model for the categories of queries; absent if nothing was learnt. */
      categories: z.int().positive().optional(),
      /** Generation of the adopted ranking constants; absent if none were adopted. */
      ranking: z.int().positive().optional(),
      /** Ids of removed tags that documents may still have: the second half of a removal, which a crash may interrupt. */
      tagsToClean: z.array(z.string()),
    }),
  ),
  /** Absent in stores of versions without services. */
  services: z.array(serviceSchema).default([]),
  /** Key prefixes to clear. */
  trash: z.array(z.string()),
})

export type Manifest = z.output<typeof manifestSchema>
export type DatasetEntry = Manifest['datasets'][number]

export const emptyManifest = (): Manifest => ({
  nextDataset: FIRST_DATASET,
  datasets: [],
  services: [],
  trash: [],
})

export function readManifest(text: string): Manifest {
  const manifest = manifestSchema.safeParse(JSON.parse(text))
  if (manifest.success) return manifest.data
  throw new FindlingError(
    'STORE_CORRUPT',
    `The manifest of the store, which names its datasets, cannot be read: ${z.prettifyError(manifest.error)}`,
    { field: 'manifest' },
    manifest.error,
  )
}

export const datasetEntry = (manifest: Manifest, dataset: DatasetNumber): DatasetEntry | undefined =>
  manifest.datasets.find(entry => entry.dataset === dataset)

/** The manifest with one dataset's entry changed. */
export const withEntry = (
  manifest: Manifest,
  dataset: DatasetNumber,
  change: Partial<DatasetEntry>,
): Manifest => ({
  ...manifest,
  datasets: manifest.datasets.map(entry => (entry.dataset === dataset ? { ...entry, ...change } : entry)),
})

export const serviceEntry = ({ services }: Manifest, id: string): ServiceEntry | undefined =>
  services.find(entry => entry.id === id)

/** The manifest with one service's entry changed. */
export const withService = (manifest: Manifest, id: string, change: Partial<ServiceEntry>): Manifest => ({
  ...manifest,
  services: manifest.services.map(entry => (entry.id === id ? { ...entry, ...change } : entry)),
})

/** The JSON of entries, each written once: there may be thousands, of which most changes replace one. */
export class EntryTexts {
  readonly #known = new WeakMap<object, string>()

  of(entries: readonly object[]): string {
    return `[${entries.map(entry => this.#textOf(entry)).join()}]`
  }

  #textOf(entry: object): string {
    const known = this.#known.get(entry)
    if (known !== undefined) return known
    const text = JSON.stringify(entry)
    this.#known.set(entry, text)
    return text
  }
}

/** @param texts of the entries of earlier manifests, which are never changed in place */
export function manifestOperation(
  { nextDataset, datasets, services, trash }: Manifest,
  texts = new EntryTexts(),
): { type: 'put'; key: string; value: Buffer } {
  const [number, prefixes] = [JSON.stringify(nextDataset), JSON.stringify(trash)]
  const text = `{"nextDataset":${number},"datasets":${texts.of(datasets)},"services":${texts.of(services)},"trash":${prefixes}}`
  return { type: 'put', key: MANIFEST_KEY, value: sealText(MANIFEST_KEY, text) }
}
