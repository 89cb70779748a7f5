import { expect } from 'vitest'
import type { FulltextIndex, IndexOptions } from '../../src/fulltext/fulltext-index.ts'
import { LoadedIndex, loadingWhole } from '../../src/fulltext/loaded-index.ts'
import { blobNames } from '../../src/fulltext/stored/index-contents.ts'
import { atOnce } from '../../src/scheduling/at-once.ts'

type Contents = ReturnType<FulltextIndex['save']>['contents']

type Loading<T> = (...from: Parameters<typeof LoadedIndex.loading>) => T

/** An index with all that was stored of it. */
export const loadWhole: Loading<FulltextIndex> = (...from) => atOnce(loadingWhole(...from))

/** One without its forward lists. */
export const loadNeeded: Loading<LoadedIndex> = (...from) => atOnce(LoadedIndex.loading(...from))

export const complete = (
  index: LoadedIndex,
  blobs: (name: string) => Uint8Array | undefined,
): FulltextIndex => atOnce(index.completing(blobs))

/** What a store holds of one index: its blobs, of which each is given once and let go by name. */
export class IndexBlobs {
  readonly #blobs = new Map<string, Uint8Array>()

  save(index: FulltextIndex): Contents {
    const { contents, blobs, obsolete } = index.save()
    for (const [name, bytes] of blobs) {
      expect(this.#blobs.has(name)).toBe(false)
      this.#blobs.set(name, bytes.slice())
    }
    for (const name of obsolete) expect(this.#blobs.delete(name)).toBe(true)
    const { needed, forward, columns } = blobNames(contents)
    expect([...this.#blobs.keys()].sort()).toEqual([...needed, ...forward, ...columns].sort())
    return JSON.parse(JSON.stringify(contents))
  }

  readonly get = (name: string): Uint8Array | undefined => this.#blobs.get(name)

  load(options: IndexOptions, contents: Contents): FulltextIndex {
    return loadWhole(options, contents, this.get)
  }

  /** Without the forward lists. */
  loadNeeded(options: IndexOptions, contents: Contents): LoadedIndex {
    const needed = new Set(blobNames(contents).needed)
    return loadNeeded(options, contents, name => (needed.has(name) ? this.get(name) : undefined))
  }
}
