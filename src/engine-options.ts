import * as z from 'zod'
import type { OwnAnalyzer } from './analysis/own-analyzer.ts'
import { type AnalyticsOptions, analyticsOptions } from './analytics/options.ts'
import type { AdoptThrough } from './artifacts/artifact.ts'
import type { WriteThrough } from './datasets/job-steps.ts'
import { longestPath } from './datasets/rows/row-source.ts'
import { ownAnalyzerOption } from './datasets/schema/dataset-settings.ts'
import { type Extractor, type ExtractorOptions, extractorOptions } from './extraction/extractor.ts'
import { aFunction } from './function-schema.ts'
import { LEAST_BUDGET } from './memory-budget.ts'
import type { Observer } from './observing/observation.ts'
import type { WriteOperation } from './operations/operation.ts'
import type { Given } from './options-reader.ts'
import type { Database } from './store/database.ts'

/** Receives log messages: details first, as in pino. */
export interface Logger {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

const ANSWER_CACHE = 4 * 2 ** 20
const SHARE_FOR_ANSWERS = 1 / 64

/** Bytes per dataset. */
export const answerCacheOf = ({
  answerCache,
  memoryBudget = Number.POSITIVE_INFINITY,
}: Given<Pick<EngineOptions, 'answerCache' | 'memoryBudget'>>): number =>
  answerCache ?? Math.floor(Math.min(ANSWER_CACHE, SHARE_FOR_ANSWERS * memoryBudget))

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
   * indexes, vectors, completions, similarity indexes, classifiers and the models of services. To stay below the last limit, the
   * least recently used of these are unloaded; an index is saved first. Default: 256 MB for the first two, and no limit for the
   * others.
   */
  memoryBudget?: number
  /**
   * Bytes per dataset for the rankings of searches that depend on their text alone, which are reused until the next
   * write; 0: none is kept. Part of what an index takes. Default 4 MB, or a 64th of `memoryBudget` if that is less.
   */
  answerCache?: number
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

export const folderPath = z.string().min(1).max(longestPath)

const method = aFunction<(...values: never[]) => unknown>()
const isExtractor = (value: unknown) => typeof (value as Partial<Extractor> | null)?.share === 'function'
export const engineOptions = z
  .strictObject({
    store: z
      .union([folderPath, z.custom<Database>(value => typeof value === 'object' && value !== null)], {
        error: `the path of a folder, of at most ${longestPath} characters, or an abstract-level database`,
      })
      .optional(),
    durability: z.enum(['disk', 'process']).optional(),
    logger: z.looseObject({ warn: method, error: method }).optional(),
    observer: method.optional(),
    analytics: analyticsOptions.optional(),
    clock: method.optional(),
    random: method.optional(),
    memoryBudget: z.int().min(LEAST_BUDGET).optional(),
    answerCache: z.int().min(0).optional(),
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
    error: 'no value beside an extractor, which has its own limits',
  })
