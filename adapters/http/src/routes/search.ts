import type { CompletionOptions, Dataset, TagView } from 'findling'
import type * as z from 'zod'
import { type Answering, identified } from '../analytics/answering.ts'
import { askedBy } from '../analytics/asking.ts'
import { entityTag, hasAnswer } from '../answer/entity-tag.ts'
import { readBody } from '../request/lenient.ts'
import type { Call, Route } from '../route.ts'
import { sampleDataset } from '../sample/example.ts'
import {
  CompletionRequest,
  CompletionResult,
  completionOptions,
  completionResult,
} from '../wire/completions.ts'
import {
  MultiSearchRequest,
  SearchQuery,
  SearchRequest,
  searchBody,
  searchOptions,
  searchOrigins,
  searchQueryOrigins,
} from '../wire/search-request.ts'
import { MultiSearchResult, SearchResult, searchResult, searchResults } from '../wire/search-result.ts'
import {
  SuggestionRequest,
  SuggestionResult,
  suggestionOptions,
  suggestionResult,
} from '../wire/suggestions.ts'
import { defineRoute } from './define-route.ts'
import { heldFields, requireAllowed, requireFew, withoutHiddenScores } from './held-searches.ts'

const HOUR = 3_600_000

/** Browsers revalidate a kept answer each time, and caches in between keep none. */
const kept = { 'Cache-Control': 'private, no-cache', Vary: 'Authorization, Origin, X-DataSet' }

/** Contract, 20. */
export function searchRoutes(answering: Answering): Route[] {
  return [
    searchRoute(answering),
    searchAddressRoute(answering),
    multiSearchRoute(answering),
    completeRoute(answering),
    suggestRoute,
  ]
}

type Asked = Pick<Call, 'engine' | 'dataset' | 'caller' | 'headers' | 'deadline'>

async function foundBy(
  request: z.output<typeof SearchRequest>,
  { engine, dataset, caller, headers, deadline }: Asked,
  answering: Answering,
): Promise<z.output<typeof SearchResult>> {
  requireAllowed(request, caller)
  const held = { ...caller.held(searchOptions(request)), ...heldFields(engine, dataset, caller) }
  const searched = engine.datasets.get(dataset)
  const asked = { ...askedBy({ headers, caller }, request), ...deadline, cursorOwner: caller.id }
  const found = await searched.search(request.Text, { ...held, ...asked })
  answering.searches.searched(found.total.count)
  const result = withoutHiddenScores(await searchResult(found), searched, caller)
  return await identified(result, found, answering)
}

/** Tags with a word that begins with the text. For a caller who sees only some documents: tags of those documents. */
async function begunTags(
  dataset: Dataset,
  text: string,
  options: CompletionOptions,
  limit: number,
): Promise<TagView[]> {
  if (options.visible === undefined) return await dataset.tags.suggest(text, { limit })
  const begun = await dataset.complete(text, { ...options, kinds: ['tag'], typoTolerance: 0 })
  const found = await Promise.all(begun.map(({ id }) => dataset.tags.get(id!)))
  return found.filter(tag => tag !== undefined)
}

const searchRoute = (answering: Answering) =>
  defineRoute({
    method: 'POST',
    path: '/api/Documents/Search',
    action: 'DocumentsSearch/Post',
    summary: 'Searches for the documents that best match a text, even with typos',
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
      404: { when: 'The cursor has expired or never existed, or there is no document with the id of Like' },
    },
    handle: async ({ body, ...call }) => ({ status: 200, body: await foundBy(body, call, answering) }),
  })

const searchAddressRoute = (answering: Answering) =>
  defineRoute({
    method: 'GET',
    path: '/api/Documents/Search',
    action: 'DocumentsSearch/Get',
    summary: 'The same search as a URL, whose answer a browser may cache until the dataset changes',
    extension: true,
    dataset: true,
    query: SearchQuery,
    origins: searchQueryOrigins,
    example: { query: { q: 'drill', filter: 'price:<200', sort: 'price:asc', facets: 'brand', limit: 3 } },
    responses: {
      200: { when: 'The documents, best first', body: SearchResult },
      304: { when: 'The answer has not changed since the one whose ETag was sent as If-None-Match' },
    },
    handle: async ({ query, ...call }) => {
      const { engine, dataset, caller, headers: asked } = call
      const hour = Math.floor(Date.now() / HOUR) // the age of documents counts in hours
      const version = await engine.datasets.get(dataset).version()
      const tag = entityTag(version, hour, caller.rights, query)
      const headers = { ...kept, ETag: tag }
      if (hasAnswer(asked, tag)) return { status: 304, headers }
      return {
        status: 200,
        headers,
        body: await foundBy(readBody(SearchRequest, searchBody(query)), call, answering),
      }
    },
  })

const multiSearchRoute = (answering: Answering) =>
  defineRoute({
    method: 'POST',
    path: '/api/Search/Multi',
    action: 'SearchMulti/Post',
    summary: 'Makes several searches, in one dataset or several, and returns their results in the same order',
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
      200: { when: 'The result of each search', body: MultiSearchResult },
      404: { when: 'One of the named datasets, or the document of a Like, does not exist' },
    },
    handle: async ({ engine, body, caller, headers, deadline }) => {
      requireFew(body.Searches, caller)
      const searches = body.Searches.map(({ DataSet, ...request }, i) => {
        requireAllowed(request, caller, `Searches[${i}].`)
        const held = { ...caller.held(searchOptions(request)), ...heldFields(engine, DataSet, caller) }
        const asked = { ...askedBy({ headers, caller }, request), ...deadline, cursorOwner: caller.id }
        return { dataset: DataSet, query: request.Text, ...held, ...asked }
      })
      const found = await engine.searchMany(searches)
      for (const { total } of found) answering.searches.searched(total.count)
      const results = await searchResults(found)
      const shown = results.map((result, i) =>
        withoutHiddenScores(result, engine.datasets.get(searches[i]!.dataset), caller),
      )
      const told = await Promise.all(shown.map((result, i) => identified(result, found[i]!, answering)))
      return { status: 200, body: { Results: told } }
    },
  })

const completeRoute = (answering: Answering) =>
  defineRoute({
    method: 'POST',
    path: '/api/Documents/Complete',
    action: 'DocumentsComplete/Post',
    summary: 'Completes what somebody is typing with titles of documents and names of tags',
    extension: true,
    dataset: true,
    body: CompletionRequest,
    example: { body: { Text: 'cordl', Limit: 5 } },
    responses: { 200: { when: 'Completions of the text, best first', body: CompletionResult } },
    handle: async ({ engine, dataset, body, caller, headers, deadline }) => {
      const { Text, Limit } = body
      caller.refuseBeyondLimit(Limit, 'Limit')
      heldFields(engine, dataset, caller)
      const asked = engine.datasets.get(dataset)
      // Tags and other users' queries may reveal what this caller must not see.
      const hidden = {
        Title: false,
        Tag: !caller.sees(asked.settings.tagField),
        Query: caller.hasFilter || caller.fields !== undefined,
      }
      const Kinds = body.Kinds.filter(kind => !hidden[kind])
      if (Kinds.length === 0) return { status: 200, body: completionResult([], []) }
      const options = caller.held({ ...completionOptions({ ...body, Kinds }), ...deadline })
      const context = askedBy({ headers, caller }, body)
      const completions = await asked.complete(Text, { ...options, ...context })
      const tags = Kinds.includes('Tag') ? await begunTags(asked, Text, options, Limit) : []
      const result = completionResult(completions, tags)
      return { status: 200, body: await identified(result, completions, answering) }
    },
  })

const suggestRoute = defineRoute({
  method: 'POST',
  path: '/api/Documents/Suggest',
  action: 'DocumentsSuggest/Post',
  summary: 'Corrects misspelt, joined and split words in a text',
  extension: true,
  dataset: true,
  body: SuggestionRequest,
  example: { body: { Text: 'cordles dril', Count: 3, MaximumErrors: 2 } },
  responses: {
    200: { when: 'Corrected versions of the text, likeliest first', body: SuggestionResult },
  },
  handle: async ({ engine, dataset, body, caller, headers, deadline }) => {
    caller.refuseBeyondLimit(body.Count, 'Count')
    heldFields(engine, dataset, caller)
    const options = {
      ...caller.held({ ...suggestionOptions(body), ...deadline }),
      ...askedBy({ headers, caller }),
    }
    const suggestions = await engine.datasets.get(dataset).suggest(body.Text, options)
    return { status: 200, body: suggestionResult(suggestions) }
  },
})
