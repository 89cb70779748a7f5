import type { SearchOptions } from 'findling'
import type { Route } from '../route.ts'
import { camel } from '../wire/casing.ts'
import { CompletionRequest, SearchRequest, SearchResult, searchResult } from '../wire/search.ts'
import { TagCompletions, tagModel } from '../wire/tags.ts'
import { defineRoute } from './define-route.ts'

/** Contract, 20. */
export const searchRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/Documents/Search',
    action: 'DocumentsSearch/Post',
    summary: 'Finds the documents that match a text best, in spite of typos',
    extension: true,
    dataset: true,
    body: SearchRequest,
    responses: { 200: { when: 'The documents, best first', body: SearchResult } },
    handle: async ({ engine, dataset, body }) => {
      const found = await engine.datasets.get(dataset).search(body.Text, {
        limit: body.Limit,
        offset: body.Offset,
        operator: camel(body.Operator),
        typoTolerance: body.TypoTolerance as NonNullable<SearchOptions['typoTolerance']>, // 0 to 2 by its schema
        documents: body.Documents,
      })
      return { status: 200, body: searchResult(found) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/Documents/Complete',
    action: 'DocumentsComplete/Post',
    summary: 'Completes what somebody types to names of tags',
    extension: true,
    dataset: true,
    body: CompletionRequest,
    responses: { 200: { when: 'Tags of which a word begins so, best first', body: TagCompletions } },
    handle: async ({ engine, dataset, body: { Text, Limit } }) => {
      const tags = await engine.datasets.get(dataset).tags.suggest(Text, { limit: Limit })
      return { status: 200, body: { Tags: tags.map(tag => tagModel(tag)) } }
    },
  }),
]
