import { access, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Engine, TagInput } from 'findling'
import { exampleClassifier, exampleSimilar, sampleDataset, sampleOrderSet, sampleProduct } from './example.ts'
import { type OrderedProduct, type SampleOrder, sampleOrders } from './orders.ts'

/** Where the sample catalogue lies. */
export interface Catalogue {
  readonly products: string
  readonly tags: string
}

/** Undefined if the folder has no catalogue: it comes with the repository, not with the package. */
export async function findCatalogue(folder: URL): Promise<Catalogue | undefined> {
  const catalogue = {
    products: fileURLToPath(new URL('products.jsonl', folder)),
    tags: fileURLToPath(new URL('tags.jsonl', folder)),
  }
  try {
    await Promise.all([access(catalogue.products), access(catalogue.tags)])
    return catalogue
  } catch {
    return undefined
  }
}

/**
 * Whether to load the sample into this store: it is new, or loading was interrupted. If the sample was declined or removed
 * later, it does not come back.
 */
export async function wantsSample(engine: Engine): Promise<boolean> {
  const progress = await markOf(engine).get(markKey)
  return progress === undefined ? engine.datasets.list().length === 0 : progress === 'loading'
}

/** This store stays without the sample. */
export async function declineSample(engine: Engine): Promise<void> {
  if (await wantsSample(engine)) await markOf(engine).put(markKey, 'declined')
}

/** Loads the catalogue into its dataset; may be repeated after an interruption. */
export async function loadSample(
  engine: Engine,
  { products, tags }: Catalogue,
  onProgress: (percent: number) => void,
): Promise<void> {
  const mark = markOf(engine)
  await mark.put(markKey, 'loading')
  const dataset = engine.datasets.has(sampleDataset)
    ? engine.datasets.get(sampleDataset)
    : await engine.datasets.create(sampleDataset, {
        sample: sampleProduct,
        interpretedFields: ['title', 'description', 'brand'],
        validation: 'strict',
        baskets: { dataset: sampleOrderSet, field: 'lines.product', time: 'at' },
      })
  const lines = (await readFile(tags, 'utf8')).split('\n').filter(line => line !== '')
  await dataset.tags.replaceAll(lines.map((line): TagInput => JSON.parse(line)))
  await dataset.documents.import(products, { onProgress: ({ percent }) => onProgress(percent) }).finished
  await loadOrders(engine, products)
  if (!engine.services.has(exampleClassifier))
    await engine.services.create({ type: 'classifier', name: 'Tags of the demo', alias: exampleClassifier })
  if (!engine.services.has(exampleSimilar))
    await engine.services.create({ type: 'similar', name: 'Alike in the demo', alias: exampleSimilar })
  await mark.put(markKey, 'loaded')
}

async function loadOrders(engine: Engine, products: string): Promise<void> {
  const orders = engine.datasets.has(sampleOrderSet)
    ? engine.datasets.get<SampleOrder>(sampleOrderSet)
    : await engine.datasets.create<SampleOrder>(sampleOrderSet, { interpretedFields: ['lines.product'] })
  const lines = (await readFile(products, 'utf8')).split('\n').filter(line => line !== '')
  const known = lines.map((line): OrderedProduct => JSON.parse(line))
  await orders.documents.bulk(sampleOrders(known, Date.now()))
}

const markKey = 'progress'

function markOf(engine: Engine) {
  return engine.namespace('http-sample')
}
