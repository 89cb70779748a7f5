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

/** Raised whenever scores or their stored form change: earlier lists are then ignored. */
const FINGERPRINT = 'lists-2'
/** Number of lists in one part: about 100 KB. */
const LISTS_PER_PART = 64

const part = z.tuple([z.string(), z.number()])
const schema = z.object({
  /** Number of the dataset whose documents they contain: a service may get another dataset by a swap. */
  dataset: z.int(),
  filter: z.object({ query: z.string().optional(), tags: z.array(z.string()).optional() }),
  /** Number of the run that made it. Each run writes to its own place, so that it can be swept if it does not finish. */
  run: z.int().positive(),
  /** By tag, the names and checksums of its parts. */
  groups: z.array(z.tuple([z.string(), z.array(part)])),
})

/** The stored lists, without their parts. */
export interface ListsHead extends z.output<typeof schema> {
  /** Number of the last change included. */
  readonly seq: number
}

export type StoredPart = z.output<typeof part>

/** The part in which the list of a document is stored. */
export const partOf = (id: string, parts: number): number => crc32(id) % parts

export const partsFor = (members: number): number => Math.max(1, Math.ceil(members / LISTS_PER_PART))

/** The neighbours of documents by tag, stored and removed with a model. One head names all valid parts. */
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

  /** Prepares a run: what it writes is trash until `put`. */
  begin(run: number): Promise<void> {
    return this.#runs.begin(run)
  }

  /** Removes what a run has written; if the store is closing, this happens when it is opened again. */
  abandon(run: number): Promise<void> {
    return this.#runs.abandon(run)
  }

  /** Stores a part of a run, which nothing refers to yet. */
  async keep(run: number, place: string, bytes: Uint8Array): Promise<StoredPart> {
    return [await this.#runs.keep(run, place, bytes), crc32(bytes)]
  }

  /** Makes these lists the valid ones and removes all others, in one write. */
  async put({ seq, ...contents }: ListsHead, before: ListsHead | undefined): Promise<void> {
    const named = new Set(namesIn(contents))
    const obsolete = before ? namesIn(before).filter(name => !named.has(name)) : []
    await this.#runs.put(contents.run, { contents, obsolete }, { seq, fingerprint: FINGERPRINT })
  }

  /** Removes all lists, unless the store is closing: then the previous ones answer again when it is opened. */
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
