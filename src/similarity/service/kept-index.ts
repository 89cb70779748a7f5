import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { Runs } from '../../derived/generations/runs.ts'
import { FindlingError } from '../../errors.ts'
import { inStretches } from '../../scheduling/stretch.ts'
import { modelPrefix } from '../../store/keyspace.ts'
import type { Store } from '../../store/store.ts'
import type { SavedSimilarity } from '../model/saved-similarity.ts'
import { SimilarityIndex } from '../model/similarity-index.ts'

/** Raised whenever what is stored is another: an earlier one is as if there were none. */
const FINGERPRINT = 'kept-1'

const schema = z.object({
  /** Number of the dataset whose documents are in it. */
  dataset: z.int(),
  /** The searched fields by which they are compared. */
  fields: z.array(z.string()),
  run: z.int().positive(),
  blobs: z.array(z.string()),
  index: z.unknown(),
})

/** Documents as they are compared, up to some change. */
export interface Kept {
  readonly index: SimilarityIndex
  readonly dataset: number
  readonly seq: number
}

/**
 * The documents of an active service as they were lately, stored with its model and going with it, so that an open has few
 * changes to take in. Without it there are those of when the service was prepared.
 */
export class KeptIndex {
  readonly #model: string
  readonly #runs: Runs

  /** @param model prefix of the model */
  constructor(store: Store, model: string) {
    this.#model = model
    this.#runs = new Runs(store, `${model}kept/`)
  }

  /** Undefined where nothing is kept that can be read of documents compared by these fields. */
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
      if (error instanceof FindlingError && error.code === 'STORE_CORRUPT') return undefined
      throw error
    }
  }

  /** Replaces the previous one. SERVICE_STATE where the model is not in use any more. */
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
          throw new FindlingError('SERVICE_STATE', 'The model of a service is not in use any more.')
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
