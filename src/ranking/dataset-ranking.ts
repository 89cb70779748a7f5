import * as z from 'zod'
import {
  type AdoptThrough,
  ArtifactReader,
  type ArtifactSource,
  artifactPieces,
  asDamage,
  mismatch,
  passedOn,
  type TakeArtifact,
} from '../artifacts/artifact.ts'
import {
  LEAST_LEARNT,
  type LiveCategories,
  type SavedPart,
} from '../classification/dataset/live-categories.ts'
import { loadCategories, readCategories } from '../classification/dataset/stored-categories.ts'
import type { DatasetState } from '../datasets/state.ts'
import type { AdoptedConstants, CategoriesPlace } from '../derived/constants/adopted-constants.ts'
import { documentForm, refuseOtherForm } from '../derived/constants/document-form.ts'
import {
  type ConstantsContents,
  categoriesBlob,
  RANKING,
  readConstants,
  TERMS_BLOB,
  termsBlob,
  VECTORS_BLOB,
} from '../derived/constants/ranking-artifact.ts'
import { FindlingError } from '../errors.ts'
import type { NamedTopics } from '../fulltext/topics/named-topics.ts'
import { LEAST_DOCUMENTS } from '../fulltext/topics/topics.ts'
import { aFunction } from '../function-schema.ts'
import { parseInput } from '../input.ts'
import type { Job, JobOptions } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { JobRunner } from '../jobs/runner.ts'
import { jobOptions } from '../jobs/watching.ts'
import type { IndexTasks } from '../live/index-builder.ts'
import type { LiveIndex } from '../live/live-index.ts'
import type { Given } from '../options-reader.ts'
import { inStretches } from '../scheduling/stretch.ts'
import type { Store } from '../store/store.ts'

export interface RankingContext {
  readonly store: Store
  readonly state: DatasetState
  readonly index: LiveIndex
  readonly categories: LiveCategories
  /** Constants that were adopted; undefined where the engine makes its own. */
  readonly constants: AdoptedConstants | undefined
  /** Hands constants over to others, who adopt them, here too. */
  readonly adoptThrough: AdoptThrough | undefined
  readonly jobs: JobRunner
  readonly pool: WorkerPool<IndexTasks>
}

const takeArtifact = aFunction<TakeArtifact>('a function that takes the bytes')
const adoptOptions = z.strictObject({ from: z.string().optional() })

/** Constants in the form in which they are written. */
interface Constants {
  readonly averages: readonly number[]
  readonly documents: number
  readonly topics: NamedTopics | undefined
  readonly categories: SavedPart | undefined
}

/**
 * The constants of a dataset's ranking: average lengths of fields, topics, and categories of queries. An engine learns them at
 * times of its own choosing, so two engines with the same documents may score them slightly differently. With the
 * same constants they score the same: export them from one engine and adopt them in others, which are opened with
 * `rankingConstants: 'adopted'`.
 */
export class DatasetRanking {
  readonly #find: () => RankingContext

  /** @internal */
  constructor(find: () => RankingContext) {
    this.#find = find
  }

  /**
   * The constants that searches use now, in pieces of up to 64 KB, with a checksum: for a file or another engine.
   * @example
   * const pieces = []
   * for await (const piece of products.ranking.export()) pieces.push(piece)
   * console.log(Buffer.concat(pieces).toString('latin1', 0, 8)) // FINDLING
   */
  async *export(): AsyncGenerator<Uint8Array, void> {
    const { index, categories, state } = this.#find()
    const { averages, documents, topics } = await index.ask(whole => whole.constants)
    yield* piecesOf(state, {
      averages,
      documents,
      topics: await inStretches(topics()),
      categories: await categories.saved(),
    })
  }

  /**
   * Learns the constants from the current documents, as a job, and passes them to `take` in the form of `export()`, without
   * changing anything in this engine. Without `take` they are adopted: here or, with `writeThrough.adopt`, by the engines to
   * which it hands them over. CANCELLED; INVALID_ARGUMENT if an engine that makes its own constants would have to adopt them.
   * @example
   * await using replica = await Engine.open({ rankingConstants: 'adopted' })
   * const copies = await replica.datasets.create('products', { interpretedFields: ['title', 'desc'] })
   * await products.ranking.learn(pieces => copies.ranking.adopt(pieces))
   */
  learn(take?: TakeArtifact, options: Given<JobOptions> = {}): Job<void> {
    const { jobs, state, index, categories, pool, constants } = this.#find()
    const given = parseInput(takeArtifact.optional(), take, 'take')
    if (!given && !constants) throw ownConstants()
    const taking = given ?? (pieces => this.#adopt(pieces, state.name))
    return jobs.start(
      'ranking',
      `Learning the ranking constants of ${state.name}`,
      async function* ({ signal }) {
        const { averages, documents, task, named } = await index.ask(whole => whole.learningConstants())
        const trained =
          task && state.settings.topics ? await pool.run('trainTopics', task, { signal }) : undefined
        yield { done: documents, total: documents, phase: 'topics' }
        const topics = trained && (await inStretches(named(trained)))
        const learnt = yield* categories.learnt(signal)
        signal.throwIfAborted()
        await taking(piecesOf(state, { averages, documents, topics, categories: learnt }))
      },
      { ...parseInput(jobOptions, options, 'options'), datasets: [state.name] },
    )
  }

  /**
   * Adopts constants that `export()` or `learn()` returned, in place of earlier ones: all or nothing, even if the process
   * ends meanwhile. Searches continue; from the moment it resolves they use the new constants, also
   * after a restart. The dataset must have the same analyzer and searched fields as the one that exported them and, unless
   * `from` is given, the same name. INVALID_ARGUMENT for an engine that makes its own constants, ARTIFACT_DAMAGED,
   * ARTIFACT_MISMATCH, FORMAT_UNSUPPORTED.
   * @param options `from`: the name of the dataset that exported the constants, if it is another
   * @example
   * await using replica = await Engine.open({ rankingConstants: 'adopted' })
   * const copies = await replica.datasets.create('copies', { interpretedFields: ['title', 'desc'] })
   * await copies.ranking.adopt(products.ranking.export(), { from: 'products' })
   */
  async adopt(source: ArtifactSource, options: Given<{ from?: string }> = {}): Promise<void> {
    const { constants, state } = this.#find()
    const { from = state.name } = parseInput(adoptOptions, options, 'options')
    if (!constants) throw ownConstants()
    await this.#adopt(source, from)
  }

  /**
   * Whether it is time to learn the constants again, by the rules of an engine that makes its own, as far as they depend on the
   * number of documents: none were adopted for the current settings, or the number has since doubled or halved or, where
   * categories of queries are learnt, grown by half. It costs one short read. False in an engine that makes its own.
   * @example
   * await using replica = await Engine.open({ rankingConstants: 'adopted' })
   * const copies = await replica.datasets.create('copies')
   * await copies.documents.insert({ id: 'a', title: 'Lamp' })
   * console.log(await copies.ranking.isDue()) // true
   * await copies.ranking.learn()
   * console.log(await copies.ranking.isDue()) // false
   */
  async isDue(): Promise<boolean> {
    const { store, state, constants } = this.#find()
    store.assertOpen()
    const { documents } = store.counts(state.dataset)
    return constants !== undefined && documents > 0 && areDue(await constants.contents(), state, documents)
  }

  async #adopt(source: ArtifactSource, from: string): Promise<void> {
    const { adoptThrough, state } = this.#find()
    if (!adoptThrough) return await adoptConstants(this.#find(), source, from)
    const { name } = state
    const what = { kind: 'ranking', dataset: name, ...(from !== name && { from }) } as const
    await adoptThrough(what, passedOn(source))
  }
}

/** Replaces the constants. INVALID_ARGUMENT, ARTIFACT_DAMAGED, ARTIFACT_MISMATCH, FORMAT_UNSUPPORTED */
export async function adoptConstants(
  { state, index, categories, constants }: RankingContext,
  source: unknown,
  from: string,
): Promise<void> {
  if (!constants) throw ownConstants()
  await ArtifactReader.reading(source, RANKING, async reader => {
    const contents = readConstants(reader.head.contents)
    refuseOtherForm(contents.form, documentForm(state.settings))
    if (contents.dataset !== from) throw mismatch('dataset', contents.dataset, from)
    await constants.adopt(reader, contents, stored => checkCategories(stored, contents, state))
  })
  categories.takeConstants()
  await index.takeConstants()
}

/** @param adopted undefined where none were adopted */
function areDue(adopted: ConstantsContents | undefined, state: DatasetState, documents: number): boolean {
  const { settings } = state
  if (!adopted || JSON.stringify(adopted.form) !== JSON.stringify(documentForm(settings))) return true
  const before = adopted.documents
  if (documents >= 2 * before || 2 * documents <= before) return true
  if (settings.topics && !adopted.topics && documents >= LEAST_DOCUMENTS) return true
  const hasGrown = before < LEAST_LEARNT || documents >= 1.5 * before
  return settings.categories && documents >= LEAST_LEARNT && hasGrown
}

function piecesOf(
  { name, settings }: DatasetState,
  { averages, documents, topics, categories }: Constants,
): AsyncGenerator<Uint8Array, void> {
  const blobs = new Map<string, Uint8Array>()
  if (topics) {
    blobs.set(TERMS_BLOB, termsBlob(topics.terms))
    blobs.set(VECTORS_BLOB, topics.body)
  }
  for (const [part, bytes] of categories?.blobs ?? []) blobs.set(categoriesBlob(part), bytes)
  const contents: ConstantsContents = {
    dataset: name,
    form: documentForm(settings),
    documents,
    averages: [...averages],
    topics: topics ? { ...topics.shape, averages: [...topics.shape.averages] } : null,
    categories: categories?.contents ?? null,
  }
  const head = {
    ...RANKING,
    contents,
    blobs: Array.from(blobs, ([blob, { byteLength }]): [string, number] => [blob, byteLength]),
  }
  return artifactPieces(head, blob => [blobs.get(blob)!])
}

/** ARTIFACT_DAMAGED, ARTIFACT_MISMATCH */
async function checkCategories(
  stored: CategoriesPlace,
  { categories }: ConstantsContents,
  state: DatasetState,
): Promise<void> {
  if (!categories) return
  try {
    if (!(await readCategories(stored, state)))
      throw mismatch('categories', 'of another version', 'of this one')
    await loadCategories(stored, state)
  } catch (error) {
    throw asDamage(error)
  }
}

function ownConstants(): FindlingError {
  const expected = "'adopted'"
  const message = `This engine makes its ranking constants itself; open it with rankingConstants: ${expected}.`
  return new FindlingError('INVALID_ARGUMENT', message, {
    field: 'rankingConstants',
    received: "'own'",
    expected,
  })
}
