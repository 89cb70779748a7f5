import type { DocumentChange } from 'findling'
import type { Route } from '../route.ts'
import { ChangesQuery, changesModel, DocumentChanges } from '../wire/documents.ts'
import { defineRoute } from './define-route.ts'

/** Contract, 20. */
export const changesRoute: Route = defineRoute({
  method: 'GET',
  path: '/api/Documents/Changes',
  action: 'DocumentsChanges/Get',
  summary:
    'Lists the documents that have changed since a given change, oldest first: the latest change of each, perhaps preceded by its removals',
  extension: true,
  dataset: true,
  query: ChangesQuery,
  example: { query: { since: 0, limit: 5 } },
  responses: {
    200: { when: 'The changes, up to the limit', body: DocumentChanges },
    410: {
      when: 'The log no longer has all removals since that change: read from 0 again',
    },
  },
  handle: async ({ engine, dataset, query, signal }) => {
    const { documents } = engine.datasets.get(dataset)
    const { since, limit } = query
    const begun = since === 0 ? documents.prunedSeq : query.begun
    // One more than requested shows whether these are all.
    const found = await firstOf(documents.changes({ since, begun, signal }), limit + 1)
    return { status: 200, body: changesModel(found, { since, begun, limit }) }
  },
})

async function firstOf(changes: AsyncIterable<DocumentChange>, most: number): Promise<DocumentChange[]> {
  const found: DocumentChange[] = []
  for await (const change of changes) if (found.push(change) === most) break
  return found
}
