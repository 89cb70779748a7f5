import { analyzerIdentity } from '../../analysis/analyzer.ts'
import type { DatasetState } from '../../datasets/state.ts'
import { allDocuments } from '../../datasets/stored-documents.ts'
import type { StoredTagTree } from '../../datasets/tags/stored-tag-tree.ts'
import type { AdoptedConstants, CategoriesPlace } from '../../derived/constants/adopted-constants.ts'
import type { Derived, Finding } from '../../derived/derived.ts'
import { datasetPointer } from '../../derived/generations/dataset-pointer.ts'
import { withDocuments } from '../../derived/generations/documents-to-worker.ts'
import { Generations } from '../../derived/generations/generations.ts'
import type { DerivedMemory } from '../../derived/memory.ts'
import { FindlingError } from '../../errors.ts'
import type { JobBody, Progress } from '../../jobs/job.ts'
import type { JobRunner } from '../../jobs/runner.ts'
import { Once, withCurrent } from '../../scheduling/once.ts'
import { inStretches } from '../../scheduling/stretch.ts'
import { categoriesPrefix } from '../../store/keyspace.ts'
import { type DatasetEntry, datasetEntry } from '../../store/manifest.ts'
import type { Change } from '../../store/transaction.ts'
import type { QueryCategories, QueryCategory, QuerySubject } from '../query-categories.ts'
import type { LikelyClass } from './classes-of-queries.ts'
import type { TrainingContext } from './model-training.ts'
import {
  categoriesContents,
  categoriesForm,
  categoriesLearntForm,
  categoryBlobs,
  type LoadedCategories,
  loadCategories,
  readCategories,
} from './stored-categories.ts'

export interface CategoriesContext extends TrainingContext {
  readonly state: DatasetState
  readonly tags: StoredTagTree
  readonly jobs: JobRunner
  readonly memory: DerivedMemory
  /** The adopted categories; undefined if they are learnt here. */
  readonly constants: AdoptedConstants | undefined
  warn(message: string, details: Record<string, unknown>): void
}

/** Minimum number of documents: fewer teach little. */
export const LEAST_LEARNT = 1000
/** Maximum number of documents that are read: of more, an even sample. */
const MOST_DOCUMENTS = 50_000
/** Minimum number of tags in the tree. */
const LEAST_TAGS = 2
/** Maximum bytes of a document: longer ones take long to read, and say no more. */
const LONGEST_DOCUMENT = 65_536
/** Learnt when the number of documents changes by less than this within this many milliseconds: not in the middle of an import. */
const CALM = { documents: 100, milliseconds: 500 }
/** Maximum number of categories shown, and their minimum probability. */
const SHOWN = { most: 3, least: 0.05 }

/** What tells categories, as it is to be stored. */
export interface SavedPart {
  readonly contents: unknown
  readonly blobs: ReadonlyMap<string, Uint8Array>
}

/** At how many documents, or changes, categories are to be learnt again; or as soon as the tree of tags is another one. */
type Due =
  | { readonly fewer: number; readonly more: number; readonly changes: number }
  | { readonly tree: number }

/**
 * What queries are about, by the tags of the documents of one dataset: learnt in the background when there are enough,
 * and again when their number has grown by half or halved, or half as many were written. Nobody waits for it. It is one generation in
 * the store, whole or not there.
 */
export class LiveCategories implements Derived, QueryCategories {
  readonly kind = 'classifier of queries'
  readonly #context: CategoriesContext
  readonly #generations: Generations<DatasetEntry>
  readonly #loaded: Once<LoadedCategories | undefined>
  /** The settings with which the loaded categories were compared. */
  #settings: DatasetState['settings']
  #changes = 0
  #due: Due | undefined
  #watching: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined
  #cancel: (() => void) | undefined
  #isClosing = false

  constructor(context: CategoriesContext) {
    const { store, state, warn } = context
    this.#context = context
    this.#settings = state.settings
    this.#generations = new Generations({
      store,
      pointer: datasetPointer(state.dataset, 'categories', categoriesPrefix),
      unswept: error =>
        warn(
          'The space of earlier categories could not be freed; this is retried when the store is next opened.',
          {
            dataset: state.name,
            error,
          },
        ),
    })
    this.#loaded = new Once(() => this.#load())
  }

  get name(): string {
    return this.#context.state.name
  }

  get bytes(): number {
    return this.#loaded.loaded?.classifier.bytes ?? 0
  }

  /**
   * What a query is about; a promise as long as that is being loaded; undefined where nothing was learnt yet, or no word is
   * known.
   * @param exclusion whether hyphens exclude words
   */
  of(query: string, exclusion: boolean): QuerySubject | undefined | Promise<QuerySubject | undefined> {
    this.#watch()
    if (!this.#mayAnswer()) return undefined
    const { loaded } = this.#loaded
    if (loaded && !this.#context.memory.isLimited) return this.#subjectOf(loaded, query, exclusion)
    return this.current().then(loaded => loaded && this.#subjectOf(loaded, query, exclusion))
  }

  /** The categories that answer at present. */
  async current(): Promise<LoadedCategories | undefined> {
    if (!this.#mayAnswer()) return undefined
    const loaded = await this.#loaded.get()
    if (loaded) await this.#context.memory.used(this)
    return loaded
  }

  follow(changes: readonly Change[]): undefined {
    this.#changes += changes.length
    this.#watch()
  }

  /** Other settings may ask for another one. */
  redefined(): void {
    this.#loaded.letGo()
    this.#due = undefined
  }

  /** Resolves when what is being learnt is there. */
  async settle(): Promise<void> {
    await this.#working
  }

  /** It reads the documents itself, so that the change log need keep nothing for it. */
  async catchUp(): Promise<number> {
    return Infinity
  }

  async examine(): Promise<Finding[]> {
    return []
  }

  /** Learnt again in the background, when it is due. */
  async rebuild(): Promise<void> {
    this.redefined()
  }

  async release(): Promise<boolean> {
    this.#loaded.letGo()
    return true
  }

  async close(): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#watching)
    this.#cancel?.()
    await this.#working
    await this.#generations.idle()
    this.#loaded.letGo()
  }

  #mayAnswer(): boolean {
    const { settings } = this.#context.state
    if (settings !== this.#settings) this.#resettle(settings)
    return settings.categories && this.#isStored && this.#documents >= LEAST_LEARNT
  }

  /** Discards what was learnt by other settings. */
  #resettle(settings: DatasetState['settings']): void {
    const before = categoriesForm(this.#settings)
    this.#settings = settings
    if (settings.categories && categoriesForm(settings) === before) return
    this.redefined()
    this.#watch()
  }

  /** Called when other categories were adopted. */
  takeConstants(): void {
    this.#loaded.letGo()
  }

  /** What tells them now, as it is stored; undefined where nothing does. STORE_CORRUPT */
  async saved(): Promise<SavedPart | undefined> {
    const { state } = this.#context
    if (!state.settings.categories || !this.#isStored) return undefined
    return await withCurrent(
      () => this.generation,
      async () => {
        const stored = this.#stored
        const read = await readCategories(stored, state)
        return (
          read?.categories.learnt && {
            contents: read.contents,
            blobs: await stored.readBlobs(categoryBlobs(read.contents)),
          }
        )
      },
    )
  }

  /** The same as it would be learnt now, without storing it; undefined where there is nothing to learn from. */
  async *learnt(signal: AbortSignal): AsyncGenerator<Progress, SavedPart | undefined> {
    const { state, tags } = this.#context
    const documents = this.#documents
    if (!state.settings.categories || documents < LEAST_LEARNT) return undefined
    if ((await tags.current()).size < LEAST_TAGS) return undefined
    const learnt = yield* this.#learn(documents, signal)
    return learnt.blobs.size > 0 ? learnt : undefined
  }

  /** Another one whenever something was learnt; 0 before. */
  get generation(): number {
    const { store, state, constants } = this.#context
    return constants?.generation ?? datasetEntry(store.manifest, state.dataset)?.categories ?? 0
  }

  get #stored(): CategoriesPlace {
    return this.#context.constants?.categories ?? this.#generations.current
  }

  get #isStored(): boolean {
    return this.generation > 0
  }

  get #documents(): number {
    const { store, state } = this.#context
    return store.counts(state.dataset).documents
  }

  #subjectOf(
    { queries, classes, facts, contents }: LoadedCategories,
    query: string,
    exclusion: boolean,
  ): QuerySubject | undefined {
    const likely = queries.of(query, exclusion)
    if (likely.length === 0) return undefined
    const shares = new Float64Array(contents.tags.length)
    for (const { class: one, probability } of likely) shares[one] = probability
    return {
      weighs: facts.weigh ? { shares, classes } : undefined,
      shown: () => this.#shown(likely, contents.tags),
    }
  }

  /** Those of the tree as it is now. */
  async #shown(likely: readonly LikelyClass[], tags: readonly string[]): Promise<QueryCategory[]> {
    const tree = await this.#context.tags.current()
    return likely
      .flatMap(({ class: one, probability }) => {
        const tag = tree.get(tags[one]!)
        if (!tag || probability < SHOWN.least) return []
        return [{ tag: tag.id, path: [...tag.path.map(({ name }) => name), tag.name], probability }]
      })
      .slice(0, SHOWN.most)
  }

  /** Watches whether the number of documents changes, and has categories learnt if it changes little. */
  #watch(): void {
    if (this.#watching || this.#working || this.#isClosing || !this.#mayBeDue) return
    const before = this.#changes
    this.#watching = setTimeout(() => {
      this.#watching = undefined
      if (this.#changes - before >= CALM.documents) this.#watch()
      else this.#begin()
    }, CALM.milliseconds).unref()
  }

  get #mayBeDue(): boolean {
    const documents = this.#documents
    if (this.#context.constants || !this.#context.state.settings.categories || documents < LEAST_LEARNT)
      return false
    if (!this.#due) return true
    if ('tree' in this.#due) return this.#context.tags.revision !== this.#due.tree
    const { fewer, more, changes } = this.#due
    return documents <= fewer || documents >= more || this.#changes >= changes
  }

  #begin(): void {
    const { store, state, warn } = this.#context
    this.#working = this.#learnIfDue()
      .catch(error => {
        if (this.#isClosing || store.isClosing) return
        warn('The categories of queries could not be learnt; this is retried when documents have changed.', {
          dataset: state.name,
          error,
        })
      })
      .finally(() => {
        this.#working = undefined
        // Documents may have come meanwhile.
        this.#watch()
      })
  }

  async #learnIfDue(): Promise<void> {
    const { jobs, state } = this.#context
    if (!this.#due) {
      const learnt = await this.#learntFrom().catch(() => undefined)
      // Writes to other datasets are counted, too, which only makes learning happen somewhat sooner.
      if (learnt) this.#expectAfter(learnt.documents, this.#changes - (this.#context.store.seq - learnt.seq))
    }
    if (this.#isClosing || !this.#mayBeDue) return
    const { tags } = this.#context
    const tree = tags.revision
    // Without tags to tell apart nothing is read.
    if ((await tags.current()).size < LEAST_TAGS) {
      this.#due = { tree }
      return
    }
    if (this.#isClosing) return
    this.#expectAfter(this.#documents)
    const job = jobs.start('categories', `Learning the categories of ${state.name}`, this.#learning(), {
      persist: false,
    })
    this.#cancel = () => job.cancel()
    await job.finished
  }

  #expectAfter(documents: number, changes = this.#changes): void {
    this.#due = {
      fewer: documents >> 1,
      more: Math.ceil(1.5 * documents),
      changes: changes + Math.max(LEAST_LEARNT, documents >> 1),
    }
  }

  #learning(): JobBody<void> {
    const { store } = this.#context
    const generations = this.#generations
    const documents = this.#documents
    const inPlace = () => {
      this.#loaded.letGo()
    }
    const settled = () => this.current()
    const learning = (signal: AbortSignal) => this.#learn(documents, signal)
    return async function* ({ signal }) {
      const { seq } = store
      const { contents, blobs } = yield* learning(signal)
      yield* generations.replace(async function* (beside) {
        await beside.saveBlobs(blobs)
        signal.throwIfAborted()
        yield { done: documents, total: documents, phase: 'storing' }
        return { head: beside.head({ contents, obsolete: [] }, seq, ''), check() {}, change: {}, inPlace }
      })
      // So that the next query need not wait.
      await settled()
    }
  }

  /** What tells them, as it is to be stored; also where there was nothing to learn. */
  async *#learn(documents: number, signal: AbortSignal): AsyncGenerator<Progress, SavedPart> {
    const { state, tags, pool, clock } = this.#context
    const context = this.#context
    const form = categoriesLearntForm(state)
    const { language, analyzer: own } = form.settings
    const analyzer = analyzerIdentity(language, own)
    const parents = await inStretches((await tags.current()).parents())
    const every = Math.ceil(documents / MOST_DOCUMENTS)
    const learn = (fields: readonly string[]) =>
      withDocuments(
        context,
        (port, how) =>
          pool.run('learnCategories', { form: { ...form, fields }, analyzer, parents, port }, how),
        { phase: 'learning', signal, documents: allDocuments(context, { signal, wants: oneIn(every) }) },
      )
    let learnt = yield* learn(form.fields)
    const [first] = form.fields
    const isTelling = (field: string) => learnt?.tellingFields.some(one => one.field === field)
    // With a field that alone tells the tag, nothing is learnt of the words that people ask for; titles have these.
    const others = form.fields.filter(field => field === first || !isTelling(field))
    if (learnt && others.length > 0 && others.length < form.fields.length) learnt = yield* learn(others)
    const contents = categoriesContents(learnt, form, documents, clock())
    return { contents, blobs: learnt?.saved.blobs ?? new Map() }
  }

  /** When what is stored was learnt, where it would be learnt alike now. */
  async #learntFrom(): Promise<{ documents: number; seq: number } | undefined> {
    if (!this.#isStored) return undefined
    const { state } = this.#context
    return await withCurrent(
      () => this.#generations.current,
      generation => readCategories(generation, state),
    )
  }

  /** Undefined for what was learnt otherwise, or cannot be read: it is learnt again. */
  async #load(): Promise<LoadedCategories | undefined> {
    const { store, state, warn } = this.#context
    try {
      return await withCurrent(
        () => this.generation,
        () => loadCategories(this.#stored, state),
      )
    } catch (error) {
      if (store.isClosing || !(error instanceof FindlingError)) throw error
      const next = this.#context.constants ? 'Adopt ranking constants again.' : 'They will be learnt again.'
      warn(`The categories of queries cannot be read. ${next}`, { dataset: state.name, error })
      this.#due = { fewer: Infinity, more: 0, changes: 0 }
      this.#watch()
      return undefined
    }
  }
}

/** One of so many documents, evenly, of those that are no longer than what says something. */
function oneIn(every: number): (bytes: number) => boolean {
  let next = 0
  return bytes => bytes <= LONGEST_DOCUMENT && next++ % every === 0
}
