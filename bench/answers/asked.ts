import { Engine } from 'findling'
import type { Contestant, QueryKind } from '../contestant.ts'
import { fts5 } from '../peers/fts5.ts'
import { minisearchEager } from '../peers/minisearch.ts'
import { inTemporaryFolder } from '../temporary.ts'
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

const limit = 10

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
      return await work(async ({ query, typing }) => {
        const { hits } = await dataset.search(query, { limit, prefix: typing })
        return hits.map(({ document }) => document)
      })
    } finally {
      await engine.close()
    }
  },
}

const peer = (
  contestant: Contestant,
  kindOf: (check: Pick<Check, 'query' | 'typing'>) => QueryKind,
): Asked => ({
  name: contestant.name,
  ...(contestant.missing ? { missing: contestant.missing } : {}),
  withShop: ({ collection, documents }, work) =>
    inTemporaryFolder(async folder => {
      const language = languageOf(collection)
      const index = await contestant.open(folder, { documents: false, language, limit })
      await index.add(documents.map(({ id, title, desc }) => ({ id, title, desc })))
      const byId = new Map(documents.map(document => [document.id, document]))
      const result = await work(async check => {
        const hits = await index.search({ kind: kindOf(check), text: check.query, documents: false })
        return hits.map(({ id }) => byId.get(id)!)
      })
      await index.close()
      return result
    }),
})

/** Ours first. */
export const asked: readonly Asked[] = [
  findling,
  peer(minisearchEager, () => 'or'),
  // It has phrases and beginnings in its language, so it is given them.
  peer(fts5, ({ query, typing }) => (typing ? 'prefix' : /^"[^"]*"$/.test(query) ? 'phrase' : 'or')),
]
