import type { Dataset, Engine } from 'findling'
import type { Item } from './catalogue.ts'
import { english, german, items, japanese, tags } from './catalogue.ts'
import type { Http } from './http.ts'
import type { Recorder } from './recorder.ts'

/** What an area makes its calls with. */
export interface World {
  readonly at: Recorder
  /** Filled when it is first asked for, and only read. */
  filled(): Promise<Filled>
  /** The REST API over another engine with the same datasets. */
  http(): Promise<Http>
  /** Serves another engine, with statistics. */
  serve(engine: Engine): Promise<Http>
  /** Serves several clients, whose stores are new. */
  serveClients(ids: readonly string[]): Promise<Http>
  /** Opens another engine, which is closed at the end of the area. */
  open(store?: string): Promise<Engine>
  readonly Engine: typeof Engine
  /** Empty, of this area alone. */
  readonly folder: string
  /** Of the compared build. */
  readonly tree: string
}

export interface Filled {
  readonly engine: Engine
  readonly shop: Dataset<Item>
  readonly laden: Dataset<Item>
  readonly mise: Dataset<Item>
}

export type Area = (world: World) => Promise<void>

export const sample: Item = {
  id: '1',
  title: 'Desk lamp',
  desc: 'A lamp for the desk',
  brand: 'Acme',
  price: 1.5,
  stock: 1,
  sold: true,
  released: '2024-05-01',
  specs: { color: 'red', weight: 1.5 },
  variants: [{ color: 'red', size: 1 }],
  tag: ['a'],
}

/** The fewest of which topics are found out: with more, they would be found of those that are there at that moment. */
const inShop = 1_000

/** Three datasets that the areas read: one with a sample and a tree, one in German, one without word forms. */
export async function fill(engine: Engine): Promise<Filled> {
  const shop = await engine.datasets.create<Item>('shop', {
    sample,
    interpretedFields: ['title', 'desc', 'brand'],
    weights: { title: { weight: 3 }, brand: { weight: 2, b: 0.3 } },
  })
  await shop.tags.replaceAll(tags)
  await shop.documents.bulk(items(english, 'e', inShop))
  const laden = await engine.datasets.create<Item>('laden', {
    interpretedFields: ['title', 'desc'],
    language: 'german',
    topics: false,
  })
  await laden.documents.bulk(items(german, 'g', 260))
  const mise = await engine.datasets.create<Item>('mise', {
    interpretedFields: ['title', 'desc'],
    language: 'none',
  })
  await mise.documents.bulk(items(japanese, 'j', 180, ''))
  for (const dataset of [shop, laden, mise]) await settled(engine, dataset)
  return { engine, shop, laden, mise }
}

/** Resolves once nothing has been at work in the background for a third of a second: merges are over, topics are known. */
export async function settled(
  engine: Engine,
  dataset: { search(query: string): Promise<unknown> },
): Promise<void> {
  await dataset.search('')
  const isAtWork = () => engine.jobs().some(({ endedAt }) => endedAt === null)
  for (let quiet = 0; quiet < 15; quiet = isAtWork() ? 0 : quiet + 1)
    await new Promise(resolve => setTimeout(resolve, 20))
}
