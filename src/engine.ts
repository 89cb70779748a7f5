import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { OwnAnalyzer } from './analysis/own-analyzer.ts'
import { Analytics } from './analytics/analytics.ts'
import { type AnalyticsOptions, analyticsOptions } from './analytics/options.ts'
import { QueryStatistics } from './analytics/query-statistics.ts'
import {
  type Adoption,
  type AdoptThrough,
  type ArtifactSource,
  adoptionTarget,
} from './artifacts/artifact.ts'
import { DatasetClassifiers } from './classification/dataset/dataset-classifiers.ts'
import type { DatasetParts } from './dataset.ts'
import { OwnAnalyzers } from './datasets/analyzers.ts'
import {
  handedOver,
  type Steps,
  type WriteOutcome,
  type WriteResult,
  type WriteThrough,
  writeOne,
} from './datasets/job-steps.ts'
import { DatasetRegistry } from './datasets/registry.ts'
import { ownAnalyzerOption } from './datasets/schema/dataset-settings.ts'
import type { DatasetState } from './datasets/state.ts'
import { StoredTagTree } from './datasets/tags/stored-tag-tree.ts'
import { resumeCleaning } from './datasets/tags/tag-cleaning.ts'
import { TagPaths } from './datasets/tags/tag-paths.ts'
import type { Tag } from './datasets/tags/tag-tree.ts'
import { Datasets } from './datasets.ts'
import { type Derivation, type DerivationContext, type DerivedParts, derivations } from './derivations.ts'
import { AdoptedConstants } from './derived/constants/adopted-constants.ts'
import { Derivatives } from './derived/derivatives.ts'
import { DerivedMemory } from './derived/memory.ts'
import { Doctor, type DoctorReport } from './doctor.ts'
import {
  Extractor,
  type ExtractorOptions,
  extractorOptions,
  type FileOptions,
} from './extraction/extractor.ts'
import type { ExtractedFile } from './extraction/reader/content.ts'
import { aFunction, invalid, parseInput, problem } from './input.ts'
import type { Job, JobBody, JobOptions, JobState } from './jobs/job.ts'
import { jobIds } from './jobs/job-ids.ts'
import { acquirePool, type WorkerPool } from './jobs/pool.ts'
import { type JobFilter, JobRunner } from './jobs/runner.ts'
import { StoredJobs } from './jobs/stored-jobs.ts'
import { jobOptions } from './jobs/watching.ts'
import { type DocumentLimits, defaultDocumentLimits } from './json.ts'
import { LEAST_BUDGET, memoryShares } from './memory-budget.ts'
import type { Observer } from './observing/observation.ts'
import { Observing } from './observing/observing.ts'
import {
  type CheckedOperation,
  type EngineWriteOptions,
  inShape,
  operationsSchema,
  singles,
  type WriteOperation,
  writeOptions,
} from './operations/operation.ts'
import {
  numberedFrom,
  prepareEach,
  prepareTogether,
  removesDataset,
  type Writable,
} from './operations/preparing.ts'
import type { Given } from './options-reader.ts'
import { LiveCounts } from './profile/dataset/live-counts.ts'
import { adoptConstants } from './ranking/dataset-ranking.ts'
import { Cursors } from './search/cursors.ts'
import { type AnswersOfMany, type SearchOfMany, searchMany } from './search/search-many.ts'
import { WrittenForms } from './search/written-forms.ts'
import { type ServiceType, serviceTypes } from './service-types.ts'
import { ServiceRegistry } from './services/registry.ts'
import { Services } from './services.ts'
import { type EngineDigest, StateDigests } from './state-digest.ts'
import { type BackupMaking, type BackupReport, type BackupWatching, backUp } from './store/backup/backup.ts'
import { type BackupFacts, describeBackup, restoreBackup, verifyBackup } from './store/backup/restore.ts'
import type { Database } from './store/database.ts'
import type { DatasetNumber } from './store/dataset-number.ts'
import { isOwn, jobKey } from './store/keyspace.ts'
import { datasetEntry } from './store/manifest.ts'
import { Namespace, namespacesIn } from './store/namespace.ts'
import { Store } from './store/store.ts'
import type { Change, Mutation } from './store/transaction.ts'
import { sweep, sweepAll } from './store/trash.ts'
import { DatasetWordCounts } from './word-counts/dataset-word-counts.ts'
import type { WorkerTasks } from './worker.ts'

/** Receives log messages: details first, as in pino. */
export interface Logger {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** What `Engine.open()` takes, all of it optional. */
export interface EngineOptions {
  /** A folder, or any abstract-level 3 database, which you close yourself. Without one, everything is kept in memory. */
  store?: string | Database
  /** `disk` (default): an acknowledged write survives a power cut; `process`: it survives the end of the process. */
  durability?: 'disk' | 'process'
  /** Receives reports of damage and of failed background work. Default: none. */
  logger?: Logger
  /**
   * Called after every search, list, completion, suggestion, recommendation, call for similar documents and write. It delays no
   * answer; its failures are logged. `queryLog()` makes one that writes a log. Default: none.
   */
  observer?: Observer
  /**
   * Records what people ask, what they find and what they do with it: see `engine.analytics`. Nothing leaves the store.
   * Default: nothing is recorded.
   */
  analytics?: AnalyticsOptions
  /** Milliseconds since 1970. Default Date.now. */
  clock?: () => number
  /** Random numbers for the ids of jobs, from 0 up to but not including 1. Default: cryptographic. */
  random?: () => number
  /**
   * Bytes, at least 32 MB: at most a quarter is for pending writes, an eighth for the database's cache, and five eighths for
   * indexes, completions and the models of services. To stay below the last limit, the least recently used of these are
   * unloaded; an index is saved first. Default: 256 MB, and no limit for indexes, completions and models.
   */
  memoryBudget?: number
  /**
   * What is checked in the table files of a folder before they are used: `all`, which takes about a second per GB; `changed`
   * (default), which skips the data blocks of files that were checked or written within the last 24 hours by an engine that was
   * closed, and that are untouched since; or `structure`, which skips all data blocks. Damage in a skipped data block may hide a
   * document or crash the process until the doctor finds it. After a crash everything is checked.
   */
  verify?: 'all' | 'changed' | 'structure'
  /**
   * Where the constants of the ranking come from: average field lengths, topics, and categories of queries. `own` (default): the
   * engine measures and learns them when they are due; engines with the same documents may then rank them a little
   * differently. `adopted`: each dataset uses those that `dataset.ranking.adopt()` has taken, or defaults; they change at no
   * other time.
   */
  rankingConstants?: 'own' | 'adopted'
  /**
   * How large a document may be. `values`: object members and list entries at every depth, by default 100,000. `text`: the
   * characters of all its texts and names, by default 16,777,216. Larger ones are INVALID_DOCUMENT. Writing or reading a large
   * document delays everything else in the process a little.
   */
  documentLimits?: { values?: number; text?: number }
  /** Limits for reading files, by `extract()` or as attachments, and the number of processes or threads. */
  extraction?: ExtractorOptions
  /**
   * An extractor to read the files with, which several engines may share: they take turns at its processes, and closing an
   * engine cancels only its own reads. You close the extractor yourself, after the engines. Not together with `extraction`.
   */
  extractor?: Extractor
  /**
   * Custom analyzers, for datasets whose setting `analyzer` names them; each name once. A store does not open when a dataset
   * needs an analyzer that is not among them (ANALYZER_MISSING), or another version of one (ANALYZER_CHANGED).
   */
  analyzers?: readonly OwnAnalyzer[]
  /**
   * Errors to accept when opening. With `DATASETS_LOST`, the store opens without the datasets that are gone; with
   * `ANALYZER_CHANGED`, indexes that another version of an analyzer built are rebuilt.
   */
  accept?: readonly ('DATASETS_LOST' | 'ANALYZER_CHANGED')[]
  /**
   * Routes the engine's writes through you, so that you can apply them in the same order here and in other engines (replicas).
   * Whatever calls and jobs write to documents, tags, datasets, services and namespaces is handed over as operations for
   * `engine.write`; jobs hand over step by step. Only writes with `seqFrom` and those to local namespaces are made directly.
   * Models of services, classifiers and ranking constants that are made or adopted here go to `adopt`, if given, and take effect
   * once `engine.adopt()` has put them in place. With this option, opening the store resumes no cleaning: see
   * `tags.resumeCleaning()`. Default: the engine writes itself.
   */
  writeThrough?: WriteThrough<WriteOperation> & { adopt?: AdoptThrough }
}

/** Bytes in memory: of each dataset, of each service, and in total. */
export interface MemoryUse {
  total: number
  /** By name. */
  datasets: {
    name: string
    index: number
    completions: number
    likeness: number
    words: number
    /** Of the models that tell which categories a query is about. */
    categories: number
    classifiers: number
  }[]
  /** By id. */
  services: { id: string; name: string; bytes: number }[]
}

/** Additional parts of an engine, for tests of what all parts of a kind have in common. */
interface MoreParts {
  derivations?: Record<string, Derivation>
  services?: Record<string, ServiceType>
  /** Replace those of the options. */
  analyzers?: OwnAnalyzers
}

type AcquiredPool = ReturnType<typeof acquirePool<WorkerTasks>>

const method = aFunction<(...values: never[]) => unknown>()
const isExtractor = (value: unknown) => typeof (value as Partial<Extractor> | null)?.share === 'function'
const optionsSchema = z
  .strictObject({
    store: z
      .union([z.string().min(1), z.custom<Database>(value => typeof value === 'object' && value !== null)], {
        error: 'the path of a folder, or an abstract-level database',
      })
      .optional(),
    durability: z.enum(['disk', 'process']).optional(),
    logger: z.looseObject({ warn: method, error: method }).optional(),
    observer: method.optional(),
    analytics: analyticsOptions.optional(),
    clock: method.optional(),
    random: method.optional(),
    memoryBudget: z.int().min(LEAST_BUDGET).optional(),
    verify: z.enum(['all', 'changed', 'structure']).optional(),
    rankingConstants: z.enum(['own', 'adopted']).optional(),
    documentLimits: z
      .strictObject({ values: z.int().min(1).optional(), text: z.int().min(1).optional() })
      .optional(),
    extraction: extractorOptions.optional(),
    extractor: z.custom<Extractor>(isExtractor, 'an Extractor of findling/extract').optional(),
    analyzers: z
      .array(ownAnalyzerOption)
      .refine(list => new Set(list.map(({ name }) => name)).size === list.length, 'each name once')
      .optional(),
    accept: z.array(z.enum(['DATASETS_LOST', 'ANALYZER_CHANGED'])).optional(),
    writeThrough: z.looseObject({ write: method, adopt: method.optional() }).optional(),
  })
  .refine(({ extraction, extractor }) => !extraction || !extractor, {
    path: ['extraction'],
    error: 'none together with an extractor, which has its own limits',
  })

const namespaceOptions = z.strictObject({ local: z.boolean().default(false) })
const folderPath = z.string().min(1)
const backupOptions = jobOptions.extend({
  note: z.string().max(10_000).optional(),
  own: z.boolean().default(true),
})

const ownJob = z.strictObject({
  kind: z.string().regex(/^[a-z][a-z0-9-]{0,49}:[a-z][a-z0-9-]{0,49}$/, {
    error:
      'two words of lower-case letters, digits and hyphens with a colon between them, such as my-app:report',
  }),
  description: z.string().min(1).max(1000),
})
const jobBody = aFunction<JobBody<never>>('an async generator function')

const jobFilter = z.strictObject({
  status: z.array(z.enum(['running', 'cancelling', 'cancelled', 'finished', 'failed'])).optional(),
  since: z.number().optional(),
  service: z.string().optional(),
})

/** The parts of one open dataset, with everything derived from its documents. */
interface Opened extends DatasetParts {
  readonly derived: Derivatives<DerivedParts>
  readonly pool: WorkerPool<WorkerTasks>
}

/** One store and everything that works on it. Open one per folder and process with Engine.open(). */
export class Engine implements AsyncDisposable {
  /** The datasets, by name. */
  readonly datasets: Datasets
  /** The services: prepared from datasets and then asked, by id or alias. */
  readonly services: Services
  /** What people ask, what they find and what they do with it, if the engine was opened with `analytics`. */
  readonly analytics: Analytics
  readonly #store: Store
  /** Names of the namespaces that were opened with `local`. */
  readonly #localNamespaces = new Set<string>()
  readonly #registry: DatasetRegistry
  readonly #jobs: JobRunner
  readonly #services: ServiceRegistry
  readonly #pool: AcquiredPool
  readonly #open = new Map<DatasetNumber, Opened>()
  readonly #memory: DerivedMemory
  readonly #extractor: Extractor
  readonly #clock: () => number
  readonly #limits: DocumentLimits
  readonly #adoptsConstants: boolean
  readonly #logger: Logger | undefined
  readonly #observing: Observing | undefined
  readonly #statistics: QueryStatistics | undefined
  readonly #writable: Writable
  readonly #digests: StateDigests
  readonly #steps: Steps<WriteOperation>
  readonly #adoptThrough: AdoptThrough | undefined
  readonly #derivations: typeof derivations & Record<string, Derivation>
  #closing: Promise<void> | undefined

  /**
   * Opens a store, creates it if it does not exist, and recovers from a crash if there was one. STORE_LOCKED when
   * another engine has it, STORE_CORRUPT, FORMAT_UNSUPPORTED, STORE_UNSUPPORTED, STORE_FAILED, INVALID_ARGUMENT.
   * @example
   * const shop = await Engine.open({ store: './shop' })
   * console.log(shop.datasets.list()) // []
   * await shop.close()
   */
  static open(options: Given<EngineOptions> = {}): Promise<Engine> {
    return Engine.openWith(options, {})
  }

  /**
   * The same with more derived structures or types of services.
   * @internal
   */
  static async openWith(options: Given<EngineOptions>, more: MoreParts): Promise<Engine> {
    const { analytics } = parseInput(optionsSchema, options, 'options')
    const { store, durability = 'disk', memoryBudget, logger } = options
    const analyzers = more.analyzers ?? (await OwnAnalyzers.load(options.analyzers ?? []))
    const pool = acquirePool<WorkerTasks>()
    const { accept = [] } = options
    let opened: Store | undefined
    let engine: Engine | undefined
    try {
      opened = await Store.open({
        store,
        durability,
        memoryBudget,
        verify: options.verify ?? 'changed',
        checkTables: check => pool.pool.run('checkTables', check),
        accept: accept.filter(code => code === 'DATASETS_LOST'),
        onDamage: (message, details) => logger?.error(details, message),
      })
      const areOthers = analyzers.check(opened.manifest.datasets, accept.includes('ANALYZER_CHANGED'))
      const warn = (message: string, details: object) => logger?.warn(details, message)
      const kept = analytics && { store: opened, clock: options.clock ?? Date.now, warn }
      const statistics = kept && (await QueryStatistics.open(kept, analytics))
      engine = new Engine(opened, pool, options, { ...more, analyzers, statistics })
      if (areOthers) await engine.#registry.storeAnalyzers()
      await engine.#recover()
      return engine
    } catch (error) {
      if (engine) await engine.close()
      else {
        await opened?.close()
        await pool.release()
      }
      throw error
    }
  }

  /**
   * Restores a backup as a store in an empty or new folder. The store opens only when it is complete: after an interrupted
   * restore, restore again into the same folder. Change numbers continue from those of the backup, so readers of changes
   * have to start again. STORE_CORRUPT when the backup is damaged, STORE_UNSUPPORTED when there is none or the folder is not
   * empty, FORMAT_UNSUPPORTED, STORE_FAILED, CANCELLED; after any of these the folder is left empty.
   * @example
   * await engine.backup('./shop-backup')
   * const { entries } = await Engine.restore('./shop-backup', './shop-again')
   * const again = await Engine.open({ store: './shop-again' })
   * console.log(entries > 3, again.datasets.get('products').documents.count) // true 3
   * await again.close()
   */
  static async restore(
    backup: string,
    folder: string,
    options: Given<BackupWatching> = {},
  ): Promise<BackupFacts> {
    const from = parseInput(folderPath, backup, 'backup')
    const into = parseInput(folderPath, folder, 'folder')
    return await restoreBackup(from, into, parseInput(jobOptions, options, 'options'))
  }

  /**
   * Reads a whole backup and compares it with its checksums. STORE_CORRUPT when it is damaged, STORE_UNSUPPORTED when
   * there is none in the folder, FORMAT_UNSUPPORTED, STORE_FAILED, CANCELLED.
   * @example
   * await engine.backup('./shop-backup')
   * const { madeAt, entries } = await Engine.verifyBackup('./shop-backup')
   * console.log(madeAt <= Date.now(), entries > 3) // true true
   */
  static async verifyBackup(backup: string, options: Given<BackupWatching> = {}): Promise<BackupFacts> {
    const from = parseInput(folderPath, backup, 'backup')
    return await verifyBackup(from, parseInput(jobOptions, options, 'options'))
  }

  /**
   * Facts about the backup in a folder, without reading all of it; undefined when there is none. STORE_CORRUPT when
   * they cannot be read, FORMAT_UNSUPPORTED, STORE_FAILED.
   * @example
   * await engine.backup('./shop-backup')
   * const backup = await Engine.describeBackup('./shop-backup')
   * console.log(backup && backup.madeAt <= Date.now(), await Engine.describeBackup('./no-backup')) // true undefined
   */
  static async describeBackup(backup: string): Promise<BackupFacts | undefined> {
    return await describeBackup(parseInput(folderPath, backup, 'backup'))
  }

  private constructor(
    store: Store,
    pool: AcquiredPool,
    options: Given<EngineOptions>,
    more: MoreParts & { analyzers: OwnAnalyzers; statistics: QueryStatistics | undefined },
  ) {
    const { clock, random, logger, observer, memoryBudget } = options
    this.#pool = pool
    this.#store = store
    this.#digests = new StateDigests(store)
    this.#extractor = options.extractor?.share() ?? new Extractor(options.extraction)
    const { values = defaultDocumentLimits.values, text = defaultDocumentLimits.text } =
      options.documentLimits ?? {}
    this.#limits = { values, text }
    this.#adoptsConstants = options.rankingConstants === 'adopted'
    this.#clock = clock ?? Date.now
    this.#logger = logger
    const failed = (error: unknown, type: string) =>
      logger?.error({ error, type }, 'The observer has failed.')
    const { statistics } = more
    this.#statistics = statistics
    if (observer || statistics)
      this.#observing = Observing.by({ observer, recorder: statistics, clock: this.#clock, failed })
    this.#derivations = { ...derivations, ...more.derivations }
    const { derived: limit } = memoryShares(memoryBudget)
    this.#memory = new DerivedMemory({ limit, warn: (message, details) => logger?.warn(details, message) })
    this.#registry = new DatasetRegistry(store, this.#clock, {
      analyzers: more.analyzers,
      removed: (state, trash) => this.#remove(state, trash),
      redefined: state => this.#open.get(state.dataset)?.derived.redefined(),
      announced: (state, definition) => this.#opened(state).derived.parts.index.jobs.prepare(definition),
    })
    this.#steps = options.writeThrough ? handedOver(options.writeThrough) : this.#ownSteps()
    this.#adoptThrough = options.writeThrough?.adopt?.bind(options.writeThrough)
    const newId = random ? () => uuidFrom(random) : randomUUID
    this.#jobs = new JobRunner({
      store: new StoredJobs(store),
      clock: this.#clock,
      newId: jobIds(this.#clock, newId),
      unheard: ({ id, kind, description }, error) =>
        logger?.error({ job: id, kind, error }, `${description} failed, and nothing awaits it.`),
    })
    const types = { ...serviceTypes, ...more.services }
    this.#services = new ServiceRegistry({
      store,
      jobs: this.#jobs,
      definitions: Object.values(types).map(({ definition }) => definition),
      clock: this.#clock,
      newId,
      dataset: name => this.#named(name),
      memory: this.#memory,
      steps: this.#steps,
      adoptThrough: this.#adoptThrough,
      warn: (message, details) => logger?.warn(details, message),
    })
    this.#writable = {
      registry: this.#registry,
      services: this.#services,
      documents: name => this.#named(name).documents,
      tags: name => this.#named(name).tags.tree,
      namespace: name => this.namespace(name),
    }
    this.analytics = new Analytics(statistics)
    this.services = new Services(this.#services, types, this.#observing, this.#steps)
    this.datasets = new Datasets({
      registry: this.#registry,
      open: state => this.#opened(state),
      steps: this.#steps,
    })
    store.onCommit(changes => this.#follow(changes))
  }

  /**
   * Running and past jobs, newest first.
   * @example
   * await products.optimize().finished
   * console.log(engine.jobs({ status: ['finished'] }).length) // 1
   */
  jobs(filter: JobFilter = {}): JobState[] {
    parseInput(jobFilter, filter, 'filter')
    return this.#jobs.list(filter)
  }

  /**
   * The state of a running or past job; undefined when no job has that id, or it is too old to be kept.
   * @example
   * const { id, finished } = products.optimize()
   * await finished
   * console.log(engine.job(id)?.status) // finished
   */
  job(id: string): JobState | undefined {
    return this.#jobs.get(id)
  }

  /**
   * Asks a job to stop; its state is `cancelled` once it has. Does nothing if the job is over. JOB_NOT_FOUND.
   * @example
   * const job = products.optimize()
   * engine.cancelJob(job.id)
   * console.log(await job.finished.catch(error => error.code)) // CANCELLED
   */
  cancelJob(id: string): void {
    this.#jobs.cancel(id)
  }

  /**
   * Runs work of your program as a job, which is listed, stored and cancelled like those of the engine. Every step that the
   * body yields is progress; what it returns is the result, which is stored as JSON. Once the job is cancelled, its body is not
   * resumed; pass `signal` on to whatever it awaits.
   * @param about `kind`: two words with a colon between them, to distinguish it from the engine's own kinds; `description`: for
   * people
   * @example
   * const report = engine.startJob(
   *   { kind: 'my-app:report', description: 'Counting what is sold' },
   *   async function* ({ signal }) {
   *     yield { done: 1, total: 2, phase: 'reading' }
   *     return { sold: signal.aborted ? 0 : 42 }
   *   },
   * )
   * console.log(await report) // { sold: 42 }
   * console.log(engine.job(report.id)?.kind) // my-app:report
   */
  startJob<T>(
    about: { kind: string; description: string },
    body: JobBody<T>,
    options: Given<JobOptions> = {},
  ): Job<T> {
    const { kind, description } = parseInput(ownJob, about, 'about')
    parseInput(jobBody, body, 'body')
    return this.#jobs.start(kind, description, body, parseInput(jobOptions, options, 'options'))
  }

  /**
   * Makes several writes atomically, even in different datasets: either all are stored or none is. Besides documents they may
   * change datasets, tags and entries of namespaces; documents for a dataset that the same call creates need a second call.
   * With `each`, every write is accepted or refused individually, still in one commit.
   * @example
   * await engine.datasets.create('archive')
   * await engine.write([
   *   { type: 'delete', dataset: 'products', id: 'p3' },
   *   { type: 'insert', dataset: 'archive', document: { id: 'p3', title: 'Garden hose' } },
   * ])
   * console.log(products.documents.count) // 2
   * @example
   * const again = { type: 'insert', dataset: 'products', document: { id: 'p1', title: 'Lamp' } } as const
   * const [refused, stored] = await engine.write(
   *   [again, { type: 'put', namespace: 'my-app', key: 'position', value: 7 }],
   *   { each: true },
   * )
   * console.log(refused.error?.code, stored.error) // DOCUMENT_EXISTS undefined
   */
  write(
    operations: readonly WriteOperation[],
    options?: Given<EngineWriteOptions> & { each?: false | undefined },
  ): Promise<WriteResult[]>
  write(operations: readonly WriteOperation[], options: Given<EngineWriteOptions>): Promise<WriteOutcome[]>
  async write(
    operations: readonly WriteOperation[],
    options: Given<EngineWriteOptions> = {},
  ): Promise<WriteOutcome[]> {
    const checked = parseInput(operationsSchema, operations, 'operations')
    const { each, seqFrom, ...circumstances } = parseInput(writeOptions, options, 'options')
    if (this.#steps.areHandedOver && seqFrom === undefined) {
      const { at, owner } = circumstances
      const issue = problem('at', at, 'none without seqFrom, because writeThrough does the writing')
      if (at !== undefined) throw invalid('INVALID_ARGUMENT', 'options', [issue])
      return each
        ? [...(await this.#steps.write([...operations], owner))]
        : await this.#handOver(operations, owner)
    }
    const isReplayed = seqFrom !== undefined
    const given = { ...circumstances, isReplayed }
    const prepared = (each ? prepareEach : prepareTogether)(this.#writable, checked, given)
    // If there is nothing to wait for, the write is queued before this call returns.
    const write: Mutation<WriteOutcome[]> = prepared instanceof Promise ? await prepared : prepared
    // Writes that others have already made are not refused for lack of room, nor do they wait for any clean-up.
    if (seqFrom !== undefined) return await this.#store.writeWhenRoom(numberedFrom(seqFrom, write))
    const outcomes = await this.#store.write(write)
    if (checked.some(removesDataset)) await this.#registry.settled()
    return outcomes
  }

  /**
   * Adopts what `writeThrough.adopt` of this or another engine was given, as `adoptModel()`, `adoptClassifier()` and
   * `ranking.adopt()` do, but in this engine only, and whatever it is doing with the service or dataset. Replicas call it at the
   * same place in the same sequence of writes. Repeating it changes nothing. SERVICE_NOT_FOUND, DATASET_NOT_FOUND,
   * INVALID_ARGUMENT, ARTIFACT_DAMAGED, ARTIFACT_MISMATCH, FORMAT_UNSUPPORTED.
   * @example
   * await products.classifier()
   * await using replica = await Engine.open()
   * await replica.datasets.create('products', { interpretedFields: ['title', 'desc'] })
   * await replica.adopt({ kind: 'classifier', dataset: 'products' }, products.exportClassifier())
   * console.log((await replica.datasets.get('products').savedClassifier()) !== undefined) // true
   */
  async adopt(what: Adoption, source: ArtifactSource): Promise<void> {
    const adoption = parseInput(adoptionTarget, what, 'what')
    const adopt = (signal: AbortSignal) => this.#adopt(adoption, source, signal)
    await this.#jobs.start(
      'adopt',
      `Adopting an artifact for ${adoption.dataset}`,
      async function* ({ signal }) {
        await adopt(signal)
        yield { done: 1, total: 1, phase: 'adopting' }
      },
      { persist: false },
    ).finished
  }

  /**
   * Runs up to 100 searches, in one dataset or in several, and returns their answers in order. If one of them fails, the call
   * fails, and the error says which one it was.
   * @example
   * const [some, none] = await engine.searchMany([
   *   { dataset: 'products', query: 'hose', limit: 3 },
   *   { dataset: 'products', query: 'violin', documents: false },
   * ])
   * console.log(some.hits.length, none.hits.length) // 1 0
   */
  async searchMany<const S extends readonly SearchOfMany[]>(searches: S): Promise<AnswersOfMany<S>> {
    const together = this.#observing?.together()
    const find = (name: string) =>
      together ? { ...this.#named(name), observing: together.observing } : this.#named(name)
    const answers = await searchMany(find, searches)
    together?.release()
    // By position: the type of each answer follows from its search, such as hits without documents.
    return answers as unknown as AnswersOfMany<S>
  }

  /**
   * A named key-value store for values that your program stores with the data. With `local`, its writes are not handed over to
   * `writeThrough`, and `backup()` with `own: false` leaves it out.
   * @example
   * const notes = engine.namespace('my-app')
   * await notes.put('last-import', { file: 'new.csv' })
   * console.log(await notes.get('last-import')) // { file: 'new.csv' }
   */
  namespace(name: string, options: Given<{ local?: boolean }> = {}): Namespace {
    const { local } = parseInput(namespaceOptions, options, 'options')
    if (local || !this.#steps.areHandedOver) {
      const namespace = new Namespace(this.#store, name)
      if (local) this.#localNamespaces.add(name)
      return namespace
    }
    return new Namespace(this.#store, name, async entries => {
      const puts = entries.map(entry => ({ type: 'put', namespace: name, ...entry }) as const)
      return (await this.#handOver(puts, '')).map(({ unchanged }) => !unchanged)
    })
  }

  /**
   * The names of the namespaces that have entries, local ones too.
   * @example
   * await engine.namespace('my-app').put('theme', 'dark')
   * console.log((await engine.namespaces()).includes('my-app')) // true
   */
  async namespaces(): Promise<string[]> {
    return await namespacesIn(this.#store)
  }

  /**
   * Reads the text and metadata of a file; nothing is stored. The packages that parse the formats are optional:
   * PACKAGE_MISSING names the one that the file needs and that is not installed. FILE_UNSUPPORTED, FILE_BROKEN, FILE_ENCRYPTED;
   * FILE_LIMIT when the file takes more than the option `extraction` allows; CANCELLED, CLOSED.
   * @example
   * const page = Buffer.from('<title>Hoses</title><p>Nozzles of brass')
   * const { title, text } = await engine.extract(page)
   * console.log(title, text.trim()) // Hoses Nozzles of brass
   */
  extract(bytes: Uint8Array, options: Given<FileOptions> = {}): Promise<ExtractedFile> {
    return this.#extractor.extract(bytes, options)
  }

  /**
   * Reads the whole store and reports what is damaged. With `repair`, it deletes values that cannot be read, whether they
   * are documents, tags, job records or namespace values, and rebuilds the change log, counts and indexes from the documents
   * that are left. Of an index it checks only which documents it contains, not their words.
   * @example
   * const { ok, faults } = await engine.doctor()
   * console.log(ok, faults) // true []
   */
  async doctor(options: Given<{ repair?: boolean; signal?: AbortSignal }> = {}): Promise<DoctorReport> {
    const opened = [...this.#registry].map(state => this.#opened(state))
    return await new Doctor(this.#store, opened).examine(options)
  }

  /**
   * Copies everything into a folder, as of one moment, while writes go on; the copy has every write that was acknowledged
   * before the call. If the folder already has a backup, only changes are written: the store and the backup are read completely
   * and compared, which also verifies the backup; damaged parts of it are rewritten. If the job is cancelled or the process
   * ends, the previous backup remains. `Engine.restore()` restores it.
   *
   * STORE_CORRUPT when the store is damaged; the previous backup then stays as it is: see `doctor()`. STORE_LOCKED while another
   * backup is being written to the folder, STORE_UNSUPPORTED when other files are in it, or for a database without snapshots,
   * STORE_FAILED when the disk is full.
   * @example
   * const { full } = await engine.backup('./shop-backup')
   * await products.documents.delete('p3')
   * const next = await engine.backup('./shop-backup')
   * console.log(full, next.seq > 0) // true true
   * @example
   * await engine.backup('./shop-backup', { note: 'before the sale' })
   * console.log((await Engine.describeBackup('./shop-backup'))?.note) // before the sale
   */
  backup(folder: string, options: Given<BackupMaking> = {}): Job<BackupReport> {
    const into = parseInput(folderPath, folder, 'folder')
    const { note, own, ...watching } = parseInput(backupOptions, options, 'options')
    const [store, clock] = [this.#store, this.#clock]
    const warn = (message: string, details: object) => this.#logger?.warn(details, message)
    const isLeftOut = (job: string) => (key: string) =>
      key === job || (!own && isOwn(key, this.#localNamespaces))
    return this.#jobs.start(
      'backup',
      'Backing up',
      ({ signal, id }) => backUp(store, into, { signal, without: isLeftOut(jobKey(id)), note, clock, warn }),
      watching,
    )
  }

  /**
   * Digests that are equal if two engines hold the same data, however it came to be: documents with their ids, change numbers
   * and modification times, tags, settings, and definitions of services. Jobs, indexes, models and values of namespaces do not
   * count. It is taken at one moment between two writes and costs almost nothing, since every write updates the sums. Two 32-bit
   * sums detect accidents, not attacks. A dataset that an earlier version wrote is read once; DATASET_BUSY while writes keep
   * that from succeeding.
   * @example
   * const before = await engine.digest()
   * await products.documents.update('p1', { price: 79 })
   * const after = await engine.digest()
   * console.log(before.digest === after.digest, before.services === after.services) // false true
   */
  digest(): Promise<EngineDigest> {
    return this.#digests.ofEngine(() => [...this.#registry].map(state => this.#opened(state)))
  }

  /**
   * How much memory indexes, completions, similarity indexes (`likeness`), keywords of tags (`words`), classifiers and active
   * services take now; 0 for what is not loaded. Classifiers count as long as your program holds them.
   * @example
   * await products.search('hose')
   * const { total, datasets } = engine.memory()
   * console.log(total > 0, datasets[0].name) // true products
   */
  memory(): MemoryUse {
    const opened = [...this.#open.values()]
    const datasets = opened.map(({ state, derived, classifiers }) => {
      return { name: state.name, ...derived.bytes, classifiers: classifiers.bytes }
    })
    datasets.sort((a, b) => (a.name < b.name ? -1 : 1))
    const services = this.#services.list().map(({ id, entry, bytes }) => ({ id, name: entry.name, bytes }))
    const members = [
      ...opened.flatMap(({ derived, classifiers }) => [...derived.members, classifiers]),
      ...services,
    ]
    return { total: members.reduce((sum, { bytes }) => sum + bytes, 0), datasets, services }
  }

  /**
   * Cancels jobs, finishes pending writes and saves the indexes. Writes are refused from now on, and every call once it is done.
   * @example
   * await engine.close()
   * const refused = await products.documents.delete('p1').catch(error => error)
   * console.log(refused.code) // CLOSED
   */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown()
    return this.#closing
  }

  /**
   * Same as close(), for `await using`.
   * @example
   * await using other = await Engine.open() // closed where the block ends
   * console.log(other.datasets.list()) // []
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #adopt(adoption: Adoption, source: unknown, signal: AbortSignal): Promise<void> {
    if (adoption.kind === 'service')
      return await this.#services.adopt(adoption.id, source, adoption.dataset, signal)
    const { classifiers, ranking } = this.#named(adoption.dataset)
    if (adoption.kind === 'classifier') await classifiers.adoptHere(source, signal)
    else await adoptConstants(ranking, source, adoption.from ?? adoption.dataset)
  }

  async #recover(): Promise<void> {
    await this.#jobs.recover()
    await sweepAll(this.#store)
    await this.#services.open()
    if (this.#steps.areHandedOver) return
    for (const { dataset, tagsToClean } of this.#store.manifest.datasets) {
      const state = [...this.#registry].find(one => one.dataset === dataset)
      if (state && tagsToClean.length > 0) resumeCleaning(this.#opened(state).documents)
    }
  }

  async #shutDown(): Promise<void> {
    this.#store.startClosing()
    try {
      await this.#extractor.close()
      await this.#jobs.close()
      await this.#services.close()
      for (const { derived, classifiers } of this.#open.values()) {
        await classifiers.close()
        await derived.close()
      }
      await this.#statistics?.close()
    } finally {
      await this.#pool.release()
      await this.#store.close()
      await this.#observing?.told()
    }
  }

  /** All of them or none. */
  async #handOver(operations: readonly WriteOperation[], owner: string): Promise<WriteResult[]> {
    const together = { type: 'together', operations: operations.flatMap(singles) } as const
    const { results = [] } = await writeOne(this.#steps, together, owner)
    return inShape(operations, results)
  }

  #ownSteps(): Steps<WriteOperation> {
    return {
      areHandedOver: false,
      write: async (operations, owner) =>
        await this.#store.writeWhenRoom(
          await prepareEach(this.#writable, operations as CheckedOperation[], { owner }),
        ),
    }
  }

  #named(name: string): Opened {
    return this.#opened(this.#registry.get(name))
  }

  #opened(state: DatasetState): Opened {
    let opened = this.#open.get(state.dataset)
    if (!opened) {
      opened = this.#wire(state)
      this.#open.set(state.dataset, opened)
    }
    return opened
  }

  #wire(state: DatasetState): Opened {
    const [store, jobs, clock] = [this.#store, this.#jobs, this.#clock]
    const warn = (message: string, details: Record<string, unknown>) => this.#logger?.warn(details, message)
    const [memory, pool, adoptThrough] = [this.#memory, this.#pool.pool, this.#adoptThrough]
    const readFile = async (bytes: Uint8Array, owner: string) =>
      (await this.#extractor.extract(bytes, { language: false, owner })).text
    const tree = new StoredTagTree(store, state)
    const readSheet = (bytes: Uint8Array, sheet: string | null, owner: string, signal?: AbortSignal) =>
      this.#extractor.sheet(bytes, { sheet, owner, signal })
    const steps: Steps<WriteOperation> = this.#steps
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
      limits: this.#limits,
    }
    const words = new DatasetWordCounts({ store, state, tags: tree, jobs, pool })
    const tags = { store, state, jobs, steps, tree, words }
    const constants = this.#adoptsConstants ? new AdoptedConstants({ store, state, warn }) : undefined
    const learning = { store, state, tags: tree, jobs, pool, memory, constants, clock, warn }
    const parts = derive(this.#derivations, learning)
    const derived = new Derivatives(parts, { store, state, memory, warn })
    const { categories } = parts
    const classifiers = new DatasetClassifiers({
      ...learning,
      adoptThrough,
      learntBeside: () => categories.current(),
    })
    const map = { store, state, jobs, pool, clock }
    const { index, completions, likeness } = parts
    const counts = new LiveCounts({ store, state, index, clock })
    const profile = { store, state, tags: tree, jobs, pool, clock, counts }
    const cursors = new Cursors(clock, index)
    const written = new WrittenForms(index, { store, state })
    const statistics = this.#statistics
    const derivedParts = { index, completions, likeness, words: parts.words, categories, derived }
    return {
      state,
      steps,
      documents,
      tags,
      digests: this.#digests,
      ...derivedParts,
      classifiers,
      ranking: { store, state, index, categories, constants, adoptThrough, jobs, pool },
      profile,
      map,
      popular: statistics && ((beginning, limit) => statistics.popular(state.dataset, beginning, limit)),
      cursors,
      written,
      pool,
      observing: this.#observing,
    }
  }

  /** Passes committed changes on to their datasets; returns what the writers of each have to wait for. */
  #follow(changes: readonly Change[]): ReadonlyMap<DatasetNumber, Promise<void>> {
    const byDataset = new Map<DatasetNumber, Change[]>()
    for (const change of changes) {
      const own = byDataset.get(change.dataset)
      if (own) own.push(change)
      else byDataset.set(change.dataset, [change])
    }
    const waits = new Map<DatasetNumber, Promise<void>>()
    for (const state of this.#registry) {
      const own = byDataset.get(state.dataset)
      const wait = own && this.#followIn(state, own)
      if (wait) waits.set(state.dataset, wait)
    }
    if (this.#observing?.isObserved) void this.#tellOfWrites(this.#observing, byDataset, waits)
    return waits
  }

  /** Once the writers have their answers. */
  async #tellOfWrites(
    observing: Observing,
    byDataset: ReadonlyMap<DatasetNumber, readonly Change[]>,
    waits: ReadonlyMap<DatasetNumber, Promise<void>>,
  ): Promise<void> {
    const written = [...this.#registry].flatMap(({ dataset, name }) => {
      const changes = byDataset.get(dataset)
      return changes ? { dataset: name, changes } : []
    })
    await Promise.allSettled(waits.values())
    for (const one of written) observing.wrote(one)
  }

  #followIn(state: DatasetState, changes: readonly Change[]): Promise<void> | undefined {
    const { derived, cursors } = this.#opened(state)
    state.revision++
    cursors.follow(changes)
    const entry = datasetEntry(this.#store.manifest, state.dataset)
    if (entry && state.takeFields(entry)) derived.redefined()
    return derived.follow(changes)
  }

  async #remove({ dataset }: DatasetState, trash: readonly string[]): Promise<void> {
    const opened = this.#open.get(dataset)
    await opened?.classifiers.close()
    await opened?.derived.close()
    this.#open.delete(dataset)
    for (const prefix of trash) await sweep(this.#store, prefix)
  }
}

function derive<Makers extends Record<string, Derivation>>(
  makers: Makers,
  context: DerivationContext,
): { [Name in keyof Makers]: ReturnType<Makers[Name]> } {
  const parts = Object.entries(makers).map(([name, make]) => [name, make(context)])
  return Object.fromEntries(parts) as { [Name in keyof Makers]: ReturnType<Makers[Name]> }
}

/** A version 4 UUID (RFC 9562, section 5.4) from a source of numbers. */
function uuidFrom(random: () => number): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16))
  digits[12] = 4
  digits[16] = 8 + (digits[16]! & 3)
  const hex = digits.map(digit => digit.toString(16)).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
