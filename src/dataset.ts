import * as z from 'zod'
import type { ArtifactSource } from './artifacts/artifact.ts'
import type { BoughtTogetherOptions, TrendingOptions } from './baskets/options.ts'
import { type BasketHit, boughtTogether, type Recommendable, trending } from './baskets/recommending.ts'
import type { DatasetClassifiers } from './classification/dataset/dataset-classifiers.ts'
import type { LiveCategories } from './classification/dataset/live-categories.ts'
import type { CategoryFacts } from './classification/dataset/stored-categories.ts'
import type { TagClassifier, TagRecommendation } from './classification/dataset/tag-classifier.ts'
import type { ClassifierOptions, RecommendOptions } from './classification/options.ts'
import type { LiveCompletions } from './completion/dataset/live-completions.ts'
import { completedWith, none, type PopularTexts } from './completion/dataset/popular-texts.ts'
import type { Completion } from './completion/model/completion.ts'
import { type CompletionOptions, completionOptions } from './completion/options.ts'
import { Documents } from './datasets/documents.ts'
import { type Steps, writeOne } from './datasets/job-steps.ts'
import { type DatasetInfo, infoOf, redefine } from './datasets/registry.ts'
import type { DatasetSettings, DatasetSettingsInput } from './datasets/schema/dataset-settings.ts'
import type { DatasetSchema } from './datasets/schema/schema.ts'
import { Tags, type TagsContext } from './datasets/tags/tags.ts'
import { parseInput } from './input.ts'
import type { Job, JobOptions } from './jobs/job.ts'
import { deadlineMembers } from './jobs/watching.ts'
import type { JsonObject } from './json.ts'
import type { IndexJobOptions } from './live/index-jobs.ts'
import { type MappingContext, mapping } from './mapping/dataset/mapping.ts'
import type { DatasetMap } from './mapping/model/dataset-map.ts'
import type { MapJobOptions } from './mapping/options.ts'
import type { ContextOptions, IdentifiedAnswer } from './observing/observation.ts'
import { contextMembers, shownHits } from './observing/observing.ts'
import type { WriteOperation } from './operations/operation.ts'
import type { Given } from './options-reader.ts'
import { latestProfile, type ProfileContext, profiling } from './profile/dataset/dataset-profile.ts'
import type { DatasetProfile } from './profile/model/profile.ts'
import type { ProfileOptions } from './profile/options.ts'
import type { Condition, VisibilityOptions } from './query/condition-query.ts'
import { DatasetRanking, type RankingContext } from './ranking/dataset-ranking.ts'
import { Deadline, type DeadlineOptions } from './scheduling/deadline.ts'
import type { SearchAnswer } from './search/answer.ts'
import { count } from './search/count.ts'
import { type ListAnswer, type ListOptions, list } from './search/list.ts'
import { matchingIds } from './search/matching-ids.ts'
import type { Checked, SearchOptions, TagOptions } from './search/read.ts'
import type { ShownDocument } from './search/response-fields.ts'
import { type SampleOptions, sample } from './search/sample.ts'
import { searchDocuments } from './search/search.ts'
import { suggest } from './search/suggest.ts'
import { completionsFor } from './search/visible.ts'
import type { KeywordsOptions, LiveWords } from './similarity/dataset/dataset-words.ts'
import {
  type DuplicateGroup,
  type DuplicatesOptions,
  duplicateGroups,
  exportDuplicates,
  type TakeDuplicates,
} from './similarity/dataset/duplicates.ts'
import type { LiveLikeness } from './similarity/dataset/live-likeness.ts'
import { type SimilarHit, similarDocuments } from './similarity/dataset/similar.ts'
import type { TypicalWord } from './similarity/model/keywords.ts'
import type { SimilarOptions, SimilarTo } from './similarity/options.ts'
import { type SuggestOptions, suggestOptions } from './spelling/suggest-options.ts'
import type { Suggestion } from './spelling/suggestions.ts'
import type { DatasetDigest, StateDigests } from './state-digest.ts'

const givenText = z.string()
const givenSuggest = suggestOptions.extend({ ...deadlineMembers, ...contextMembers })
const givenCompletion = completionOptions.extend(contextMembers)
/** The other members are read where they are used. */
const givenContext = z.looseObject(contextMembers)

/** The parts of one dataset, whatever its name. */
export interface DatasetParts extends Recommendable {
  readonly steps: Steps<WriteOperation>
  readonly tags: TagsContext
  readonly digests: StateDigests
  readonly completions: LiveCompletions
  readonly likeness: LiveLikeness
  readonly words: LiveWords
  readonly categories: LiveCategories
  readonly classifiers: DatasetClassifiers
  readonly ranking: RankingContext
  readonly profile: ProfileContext
  /** Texts that many people have searched for; undefined without analytics. */
  readonly popular?: PopularTexts | undefined
  readonly map: MappingContext
}

/**
 * The dataset that has a name. Every call looks up the name again: after a swap, or after the dataset was removed and created
 * again, calls use the data that now have the name. DATASET_NOT_FOUND while there are none. Settings, schema and zod object
 * belong to the data and move with them.
 */
export class Dataset<T extends object = JsonObject, I extends object = T> {
  /** The name by which it was requested. */
  readonly name: string
  /** The documents, which are stored and searched. */
  readonly documents: Documents<T, I>
  /** The tree of tags that documents name. */
  readonly tags: Tags
  readonly #find: () => DatasetParts

  constructor(name: string, find: () => DatasetParts) {
    this.name = name
    this.documents = new Documents<T, I>(() => find().documents)
    this.tags = new Tags(() => find().tags)
    this.#find = find
  }

  /** Average lengths, topics and categories of queries, which another engine can adopt. */
  get ranking(): DatasetRanking {
    return new DatasetRanking(() => this.#find().ranking)
  }

  /** All settings, with defaults for those that were not given. */
  get settings(): Readonly<DatasetSettings> {
    return this.#find().state.settings
  }

  /** The fields of the documents, as far as a sample or schema declares them. */
  get schema(): Readonly<DatasetSchema> {
    return this.#find().state.schema
  }

  /**
   * Facts about the dataset. `unsearchable` counts documents that no search for words finds, because none of their searched fields has a
   * word; the count comes from the index, which is loaded for it. `categories` says how accurately the categories of queries are
   * predicted, and whether they count in the ranking; null before anything was learnt.
   * @example
   * const { documents, unsearchable } = await products.info()
   * console.log(documents, unsearchable) // 3 0
   */
  async info(): Promise<DatasetInfo & { unsearchable: number; categories: CategoryFacts | null }> {
    const { state, index, documents, categories } = this.#find()
    const unsearchable = await index.unsearchable()
    const facts = (await categories.current())?.facts ?? null
    return { ...infoOf(state, documents.store), unsearchable, categories: facts }
  }

  /**
   * A text that differs after every change of documents, tags or settings. Use it as a key for cached answers: an answer that is
   * requested after reading it is at least as new. Only versions of the same engine can be compared.
   * @example
   * const before = await products.version()
   * await products.documents.update('p1', { price: 79 })
   * console.log(before === (await products.version())) // false
   */
  async version(): Promise<string> {
    const { state, documents, tags, categories } = this.#find()
    // Everything that can be read by now counts, once the index has it.
    await documents.store.heard()
    return [state.dataset, state.revision, tags.tree.revision, categories.generation].join('.')
  }

  /**
   * The part of `engine.digest()` for this dataset, with the number of its last change. Two datasets with the same data and
   * different names differ in `digest` only. DATASET_BUSY as there.
   * @example
   * const { content } = await products.digest()
   * await products.tags.create({ id: 'audio', name: 'Audio' })
   * console.log(content === (await products.digest()).content) // true
   */
  async digest(): Promise<DatasetDigest & { seq: number }> {
    const { state, tags, digests } = this.#find()
    return await digests.ofDataset({ state, tags })
  }

  /**
   * Searches for the documents that match best. It sees every completed write. An empty text finds every document that the
   * filter accepts. Words in double quotes are a phrase: they, or other forms of them, must follow each other; `"..."~2` allows
   * up to two words in between. QUERY_INVALID, INVALID_ARGUMENT, DOCUMENT_NOT_FOUND (`vector.like`), CURSOR_EXPIRED, SEARCH_TIMEOUT.
   * @example
   * const { hits, words } = await products.search('wirless hedphones', { limit: 5 })
   * console.log(hits[0].id, hits[0].document.title) // p1 Wireless headphones
   * console.log(words[0].kind, words[0].surfaces) // typo [ 'wireless' ]
   *
   * const { facets } = await products.search('wireless', { facets: ['price'], sort: ['price:asc'] })
   * console.log(facets?.price.distinct, facets?.price.stats?.min) // 2 35
   */
  search<const O extends Given<SearchOptions<T>> = object>(
    query: string,
    options?: O & Checked<T, O, SearchOptions>,
  ): Promise<
    SearchAnswer<ShownDocument<T, O['responseFields']>, O['documents'] extends false ? false : true>
  > {
    // Hits have documents, with their fields, unless the options leave them out.
    return searchDocuments(this.#find, query, options ?? {}) as Promise<SearchAnswer<never, never>>
  }

  /**
   * Lists the documents that match a filter (a query string, an object of conditions, or a list of these that must all match),
   * sorted and page by page. With `cursor: true` the answer has a cursor if there are more documents; its list stays as it was at the first call,
   * whatever is written meanwhile. The cursor expires 100 seconds after the first call and 5 minutes after each use. QUERY_INVALID,
   * INVALID_ARGUMENT, CURSOR_EXPIRED, SEARCH_TIMEOUT.
   * @example
   * const first = await products.filter('price:>0', { sort: ['price:desc'], limit: 2, cursor: true })
   * const next = await products.filter({}, { cursor: first.cursor ?? '' })
   * console.log(first.hits.map(({ id }) => id), next.hits.map(({ id }) => id)) // [ 'p1', 'p2' ] [ 'p3' ]
   */
  filter<const O extends Given<ListOptions<T>> = object>(
    filter: Condition<T>,
    options?: O & Checked<T, O, ListOptions>,
  ): Promise<ListAnswer<ShownDocument<T, O['responseFields']>>> {
    return list(this.#find, filter, options ?? {})
  }

  /**
   * Picks documents by a hash of the seed and their ids. The same documents give the same sample, a larger sample begins with
   * the smaller one, and another seed picks others. INVALID_ARGUMENT.
   * @example
   * const { hits, total } = await products.sample({ seed: 'test', size: 2 })
   * console.log(hits.length, total.count) // 2 3
   */
  sample<const Fields extends readonly string[] | undefined = undefined>(
    options: Given<SampleOptions<T>> & { responseFields?: Fields },
  ): Promise<Omit<ListAnswer<ShownDocument<T, Fields>>, 'cursor'>> {
    return sample(this.#find, options)
  }

  /**
   * Counts the documents that match a query string or an object of conditions and, if tags are given, have one of them.
   * QUERY_INVALID, INVALID_ARGUMENT, SEARCH_TIMEOUT.
   * @example
   * console.log(await products.count({ price: { lt: 50 } }), await products.count('price:[50 TO *]')) // 2 1
   */
  count(
    filter?: Condition<T>,
    options: Given<TagOptions & VisibilityOptions<T> & DeadlineOptions> = {},
  ): Promise<number> {
    return count(this.#find, filter, options)
  }

  /**
   * Completes a text, for a list below an input field: titles of documents and names of tags with words that begin as typed
   * and, with the kind `query`, texts that many people have searched for. INVALID_ARGUMENT, QUERY_INVALID, SEARCH_TIMEOUT,
   * CANCELLED; ANALYTICS_OFF for the kind `query` without analytics.
   * @example
   * const [completion] = await products.complete('wireless k')
   * console.log(completion.text, completion.kind) // Wireless keyboard title
   */
  async complete(
    text: string,
    options: Given<CompletionOptions<T> & ContextOptions> = {},
  ): Promise<Completion[] & IdentifiedAnswer> {
    const { visible, timeout, signal, context, ...checked } = parseInput(givenCompletion, options, 'options')
    const deadline = Deadline.of({ timeout, signal })
    const given = parseInput(givenText, text, 'text')
    const dataset = this.#find()
    const { observing, state } = dataset
    const began = observing?.begin()
    const onlooker = await completionsFor(dataset, visible, deadline)
    deadline?.begin()
    deadline?.check()
    const { completions, popular } = dataset
    const found = await completedWith(
      visible === undefined ? popular : popular && none,
      given,
      checked,
      how => completions.complete(given, how, onlooker),
    )
    observing?.answered(
      began,
      {
        type: 'completion',
        dataset: state.name,
        text: given,
        context,
        completions: found.map(({ text, kind }) => ({ text, kind })),
      },
      found,
    )
    return found
  }

  /**
   * Corrected versions of a text, the likeliest first: "did you mean". Words may be misspelt, joined or split; a
   * correction has only words that occur together in some document. Empty if the text is probably correct, has more than 64
   * words, or has no correction. INVALID_ARGUMENT, QUERY_INVALID, SEARCH_TIMEOUT, CANCELLED.
   * @example
   * const [suggestion] = await products.suggest('wirless hedphones')
   * console.log(suggestion.text) // wireless headphones
   */
  async suggest(
    text: string,
    options: Given<SuggestOptions & VisibilityOptions<T> & DeadlineOptions & ContextOptions> = {},
  ): Promise<Suggestion[]> {
    const { visible, timeout, signal, context, ...checked } = parseInput(givenSuggest, options, 'options')
    const deadline = Deadline.of({ timeout, signal })
    const dataset = this.#find()
    const { observing, state } = dataset
    const began = observing?.begin()
    const given = parseInput(givenText, text, 'text')
    const found = await suggest(dataset, given, checked, { visible, deadline })
    observing?.answered(began, {
      type: 'suggestion',
      dataset: state.name,
      text: given,
      context,
      suggestions: found.map(({ text }) => text),
    })
    return found
  }

  /**
   * Finds the documents that are most similar to a document or a text, best first. It compares the words of all searched fields,
   * and the words and characters of the title, which is the first of these fields. Different numbers, measures or model codes in
   * two titles lower the score, by at most half. It sees every completed write. The document itself is not in the answer.
   * DOCUMENT_NOT_FOUND, INVALID_ARGUMENT, QUERY_INVALID, SEARCH_TIMEOUT, CANCELLED.
   *
   * The first call builds the similarity index, which takes about 2 seconds of CPU per 10,000 short documents.
   * @example
   * const [nearest] = await products.similar({ id: 'p1' }, { filter: { price: { lt: 200 } } })
   * console.log(nearest.id, nearest.score > 0) // p2 true
   */
  async similar(
    to: SimilarTo,
    options: Given<SimilarOptions<T> & ContextOptions> = {},
  ): Promise<SimilarHit<T>[] & IdentifiedAnswer> {
    const dataset = this.#find()
    const { observing, state } = dataset
    const began = observing?.begin()
    const { context, ...how } = parseInput(givenContext, options, 'options')
    const found = await similarDocuments<T>(
      dataset,
      to,
      how,
      (filter, known) => most => matchingIds(dataset, { filter }, most, known),
    )
    observing?.answered(
      began,
      {
        type: 'similar',
        dataset: state.name,
        ...comparedWith(to),
        context,
        hits: shownHits(found),
      },
      found,
    )
    return found
  }

  /**
   * Finds what is bought together with one or several documents of the dataset, such as those of a cart: documents that are in
   * the same baskets, more often than in all baskets. Baskets are documents of another dataset, which the setting `baskets`
   * names. It sees every completed write. Ids of no document count for nothing. INVALID_ARGUMENT, DATASET_NOT_FOUND,
   * QUERY_INVALID, SEARCH_TIMEOUT, CANCELLED.
   * @example
   * const orders = await engine.datasets.create('orders')
   * await orders.documents.bulk([['p1', 'p2'], ['p2', 'p1'], ['p3'], ['p3']].map((items, id) => ({ id, items })))
   * await products.reconfigure({ baskets: { dataset: 'orders', field: 'items' } })
   * const [hit] = await products.boughtTogether('p1')
   * console.log(hit.id, hit.times) // p2 2
   */
  async boughtTogether(
    ids: string | number | readonly (string | number)[],
    options: Given<BoughtTogetherOptions<T> & ContextOptions> = {},
  ): Promise<BasketHit<T>[] & IdentifiedAnswer> {
    const only = Array.isArray(ids) ? (ids.length === 1 ? ids[0] : undefined) : ids
    return await this.#recommended(only, options, (dataset, how) => boughtTogether<T>(dataset, ids, how))
  }

  /**
   * The documents that are bought more than usual, or most, in the baskets of the last days. The setting `baskets` must name
   * their `time`. INVALID_ARGUMENT, DATASET_NOT_FOUND, QUERY_INVALID, SEARCH_TIMEOUT, CANCELLED.
   * @example
   * const orders = await engine.datasets.create('orders')
   * const at = new Date().toISOString()
   * await orders.documents.bulk([['p1', 'p2'], ['p2']].map((items, id) => ({ id, at, items })))
   * await products.reconfigure({ baskets: { dataset: 'orders', field: 'items', time: 'at' } })
   * const [hit] = await products.trending({ days: 7, by: 'count' })
   * console.log(hit.id, hit.times) // p2 2
   */
  async trending(
    options: Given<TrendingOptions<T> & ContextOptions> = {},
  ): Promise<BasketHit<T>[] & IdentifiedAnswer> {
    return await this.#recommended(undefined, options, (dataset, how) => trending<T>(dataset, how))
  }

  async #recommended(
    id: unknown,
    options: Given<ContextOptions>,
    recommend: (dataset: DatasetParts, how: object) => Promise<BasketHit<T>[]>,
  ): Promise<BasketHit<T>[] & IdentifiedAnswer> {
    const dataset = this.#find()
    const { observing, state } = dataset
    const began = observing?.begin()
    const { context, ...how } = parseInput(givenContext, options, 'options')
    const found = await recommend(dataset, how)
    observing?.answered(
      began,
      {
        type: 'similar',
        dataset: state.name,
        ...(id !== undefined && { id: String(id) }),
        context,
        hits: shownHits(found),
      },
      found,
    )
    return found
  }

  /**
   * Finds likely duplicates: groups in which at least half of all pairs reach the threshold. Each group is yielded as soon
   * as it is known, so memory use stays low however many there are. Among connected documents only the best 200,000 pairs count.
   * Documents may be written meanwhile. INVALID_ARGUMENT, CANCELLED.
   * @example
   * await products.documents.insert({ id: 'p4', title: 'Headphones, wireless', desc: 'Noise cancelling' })
   * for await (const { ids, score } of products.duplicates({ threshold: 0.6 })) {
   *   console.log(ids, score > 0.6) // [ 'p1', 'p4' ] true
   * }
   */
  duplicates(options: Given<DuplicatesOptions> = {}): AsyncGenerator<DuplicateGroup> {
    return duplicateGroups(this.#find(), options)
  }

  /**
   * Like `duplicates()`, but as a job that passes the groups to `take`, for example to write a file. INVALID_ARGUMENT.
   * @example
   * await products.documents.insert({ id: 'p4', title: 'Headphones, wireless', desc: 'Noise cancelling' })
   * await products.exportDuplicates(async groups => {
   *   for await (const { ids } of groups) console.log(ids) // [ 'p1', 'p4' ]
   * }, { threshold: 0.6 })
   */
  exportDuplicates(take: TakeDuplicates, options: Given<DuplicatesOptions & JobOptions> = {}): Job<void> {
    return exportDuplicates(this.#find(), take, options)
  }

  /**
   * The words that are typical of a tag, most typical first: single words or pairs that at least three of its documents contain,
   * and more of them than chance would explain. Empty for a tag that no document or every document has. TAG_NOT_FOUND for one
   * that neither the tree nor a document has; INVALID_ARGUMENT, SEARCH_TIMEOUT, CANCELLED.
   * @example
   * const lamps = ['Desk lamp', 'Floor lamp', 'Lamp of glass'].map((title, i) => ({ id: `l${i}`, title, tag: 'lamps' }))
   * await products.documents.bulk(lamps)
   * const [best] = await products.keywords({ tagId: 'lamps' })
   * console.log(best.text, best.inTag, best.inAll) // lamp 3 3
   */
  async keywords(options: Given<KeywordsOptions>): Promise<TypicalWord[]> {
    const { words, tags } = this.#find()
    return await words.typicalOf(options, tags.tree)
  }

  /**
   * Profiles the data. For each field: how many documents have it, its types, how many distinct values it has and which are the
   * most frequent, and what its numbers and texts look like. Also which tags are used, and what is probably wrong: doubtful tags,
   * duplicates, and numbers that are unusual for a tag. All documents are read, in a worker thread and in bounded memory.
   * `latestProfile()` returns the result from then on. INVALID_ARGUMENT, CANCELLED.
   * @example
   * const profile = await products.profile()
   * const price = profile.fields.find(({ field }) => field === 'price')
   * console.log(profile.documents, price?.missing, price?.numbers?.quantiles.p50) // 3 0 35
   */
  profile(options: Given<ProfileOptions> = {}): Job<DatasetProfile> {
    return profiling(this.#find().profile, options)
  }

  /**
   * The last finished profile, read from the store; undefined if there is none. Its `at` and `seq` say which state of the data it
   * describes. Its member `current` is up to date, with an `at` and `seq` of its own: how many documents have each field and how
   * many do not, how many distinct values there are, and the most frequent ones. If anything has changed, the call counts these
   * in the index, which takes less than half a second of CPU for 100,000 documents of seven fields. A profile moves with the data
   * when datasets are renamed or swapped. STORE_CORRUPT.
   * @example
   * console.log(await products.latestProfile()) // undefined
   * await products.profile()
   * await products.documents.insert({ id: 'p4', title: 'Torch', desc: 'Waterproof' })
   * const latest = await products.latestProfile()
   * const price = latest?.current?.fields.find(({ field }) => field === 'price')
   * console.log(latest?.documents, latest?.current?.documents, price?.missing) // 3 4 1
   */
  async latestProfile(): Promise<DatasetProfile | undefined> {
    return await latestProfile(this.#find().profile)
  }

  /**
   * Maps a sample of the documents, or their tags, to points in the plane: points near each other have similar words in their
   * searched fields, and labels say what a part of the map is about. It runs in a worker thread; the same documents and seed give
   * the same map. `map` of `findling/plot` draws it. INVALID_ARGUMENT, CANCELLED.
   * @example
   * const { points, labels } = await products.map({ sample: 500 })
   * console.log(points.length, labels.length) // 2 0
   */
  map(options: Given<MapJobOptions> = {}): Job<DatasetMap> {
    return mapping(this.#find().map, options)
  }

  /**
   * Learns from the documents which tags texts belong to, in worker threads, and stores the classifier. It replaces the previous
   * one, which answers until then; documents written later do not change it. If the job is cancelled or the process ends, the
   * previous one remains. DATASET_BUSY while another classifier of the dataset is being trained, TAG_NOT_FOUND, TOO_LARGE for
   * more than 65,535 tags.
   * @example
   * await products.documents.bulk([
   *   { id: 'b1', title: 'Cordless drill', tag: 'tools' },
   *   { id: 'b2', title: 'Claw hammer', tag: 'tools' },
   *   { id: 'b3', title: 'Wool scarf', tag: 'clothes' },
   *   { id: 'b4', title: 'Winter gloves of wool', tag: 'clothes' },
   * ])
   * const classifier = await products.classifier()
   * const [best] = await classifier.recommend('a scarf for the winter')
   * console.log(best.tagId) // clothes
   */
  classifier(options: Given<ClassifierOptions> = {}): Job<TagClassifier> {
    return this.#find().classifiers.train(options)
  }

  /**
   * The classifier that was trained last, read from the store; undefined when there is none. STORE_CORRUPT when it is
   * damaged, FORMAT_UNSUPPORTED when another version of this package has trained it: train it again.
   * @example
   * console.log(await products.savedClassifier()) // undefined
   */
  async savedClassifier(): Promise<TagClassifier | undefined> {
    return await this.#find().classifiers.load()
  }

  /**
   * The classifier that was trained last, in pieces of up to 64 KB, with a checksum: for a file, or another engine.
   * NOT_TRAINED, STORE_CORRUPT; DATASET_BUSY when another classifier replaces it meanwhile.
   * @example
   * await products.documents.bulk([
   *   { id: 'b1', title: 'Cordless drill', tag: 'tools' },
   *   { id: 'b2', title: 'Wool scarf', tag: 'clothes' },
   * ])
   * await products.classifier()
   * const pieces = []
   * for await (const piece of products.exportClassifier()) pieces.push(piece)
   * console.log(Buffer.concat(pieces).toString('latin1', 0, 8)) // FINDLING
   */
  exportClassifier(): AsyncGenerator<Uint8Array, void> {
    return this.#find().classifiers.export()
  }

  /**
   * Replaces the dataset's classifier with one that `exportClassifier()` returned, completely or not at all. It answers as it did
   * where it was trained. The dataset must have the same analyzer, searched fields, tag field and `markup`. DATASET_BUSY,
   * ARTIFACT_DAMAGED, ARTIFACT_MISMATCH, FORMAT_UNSUPPORTED, ANALYZER_MISSING, INVALID_ARGUMENT.
   * @example
   * await products.documents.bulk([
   *   { id: 'b1', title: 'Cordless drill', tag: 'tools' },
   *   { id: 'b2', title: 'Wool scarf', tag: 'clothes' },
   * ])
   * await products.classifier()
   * const copies = await engine.datasets.create('copies', { interpretedFields: ['title', 'desc'] })
   * const classifier = await copies.adoptClassifier(products.exportClassifier())
   * const [best] = await classifier.recommend('a scarf for the winter')
   * console.log(best.tagId) // clothes
   */
  adoptClassifier(source: ArtifactSource, options: Given<JobOptions> = {}): Job<TagClassifier> {
    return this.#find().classifiers.adopt(source, options)
  }

  /**
   * The most likely tags of a text, likeliest first, by the classifier that was trained last. The first call loads it, and it
   * stays in memory. NOT_TRAINED, INVALID_ARGUMENT, TAG_NOT_FOUND, SEARCH_TIMEOUT, CANCELLED.
   * @example
   * await products.documents.bulk([
   *   { id: 'b1', title: 'Cordless drill', tag: 'tools' },
   *   { id: 'b2', title: 'Wool scarf', tag: 'clothes' },
   * ])
   * await products.classifier()
   * const [best] = await products.classify('a scarf for the winter', { limit: 1 })
   * console.log(best.tagId) // clothes
   */
  async classify(
    text: string,
    options: Given<RecommendOptions & ContextOptions> = {},
  ): Promise<TagRecommendation[] & IdentifiedAnswer> {
    const { classifiers, observing, state } = this.#find()
    const began = observing?.begin()
    const { context, ...how } = parseInput(givenContext, options, 'options')
    const found = await (await classifiers.answering()).recommend(text, how)
    observing?.answered(
      began,
      {
        type: 'recommendation',
        dataset: state.name,
        text,
        context,
        recommended: found.map(({ tagId, score }) => ({ tagId, score })),
      },
      found,
    )
    return found
  }

  /**
   * Changes settings, except idField and tagField. Settings and weights that are not given stay as they are. If the index
   * has to change, it is rebuilt in the background; the old one answers until the new one replaces it. Search settings, such
   * as synonyms, take effect at once.
   * @example
   * await products.reconfigure({ interpretedFields: ['title'] })
   * console.log((await products.search('nozzle')).hits.length) // 0
   */
  reconfigure(changes: DatasetSettingsInput, options: Given<IndexJobOptions> = {}): Job<void> {
    const { state, index, steps } = this.#find()
    const definition = redefine(state, changes)
    if (!steps.areHandedOver) return index.jobs.reconfigure(definition, options)
    const operation = { dataset: state.name, settings: changes }
    const redefinition = {
      announce: () => writeOne(steps, { type: 'prepareDataset', ...operation }),
      withdraw: () => writeOne(steps, { type: 'prepareDataset', dataset: state.name, settings: {} }),
      write: () => writeOne(steps, { type: 'configureDataset', ...operation }),
    }
    return index.jobs.redefining(redefinition, options)
  }

  /**
   * Rebuilds the index in the background: it drops words that no document has any more, renews the length statistics and merges
   * the segments. You never need to call it; the old index answers until the new one is ready.
   * @example
   * const job = products.optimize({ parallel: 1 })
   * await job.finished
   * console.log(job.state.status) // finished
   */
  optimize(options: Given<IndexJobOptions> = {}): Job<void> {
    return this.#find().index.jobs.optimize(options)
  }
}

/** What an observer receives of it; nothing if a document was given. */
function comparedWith(to: SimilarTo): { text?: string; id?: string } {
  if (typeof to === 'string') return { text: to }
  return 'id' in to ? { id: String(to.id) } : {}
}
