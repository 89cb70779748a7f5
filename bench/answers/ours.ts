import { Engine } from 'findling'
import { rested } from '../rested.ts'
import { languageOf } from './catalogues.ts'
import type { Check, CollectionName, Shown } from './check.ts'

export type Ask = (check: Pick<Check, 'query' | 'typing'>) => Promise<readonly Shown[]>

/** Somebody who is asked what shoppers type, as they type it. */
export interface Asked {
  readonly name: string
  missing?(): Promise<string | undefined>
  /** Has `work` ask a shop of these documents. */
  withShop<Result>(shop: Shop, work: (ask: Ask) => Promise<Result>): Promise<Result>
}

export interface Shop {
  readonly collection: CollectionName
  readonly documents: readonly Shown[]
}

export const limit = 10

export const findling: Asked = {
  name: 'findling',
  async withShop({ collection, documents }, work) {
    const engine = await Engine.open()
    try {
      const dataset = await engine.datasets.create<{ id: string; title: string; desc: string }>('products', {
        interpretedFields: ['title', 'desc'],
        language: languageOf(collection),
      })
      await dataset.documents.bulk([...documents])
      await rested(engine, dataset)
      return await work(async ({ query, typing }) => {
        const { hits } = await dataset.search(query, { limit, prefix: typing })
        return hits.map(({ document }) => document)
      })
    } finally {
      await engine.close()
    }
  },
}
