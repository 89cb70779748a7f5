import * as z from 'zod'
import { summing } from '../arrays/checked-blobs.ts'
import type { Generation } from '../derived/generations/generation.ts'
import { Generations } from '../derived/generations/generations.ts'
import { FindlingError } from '../errors.ts'
import type { Progress } from '../jobs/job.ts'
import { inStretches } from '../scheduling/stretch.ts'
import { modelPrefix } from '../store/keyspace.ts'
import { type ServiceEntry, serviceEntry, withService } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { noService } from './refusals.ts'
import type { StoredParts } from './service-definition.ts'

/** Of the way in which parts and sums are stored, not of what a definition puts there. */
const FINGERPRINT = 'model-1'

const contentsSchema = z.object({
  /** Checksums of the parts, by name. */
  sums: z.array(z.tuple([z.string(), z.number()])),
  contents: z.unknown(),
})

/** A model that was built beside the one in use. */
export interface BuiltModel {
  readonly contents: unknown
  /** What else of the service changes when it takes the place of the other. */
  readonly change: Partial<ServiceEntry>
  /** Called when it has. */
  inPlace(): void
}

/** A model while it is being built. */
export interface ModelBeside {
  keep(name: string, bytes: Uint8Array): Promise<void>
  /** What has been kept so far, as it will be read again. */
  reading(contents: unknown): StoredParts
}

/** The model of one service in the store. */
export class StoredModel {
  readonly #store: Store
  readonly #service: string
  readonly #generations: Generations<ServiceEntry>

  /** @param unswept hears what could not be swept; the next open does it */
  constructor(store: Store, service: string, unswept: (error: unknown) => void) {
    this.#store = store
    this.#service = service
    this.#generations = new Generations<ServiceEntry>({
      store,
      pointer: {
        prefix: generation => modelPrefix(service, generation),
        read: ({ model }) => model,
        written: model => ({ model }),
        find: manifest => serviceEntry(manifest, service),
        entry: ({ manifest }) => serviceEntry(manifest, service) ?? noService(service),
        change: (transaction, change) => {
          transaction.manifest = withService(transaction.manifest, service, change)
        },
      },
      unswept,
    })
  }

  /** Has a model built beside the one in use, which then takes its place by one write. */
  async *replace(
    build: (beside: ModelBeside) => AsyncGenerator<Progress, BuiltModel>,
  ): AsyncGenerator<Progress, void> {
    const { seq } = this.#store
    yield* this.#generations.replace(async function* (generation) {
      const sums = new Map<string, number>()
      const { contents, change, inPlace } = yield* build({
        async keep(name, bytes) {
          sums.set(name, await inStretches(summing(bytes)))
          await generation.saveBlobs(new Map([[name, bytes]]))
        },
        reading: contents => partsOf(generation, sums, contents),
      })
      const head = generation.head(
        { contents: { sums: [...sums], contents }, obsolete: [] },
        seq,
        FINGERPRINT,
      )
      return { head, check() {}, change, inPlace }
    })
  }

  /** The one in use. STORE_CORRUPT. */
  async read(): Promise<StoredParts> {
    const generation = this.#generations.current
    const head = await generation.stored()
    const { data } = contentsSchema.safeParse(head?.contents)
    if (!data || head?.fingerprint !== FINGERPRINT) throw unreadable(this.#service)
    return partsOf(generation, new Map(data.sums), data.contents)
  }
}

function partsOf(generation: Generation, sums: ReadonlyMap<string, number>, contents: unknown): StoredParts {
  return {
    prefix: generation.prefix,
    contents,
    async parts(names) {
      const blobs = await generation.readBlobs(names)
      for (const [name, bytes] of blobs)
        if ((await inStretches(summing(bytes))) !== sums.get(name)) throw unreadable(generation.prefix + name)
      return blobs
    },
  }
}

function unreadable(what: string): FindlingError {
  const message = `The stored model ${what} of a service cannot be read: prepare the service again.`
  return new FindlingError('STORE_CORRUPT', message, { key: what })
}
