import { documentIn } from '../datasets/record.ts'
import type { DatasetState, Definition } from '../datasets/state.ts'
import type { AdoptedConstants } from '../derived/constants/adopted-constants.ts'
import { datasetPointer } from '../derived/generations/dataset-pointer.ts'
import type { Generation } from '../derived/generations/generation.ts'
import { Generations } from '../derived/generations/generations.ts'
import { FindlingError } from '../errors.ts'
import { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { IndexConstants } from '../fulltext/index-constants.ts'
import { LoadedIndex } from '../fulltext/loaded-index.ts'
import { blobNames } from '../fulltext/stored/index-contents.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import { inStretches, Stretch } from '../scheduling/stretch.ts'
import { changesSince } from '../store/change-log.ts'
import { documentKey, indexPrefix } from '../store/keyspace.ts'
import type { DatasetEntry } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { takeGiven } from './given-constants.ts'
import type { IndexTasks } from './index-builder.ts'
import { type IndexChange, IndexFeed } from './index-feed.ts'
import { type IndexWarnings, isDamage, warnOfDamage, warnOfFailure } from './index-warnings.ts'
import { documentReader, fingerprint, indexOptions, isLoadable } from './indexing.ts'

const REPLAY_BATCH = 200
/** More changes than this are not replayed on the main thread: the index is rebuilt in a worker. */
const REPLAY_AT_MOST = 20_000
/** At most this many changes are replayed while writers wait. */
const NEARLY_THERE = 256
/** After this many attempts to catch up, writers that are faster than the index have to wait for it. */
const MOST_ROUNDS = 8

interface StoredIndexContext extends IndexWarnings {
  store: Store
  state: DatasetState
  pool: WorkerPool<IndexTasks>
  constants: AdoptedConstants | undefined
}

/**
 * The stored form of an index: the generation that answers, and the last change it contains. Later changes are replayed from the
 * change log.
 */
export class StoredIndex {
  readonly generations: Generations<DatasetEntry>
  readonly #context: StoredIndexContext
  #savedSeq = 0
  #unsaved = 0

  constructor(context: StoredIndexContext) {
    const { store, state } = context
    this.#context = context
    this.generations = new Generations({
      store,
      pointer: datasetPointer(state.dataset, 'index', indexPrefix),
      unswept: error => warnOfFailure(context, error),
    })
  }

  /** Changes up to this number are stored. */
  get savedSeq(): number {
    return this.#savedSeq
  }

  /** Changes applied since the index was saved. */
  get unsaved(): number {
    return this.#unsaved
  }

  changed(changes: number): void {
    this.#unsaved += changes
  }

  /**
   * The index with the changes in the log, except perhaps the very last ones; `isOutdated` if it was built by the rules of another
   * version; undefined if the index has to be rebuilt.
   */
  async load(): Promise<{ feed: IndexFeed; isOutdated: boolean } | undefined> {
    const { state, store, pool, constants } = this.#context
    const generation = this.generations.current
    const given = await constants?.ofIndex(state.settings)
    const loaded = await this.#tryLoad(generation, given)
    if (!loaded && store.counts(state.dataset).documents > REPLAY_AT_MOST) return undefined
    const index = loaded?.index ?? new FulltextIndex(await indexOptions(state.settings, given))
    const feed = feedOf(index, state, generation, loaded?.seq ?? 0)
    this.#savedSeq = feed.seq
    if (!(await this.#tryApproach(feed))) return undefined
    // The process may have ended between an adoption and the next save.
    if (!feed.index.isAsGiven) await takeGiven(await feed.complete(), pool)
    return { feed, isOutdated: !!loaded && loaded.fingerprint !== fingerprint(state.settings) }
  }

  /** Replays until little is missing, however much is written meanwhile. */
  async approach(feed: IndexFeed): Promise<void> {
    const { store } = this.#context
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const { seq } = store
      await this.replay(feed)
      if (store.seq - seq <= NEARLY_THERE) return
    }
  }

  /** Rereads what changed after the feed's sequence number. Concurrent commits wait for it. */
  async replay(feed: IndexFeed): Promise<void> {
    const { store, state } = this.#context
    const stretch = new Stretch()
    for await (const changes of changesSince(store, state.dataset, feed.seq)) {
      for (let at = 0; at < changes.length; at += REPLAY_BATCH) {
        const some = changes.slice(at, at + REPLAY_BATCH)
        const values = await store.getMany(some.map(({ id }) => documentKey(state.dataset, id)))
        const read: IndexChange[] = []
        for (const [i, { seq, id }] of some.entries()) {
          if (stretch.isOver) await stretch.pause()
          const value = values[i]
          read.push({ seq, id, document: value ? documentIn(value) : null })
        }
        await feed.apply(read)
        this.#unsaved += some.length
      }
    }
  }

  /** To be called in turn. */
  async save(index: FulltextIndex, { seq, fingerprint }: IndexFeed): Promise<void> {
    this.#unsaved = 0
    await this.generations.current.save(index.save(), seq, fingerprint)
    this.#savedSeq = seq
  }

  /** Another index is in place now. */
  replaced(): void {
    this.#savedSeq = 0
    this.#unsaved = 1
  }

  /** The stored index; if it is unusable, it is deleted. */
  async #tryLoad(
    generation: Generation,
    given: IndexConstants | undefined,
  ): Promise<{ index: LoadedIndex; seq: number; fingerprint: string } | undefined> {
    const { state, store } = this.#context
    try {
      const head = await generation.stored()
      if (!head) return undefined
      const { seq, fingerprint, contents } = head
      // Later removals may have been pruned from the change log.
      if (isLoadable(fingerprint, state.settings) && seq >= store.counts(state.dataset).prunedSeq) {
        const options = await indexOptions(state.settings, given)
        const blobs = await generation.readBlobs(blobNames(contents).needed)
        const index = await inStretches(LoadedIndex.loading(options, contents, name => blobs.get(name)))
        return { index, seq, fingerprint }
      }
    } catch (error) {
      if (!isDamage(error)) throw error
      warnOfDamage(this.#context, error)
    }
    await store.clear(generation.prefix)
    return undefined
  }

  /** False if the index, the change log or a document named there is damaged. */
  async #tryApproach(feed: IndexFeed): Promise<boolean> {
    try {
      await this.approach(feed)
      return true
    } catch (error) {
      if (!isDamage(error)) throw error
      warnOfDamage(this.#context, error)
      return false
    }
  }
}

/** @param seq number of the last change that is in the index */
export function feedOf(
  index: FulltextIndex | LoadedIndex,
  { settings, schema }: Pick<Definition, 'settings' | 'schema'>,
  generation: Generation,
  seq: number,
): IndexFeed {
  const reader = documentReader(settings, schema.root)
  const readParts = (names: readonly string[]) => generation.readBlobs(names)
  return new IndexFeed({ index, reader, readParts, seq, fingerprint: fingerprint(settings) })
}

/** A write may have redefined the dataset since a definition was made. */
export function refuseRedefined(state: DatasetState, before: number): void {
  if (state.redefinitions !== before) throw redefined(state)
}

export const redefined = ({ name }: DatasetState): FindlingError =>
  new FindlingError('DATASET_BUSY', `The settings of ${name} have been changed in the meantime; try again.`, {
    field: 'settings',
  })

/** Documents may have added searched fields since a definition was made that leaves the fields to the documents. */
export function refuseOutgrown({ name, settings, findsFields }: DatasetEntry, definition: Definition): void {
  if (!findsFields || !definition.findsFields) return
  // Checked when it was stored.
  const { interpretedFields } = settings as Definition['settings']
  if (interpretedFields.length === definition.settings.interpretedFields.length) return
  const message = `New documents have added searched fields to ${name} in the meantime; try again.`
  throw new FindlingError('DATASET_BUSY', message, { field: 'interpretedFields' })
}
