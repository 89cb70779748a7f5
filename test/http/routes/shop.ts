import type { Engine, TagInput } from 'findling'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type Api, startApi } from './api.ts'

/** Like every document of a shop. */
export const sample = { id: '1', title: 'Sample', desc: 'Text', price: 1, tag: ['a'] }

let shops = 0

/** One API for all tests of a file, and for each of them a shop of its own; called at the top of the file. */
export function shopForEach(): { readonly api: Api; readonly shop: string } {
  const here = {} as { api: Api; shop: string } // what it lacks comes before the first test
  beforeAll(async () => {
    here.api = await startApi()
  })
  beforeEach(async () => {
    here.shop = await openShop(here.api.engine)
  })
  afterAll(() => here.api.stop())
  return here
}

/**
 * A dataset of its own for one test: two documents, the tags a, below it a1, and b.
 * @returns its name
 */
export async function openShop(engine: Engine): Promise<string> {
  const name = `shop-${++shops}`
  await stock(engine, name, {
    fields: { sample },
    tags: [
      { id: 'a', name: 'Audio' },
      { id: 'a1', name: 'Headphones', parentId: 'a' },
      { id: 'b', name: 'Garden' },
    ],
    documents: [
      { id: '1', title: 'Wireless headphones', desc: 'Noise cancelling', price: 89, tag: ['a1'] },
      { id: '2', title: 'Garden hose', desc: 'With a brass nozzle', price: 19, tag: ['b', 'gone'] },
    ],
  })
  return name
}

interface Stock {
  readonly fields: { readonly sample: object } | { readonly schema: object }
  readonly tags: TagInput[]
  readonly documents: object[]
}

/** Makes a dataset that takes only what fits, and is searched by titles and descriptions. */
export async function stock(engine: Engine, name: string, { fields, tags, documents }: Stock): Promise<void> {
  const dataset = await engine.datasets.create<object>(name, {
    ...fields,
    interpretedFields: ['title', 'desc'],
    validation: 'strict',
  })
  await dataset.tags.replaceAll(tags)
  await dataset.documents.bulk(documents)
}

/** One that takes no document of a shop: its tags are numbers. */
export async function openStrictShop(engine: Engine): Promise<string> {
  const name = `numbers-${++shops}`
  await engine.datasets.create(name, {
    sample: { ...sample, tag: [1] },
    interpretedFields: ['title'],
    validation: 'strict',
  })
  return name
}
