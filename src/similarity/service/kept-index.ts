import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { Runs } from '../../derived/generations/runs.ts'
import { type ErrorCode, FindlingError } from '../../errors.ts'
import { inStretches } from '../../scheduling/stretch.ts'
import { modelPrefix } from '../../store/keyspace.ts'
import type { Store } from '../../store/store.ts'
import type { SavedSimilarity } from '../model/saved-similarity.ts'
import { SimilarityIndex } from '../model/similarity-index.ts'

const UNREADABLE: readonly ErrorCode[] = ['STORE_CORRUPT', 'FORMAT_UNSUPPORTED']

/** Raised whenever the stored form changes: earlier contents are then ignored. */
const FINGERPRINT = 'kept-1'

const schema = z.object({
  /** Number of the dataset whose documents it contains. */
  dataset: z.int(),
  /** The searched fields in which they are compared. */
  fields: z.array(z.string()),
  run: z.int().positive(),
  blobs: z.array(z.string()),
  index: z.unknown(),
})

/** Documents in the form in which they are compared, up to some change. */
export interface Kept {
  readonly index: SimilarityIndex
  readonly dataset: number
  readonly seq: number
}

/**
 * A recent state of the documents of an active service, stored and removed with its model, so that opening it has few
 * changes to apply. Without it, opening starts from the documents at the time the service was prepared.
 */
export class KeptIndex {
  readonly #model: string
  readonly #runs: Runs

  /** @param model prefix of the model */
  constructor(store: Store, model: string) {
    this.#model = model
    this.#runs = new Runs(store, `${model}kept/`)
  }

  /** Undefined where nothing readable is stored for these fields. */
  async read(fields: readonly string[]): Promise<Kept | undefined> {
    try {
      const head = await this.#head()
      if (!head || !isDeepStrictEqual(head.fields, fields)) return undefined
      const { dataset, seq, run, blobs: names, index: contents } = head
      const stored = await this.#runs.generation.readBlobs(names.map(name => `${run}/${name}`))
      const blobs = new Map(names.map(name => [name, stored.get(`${run}/${name}`)!]))
      const index = await inStretches(SimilarityIndex.load({ contents, blobs }, { keepsWeights: true }))
      return { index, dataset, seq }
    } catch (error) {
      if (error instanceof FindlingError && UNREADABLE.includes(error.code)) return undefined
      throw error
    }
  }

  /** Replaces the previous one. SERVICE_STATE where the model is no longer in use. */
  async write(
    saving: Promise<SavedSimilarity>,
    { dataset, seq, fields }: Omit<Kept, 'index'> & { readonly fields: readonly string[] },
  ): Promise<void> {
    const { contents: index, blobs } = await saving
    const before = await this.#head().catch(() => undefined)
    const run = (before?.run ?? 0) + 1
    await this.#runs.begin(run)
    let isDone = false
    try {
      for (const [name, bytes] of blobs) await this.#runs.keep(run, name, bytes)
      const contents: z.input<typeof schema> = {
        dataset,
        fields: [...fields],
        run,
        blobs: [...blobs.keys()],
        index,
      }
      const obsolete = before?.blobs.map(name => `${before.run}/${name}`) ?? []
      const written = { seq, fingerprint: FINGERPRINT }
      await this.#runs.put(run, { contents, obsolete }, written, ({ manifest }) => {
        if (!manifest.services.some(({ id, model }) => modelPrefix(id, model) === this.#model))
          throw new FindlingError('SERVICE_STATE', 'The model of a service is no longer in use.')
      })
      isDone = true
    } finally {
      if (!isDone) await this.#runs.abandon(run)
    }
  }

  async #head(): Promise<(z.output<typeof schema> & { readonly seq: number }) | undefined> {
    const stored = await this.#runs.generation.stored()
    const { data } = schema.safeParse(stored?.contents)
    return data && stored?.fingerprint === FINGERPRINT ? { ...data, seq: stored.seq } : undefined
  }
}
