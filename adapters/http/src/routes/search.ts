import type { Caller } from '../access/caller.ts'
import type { Route } from '../route.ts'
import { sampleDataset } from '../sample/example.ts'
import { HttpError } from '../transport/errors.ts'
import {
  CompletionRequest,
  CompletionResult,
  completionOptions,
  completionResult,
} from '../wire/completions.ts'
import { MultiSearchRequest, SearchRequest, searchOptions, searchOrigins } from '../wire/search-request.ts'
import { MultiSearchResult, SearchResult, searchResult } from '../wire/search-result.ts'
import {
  SuggestionRequest,
  SuggestionResult,
  suggestionOptions,
  suggestionResult,
} from '../wire/suggestions.ts'
import { defineRoute } from './define-route.ts'

/** Contract, 20. */
export const searchRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/Documents/Search',
    action: 'DocumentsSearch/Post',
    summary: 'Searches for the documents that match a text best, also when it has typos',
    extension: true,
    dataset: true,
    body: SearchRequest,
    origins: searchOrigins,
    example: {
      body: {
        Text: 'cordles drill',
        Limit: 3,
        Highlight: true,
        Filter: { Query: 'price:<200' },
        Facets: ['brand', { Field: 'price', Limit: 0, Histogram: 4 }],
        Cursor: true,
      },
    },
    responses: {
      200: { when: 'The documents, best first', body: SearchResult },
      404: { when: 'The cursor has expired, or there never was one' },
    },
    handle: async ({ engine, dataset, body, caller }) => {
      refuseTelling(caller, body)
      const found = await engine.datasets.get(dataset).search(body.Text, caller.held(searchOptions(body)))
      return { status: 200, body: resultFor(caller, found) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/Search/Multi',
    action: 'SearchMulti/Post',
    summary: 'Makes several searches, in one dataset or in several, and answers them in their order',
    extension: true,
    body: MultiSearchRequest,
    origins: searchOrigins,
    example: {
      body: {
        Searches: [
          { DataSet: sampleDataset, Text: 'drill', Limit: 3 },
          { DataSet: sampleDataset, Text: 'garden hose', Operator: 'And', Relax: true, Limit: 1 },
        ],
      },
    },
    responses: {
      200: { when: 'What each of them found', body: MultiSearchResult },
      404: { when: 'There is no dataset of some name' },
    },
    handle: async ({ engine, body, caller }) => {
      const searches = body.Searches.map(({ DataSet, ...request }) => {
        refuseTelling(caller, request)
        return { dataset: DataSet, query: request.Text, ...caller.held(searchOptions(request)) }
      })
      const found = await engine.searchMany(searches)
      return { status: 200, body: { Results: found.map(answer => resultFor(caller, answer)) } }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/Documents/Complete',
    action: 'DocumentsComplete/Post',
    summary: 'Completes what somebody is typing to titles of documents and names of tags',
    extension: true,
    dataset: true,
    body: CompletionRequest,
    example: { body: { Text: 'cordl', Limit: 5 } },
    responses: { 200: { when: 'Completions of the text, best first', body: CompletionResult } },
    handle: async ({ engine, dataset, body }) => {
      const { Text, Limit, Kinds } = body
      const asked = engine.datasets.get(dataset)
      const completions = await asked.complete(Text, completionOptions(body))
      const tags = Kinds.includes('Tag') ? await asked.tags.suggest(Text, { limit: Limit }) : []
      return { status: 200, body: completionResult(completions, tags) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/Documents/Suggest',
    action: 'DocumentsSuggest/Post',
    summary: 'Corrects misspelt, joined and split words of a text',
    extension: true,
    dataset: true,
    body: SuggestionRequest,
    example: { body: { Text: 'cordles dril', Count: 3, MaximumErrors: 2 } },
    responses: {
      200: { when: 'Corrected versions of the text, the likeliest first', body: SuggestionResult },
    },
    handle: async ({ engine, dataset, body }) => {
      const suggestions = await engine.datasets.get(dataset).suggest(body.Text, suggestionOptions(body))
      return { status: 200, body: suggestionResult(suggestions) }
    },
  }),
]

/** How a word was understood tells of words that only other documents have. */
function resultFor(caller: Caller, found: Parameters<typeof searchResult>[0]) {
  return searchResult(caller.hasFilter ? { ...found, words: [] } : found)
}

interface Telling {
  readonly Explain: boolean
  readonly Facets?: unknown
  readonly Cursor?: unknown
}

/** Scores are explained by numbers of all documents; facets and cursors are not held to the filter of a key. */
function refuseTelling({ hasFilter }: Caller, { Explain, Facets, Cursor }: Telling): void {
  if (hasFilter && (Explain || Facets || Cursor))
    throw new HttpError(403, 'Explain, Facets and Cursor are not for keys that see some documents only.')
}
