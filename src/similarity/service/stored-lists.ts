import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import * as z from 'zod'
import { Runs } from '../../derived/generations/runs.ts'
import { FindlingError } from '../../errors.ts'
import { withCurrent } from '../../scheduling/once.ts'
import type { Store } from '../../store/store.ts'
import { hitsOf } from '../model/neighbours.ts'
import type { NearDocument } from '../model/similarity-index.ts'
import { readLists, type StoredList } from '../model/stored-neighbours.ts'

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

/** The part in which the list of a document is stored. */
export const partOf = (id: string, parts: number): number => crc32(id) % parts

export const partsFor = (members: number): number => Math.max(1, Math.ceil(members / LISTS_PER_PART))

/** The neighbours of documents by tag, stored with a model and going with it. One head names all that counts. */
export class StoredLists {
  readonly #prefix: string
  readonly #runs: Runs

  /** @param model prefix of the model */
  constructor(store: Store, model: string) {
    this.#prefix = `${model}lists/`
    this.#runs = new Runs(store, this.#prefix)
  }

  /** Undefined before the first index. STORE_CORRUPT */
  async head(): Promise<ListsHead | undefined> {
    const stored = await this.#runs.generation.stored()
    if (stored?.fingerprint !== FINGERPRINT) return undefined
    const { data } = schema.safeParse(stored.contents)
    if (!data) throw unreadable(this.#prefix)
    return { ...data, seq: stored.seq }
  }

  /** The neighbours of a document within a tag; none where it has no list. STORE_CORRUPT */
  async of(tag: string, id: string): Promise<NearDocument[]> {
    const inPart = async (head: ListsHead | undefined): Promise<NearDocument[]> => {
      const parts = head?.groups.find(([one]) => one === tag)?.[1]
      const lists = parts ? await this.read([parts[partOf(id, parts.length)]!]) : []
      const list = lists.find(one => one.id === id)
      return list ? hitsOf(list) : []
    }
    return await withCurrent(() => this.head(), inPart, isDeepStrictEqual)
  }

  async read(parts: readonly StoredPart[]): Promise<StoredList[]> {
    const blobs = await this.#runs.generation.readBlobs(parts.map(([name]) => name))
    return parts.flatMap(([name, sum]) => {
      const bytes = blobs.get(name)!
      if (crc32(bytes) !== sum) throw unreadable(this.#prefix + name)
      return readLists(bytes)
    })
  }

  /** Makes room for what a run writes: trash until it counts. */
  begin(run: number): Promise<void> {
    return this.#runs.begin(run)
  }

  /** What a run has written is gone, unless the store is closing: then it goes when that is opened again. */
  abandon(run: number): Promise<void> {
    return this.#runs.abandon(run)
  }

  /** Stores a part of a run, which nothing points to yet. */
  async keep(run: number, place: string, bytes: Uint8Array): Promise<StoredPart> {
    return [await this.#runs.keep(run, place, bytes), crc32(bytes)]
  }

  /** By one write this is what counts, and what it does not name is gone. */
  async put({ seq, ...contents }: ListsHead, before: ListsHead | undefined): Promise<void> {
    const named = new Set(namesIn(contents))
    const obsolete = before ? namesIn(before).filter(name => !named.has(name)) : []
    await this.#runs.put(contents.run, { contents, obsolete }, { seq, fingerprint: FINGERPRINT })
  }

  /** All of it is gone, unless the store is closing: then what answered before answers when it is opened again. */
  remove(): Promise<void> {
    return this.#runs.remove()
  }
}

const namesIn = ({ groups }: Pick<ListsHead, 'groups'>): string[] =>
  groups.flatMap(([, parts]) => parts.map(([name]) => name))

function unreadable(key: string): FindlingError {
  const message = `Stored lists of similar documents, ${key}, cannot be read: index the service again.`
  return new FindlingError('STORE_CORRUPT', message, { key })
}
