import type { QueryStatistics } from './analytics/query-statistics.ts'
import type { AdoptThrough } from './artifacts/artifact.ts'
import { DatasetClassifiers } from './classification/dataset/dataset-classifiers.ts'
import type { DatasetParts } from './dataset.ts'
import type { Steps } from './datasets/job-steps.ts'
import type { DatasetRegistry } from './datasets/registry.ts'
import type { DatasetState } from './datasets/state.ts'
import { StoredTagTree } from './datasets/tags/stored-tag-tree.ts'
import { TagPaths } from './datasets/tags/tag-paths.ts'
import type { Tag } from './datasets/tags/tag-tree.ts'
import type { Derivation, DerivationContext, DerivedParts, derivations } from './derivations.ts'
import { AdoptedConstants } from './derived/constants/adopted-constants.ts'
import { Derivatives } from './derived/derivatives.ts'
import type { Extractor } from './extraction/extractor.ts'
import type { WorkerPool } from './jobs/pool.ts'
import type { DocumentLimits } from './json.ts'
import type { Observing } from './observing/observing.ts'
import type { WriteOperation } from './operations/operation.ts'
import { LiveCounts } from './profile/dataset/live-counts.ts'
import { Cursors } from './search/cursors.ts'
import { WrittenForms } from './search/written-forms.ts'
import type { StateDigests } from './state-digest.ts'
import type { DatasetNumber } from './store/dataset-number.ts'
import { datasetEntry } from './store/manifest.ts'
import type { Change } from './store/transaction.ts'
import { sweep } from './store/trash.ts'
import { DatasetWordCounts } from './word-counts/dataset-word-counts.ts'
import type { WorkerTasks } from './worker.ts'

/** What all datasets of an engine share. */
interface OpenDatasetsContext extends Omit<DerivationContext, 'state' | 'tags' | 'constants'> {
  readonly registry: DatasetRegistry
  readonly steps: Steps<WriteOperation>
  readonly extractor: Extractor
  readonly limits: DocumentLimits
  readonly digests: StateDigests
  readonly derivations: typeof derivations & Record<string, Derivation>
  readonly adoptsConstants: boolean
  /** Bytes per dataset for whole answers. */
  readonly answerCache: number
  readonly adoptThrough: AdoptThrough | undefined
  readonly observing: Observing | undefined
  readonly statistics: QueryStatistics | undefined
}

/** The parts of one open dataset, with everything derived from its documents. */
interface Opened extends DatasetParts {
  readonly derived: Derivatives<DerivedParts>
  readonly pool: WorkerPool<WorkerTasks>
}

/** The datasets of which something was needed since the engine was opened: what each consists of, and how it follows commits. */
export class OpenDatasets {
  readonly #context: OpenDatasetsContext
  readonly #open = new Map<DatasetNumber, Opened>()

  constructor(context: OpenDatasetsContext) {
    this.#context = context
  }

  get opened(): Opened[] {
    return [...this.#open.values()]
  }

  /** All datasets. */
  get all(): Opened[] {
    return [...this.#context.registry].map(state => this.of(state))
  }

  /** DATASET_NOT_FOUND. @param field the member that has the name */
  named(name: string, field = 'dataset'): Opened {
    return this.of(this.#context.registry.given(name, field))
  }

  of(state: DatasetState): Opened {
    let opened = this.#open.get(state.dataset)
    if (!opened) {
      opened = this.#wire(state)
      this.#open.set(state.dataset, opened)
    }
    return opened
  }

  #wire(state: DatasetState): Opened {
    const { store, jobs, steps, pool, memory, clock, warn, statistics, digests } = this.#context
    const { extractor, limits, observing, adoptThrough } = this.#context
    const readFile = async (bytes: Uint8Array, owner: string) =>
      (await extractor.extract(bytes, { language: false, owner })).text
    const tree = new StoredTagTree(store, state)
    const readSheet = (bytes: Uint8Array, sheet: string | null, owner: string, signal?: AbortSignal) =>
      extractor.sheet(bytes, { sheet, owner, signal })
    const createTags = (tags: readonly Tag[]) =>
      steps.write(
        tags.map(tag => ({ type: 'createTag', dataset: state.name, tag })),
        '',
      )
    const pathTags = (separator: string) =>
      new TagPaths(tree, separator, steps.areHandedOver ? createTags : undefined)
    const documents = {
      store,
      state,
      jobs,
      steps,
      pathTags,
      clock,
      readFile,
      readSheet,
      limits,
    }
    const words = new DatasetWordCounts({ store, state, tags: tree, jobs, pool })
    const tags = { store, state, jobs, steps, tree, words }
    const constants = this.#context.adoptsConstants ? new AdoptedConstants({ store, state, warn }) : undefined
    const { answerCache } = this.#context
    const learning = { store, state, tags: tree, jobs, pool, memory, constants, answerCache, clock, warn }
    const parts = derive(this.#context.derivations, learning)
    const derived = new Derivatives(parts, { store, state, memory, warn })
    const { categories } = parts
    const classifiers = new DatasetClassifiers({
      ...learning,
      adoptThrough,
      learntBeside: () => categories.current(),
    })
    const map = { store, state, jobs, pool, clock }
    const { index, completions, likeness, vectors } = parts
    const counts = new LiveCounts({ store, state, index, clock })
    const profile = { store, state, tags: tree, jobs, pool, clock, counts }
    const cursors = new Cursors(clock, index)
    const written = new WrittenForms(index, { store, state })
    const derivedParts = { index, completions, likeness, words: parts.words, categories, vectors, derived }
    return {
      state,
      steps,
      documents,
      tags,
      digests,
      ...derivedParts,
      classifiers,
      ranking: { store, state, index, categories, constants, adoptThrough, jobs, pool },
      profile,
      map,
      popular: statistics && ((beginning, limit) => statistics.popular(state.dataset, beginning, limit)),
      cursors,
      written,
      pool,
      observing,
      other: (name: string, field: string) => this.named(name, field),
    }
  }

  /** Passes committed changes on to their datasets; returns what the writers of each have to wait for. */
  follow(changes: readonly Change[]): ReadonlyMap<DatasetNumber, Promise<void>> {
    const byDataset = new Map<DatasetNumber, Change[]>()
    for (const change of changes) {
      const own = byDataset.get(change.dataset)
      if (own) own.push(change)
      else byDataset.set(change.dataset, [change])
    }
    const waits = new Map<DatasetNumber, Promise<void>>()
    for (const state of this.#context.registry) {
      const own = byDataset.get(state.dataset)
      const wait = own && this.#followIn(state, own)
      if (wait) waits.set(state.dataset, wait)
    }
    const { observing } = this.#context
    if (observing?.isObserved) void this.#tellOfWrites(observing, byDataset, waits)
    return waits
  }

  /** Once the writers have their answers. */
  async #tellOfWrites(
    observing: Observing,
    byDataset: ReadonlyMap<DatasetNumber, readonly Change[]>,
    waits: ReadonlyMap<DatasetNumber, Promise<void>>,
  ): Promise<void> {
    const written = [...this.#context.registry].flatMap(({ dataset, name }) => {
      const changes = byDataset.get(dataset)
      return changes ? { dataset: name, changes } : []
    })
    await Promise.allSettled(waits.values())
    for (const one of written) observing.wrote(one)
  }

  #followIn(state: DatasetState, changes: readonly Change[]): Promise<void> | undefined {
    const { derived, cursors } = this.of(state)
    state.revision++
    cursors.follow(changes)
    const entry = datasetEntry(this.#context.store.manifest, state.dataset)
    if (entry && state.takeFields(entry)) derived.redefined()
    return derived.follow(changes)
  }

  /** Called when the settings of a dataset have changed. */
  redefined({ dataset }: DatasetState): void {
    this.#open.get(dataset)?.derived.redefined()
  }

  /** Frees what a removed dataset had in memory and in the store. */
  async remove({ dataset }: DatasetState, trash: readonly string[]): Promise<void> {
    const opened = this.#open.get(dataset)
    if (opened) await close(opened)
    this.#open.delete(dataset)
    await sweep(this.#context.store, trash)
  }

  async close(): Promise<void> {
    for (const opened of this.#open.values()) await close(opened)
  }
}

async function close({ derived, classifiers }: Opened): Promise<void> {
  await classifiers.close()
  await derived.close()
}

function derive<Makers extends Record<string, Derivation>>(
  makers: Makers,
  context: DerivationContext,
): { [Name in keyof Makers]: ReturnType<Makers[Name]> } {
  const parts = Object.entries(makers).map(([name, make]) => [name, make(context)])
  return Object.fromEntries(parts) as { [Name in keyof Makers]: ReturnType<Makers[Name]> }
}
