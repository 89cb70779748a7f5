import type {
  BasketResult,
  BoughtTogetherRequest,
  ClassifyRequest,
  ClassifyResult,
  CompletionRequest,
  CompletionResult,
  EventsResult,
  JsonObject,
  KeywordsRequest,
  KeywordsResult,
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
import {
  getDocumentsSearch,
  postDocumentsBoughtTogether,
  postDocumentsClassify,
  postDocumentsComplete,
  postDocumentsKeywords,
  postDocumentsSearch,
  postDocumentsSimilar,
  postDocumentsSuggest,
  postDocumentsTrending,
  postEvents,
  postSearchMulti,
} from './api/operations.ts'
import { type TypingOptions, TypingSession } from './as-you-type.ts'
import type { CallOptions, Connection } from './connection.ts'
import type { QueryOf } from './operation.ts'
import type { Result } from './result.ts'

/** A search as an address. */
export type AddressedSearch = QueryOf<typeof getDocumentsSearch>
type OneOfSeveral = MultiSearchRequest['searches'][number]
/** One of several searches; if it names no dataset, in the dataset that is asked. */
export type PartialSearch = Omit<OneOfSeveral, 'dataSet'> & Partial<Pick<OneOfSeveral, 'dataSet'>>

/** Searches and other queries about the documents of a dataset. `T` is the type of a document. */
export class DatasetSearch<T extends object = JsonObject> {
  protected readonly connection: Connection
  /** Name of the dataset; undefined if the key determines it. */
  readonly name: string | undefined

  constructor(connection: Connection, name: string | undefined) {
    this.connection = connection
    this.name = name
  }

  /** The same for another dataset, over the same connection. */
  forDataset<U extends object = JsonObject>(name: string): DatasetSearch<U> {
    return new DatasetSearch<U>(this.connection, name)
  }

  /**
   * Searches documents, also when the text has typos.
   *
   * @example
   * const { hits, total } = await unwrap(shop.search({ text: 'cordles drill', limit: 5 }))
   */
  search(request: SearchRequest, options?: CallOptions): Promise<Result<SearchResult<T>>> {
    return typed(this.connection.send(postDocumentsSearch, { dataset: this.name, body: request }, options))
  }

  /**
   * The same with `GET`, whose answer a browser caches until the dataset has changed: for recurring searches, such as those of
   * a category page. Lists are texts, separated by commas.
   */
  searchAddress(query: AddressedSearch = {}, options?: CallOptions): Promise<Result<SearchResult<T>>> {
    return typed(this.connection.send(getDocumentsSearch, { dataset: this.name, query }, options))
  }

  /** Makes up to 100 searches in one call, in this dataset or in others, and answers them in their order. */
  async multi(
    searches: readonly PartialSearch[],
    options?: CallOptions,
  ): Promise<Result<MultiSearchResult<T>>> {
    const named = searches.map(search => ({ dataSet: this.name, ...search }) as OneOfSeveral) // the server names who has none
    return typed(this.connection.send(postSearchMulti, { body: { searches: named } }, options))
  }

  /** A search as somebody types. Unless the request says otherwise, the last word is matched as a prefix. */
  asYouType(
    request: Omit<SearchRequest, 'text'> = {},
    options: TypingOptions = {},
  ): TypingSession<SearchResult<T>> {
    return new TypingSession((text, call) => this.search({ prefix: true, ...request, text }, call), options)
  }

  /** Completes what somebody is typing to titles and names of tags. */
  complete(request: CompletionRequest, options?: CallOptions): Promise<Result<CompletionResult>> {
    return this.connection.send(postDocumentsComplete, { dataset: this.name, body: request }, options)
  }

  /** Corrects a text. */
  suggest(request: SuggestionRequest, options?: CallOptions): Promise<Result<SuggestionResult>> {
    return this.connection.send(postDocumentsSuggest, { dataset: this.name, body: request }, options)
  }

  /** Finds the documents that are most like a text, a stored document or another. */
  similar(request: SimilarRequest<Partial<T>>, options?: CallOptions): Promise<Result<SimilarResult<T>>> {
    return typed(this.connection.send(postDocumentsSimilar, { dataset: this.name, body: request }, options))
  }

  /** Finds what is bought together with documents, such as those of a cart, if the dataset has the setting `baskets`. */
  boughtTogether(request: BoughtTogetherRequest, options?: CallOptions): Promise<Result<BasketResult<T>>> {
    return typed(
      this.connection.send(postDocumentsBoughtTogether, { dataset: this.name, body: request }, options),
    )
  }

  /** Finds what has been bought more than usual in the last days or, with `by: 'Count'`, most. */
  trending(request: TrendingRequest = {}, options?: CallOptions): Promise<Result<BasketResult<T>>> {
    return typed(this.connection.send(postDocumentsTrending, { dataset: this.name, body: request }, options))
  }

  /** Recommends tags for a text, once a classifier has been trained. */
  classify(request: ClassifyRequest, options?: CallOptions): Promise<Result<ClassifyResult>> {
    return this.connection.send(postDocumentsClassify, { dataset: this.name, body: request }, options)
  }

  /**
   * Reports what was done with hits: up to 1,000 events at once. The answer lists refused events with the reasons; the others count.
   * In pages, use an `EventQueue`, which collects them.
   *
   * @example
   * const { hits, queryId = '' } = await unwrap(shop.search({ text: 'drill' }))
   * await shop.events([{ type: 'Click', queryId, id: hits[0]!.id }])
   */
  events(events: readonly SearchEvent[], options?: CallOptions): Promise<Result<EventsResult>> {
    return this.connection.send(postEvents, { body: { events } }, options)
  }

  /** The same while the page is being left, with a public key; false if the browser accepts no more, or does not support it. */
  beacon(events: readonly SearchEvent[]): boolean {
    return this.connection.beacon(postEvents, { events })
  }

  /** Lists the words that are typical of a tag. */
  keywords(request: KeywordsRequest, options?: CallOptions): Promise<Result<KeywordsResult>> {
    return this.connection.send(postDocumentsKeywords, { dataset: this.name, body: request }, options)
  }
}

/** Gives a result the document type of its dataset, which the compiler cannot derive from the call. */
export function typed<R>(result: Promise<Result<unknown>>): Promise<Result<R>> {
  return result as Promise<Result<R>>
}
