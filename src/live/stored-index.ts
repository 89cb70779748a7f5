import { documentIn } from '../datasets/record.ts'
import type { DatasetState, Definition } from '../datasets/state.ts'
import { FindlingError } from '../errors.ts'
import { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { LoadedIndex } from '../fulltext/loaded-index.ts'
import { changesSince } from '../store/change-log.ts'
import { documentKey } from '../store/keyspace.ts'
import { type DatasetEntry, datasetEntry, withEntry } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { Generation } from './generation.ts'
import { type IndexChange, IndexFeed } from './index-feed.ts'
import { type IndexWarnings, isDamage, warnOfDamage } from './index-warnings.ts'
import { documentReader, fingerprint, indexOptions, isLoadable } from './indexing.ts'

const REPLAY_BATCH = 200
/** More changes than this are not replayed on the main thread: the index is built anew in a worker. */
const REPLAY_AT_MOST = 20_000

interface StoredIndexContext extends IndexWarnings {
  store: Store
  state: DatasetState
}

/** A generation that may take the place of the one that answers. */
export interface Beside {
  number: number
  generation: Generation
}

/**
 * What is stored of an index: the generation that answers, and up to which change. What it lacks is in the change log,
 * from where it is taken in again.
 */
export class StoredIndex {
  readonly #context: StoredIndexContext
  #generation: Generation
  #savedSeq = 0
  #unsaved = 0
  #turn: Promise<void> = Promise.resolve()

  constructor(context: StoredIndexContext) {
    this.#context = context
    this.#generation = this.#generationOf(this.#entry?.index ?? 1)
  }

  get generation(): Generation {
    return this.#generation
  }

  /** Changes up to this number are stored. */
  get savedSeq(): number {
    return this.#savedSeq
  }

  /** Changes taken in since the index was saved. */
  get unsaved(): number {
    return this.#unsaved
  }

  changed(changes: number): void {
    this.#unsaved += changes
  }

  /** The index with all changes, `isOutdated` if by the rules of another version; undefined when none can be had. */
  async load(): Promise<{ feed: IndexFeed; isOutdated: boolean } | undefined> {
    const { state, store } = this.#context
    const generation = this.#generation
    const loaded = await this.#tryLoad(generation)
    if (!loaded && store.counts(state.dataset).documents > REPLAY_AT_MOST) return undefined
    const index = loaded?.index ?? new FulltextIndex(await indexOptions(state.settings))
    const feed = feedOf(index, state, generation, loaded?.seq ?? 0)
    this.#savedSeq = feed.seq
    if (!(await this.#tryReplay(feed))) return undefined
    return { feed, isOutdated: !!loaded && loaded.fingerprint !== fingerprint(state.settings) }
  }

  /** Reads again what changed after the feed's number. Commits that come meanwhile wait behind it. */
  async replay(feed: IndexFeed): Promise<void> {
    const { store, state } = this.#context
    for await (const changes of changesSince(store, state.dataset, feed.seq)) {
      for (let at = 0; at < changes.length; at += REPLAY_BATCH) {
        const some = changes.slice(at, at + REPLAY_BATCH)
        const values = await store.getMany(some.map(({ id }) => documentKey(state.dataset, id)))
        await feed.apply(
          some.map(({ seq, id }, i): IndexChange => {
            const value = values[i]
            return { seq, id, document: value ? documentIn(value) : null }
          }),
        )
        this.#unsaved += some.length
      }
    }
  }

  /** Saving and flipping take turns: a save must not write into a generation that is being swept. */
  inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  /** Resolves when those who have asked for a turn have had it. */
  idle(): Promise<void> {
    return this.#turn
  }

  /** Whether the dataset is gone: nothing of it may be stored any more. */
  get isRemoved(): boolean {
    return this.#entry === undefined
  }

  /** To be called in turn. */
  async save(index: FulltextIndex, { seq, fingerprint }: IndexFeed): Promise<void> {
    this.#unsaved = 0
    await this.#generation.save(index.save(), seq, fingerprint)
    this.#savedSeq = seq
  }

  /** Where another index can be stored. */
  beside(): Beside {
    const number = (this.#entry?.index ?? 1) + 1
    return { number, generation: this.#generationOf(number) }
  }

  /** Puts another index in place by one write, which also declares the old one trash. To be called in turn. */
  async flip(
    { number, generation }: Beside,
    record: ReturnType<Generation['record']>,
    definition: Definition,
  ): Promise<void> {
    const { store, state } = this.#context
    const old = this.#generation.prefix
    await store.writeWhenRoom({
      reads: [],
      bytes: record.value.byteLength,
      apply(transaction) {
        refuseOutgrown(transaction.dataset(state.dataset), definition)
        const change = { index: number, ...definition }
        const manifest = withEntry(transaction.manifest, state.dataset, change)
        const trash = [...manifest.trash.filter(prefix => prefix !== generation.prefix), old]
        transaction.manifest = { ...manifest, trash }
        transaction.put(record.key, record.value)
      },
    })
    this.#generation = generation
    this.#savedSeq = 0
    this.#unsaved = 1
    state.apply(definition)
  }

  /** What is stored, unless it is of no use: then it is cleared away. */
  async #tryLoad(
    generation: Generation,
  ): Promise<{ index: LoadedIndex; seq: number; fingerprint: string } | undefined> {
    const { state, store } = this.#context
    try {
      const record = await generation.stored()
      if (!record) return undefined
      const { seq, fingerprint } = record
      // Removals that came after it may have been forgotten.
      if (isLoadable(fingerprint, state.settings) && seq >= store.counts(state.dataset).prunedSeq)
        return { index: await generation.load(await indexOptions(state.settings), record), seq, fingerprint }
    } catch (error) {
      if (!isDamage(error)) throw error
      warnOfDamage(this.#context, error)
    }
    await store.clear(generation.prefix)
    return undefined
  }

  /** False when the index, the change log, or a document that it tells of is damaged. */
  async #tryReplay(feed: IndexFeed): Promise<boolean> {
    try {
      await this.replay(feed)
      return true
    } catch (error) {
      if (!isDamage(error)) throw error
      warnOfDamage(this.#context, error)
      return false
    }
  }

  #generationOf(number: number): Generation {
    return new Generation(this.#context.store, this.#context.state.dataset, number)
  }

  get #entry(): DatasetEntry | undefined {
    return datasetEntry(this.#context.store.manifest, this.#context.state.dataset)
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

/** Documents may have added to the searched fields since a definition was made which leaves these to them. */
export function refuseOutgrown({ name, settings, findsFields }: DatasetEntry, definition: Definition): void {
  if (!findsFields || !definition.findsFields) return
  // As it was made and checked when it was stored.
  const { interpretedFields } = settings as Definition['settings']
  if (interpretedFields.length === definition.settings.interpretedFields.length) return
  const message = `Documents have added to the searched fields of ${name} meanwhile; do it again.`
  throw new FindlingError('DATASET_BUSY', message, { field: 'interpretedFields' })
}
