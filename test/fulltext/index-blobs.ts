import { expect } from 'vitest'
import { FulltextIndex, type IndexOptions } from '../../src/fulltext/fulltext-index.ts'

type Manifest = ReturnType<FulltextIndex['checkpoint']>['manifest']

/** What a store holds of one index: its blobs, of which each is given once and let go by name. */
export class IndexBlobs {
  readonly #blobs = new Map<string, Uint8Array>()

  save(index: FulltextIndex): Manifest {
    const { manifest, blobs, obsolete } = index.checkpoint()
    for (const [name, bytes] of blobs) {
      expect(this.#blobs.has(name)).toBe(false)
      this.#blobs.set(name, bytes.slice())
    }
    for (const name of obsolete) expect(this.#blobs.delete(name)).toBe(true)
    const { needed, forward } = FulltextIndex.blobNames(manifest)
    expect([...this.#blobs.keys()].sort()).toEqual([...needed, ...forward].sort())
    return JSON.parse(JSON.stringify(manifest))
  }

  get(name: string): Uint8Array {
    return this.#blobs.get(name)!
  }

  load(options: IndexOptions, manifest: Manifest): FulltextIndex {
    return FulltextIndex.load(options, manifest, name => this.#blobs.get(name))
  }

  /** Without the forward lists. */
  loadNeeded(options: IndexOptions, manifest: Manifest): FulltextIndex {
    const needed = new Set(FulltextIndex.blobNames(manifest).needed)
    return FulltextIndex.load(options, manifest, name =>
      needed.has(name) ? this.#blobs.get(name) : undefined,
    )
  }
}
