import { recordIn } from '../../datasets/record.ts'
import { allDocuments, readDocuments } from '../../datasets/stored-documents.ts'
import { FindlingError } from '../../errors.ts'
import type { JsonObject } from '../../json.ts'
import type { LoopTurn } from '../../scheduling/loop-turn.ts'
import { Serial } from '../../scheduling/serial.ts'
import { inStretches, Stretch } from '../../scheduling/stretch.ts'
import type { Loading, ServiceDataset } from '../../services/service-definition.ts'
import { changesSince } from '../../store/change-log.ts'
import type { Store } from '../../store/store.ts'
import { comparableOf } from '../dataset-likeness.ts'
import type { SimilarDocument } from '../model/aspects.ts'
import type { SimilarityIndex } from '../model/similarity-index.ts'
import { type Kept, KeptIndex } from './kept-index.ts'
import { type Contents, readIndex, readSimilarContents } from './model.ts'
import type { Activation } from './settings.ts'

/** Up to this many changes plus a tenth of the documents are replayed when opening; beyond, the documents are stored again. */
const MOST_AGAIN = 1000

/** A dataset, and its documents in the form in which they are compared. */
export interface Compared {
  readonly dataset: ServiceDataset
  readonly index: SimilarityIndex
  /** Number of the last change included. */
  readonly seq: number
}

/**
 * A service of similar documents while it is active: the current documents, compared with the feature weights from when it
 * was prepared. Later writes are taken from the change log when the service is asked.
 */
export class ActiveSimilar {
  readonly contents: Contents
  readonly stored: Pick<Loading<Activation>, 'contents' | 'parts' | 'prefix'>
  /** Shared by everything that uses the store. */
  readonly turn: LoopTurn
  readonly #dataset: () => ServiceDataset
  readonly #fields: readonly string[]
  readonly #tags: ReadonlySet<string>
  readonly #updates = new Serial()
  #index: SimilarityIndex
  /** Number of the dataset whose documents these are. */
  #number: number
  #seq: number
  #refreshing: Promise<void> | undefined
  /** Number of changes and reread documents that have been applied. */
  #taken = 0
  /** How many of them have been stored, or failed to be. */
  #kept = 0
  #keeping: Promise<void> | undefined

  private constructor(loading: Loading<Activation>, contents: Contents, { index, dataset, seq }: Kept) {
    this.contents = contents
    this.stored = loading
    this.#dataset = loading.dataset
    this.turn = loading.dataset().documents.store.turn
    this.#fields = fieldsOf(loading, contents)
    this.#tags = new Set(contents.tags.map(([id]) => id))
    this.#index = index
    this.#number = dataset
    this.#seq = seq
  }

  static async load(loading: Loading<Activation>): Promise<ActiveSimilar> {
    const contents = readSimilarContents(loading.contents)
    const fields = fieldsOf(loading, contents)
    const { store } = loading.dataset().documents
    const kept = await new KeptIndex(store, loading.prefix).read(fields)
    const asPrepared = async () => ({ ...contents, index: await readIndex(contents, loading) })
    const active = new ActiveSimilar(loading, contents, kept ?? (await asPrepared()))
    if (kept || contents.fields.every(field => fields.includes(field))) await active.current()
    else await active.#updates.run(() => active.#readAll(loading.dataset()))
    return active
  }

  get bytes(): number {
    return this.#index.bytes
  }

  /** Place of a tag among those it was prepared for; -1 for any other. */
  placeOf(tag: string): number {
    return this.contents.tags.findIndex(([id]) => id === tag)
  }

  /** The documents including every completed write. */
  async current(): Promise<Compared> {
    return await this.#updates.run(async () => {
      const dataset = this.#dataset()
      await this.#update(dataset)
      return { dataset, index: this.#index, seq: this.#seq }
    })
  }

  /** The tags of a document for which the service was prepared. */
  tagsIn(document: JsonObject, { state }: ServiceDataset): string[] {
    return state.rules.tagIds(document).filter(tag => this.#tags.has(tag))
  }

  async #update(dataset: ServiceDataset): Promise<void> {
    if (dataset.state.dataset !== this.#number) {
      await this.#readAll(dataset)
      return
    }
    const { store } = dataset.documents
    if (store.seq === this.#seq) return
    try {
      await this.#takeChanges(dataset)
    } catch (error) {
      if (!(error instanceof FindlingError && error.code === 'CHANGES_PRUNED')) throw error
      await this.#readAll(dataset)
    }
  }

  async #takeChanges(dataset: ServiceDataset): Promise<void> {
    const { documents, state } = dataset
    const { seq } = documents.store
    const stretch = new Stretch()
    for await (const changes of changesSince(documents.store, state.dataset, this.#seq)) {
      const ids = changes.map(({ id }) => id)
      this.#taken += ids.length
      for (const [i, document] of (await readDocuments(documents, ids)).entries()) {
        if (document) this.#index.add(ids[i]!, this.#comparable(document, dataset))
        else this.#index.remove(ids[i]!)
        if (stretch.isOver) await stretch.pause()
      }
    }
    this.#seq = seq
    if (this.#index.isStale) this.#refresh()
    this.#keep(documents.store)
  }

  /** Runs after the answers. If storing fails, it is tried again after as many changes. */
  #keep(store: Store): void {
    if (this.#taken - this.#kept <= MOST_AGAIN + this.#index.size / 10 || store.isClosing) return
    this.#keeping ??= this.#write(store)
      .catch(() => undefined)
      .finally(() => {
        this.#keeping = undefined
        // Much may have been applied meanwhile.
        this.#keep(store)
      })
  }

  async #write(store: Store): Promise<void> {
    // A refresh drops removed documents.
    await this.#refreshing
    const place = { dataset: this.#number, seq: this.#seq, fields: this.#fields }
    this.#kept = this.#taken
    await new KeptIndex(store, this.stored.prefix).write(inStretches(this.#index.save()), place)
  }

  /** In the background; until then, documents that came since the previous one are compared one by one. */
  #refresh(): void {
    this.#refreshing ??= inStretches(this.#index.refresh()).finally(() => {
      this.#refreshing = undefined
    })
  }

  /** Reads all documents again; features keep their weights. */
  async #readAll(dataset: ServiceDataset): Promise<void> {
    const { store } = dataset.documents
    const { seq } = store
    const index = await inStretches(this.#index.emptied())
    const stretch = new Stretch()
    for await (const batch of allDocuments(dataset.documents, { onDamage: () => undefined })) {
      for (const [id, payload] of batch) {
        index.add(id, this.#comparable(recordIn(payload).document, dataset))
        if (stretch.isOver) await stretch.pause()
      }
    }
    await inStretches(index.refresh())
    this.#index = index
    this.#number = dataset.state.dataset
    this.#seq = seq
    this.#taken += index.size
    this.#keep(store)
  }

  #comparable(document: JsonObject, dataset: ServiceDataset): SimilarDocument {
    const [title] = this.contents.fields
    const others = this.#fields.filter(field => field !== title)
    const compared =
      title === undefined
        ? { title: '', body: '' }
        : comparableOf(document, [title, ...others], dataset.state.textForm, this.#fields.includes(title))
    return { ...compared, tags: this.tagsIn(document, dataset) }
  }
}

/** The fields in which documents are compared. */
const fieldsOf = (
  { settings }: Pick<Loading<Activation>, 'settings'>,
  { fields }: Contents,
): readonly string[] => settings.fields ?? fields
