import { crc32 } from 'node:zlib'
import * as z from 'zod'
import { summing } from '../arrays/checked-blobs.ts'
import { type ArtifactReader, artifactDamaged } from '../artifacts/artifact.ts'
import type { Generation } from '../derived/generations/generation.ts'
import { Generations } from '../derived/generations/generations.ts'
import { FindlingError } from '../errors.ts'
import type { Progress } from '../jobs/job.ts'
import { inStretches } from '../scheduling/stretch.ts'
import { modelPrefix } from '../store/keyspace.ts'
import { type ServiceEntry, serviceEntry, withService } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import type { Transaction } from '../store/transaction.ts'
import { noService } from './refusals.ts'
import type { StoredParts } from './service-definition.ts'

/** Identifies how parts and checksums are stored, not what a definition stores. */
const FINGERPRINT = 'model-1'

export const storedModelSchema = z.object({
  /** Checksums of the parts, by name. */
  sums: z.array(z.tuple([z.string(), z.number()])),
  contents: z.unknown(),
})

/** A model of any type of service as it is stored. */
export type IncomingModel = z.output<typeof storedModelSchema>

/** A model that is being exported. */
export interface OutgoingModel {
  readonly model: IncomingModel
  readonly blobs: [name: string, bytes: number][]
  read(name: string): AsyncIterable<Uint8Array>
}

/** A model that was built beside the one in use. */
export interface BuiltModel {
  readonly contents: unknown
  /** What else changes about the service when the model replaces the other. */
  readonly change: Partial<ServiceEntry>
  /** Adds to the write by which it replaces the other. */
  also?(transaction: Transaction): void
  /** Called when it has. */
  inPlace(): void
}

/** A model while it is being built. */
export interface ModelBeside {
  keep(name: string, bytes: Uint8Array): Promise<void>
  /** The parts kept so far, readable as after loading. */
  reading(contents: unknown): StoredParts
}

/** The model of one service in the store. */
export class StoredModel {
  readonly #store: Store
  readonly #service: string
  readonly #generations: Generations<ServiceEntry>

  /** @param unswept called if sweeping failed; the next open repeats it */
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

  /** Has a model built beside the one in use and then replaces that one, in one write. */
  async *replace(
    build: (beside: ModelBeside) => AsyncGenerator<Progress, BuiltModel>,
  ): AsyncGenerator<Progress, void> {
    const { seq } = this.#store
    yield* this.#generations.replace(async function* (generation) {
      const { sums, beside } = besideIn(generation)
      const { contents, change, also, inPlace } = yield* build(beside)
      const head = generation.head(
        { contents: { sums: [...sums], contents }, obsolete: [] },
        seq,
        FINGERPRINT,
      )
      return { head, check() {}, change, ...(also && { also }), inPlace }
    })
  }

  /** Has a model built that is handed to others, and keeps it only until then. */
  async *handOn(
    build: (beside: Pick<ModelBeside, 'keep'>) => AsyncGenerator<Progress, unknown>,
    take: (model: OutgoingModel) => Promise<void>,
  ): AsyncGenerator<Progress, void> {
    yield* this.#generations.aside(async function* (generation) {
      const { sums, beside } = besideIn(generation)
      const contents = yield* build(beside)
      const read = (name: string) => generation.outgoing(name)
      await take({ model: { sums: [...sums], contents }, blobs: generation.blobs, read })
    })
  }

  /** The model in use, for export: its contents and its parts. STORE_CORRUPT; SERVICE_STATE if another replaced it meanwhile. */
  async outgoing(): Promise<OutgoingModel> {
    const { generation, model } = await this.#current()
    const isCurrent = () => this.#generations.current === generation
    return {
      model,
      blobs: generation.blobs,
      async *read(name) {
        try {
          yield* generation.outgoing(name)
        } catch (error) {
          if (isCurrent()) throw error
          const message = 'The service was prepared again while its model was exported. Export it again.'
          throw new FindlingError('SERVICE_STATE', message, { field: 'service' }, error)
        }
      },
    }
  }

  /** Replaces the model in use by an imported one, in one write. ARTIFACT_DAMAGED */
  async adopt(
    reader: ArtifactReader,
    model: IncomingModel,
    build: (incoming: StoredParts) => AsyncGenerator<Progress, Omit<BuiltModel, 'contents'>>,
  ): Promise<void> {
    const { seq } = this.#store
    const sums = new Map(model.sums)
    const adopting = this.#generations.replace(async function* (generation) {
      for (const [name, bytes] of reader.head.blobs) {
        if (!sums.has(name)) throw artifactDamaged(`its part ${name} is not known`)
        let crc = 0
        await generation.saveIncoming(name, bytes, async size => {
          const piece = await reader.read(size)
          crc = crc32(piece, crc)
          return piece
        })
        if (crc !== sums.get(name)) throw artifactDamaged(`its part ${name} fails its checksum`)
        yield { done: 1, total: undefined, phase: 'storing' }
      }
      await reader.end()
      if (generation.blobs.length !== sums.size) throw artifactDamaged('some of its parts are missing')
      const { change, also, inPlace } = yield* build(partsOf(generation, sums, model.contents))
      return {
        head: generation.head({ contents: model, obsolete: [] }, seq, FINGERPRINT),
        check() {},
        change,
        ...(also && { also }),
        inPlace,
      }
    })
    for await (const _ of adopting);
  }

  /** The model in use. STORE_CORRUPT. */
  async read(): Promise<StoredParts> {
    const { generation, model } = await this.#current()
    return partsOf(generation, new Map(model.sums), model.contents)
  }

  async #current(): Promise<{ readonly generation: Generation; readonly model: IncomingModel }> {
    const generation = this.#generations.current
    const head = await generation.stored()
    const { data } = storedModelSchema.safeParse(head?.contents)
    if (!data || head?.fingerprint !== FINGERPRINT) throw unreadable(this.#service)
    return { generation, model: data }
  }
}

/** A model that is kept in a generation part by part. */
function besideIn(generation: Generation): { sums: ReadonlyMap<string, number>; beside: ModelBeside } {
  const sums = new Map<string, number>()
  const beside: ModelBeside = {
    async keep(name, bytes) {
      sums.set(name, await inStretches(summing(bytes)))
      await generation.saveBlobs(new Map([[name, bytes]]))
    },
    reading: contents => partsOf(generation, sums, contents),
  }
  return { sums, beside }
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
