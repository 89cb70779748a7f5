// Searching only, for pages that should load little

import type { JsonObject } from './api/models.ts'
import type { Configuration } from './configuration.ts'
import { Connection } from './connection.ts'
import { DatasetSearch } from './dataset-search.ts'

export type {
  BasketResult,
  BoughtTogetherRequest,
  CompletionRequest,
  CompletionResult,
  EventsResult,
  Facet,
  FacetRequest,
  FieldHighlight,
  Filter,
  JsonObject,
  MultiSearchRequest,
  MultiSearchResult,
  SearchEvent,
  SearchRequest,
  SearchResult,
  SimilarRequest,
  SimilarResult,
  SuggestionRequest,
  SuggestionResult,
  TrendingRequest,
} from './api/models.ts'
export { type TypingOptions, TypingSession, type TypingState } from './as-you-type.ts'
export type { Configuration, Credential } from './configuration.ts'
export type { CallOptions } from './connection.ts'
export { DatasetSearch, type PartialSearch } from './dataset-search.ts'
export { EventQueue, type EventQueueOptions } from './event-queue.ts'
export {
  CallError,
  type ErrorsModel,
  type Failure,
  type FailureKind,
  type Result,
  type Success,
  unwrap,
} from './result.ts'

/**
 * Searches a dataset.
 *
 * @param configuration that of a client, with the dataset, which may be left out if the key is for a single one
 * @throws TypeError for an invalid configuration
 * @example
 * const shop = createSearch<Product>({ baseAddress: 'https://example.com', key: 'a key with Search alone', dataset: 'shop' })
 */
export function createSearch<T extends object = JsonObject>({
  dataset,
  ...configuration
}: Configuration & { readonly dataset?: string | undefined }): DatasetSearch<T> {
  return new DatasetSearch<T>(new Connection(configuration), dataset)
}
