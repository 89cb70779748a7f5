import type {
  ClassifierActivateSettings,
  ClassifierPrepareSettings,
  ClassifierRecommendationRequest,
  ClassifierRecommendationResult,
  ClassifierService,
  ExportDictionariesSettings,
  PrcActivateSettings,
  PrcExportDictionariesSettings,
  PrcIndexSettingsInput,
  PrcKeywordsRequest,
  PrcKeywordsResult,
  PrcPrepareSettings,
  PrcRecommendationByIdRequest,
  PrcRecommendationRequest,
  PrcRecommendationResult,
  PrcService,
  Process,
  SearchActivateSettings,
  SearchPrepareSettings,
  SearchResultWrapper,
  SearchService,
  SearchServiceRequest,
  Service,
  ServiceCreation,
  ServiceUpdate,
} from '../api/models.ts'
import * as api from '../api/operations.ts'
import type { CallOptions, Connection } from '../connection.ts'
import type { Result } from '../result.ts'

/** Services of all types; `id` is an id or an alias everywhere. */
export class Services {
  readonly #connection: Connection
  readonly classifier: ClassifierServices
  readonly prc: PrcServices
  readonly search: SearchServices

  constructor(connection: Connection) {
    this.#connection = connection
    this.classifier = new ClassifierServices(connection)
    this.prc = new PrcServices(connection)
    this.search = new SearchServices(connection)
  }

  list(options?: CallOptions): Promise<Result<Service[]>> {
    return this.#connection.send(api.getServices, {}, options)
  }

  get(id: string, options?: CallOptions): Promise<Result<Service>> {
    return this.#connection.send(api.getServicesById, { path: { id } }, options)
  }

  create(service: ServiceCreation, options?: CallOptions): Promise<Result<Service>> {
    return this.#connection.send(api.postServices, { body: service }, options)
  }

  /** Changes name, alias and description. */
  update(id: string, service: ServiceUpdate, options?: CallOptions): Promise<Result> {
    return this.#connection.send(api.putServicesById, { path: { id }, body: service }, options)
  }

  remove(id: string, options?: CallOptions): Promise<Result> {
    return this.#connection.send(api.deleteServicesById, { path: { id } }, options)
  }
}

/** Services that recommend tags for texts. */
export class ClassifierServices {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  get(id: string, options?: CallOptions): Promise<Result<ClassifierService>> {
    return this.#connection.send(api.getServicesClassifierById, { path: { id } }, options)
  }

  prepare(id: string, settings: ClassifierPrepareSettings, options?: CallOptions): Promise<Result<Process>> {
    const parts = { path: { id }, body: settings }
    return this.#connection.send(api.postServicesClassifierByIdPrepare, parts, options)
  }

  activate(
    id: string,
    settings: ClassifierActivateSettings = {},
    options?: CallOptions,
  ): Promise<Result<Process>> {
    const parts = { path: { id }, body: settings }
    return this.#connection.send(api.postServicesClassifierByIdActivate, parts, options)
  }

  deactivate(id: string, options?: CallOptions): Promise<Result> {
    return this.#connection.send(api.postServicesClassifierByIdDeactivate, { path: { id } }, options)
  }

  recommend(
    id: string,
    request: ClassifierRecommendationRequest,
    options?: CallOptions,
  ): Promise<Result<ClassifierRecommendationResult[]>> {
    const parts = { path: { id }, body: request }
    return this.#connection.send(api.postServicesClassifierByIdRecommend, parts, options)
  }

  exportDictionaries(
    id: string,
    settings: ExportDictionariesSettings,
    options?: CallOptions,
  ): Promise<Result<Process>> {
    const parts = { path: { id }, body: settings }
    return this.#connection.send(api.postServicesClassifierByIdExportDictionaries, parts, options)
  }
}

/** Services that find similar documents. */
export class PrcServices {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  get(id: string, options?: CallOptions): Promise<Result<PrcService>> {
    return this.#connection.send(api.getServicesPrcById, { path: { id } }, options)
  }

  prepare(id: string, settings: PrcPrepareSettings, options?: CallOptions): Promise<Result<Process>> {
    return this.#connection.send(api.postServicesPrcByIdPrepare, { path: { id }, body: settings }, options)
  }

  activate(id: string, settings: PrcActivateSettings = {}, options?: CallOptions): Promise<Result<Process>> {
    return this.#connection.send(api.postServicesPrcByIdActivate, { path: { id }, body: settings }, options)
  }

  deactivate(id: string, options?: CallOptions): Promise<Result> {
    return this.#connection.send(api.postServicesPrcByIdDeactivate, { path: { id } }, options)
  }

  recommend(
    id: string,
    request: PrcRecommendationRequest,
    options?: CallOptions,
  ): Promise<Result<PrcRecommendationResult[]>> {
    return this.#connection.send(api.postServicesPrcByIdRecommend, { path: { id }, body: request }, options)
  }

  recommendById(
    id: string,
    request: PrcRecommendationByIdRequest,
    options?: CallOptions,
  ): Promise<Result<PrcRecommendationResult[]>> {
    const parts = { path: { id }, body: request }
    return this.#connection.send(api.postServicesPrcByIdRecommendById, parts, options)
  }

  /** With `isStrict`, only words that score at least the mean. */
  keywords(
    id: string,
    { isStrict, ...request }: PrcKeywordsRequest & { readonly isStrict?: boolean | undefined },
    options?: CallOptions,
  ): Promise<Result<PrcKeywordsResult[]>> {
    const parts = { path: { id }, query: { isStrict }, body: request }
    return this.#connection.send(api.postServicesPrcByIdKeywords, parts, options)
  }

  index(id: string, settings: PrcIndexSettingsInput = {}, options?: CallOptions): Promise<Result<Process>> {
    return this.#connection.send(api.postServicesPrcByIdIndex, { path: { id }, body: settings }, options)
  }

  /** Looks only at documents that have changed since the last index. */
  indexPartial(id: string, options?: CallOptions): Promise<Result<Process>> {
    return this.#connection.send(api.postServicesPrcByIdIndexPartial, { path: { id } }, options)
  }

  exportDictionaries(
    id: string,
    settings: PrcExportDictionariesSettings = {},
    options?: CallOptions,
  ): Promise<Result<Process>> {
    const parts = { path: { id }, body: settings }
    return this.#connection.send(api.postServicesPrcByIdExportDictionaries, parts, options)
  }
}

/** Services that search, correct texts and recommend tags in one call. */
export class SearchServices {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  get(id: string, options?: CallOptions): Promise<Result<SearchService>> {
    return this.#connection.send(api.getServicesSearchById, { path: { id } }, options)
  }

  prepare(id: string, settings: SearchPrepareSettings, options?: CallOptions): Promise<Result<Process>> {
    return this.#connection.send(api.postServicesSearchByIdPrepare, { path: { id }, body: settings }, options)
  }

  activate(
    id: string,
    settings: SearchActivateSettings = {},
    options?: CallOptions,
  ): Promise<Result<Process>> {
    const parts = { path: { id }, body: settings }
    return this.#connection.send(api.postServicesSearchByIdActivate, parts, options)
  }

  deactivate(id: string, options?: CallOptions): Promise<Result> {
    return this.#connection.send(api.postServicesSearchByIdDeactivate, { path: { id } }, options)
  }

  search(
    id: string,
    request: SearchServiceRequest,
    options?: CallOptions,
  ): Promise<Result<SearchResultWrapper>> {
    return this.#connection.send(api.postServicesSearchById, { path: { id }, body: request }, options)
  }
}
