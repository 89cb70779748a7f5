import { callBlockKey, callBlocksPrefix, keysWithin, seqOf } from '../store/keyspace.ts'
import type { CallLogContext } from './call-log-context.ts'
import { blockText, entriesOf, type RecordedEntry } from './model/entries.ts'
import { hasTexts } from './model/erasing.ts'

export interface StoredBlock {
  readonly key: string
  readonly length: number
  readonly entries: RecordedEntry[]
}

interface BlockRange {
  readonly from?: number
  readonly before?: number
  readonly limit?: number
  readonly reverse?: boolean
}

/** A block that is written again with every few entries until it is long enough. */
interface GrowingBlock {
  readonly first: number
  readonly texts: readonly string[]
  readonly length: number
}

/** Characters of a block. */
const BLOCK_LENGTH = 32_768
const MOST_BLOCKS_READ = 8

/** The blocks in which the calls of one dataset are stored, named by the numbers of their first entries. */
export class CallBlocks {
  readonly #context: CallLogContext
  #growing: GrowingBlock | undefined
  /** Of all blocks. */
  bytes = 0
  /** Recently read blocks; replaced by a new map when blocks change, so that blocks being read then are not cached. */
  #read = new Map<number, RecordedEntry[]>()
  /** By the number of its first entry: the time of the earliest entry of a block that has texts. */
  #earliest: Map<number, number> | undefined
  /** Whether this is known for all blocks. */
  #isEarliestKnown = false
  #textsFrom = 0

  constructor(context: CallLogContext) {
    this.#context = context
  }

  restore(bytes: number, textsFrom: number): void {
    this.bytes = bytes
    this.#textsFrom = textsFrom
  }

  /**
   * Entries below this number have no texts.
   * @param next the number of the first entry that is not written yet
   */
  textsFrom(next: number): number {
    // A crash during the first scan leaves texts in blocks that it had not reached.
    return this.#isEarliestKnown ? (this.#earliest?.keys().next().value ?? next) : this.#textsFrom
  }

  isGrowing(first: number): boolean {
    return first === this.#growing?.first
  }

  /** The growing block, or a new one, with more entries. */
  grown(first: number, texts: readonly string[]): GrowingBlock {
    const block = this.#growing ?? { first, texts: [], length: 0 }
    const length = texts.reduce((sum, one) => sum + one.length + 1, block.length)
    return { first: block.first, texts: [...block.texts, ...texts], length }
  }

  /** Called when this block is stored, with the entries that it has more than before. */
  wrote(block: GrowingBlock, entries: readonly RecordedEntry[]): void {
    const { first, length } = block
    this.bytes += length - (this.#growing?.length ?? 0)
    this.#read.delete(first)
    this.#noteTexts(first, entries, this.#earliest?.get(first))
    this.#growing = length < BLOCK_LENGTH ? block : undefined
  }

  /**
   * Notes that the entries of a block have changed.
   * @returns the text to be stored; undefined if no entry is left
   */
  changed({ key, length }: StoredBlock, entries: readonly (RecordedEntry | undefined)[]): string | undefined {
    const texts = entries.flatMap(entry => (entry ? [JSON.stringify(entry)] : []))
    const text = texts.length > 0 ? blockText(texts) : undefined
    const first = seqOf(key)
    if (this.isGrowing(first)) this.#growing = undefined
    this.#read.delete(first)
    this.#noteTexts(first, entries)
    this.bytes = Math.max(0, this.bytes - length + (text?.length ?? 0))
    return text
  }

  drop({ key, length }: StoredBlock): void {
    this.bytes = Math.max(0, this.bytes - length)
    this.#earliest?.delete(seqOf(key))
  }

  forgetRead(): void {
    this.#read = new Map()
  }

  /** Blocks from the one with a number on; damaged ones are left out. */
  async *all({ from = 0, before, ...more }: BlockRange = {}): AsyncGenerator<StoredBlock> {
    const { store, dataset, warn } = this.#context
    const keys = {
      ...keysWithin(callBlocksPrefix(dataset)),
      gte: callBlockKey(dataset, from),
      ...(before !== undefined && { lt: callBlockKey(dataset, before) }),
      ...more,
    }
    const onDamage = (key: string) => warn('A block of recorded calls is damaged and left out.', { key })
    for await (const batch of store.entries(keys, { onDamage })) {
      for (const [key, payload] of batch) {
        const text = payload.toString()
        yield { key, length: text.length, entries: entriesOf(text) ?? [] }
      }
    }
  }

  /** The entries of the block that has this one, if it is written. */
  async of(n: number): Promise<readonly RecordedEntry[] | undefined> {
    for (const entries of this.#read.values())
      if (entries.length > 0 && entries[0]!.n <= n && n <= entries.at(-1)!.n) return entries
    const read = this.#read
    const block = await this.at(n)
    if (!block) return undefined
    read.set(block.first, block.entries)
    if (read.size > MOST_BLOCKS_READ) read.delete(read.keys().next().value!)
    return block.entries
  }

  /** The last block that does not begin after a number. */
  async at(n: number): Promise<{ first: number; entries: RecordedEntry[] } | undefined> {
    for await (const { key, entries } of this.all({ before: n + 1, reverse: true, limit: 1 }))
      return { first: seqOf(key), entries }
    return undefined
  }

  /** Blocks with texts before a moment, oldest first. */
  async *withTexts(before: number): AsyncGenerator<StoredBlock> {
    const known = this.#earliest
    if (known) {
      // Times may go back, so a block says nothing about later ones.
      const due = [...known].filter(([, at]) => at < before)
      for (const [from] of due) yield* this.all({ from, limit: 1 })
      return
    }
    const begun = await this.at(this.#textsFrom)
    this.#earliest = new Map()
    try {
      for await (const block of this.all({ from: begun?.first ?? 0 })) {
        this.#noteTexts(seqOf(block.key), block.entries)
        yield block
      }
      this.#isEarliestKnown = true
    } finally {
      if (!this.#isEarliestKnown) this.#earliest = undefined
    }
  }

  /**
   * Records the earliest text of a block, keeping the blocks in order.
   * @param entries entries of a block
   * @param earliest the earliest time among its other entries
   */
  #noteTexts(
    first: number,
    entries: readonly (RecordedEntry | undefined)[],
    earliest = Number.POSITIVE_INFINITY,
  ): void {
    if (!this.#earliest) return
    for (const entry of entries) if (entry && entry.at < earliest && hasTexts(entry)) earliest = entry.at
    if (earliest < Number.POSITIVE_INFINITY) this.#earliest.set(first, earliest)
    else this.#earliest.delete(first)
  }
}
