import { FindlingError } from '../../errors.ts'
import { type Entry, type Layer, readLayer } from './layer.ts'

/** The contents of stacked layers, key by key: upper layers hide and remove entries of lower ones. */
export class Layers {
  readonly #cursors: Cursor[]
  /** The next entry; undefined at the end. */
  head: { readonly key: string; readonly value: Uint8Array } | undefined

  private constructor(cursors: Cursor[]) {
    this.#cursors = cursors
  }

  /** @param layers the lowest first */
  static async open(folder: string, layers: readonly Layer[]): Promise<Layers> {
    const opened = new Layers(layers.map(layer => new Cursor(folder, readLayer(folder, layer))))
    try {
      for (const cursor of opened.#cursors) await cursor.load()
      await opened.next()
      return opened
    } catch (error) {
      await opened.close()
      throw error
    }
  }

  /** Advances to the entry after the head; returns a promise if something has to be read for it. */
  next(): Promise<void> | undefined {
    for (;;) {
      const first = this.#first()
      if (!first) {
        this.head = undefined
        return undefined
      }
      const wait = this.#pass(first.key)
      this.head = first.value && { key: first.key, value: first.value }
      if (wait) return this.head ? wait : wait.then(() => this.next())
      if (this.head) return undefined
    }
  }

  async close(): Promise<void> {
    for (const cursor of this.#cursors) await cursor.close()
  }

  /** The uppermost of the entries with the lowest key. */
  #first(): Entry | undefined {
    let first: Entry | undefined
    for (const { head } of this.#cursors) {
      if (head && (!first || compareKeys(head.key, first.key) <= 0)) first = head
    }
    return first
  }

  #pass(key: string): Promise<void> | undefined {
    const waits: Promise<void>[] = []
    for (const cursor of this.#cursors) {
      if (cursor.head?.key !== key) continue
      const wait = cursor.step()
      if (wait) waits.push(wait)
    }
    return waits.length > 0 ? Promise.all(waits).then(() => undefined) : undefined
  }
}

class Cursor {
  readonly #folder: string
  readonly #blocks: AsyncGenerator<Entry[]>
  #block: Entry[] = []
  #at = 0
  #last: string | undefined

  constructor(folder: string, blocks: AsyncGenerator<Entry[]>) {
    this.#folder = folder
    this.#blocks = blocks
  }

  get head(): Entry | undefined {
    return this.#block[this.#at]
  }

  step(): Promise<void> | undefined {
    this.#last = this.#block[this.#at]!.key
    this.#at++
    if (this.#at === this.#block.length) return this.load()
    this.#assertAscending(this.#last, this.#block[this.#at]!.key)
    return undefined
  }

  async load(): Promise<void> {
    this.#at = 0
    const { done, value } = await this.#blocks.next()
    this.#block = done ? [] : value
    if (this.#last !== undefined && this.head) this.#assertAscending(this.#last, this.head.key)
  }

  async close(): Promise<void> {
    await this.#blocks.return(undefined)
  }

  #assertAscending(before: string, after: string): void {
    if (compareKeys(before, after) < 0) return
    throw new FindlingError(
      'STORE_CORRUPT',
      `The backup in ${this.#folder} is damaged: the key ${JSON.stringify(after)} is not in its place.`,
      { backup: this.#folder, key: after },
    )
  }
}

/** The order of their UTF-8 bytes, in which surrogates, as the halves of higher code points, come last. */
export function compareKeys(one: string, other: string): number {
  if (one === other) return 0
  const end = Math.min(one.length, other.length)
  for (let i = 0; i < end; i++) {
    const difference = rankOf(one.charCodeAt(i)) - rankOf(other.charCodeAt(i))
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

const rankOf = (unit: number): number => (unit >= 0xd8_00 && unit <= 0xdf_ff ? unit + 0x28_00 : unit)
