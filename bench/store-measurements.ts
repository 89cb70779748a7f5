import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { type Dataset, Engine, type WriteOperation } from 'findling'
import MiniSearch from 'minisearch'
import { type Cost, costOf, type Rate, rateOf, Stopwatch } from './measure.ts'
import { random, randomInteger } from './random.ts'
import { progress } from './report.ts'
import { atOnce, inBulk } from './sizes.ts'
import { Catalogue, type Product, vocabulary } from './synthetic.ts'
import { folderBytes, inTemporaryFolder } from './temporary.ts'

export interface StoreTask {
  readonly documents: number
  /** Of each kind of call. */
  readonly seconds: number
  readonly evaluationData: string | undefined
}

const settings = { interpretedFields: ['title', 'desc'], language: 'none' as const }

export interface CallFigures {
  readonly insert: Rate
  /** Calls of `atOnce` inserts that run at the same time. */
  readonly concurrentInserts: Rate
  /** Calls of `inBulk` documents. */
  readonly bulk: Rate
  /** The same by `engine.write`, all or none. */
  readonly written: Rate
  /** The same as entries of a log: each for itself, with a time, numbers and the position in the same commit. */
  readonly applied: Rate
  readonly get: Rate
  /** Calls of `atOnce` ids. */
  readonly getMany: Rate
  readonly scan: Cost & { readonly documents: number }
}

/** Calls on one dataset that grows from nothing; each written document is new. */
export async function measureCalls({
  durability,
  seconds,
  evaluationData,
}: StoreTask & { durability: 'disk' | 'process' }): Promise<CallFigures> {
  const fresh = endless(new Catalogue(vocabulary(evaluationData)))
  return inTemporaryFolder(async folder => {
    const engine = await Engine.open({ store: folder, durability })
    const { documents } = await engine.datasets.create<Product>('products', settings)
    const rate = (name: string, call: () => Promise<unknown>) => {
      progress(`store: ${name}, durability "${durability}"`)
      return rateOf([undefined], call, { seconds })
    }
    const insert = await rate('inserts', () => documents.insert(fresh.one()))
    const concurrentInserts = await rate('concurrent inserts', () =>
      Promise.all(fresh.many(atOnce).map(product => documents.insert(product))),
    )
    const bulk = await rate('bulks', () => documents.bulk(fresh.many(inBulk)))
    const upserts = () =>
      fresh
        .many(inBulk)
        .map(document => ({ type: 'upsert', dataset: 'products', document }) satisfies WriteOperation)
    const written = await rate('writes of many', () => engine.write(upserts()))
    let position = 0
    const applied = await rate('entries of a log', async () => {
      position++
      const note = { type: 'put', namespace: 'log', key: 'position', value: position } as const
      const given = { each: true, at: Date.now(), seqFrom: 2 ** 40 + position * 2 ** 20 }
      const outcomes = await engine.write([...upserts(), note], given)
      if (outcomes.some(({ error }) => error)) throw new Error('an entry was refused')
    })
    if (documents.count !== fresh.given())
      throw new Error(`${documents.count} of ${fresh.given()} were stored`)
    const get = await rate('gets', async () => same(await documents.get(fresh.known().id)))
    const getMany = await rate('gets of many', async () => {
      const found = await documents.getMany(Array.from({ length: atOnce }, () => fresh.known().id))
      for (const product of found) same(product)
    })
    const scan = await costOf(() => scanAll(documents))
    await engine.close()
    const reads = { get, getMany, scan: { ...scan, documents: fresh.given() } }
    return { insert, concurrentInserts, bulk, written, applied, ...reads }
  })
}

/** Products without end at no cost to the measurement: the contents of a pool under ever new ids. */
function endless(catalogue: Catalogue) {
  const pool = [...catalogue.products(0, 5_000)]
  const next = random(3)
  let given = 0
  const one = (): Product => ({ ...pool[given % pool.length]!, id: `p${given++}` })
  return {
    one,
    many: (count: number) => Array.from({ length: count }, one),
    given: () => given,
    known: () => ({ id: `p${randomInteger(next, given)}` }),
  }
}

function same(product: Product | undefined): void {
  if (product?.title === undefined || product.desc === undefined)
    throw new Error('a stored document was not returned')
}

async function scanAll(documents: Dataset<Product>['documents']): Promise<void> {
  let seen = 0
  for await (const { document } of documents.scan()) {
    same(document)
    seen++
  }
  if (seen !== documents.count) throw new Error(`the scan returned ${seen} of ${documents.count} documents`)
}

export interface ImportFigures {
  /** From the file until the last document is durable and found. */
  readonly import: Cost
  /** From the folder to the first answer. */
  readonly reopening: Cost
  /** All documents read from the store and indexed anew. */
  readonly indexing: Cost
  readonly fileBytes: number
  readonly storeBytes: number
}

/** A catalogue from a file into an empty, durable store; then what a restart costs. */
export async function measureImport({ documents, evaluationData }: StoreTask): Promise<ImportFigures> {
  const catalogue = new Catalogue(vocabulary(evaluationData))
  return inTemporaryFolder(async folder => {
    const file = join(folder, 'products.jsonl')
    const fileBytes = await writeProducts(file, catalogue, documents)
    const store = join(folder, 'store')
    const engine = await Engine.open({ store })
    const dataset = await engine.datasets.create<Product>('products', settings)
    progress(`store: importing ${documents} documents`)
    const imported = await costOf(async () => {
      await dataset.documents.import(file, { format: 'jsonl' }).finished
      await findsLast(dataset, catalogue, documents)
    })
    if (dataset.documents.count !== documents)
      throw new Error(`${dataset.documents.count} documents were imported`)
    progress(`store: indexing ${documents} documents anew`)
    const indexing = await costOf(async () => {
      await dataset.reconfigure({ weights: { desc: { weight: 1.5 } } }).finished
      await findsLast(dataset, catalogue, documents)
    })
    await engine.close()
    progress('store: re-opening')
    const reopening = await costOf(() => reopen(store, catalogue, documents))
    return { import: imported, reopening, indexing, fileBytes, storeBytes: await folderBytes(store) }
  })
}

async function reopen(store: string, catalogue: Catalogue, documents: number): Promise<void> {
  const engine = await Engine.open({ store })
  await findsLast(await engine.datasets.get<Product>('products'), catalogue, documents)
  await engine.close()
}

async function findsLast(dataset: Dataset<Product>, catalogue: Catalogue, documents: number): Promise<void> {
  const { id, title } = catalogue.product(documents - 1)
  const { hits } = await dataset.search(title)
  if (!hits.some(hit => hit.id === id)) throw new Error(`the last document, "${title}", is not found`)
}

async function writeProducts(path: string, catalogue: Catalogue, documents: number): Promise<number> {
  const file = await open(path, 'w')
  for (let from = 0; from < documents; from += inBulk) {
    const products = [...catalogue.products(from, Math.min(from + inBulk, documents))]
    await file.write(products.map(product => `${JSON.stringify(product)}\n`).join(''))
  }
  const { size } = await file.stat()
  await file.close()
  return size
}

/** The same documents in minisearch, in memory: objects in, nothing read, parsed or stored. */
export async function measureMiniSearch({ documents, evaluationData }: StoreTask): Promise<Cost> {
  const catalogue = new Catalogue(vocabulary(evaluationData))
  const index = new MiniSearch<Product>({ fields: settings.interpretedFields })
  const watch = new Stopwatch()
  progress(`store: indexing ${documents} documents with minisearch`)
  for (let from = 0; from < documents; from += inBulk) {
    const products = [...catalogue.products(from, Math.min(from + inBulk, documents))]
    await watch.time(() => index.addAll(products))
  }
  if (index.documentCount !== documents) throw new Error(`minisearch holds ${index.documentCount} documents`)
  return watch.cost
}
