import type { Contestant, QueryKind } from '../contestant.ts'
import { fts5 } from '../peers/fts5.ts'
import { minisearchEager } from '../peers/minisearch.ts'
import { inTemporaryFolder } from '../temporary.ts'
import { languageOf } from './catalogues.ts'
import type { Check } from './check.ts'
import { type Asked, findling, limit } from './ours.ts'

const peer = (
  contestant: Contestant,
  kindOf: (check: Pick<Check, 'query' | 'typing'>) => QueryKind,
): Asked => ({
  name: contestant.name,
  ...(contestant.missing ? { missing: contestant.missing } : {}),
  withShop: ({ collection, documents }, work) =>
    inTemporaryFolder(async folder => {
      const own = languageOf(collection)
      // They know no German.
      const language = own === 'german' ? 'none' : own
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
