import { type ArtifactReader, artifactDamaged } from '../../artifacts/artifact.ts'
import type { DatasetSettings } from '../../datasets/schema/dataset-settings.ts'
import type { DatasetState } from '../../datasets/state.ts'
import { FindlingError } from '../../errors.ts'
import type { IndexConstants } from '../../fulltext/index-constants.ts'
import { withCurrent } from '../../scheduling/once.ts'
import { Serial } from '../../scheduling/serial.ts'
import { rankingPrefix } from '../../store/keyspace.ts'
import { type DatasetEntry, datasetEntry } from '../../store/manifest.ts'
import type { Store } from '../../store/store.ts'
import { datasetPointer } from '../generations/dataset-pointer.ts'
import type { Generation } from '../generations/generation.ts'
import { Generations } from '../generations/generations.ts'
import { documentForm, refuseOtherForm } from './document-form.ts'
import {
  type ConstantsContents,
  categoriesBlob,
  categoryPartOf,
  readConstants,
  readTopics,
  TERMS_BLOB,
  VECTORS_BLOB,
} from './ranking-artifact.ts'

interface ConstantsContext {
  readonly store: Store
  readonly state: DatasetState
  warn(message: string, details: Record<string, unknown>): void
}

/** Average number of tokens of a title, and of any other field, if none were adopted. */
const DEFAULT_AVERAGES = { title: 8, other: 40 }

/** Categories as part of something stored. */
export type CategoriesPlace = Pick<Generation, 'readBlobs'> & {
  stored(): Promise<{ readonly contents: unknown; readonly seq: number } | undefined>
}

/**
 * The ranking constants of a dataset if the engine learns none of its own: those that were adopted last, one generation in the
 * store, or else defaults. The next adoption replaces them by one write.
 */
export class AdoptedConstants {
  readonly #context: ConstantsContext
  readonly #generations: Generations<DatasetEntry>
  readonly #adopting = new Serial()

  constructor(context: ConstantsContext) {
    const { store, state, warn } = context
    this.#context = context
    this.#generations = new Generations({
      store,
      pointer: datasetPointer(state.dataset, 'ranking', rankingPrefix),
      unswept: error => {
        if (store.isClosing) return
        warn(
          'The space of earlier ranking constants could not be freed; this is retried when the store is next opened.',
          {
            dataset: state.name,
            error,
          },
        )
      },
    })
  }

  /** Differs after every adoption; 0 before the first. */
  get generation(): number {
    const { store, state } = this.#context
    return datasetEntry(store.manifest, state.dataset)?.ranking ?? 0
  }

  /** Identifies the constants of an index under these settings. */
  idFor(settings: DatasetSettings): string {
    return JSON.stringify([this.generation, settings.topics, documentForm(settings)])
  }

  /** The constants of an index. Constants that were adopted under other settings do not count. */
  async ofIndex(settings: DatasetSettings): Promise<IndexConstants> {
    const id = this.idFor(settings)
    const adopted = await this.#read(settings)
    const { title, other } = DEFAULT_AVERAGES
    const defaults = settings.interpretedFields.map((_, field) => (field === 0 ? title : other))
    return { id, averages: adopted?.averages ?? defaults, topics: adopted?.topics }
  }

  /** The contents of the last adoption; undefined if there was none, or it cannot be read. */
  async contents(): Promise<ConstantsContents | undefined> {
    if (this.generation === 0) return undefined
    try {
      return await withCurrent(
        () => this.#generations.current,
        async generation => {
          const head = await generation.stored()
          return head && readConstants(head.contents)
        },
      )
    } catch (error) {
      if (this.#context.store.isClosing || !(error instanceof FindlingError)) throw error
      return undefined
    }
  }

  /** The categories of queries. */
  get categories(): CategoriesPlace {
    return categoriesIn(this.#generations.current)
  }

  /**
   * Adopts the constants of an artifact, completely or not at all. ARTIFACT_DAMAGED, ARTIFACT_MISMATCH, DATASET_NOT_FOUND
   * @param check checks what has been stored, before anything points to it
   */
  adopt(
    reader: ArtifactReader,
    contents: ConstantsContents,
    check: (categories: CategoriesPlace) => Promise<void>,
  ): Promise<void> {
    return this.#adopting.run(async () => {
      const { store, state } = this.#context
      const { seq } = store
      const adopting = this.#generations.replace(async function* (beside) {
        yield* savedFrom(reader, beside)
        await reader.end()
        await topicsIn(beside, contents)
        await check({
          stored: async () => (contents.categories ? { contents: contents.categories, seq } : undefined),
          readBlobs: categoriesIn(beside).readBlobs,
        })
        return {
          head: beside.head({ contents, obsolete: [] }, seq, ''),
          // Settings may have changed meanwhile.
          check: () => refuseOtherForm(contents.form, documentForm(state.settings)),
          change: {},
          inPlace() {},
        }
      })
      for await (const _ of adopting);
    })
  }

  async #read(settings: DatasetSettings): Promise<Pick<IndexConstants, 'averages' | 'topics'> | undefined> {
    const { store, state, warn } = this.#context
    if (this.generation === 0) return undefined
    try {
      return await withCurrent(
        () => this.#generations.current,
        async generation => {
          const head = await generation.stored()
          if (!head) return undefined
          const contents = readConstants(head.contents)
          if (JSON.stringify(contents.form) !== JSON.stringify(documentForm(settings))) return undefined
          const topics = settings.topics ? await topicsIn(generation, contents) : undefined
          return { averages: contents.averages, topics }
        },
      )
    } catch (error) {
      if (store.isClosing || !(error instanceof FindlingError)) throw error
      warn('The adopted ranking constants cannot be read; adopt them again. Until then, defaults are used.', {
        dataset: state.name,
        error,
      })
      return undefined
    }
  }
}

async function* savedFrom(reader: ArtifactReader, beside: Generation): AsyncGenerator<void, void> {
  for (const [name, bytes] of reader.head.blobs) {
    await beside.saveIncoming(name, bytes, size => reader.read(size))
    yield
  }
}

async function topicsIn(generation: Generation, { topics }: ConstantsContents) {
  if (!topics) return undefined
  const blobs = await generation.readBlobs([TERMS_BLOB, VECTORS_BLOB]).catch(error => {
    throw error instanceof FindlingError && error.code === 'STORE_CORRUPT'
      ? artifactDamaged('its topics are missing')
      : error
  })
  return readTopics(topics, blobs)
}

function categoriesIn(generation: Generation): CategoriesPlace {
  return {
    async stored() {
      const head = await generation.stored()
      const contents = head && readConstants(head.contents).categories
      return head && contents ? { contents, seq: head.seq } : undefined
    },
    async readBlobs(names) {
      const blobs = await generation.readBlobs(names.map(categoriesBlob))
      return new Map([...blobs].map(([blob, bytes]) => [categoryPartOf(blob), bytes]))
    },
  }
}
