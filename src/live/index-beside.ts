import type { DatasetState, Definition } from '../datasets/state.ts'
import { loadingWhole } from '../fulltext/loaded-index.ts'
import type { SavedIndex } from '../fulltext/stored/saved-parts.ts'
import type { Progress } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import { documentPrefix, within } from '../store/keyspace.ts'
import type { Store } from '../store/store.ts'
import { sweep } from '../store/trash.ts'
import { inStretches } from '../stretch.ts'
import { buildInWorkers } from './build-crew.ts'
import type { IndexTasks } from './index-builder.ts'
import type { IndexChange, IndexFeed } from './index-feed.ts'
import { type IndexWarnings, warnOfFailure } from './index-warnings.ts'
import { fingerprint, indexOptions } from './indexing.ts'
import { type Beside, feedOf, type StoredIndex } from './stored-index.ts'

interface IndexBesideContext extends IndexWarnings {
  store: Store
  state: DatasetState
  pool: WorkerPool<IndexTasks>
}

/** Builds an index beside the one that answers, then flips one pointer. One at a time. */
export class IndexBeside {
  readonly #context: IndexBesideContext
  readonly #stored: StoredIndex
  readonly #inPlace: (feed: IndexFeed) => void
  /** The index that is about to be put in place: it hears changes too. */
  #next: IndexFeed | undefined
  #isBuilding = false

  /** @param inPlace called when another index is the one that is stored, before anybody else has a turn at that */
  constructor(context: IndexBesideContext, stored: StoredIndex, inPlace: (feed: IndexFeed) => void) {
    this.#context = context
    this.#stored = stored
    this.#inPlace = inPlace
  }

  /** While one is being built, which learns from the change log what came after its documents were read. */
  get isBuilding(): boolean {
    return this.#isBuilding
  }

  async take(changes: readonly IndexChange[]): Promise<void> {
    await this.#next?.take(changes)
  }

  /** A crash leaves the old index, and rubbish that the next open sweeps. */
  async *build(
    definition: Definition,
    parallel: number,
    signal: AbortSignal,
  ): AsyncGenerator<Progress, void> {
    const { store } = this.#context
    const beside = this.#stored.beside()
    await this.#declareTrash(beside.generation.prefix)
    let rubbish = beside.generation.prefix
    this.#isBuilding = true
    try {
      const { seq } = store
      const saved = yield* this.#index(definition, parallel, signal)
      const next = await this.#follow(saved, definition, beside, seq)
      signal.throwIfAborted()
      const record = beside.generation.record(saved, seq, fingerprint(definition.settings))
      const old = this.#stored.generation.prefix
      await this.#stored.inTurn(async () => {
        await this.#stored.flip(beside, record, definition)
        this.#inPlace(next)
        this.#next = undefined
      })
      rubbish = old
    } finally {
      this.#isBuilding = false
      this.#next = undefined
      // The list of trash names it until it is gone: what fails here is done at the next open.
      await sweep(store, rubbish).catch(error => warnOfFailure(this.#context, error))
    }
  }

  /** All documents there are. */
  #index(
    definition: Definition,
    parallel: number,
    signal: AbortSignal,
  ): AsyncGenerator<Progress, SavedIndex> {
    const { store, state, pool } = this.#context
    const prefix = documentPrefix(state.dataset)
    const entries = store.entries(within(prefix), {
      signal,
      // What cannot be read cannot be found either; the doctor names it.
      onDamage: key => this.#context.warn(`The stored value ${key} is damaged and not indexed.`, { key }),
    })
    const { documents: total } = store.counts(state.dataset)
    const documents = withoutPrefix(entries, prefix.length)
    return buildInWorkers(pool, definition, documents, { total, parallel, signal })
  }

  /** Loads what was built and stores it. It takes in what changed after `seq`, and hears of changes from then on. */
  async #follow(
    saved: SavedIndex,
    definition: Definition,
    { generation }: Beside,
    seq: number,
  ): Promise<IndexFeed> {
    const options = await indexOptions(definition.settings)
    const loading = loadingWhole(options, saved.contents, name => saved.blobs.get(name))
    const next = feedOf(await inStretches(loading), definition, generation, seq)
    this.#next = next
    await next.first(() => this.#stored.replay(next))
    await generation.saveBlobs(saved.blobs)
    await next.taken()
    return next
  }

  async #declareTrash(prefix: string): Promise<void> {
    const { store, state } = this.#context
    await store.clear(prefix)
    await store.writeWhenRoom({
      reads: [],
      bytes: 0,
      apply(transaction) {
        transaction.dataset(state.dataset)
        const { manifest } = transaction
        transaction.manifest = { ...manifest, trash: [...manifest.trash, prefix] }
      },
    })
  }
}

async function* withoutPrefix(
  batches: AsyncIterable<[string, Buffer][]>,
  length: number,
): AsyncGenerator<[string, Buffer][]> {
  for await (const batch of batches) yield batch.map(([key, payload]) => [key.slice(length), payload])
}
