import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import * as z from 'zod'
import { FindlingError } from '../../errors.ts'
import { Generation } from '../../generations/generation.ts'
import { hitsOf } from '../../similarity/neighbours.ts'
import type { SimilarHit } from '../../similarity/similarity-index.ts'
import { readLists, type StoredList } from '../../similarity/stored-neighbours.ts'
import type { Store } from '../../store/store.ts'
import { sweep } from '../../store/trash.ts'

/** Raised whenever scores, or what is stored of them, are others: earlier lists are as if there were none. */
const FINGERPRINT = 'lists-2'
/** Lists of one part: about 100 KB. */
const LISTS_PER_PART = 64

const part = z.tuple([z.string(), z.number()])
const schema = z.object({
  /** Number of the dataset whose documents are in them: a service may get another one by a swap. */
  dataset: z.int(),
  filter: z.object({ query: z.string().optional(), tags: z.array(z.string()).optional() }),
  /** Of the run that made it. What a run writes lies apart, so that it can be swept if it does not come to its end. */
  run: z.int().positive(),
  /** By tag its parts: the name of each, and its checksum. */
  groups: z.array(z.tuple([z.string(), z.array(part)])),
})

/** The lists as they are stored, besides their parts. */
export interface ListsHead extends z.output<typeof schema> {
  /** Changes up to this number are in them. */
  readonly seq: number
}

export type StoredPart = z.output<typeof part>

/** In which part the list of a document is, of so many. */
export const partOf = (id: string, parts: number): number => crc32(id) % parts

export const partsFor = (members: number): number => Math.max(1, Math.ceil(members / LISTS_PER_PART))

/** The neighbours of documents by tag, stored with a model and going with it. One head names all that counts. */
export class StoredLists {
  readonly #store: Store
  readonly #prefix: string
  readonly #generation: Generation

  /** @param model prefix of the model */
  constructor(store: Store, model: string) {
    this.#store = store
    this.#prefix = `${model}lists/`
    this.#generation = new Generation(store, this.#prefix)
  }

  /** Undefined before the first index. STORE_CORRUPT */
  async head(): Promise<ListsHead | undefined> {
    const stored = await this.#generation.stored()
    if (stored?.fingerprint !== FINGERPRINT) return undefined
    const { data } = schema.safeParse(stored.contents)
    if (!data) throw unreadable(this.#prefix)
    return { ...data, seq: stored.seq }
  }

  /** The neighbours of a document within a tag; none where it has no list. STORE_CORRUPT */
  async of(tag: string, id: string): Promise<SimilarHit[]> {
    for (;;) {
      const head = await this.head()
      const parts = head?.groups.find(([one]) => one === tag)?.[1]
      if (!parts) return []
      try {
        const lists = await this.read([parts[partOf(id, parts.length)]!])
        const list = lists.find(one => one.id === id)
        return list ? hitsOf(list) : []
      } catch (error) {
        // Others have taken their place while they were read.
        if (isDeepStrictEqual(await this.head(), head)) throw error
      }
    }
  }

  async read(parts: readonly StoredPart[]): Promise<StoredList[]> {
    const blobs = await this.#generation.readBlobs(parts.map(([name]) => name))
    return parts.flatMap(([name, sum]) => {
      const bytes = blobs.get(name)!
      if (crc32(bytes) !== sum) throw unreadable(this.#prefix + name)
      return readLists(bytes)
    })
  }

  /** Makes room for what a run writes: trash until it counts. */
  async begin(run: number): Promise<void> {
    const place = this.#placeOf(run)
    await this.#store.clear(place)
    await this.#store.amend(transaction => {
      const { manifest } = transaction
      transaction.manifest = { ...manifest, trash: [...without(manifest.trash, place), place] }
    })
  }

  /** What a run has written is gone, unless the store is closing: then it goes when that is opened again. */
  async abandon(run: number): Promise<void> {
    if (!this.#store.isClosing) await sweep(this.#store, this.#placeOf(run))
  }

  /** Stores a part of a run, which nothing points to yet. */
  async keep(run: number, place: string, bytes: Uint8Array): Promise<StoredPart> {
    const name = `${run}/${place}`
    await this.#generation.saveBlobs(new Map([[name, bytes]]))
    return [name, crc32(bytes)]
  }

  /** By one write this is what counts, and what it does not name is gone. */
  async put({ seq, ...contents }: ListsHead, before: ListsHead | undefined): Promise<void> {
    const named = new Set(namesIn(contents))
    const obsolete = before ? namesIn(before).filter(name => !named.has(name)) : []
    const place = this.#placeOf(contents.run)
    await this.#generation.save({ contents, blobs: new Map(), obsolete }, seq, FINGERPRINT, transaction => {
      const { manifest } = transaction
      transaction.manifest = { ...manifest, trash: without(without(manifest.trash, place), this.#prefix) }
    })
  }

  /**
   * All of it is gone, unless the store is closing: then what answered before answers when it is opened again. By one write
   * there are no lists any more, and what they take is trash, which the next open clears if this does not get to it.
   */
  async remove(): Promise<void> {
    if (this.#store.isClosing) return
    await this.#store.amend(transaction => {
      const { manifest } = transaction
      const trash = manifest.trash.filter(one => !one.startsWith(this.#prefix))
      this.#generation.drop(transaction)
      transaction.manifest = { ...manifest, trash: [...trash, this.#prefix] }
    })
    await sweep(this.#store, this.#prefix)
  }

  #placeOf(run: number): string {
    return `${this.#prefix}b/${run}/`
  }
}

const without = (trash: readonly string[], place: string): string[] => trash.filter(one => one !== place)

const namesIn = ({ groups }: Pick<ListsHead, 'groups'>): string[] =>
  groups.flatMap(([, parts]) => parts.map(([name]) => name))

function unreadable(key: string): FindlingError {
  const message = `Stored lists of similar documents, ${key}, cannot be read: index the service again.`
  return new FindlingError('STORE_CORRUPT', message, { key })
}
