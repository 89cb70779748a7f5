import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { Analytics } from './analytics/analytics.ts'
import { QueryStatistics } from './analytics/query-statistics.ts'
import { type Adoption, type ArtifactSource, adoptionTarget } from './artifacts/artifact.ts'
import { OwnAnalyzers } from './datasets/analyzers.ts'
import {
  handedOver,
  type Steps,
  type WriteOutcome,
  type WriteResult,
  writeOne,
} from './datasets/job-steps.ts'
import { DatasetRegistry } from './datasets/registry.ts'
import { resumeCleaning } from './datasets/tags/tag-cleaning.ts'
import { Datasets } from './datasets.ts'
import { type Derivation, derivations } from './derivations.ts'
import { DerivedMemory } from './derived/memory.ts'
import { Doctor, type DoctorReport } from './doctor.ts'
import { answerCacheOf, type EngineOptions, engineOptions, folderPath } from './engine-options.ts'
import type { FindlingError } from './errors.ts'
import { Extractor, type FileOptions } from './extraction/extractor.ts'
import type { ExtractedFile } from './extraction/reader/content.ts'
import { aFunction } from './function-schema.ts'
import { invalid, parseInput, problem, readingList } from './input.ts'
import type { Job, JobBody, JobOptions, JobState } from './jobs/job.ts'
import { jobIds } from './jobs/job-ids.ts'
import { acquirePool } from './jobs/pool.ts'
import { type JobFilter, JobRunner } from './jobs/runner.ts'
import { StoredJobs } from './jobs/stored-jobs.ts'
import { jobOptions } from './jobs/watching.ts'
import { defaultDocumentLimits } from './json.ts'
import { memoryShares } from './memory-budget.ts'
import { Observing } from './observing/observing.ts'
import { OpenDatasets } from './open-datasets.ts'
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
import { adoptConstants } from './ranking/dataset-ranking.ts'
import { atOnce } from './scheduling/at-once.ts'
import { type AnswersOfMany, type SearchOfMany, searchMany } from './search/search-many.ts'
import { type ServiceType, serviceTypes } from './service-types.ts'
import { ServiceRegistry } from './services/registry.ts'
import { Services } from './services.ts'
import { type EngineDigest, StateDigests } from './state-digest.ts'
import { type BackupMaking, type BackupReport, type BackupWatching, backUp } from './store/backup/backup.ts'
import { type BackupFacts, describeBackup, restoreBackup, verifyBackup } from './store/backup/restore.ts'
import { isOwn, jobKey } from './store/keyspace.ts'
import { Namespace, namespacesIn } from './store/namespace.ts'
import { Store } from './store/store.ts'
import type { Mutation } from './store/transaction.ts'
import { sweepAll } from './store/trash.ts'
import type { WorkerTasks } from './worker.ts'

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
    vectors: number
    classifiers: number
  }[]
  /** By id. */
  services: { id: string; name: string; bytes: number }[]
}

/** What an engine gets inside this package only: most of it for tests of what all parts of a kind have in common. */
interface MoreParts {
  derivations?: Record<string, Derivation>
  services?: Record<string, ServiceType>
  /** Replace those of the options. */
  analyzers?: OwnAnalyzers
  /** Opens a folder that is still being restored or salvaged. */
  isRestoring?: boolean
}

type AcquiredPool = ReturnType<typeof acquirePool<WorkerTasks>>

const namespaceOptions = z.strictObject({ local: z.boolean().default(false) })
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
  status: z
    .array(z.enum(['running', 'cancelling', 'cancelled', 'finished', 'failed']))
    .max(100)
    .optional(),
  since: z.number().optional(),
  service: z.string().optional(),
})

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
  readonly #open: OpenDatasets
  readonly #extractor: Extractor
  readonly #clock: () => number
  readonly #warn: (message: string, details: object) => void
  readonly #observing: Observing | undefined
  readonly #statistics: QueryStatistics | undefined
  readonly #writable: Writable
  readonly #digests: StateDigests
  readonly #steps: Steps<WriteOperation>
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
   * The same with what only this package and its tests give.
   * @internal
   */
  static async openWith(options: Given<EngineOptions>, more: MoreParts): Promise<Engine> {
    const { analytics } = parseInput(engineOptions, options, 'options')
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
        isRestoring: more.isRestoring ?? false,
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
   * have to start again. STORE_CORRUPT when the backup is damaged, STORE_UNSUPPORTED when there is none, the folder is not empty
   * or it lies in that of a store or backup, FORMAT_UNSUPPORTED, STORE_FAILED, CANCELLED; after any of these the folder is left
   * empty.
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
    const { random, logger, observer, writeThrough, documentLimits: limits } = options
    const { analyzers, statistics } = more
    const clock = options.clock ?? Date.now
    const warn = (message: string, details: object) => logger?.warn(details, message)
    this.#pool = pool
    this.#store = store
    this.#digests = new StateDigests(store)
    this.#extractor = options.extractor?.share() ?? new Extractor(options.extraction)
    this.#clock = clock
    this.#warn = warn
    const failed = (error: unknown, type: string) =>
      logger?.error({ error, type }, 'The observer has failed.')
    this.#statistics = statistics
    if (observer || statistics)
      this.#observing = Observing.by({ observer, recorder: statistics, clock, failed })
    const { derived: limit } = memoryShares(options.memoryBudget)
    const memory = new DerivedMemory({ limit, warn })
    this.#registry = new DatasetRegistry(store, clock, {
      analyzers,
      removed: (state, trash) => this.#open.remove(state, trash),
      redefined: state => this.#open.redefined(state),
      announced: (state, definition) => this.#open.of(state).derived.parts.index.jobs.prepare(definition),
    })
    this.#steps = writeThrough ? handedOver(writeThrough) : this.#ownSteps()
    const newId = random ? () => uuidFrom(random) : randomUUID
    this.#jobs = new JobRunner({
      store: new StoredJobs(store),
      clock,
      newId: jobIds(clock, newId),
      unheard: ({ id, kind, description }, error) =>
        logger?.error({ job: id, kind, error }, `${description} failed, and nothing awaits it.`),
    })
    const shared = {
      store,
      clock,
      warn,
      memory,
      jobs: this.#jobs,
      steps: this.#steps,
      adoptThrough: writeThrough?.adopt?.bind(writeThrough),
    }
    this.#open = new OpenDatasets({
      ...shared,
      registry: this.#registry,
      pool: pool.pool,
      extractor: this.#extractor,
      limits: {
        values: limits?.values ?? defaultDocumentLimits.values,
        text: limits?.text ?? defaultDocumentLimits.text,
      },
      digests: this.#digests,
      derivations: { ...derivations, ...more.derivations },
      answerCache: answerCacheOf(options),
      adoptsConstants: options.rankingConstants === 'adopted',
      observing: this.#observing,
      statistics,
    })
    const types = { ...serviceTypes, ...more.services }
    this.#services = new ServiceRegistry({
      ...shared,
      definitions: Object.values(types).map(({ definition }) => definition),
      newId,
      dataset: name => this.#open.named(name),
    })
    this.#writable = {
      registry: this.#registry,
      services: this.#services,
      documents: (name, field) => this.#open.named(name, field).documents,
      tags: name => this.#open.named(name).tags.tree,
      namespace: name => this.namespace(name),
    }
    this.analytics = new Analytics(statistics)
    this.services = new Services(this.#services, types, this.#observing, this.#steps)
    this.datasets = new Datasets({
      registry: this.#registry,
      open: state => this.#open.of(state),
      steps: this.#steps,
    })
    store.onCommit(changes => this.#open.follow(changes))
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
   * Documents, tags and settings are written to the data that has the name before the call, even after a `renameDataset` or
   * `swapDatasets` in it; only these and `removeDataset` go by the names that the ones before them leave.
   * With `each`, every write is accepted or refused individually, still in one commit. A call holds the event loop for some
   * milliseconds per 1,000 operations: for many rows use `bulk()` or `import()`.
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
    const checked = atOnce(readingList(operationsSchema, operations, 'operations'))
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
   * `ranking.adopt()` do, but in this engine only, even while it is busy with the service or dataset. Replicas call it at the
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
   * Runs up to 100 searches, in one dataset or in several, and returns their answers in order. Each sees every
   * completed write; what is written meanwhile, some may see and others not. If one of them fails, the call fails, and the error
   * says which one it was. Leave their options unchanged until then.
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
      together ? { ...this.#open.named(name), observing: together.observing } : this.#open.named(name)
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
    return await new Doctor(this.#store, this.#open.all).examine(options)
  }

  /**
   * Copies everything into a folder, as of one moment, while writes go on; the copy has every write that was acknowledged
   * before the call. If the folder already has a backup, only changes are written: the store and the backup are read completely
   * and compared, which also verifies the backup; damaged parts of it are rewritten. If the job is cancelled or the process
   * ends, the previous backup remains. `Engine.restore()` restores it.
   *
   * STORE_CORRUPT when the store is damaged; the previous backup then stays as it is: see `doctor()`. STORE_LOCKED while another
   * backup is being written to the folder, STORE_UNSUPPORTED when other files are in it, when it lies in the folder of a store or
   * backup, or for a database without snapshots, STORE_FAILED when the disk is full.
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
    const [store, clock, warn] = [this.#store, this.#clock, this.#warn]
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
    return this.#digests.ofEngine(() => this.#open.all)
  }

  /**
   * `STORE_FAILED` with its `cause` once a write has failed, as on a full disk: reads go on, and every write is refused until
   * the engine is opened again. Undefined while writes succeed.
   */
  get failure(): FindlingError | undefined {
    return this.#store.failure
  }

  /**
   * How much memory indexes, completions, similarity indexes (`likeness`), keywords of tags (`words`), vectors, classifiers and
   * active services take now; 0 for what is not loaded. Classifiers count as long as your program holds them.
   * @example
   * await products.search('hose')
   * const { total, datasets } = engine.memory()
   * console.log(total > 0, datasets[0].name) // true products
   */
  memory(): MemoryUse {
    const { opened } = this.#open
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
    const { classifiers, ranking } = this.#open.named(adoption.dataset)
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
      if (state && tagsToClean.length > 0) resumeCleaning(this.#open.of(state).documents)
    }
  }

  async #shutDown(): Promise<void> {
    this.#store.startClosing()
    try {
      await this.#extractor.close()
      await this.#jobs.close()
      await this.#services.close()
      await this.#open.close()
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
}

/** A version 4 UUID (RFC 9562, section 5.4) from a source of numbers. */
function uuidFrom(random: () => number): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16))
  digits[12] = 4
  digits[16] = 8 + (digits[16]! & 3)
  const hex = digits.map(digit => digit.toString(16)).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
