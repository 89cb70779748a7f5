import { describe, expect, it } from 'vitest'
import type { SavedSimilarity } from '../../../src/similarity/model/saved-similarity.ts'
import { SimilarityIndex } from '../../../src/similarity/model/similarity-index.ts'
import { drain, manyDocuments } from './shop.ts'

const documents = manyDocuments(400)

function changedIndex(): SimilarityIndex {
  const index = new SimilarityIndex()
  for (const [id, document] of documents.slice(0, 350)) index.add(id, document)
  drain(index.refresh())
  for (const [id, document] of documents.slice(350)) index.add(id, document)
  for (let i = 0; i < 100; i += 3) index.remove(`m${i}`)
  index.add('m1', { title: 'other', body: 'now', tags: ['x'] })
  return index
}

/** As it comes back from a store: JSON, and bytes that lie anywhere in their buffer. */
function stored({ contents, blobs }: SavedSimilarity): SavedSimilarity {
  const moved = [...blobs].map(([name, bytes]): [string, Uint8Array] => {
    const buffer = new Uint8Array(bytes.byteLength + 3)
    buffer.set(bytes, 3)
    return [name, buffer.subarray(3)]
  })
  return { contents: JSON.parse(JSON.stringify(contents)), blobs: new Map(moved) }
}

const load = (saved: SavedSimilarity): SimilarityIndex => drain(SimilarityIndex.load(saved))

describe('a saved index', () => {
  it('answers as before, and goes on as before', () => {
    const index = changedIndex()
    const loaded = load(stored(drain(index.save())))
    const expectSame = () => {
      expect(loaded.ids()).toEqual(index.ids())
      for (const [id, document] of documents.filter((_, at) => at % 20 === 0)) {
        expect(loaded.nearest({ id }, { count: 30 })).toEqual(index.nearest({ id }, { count: 30 }))
        expect(loaded.nearest(document)).toEqual(index.nearest(document))
      }
    }
    expectSame()
    expect(loaded.isStale).toBe(index.isStale)
    for (const one of [index, loaded]) {
      one.add('later', { title: 'w1x later', body: '' })
      one.remove('m20')
    }
    expectSame()
    for (const one of [index, loaded]) drain(one.refresh())
    expectSame()
  })

  it('is not called damaged when it is of another version', () => {
    const { contents, blobs } = stored(drain(changedIndex().save()))
    const earlier = { contents: { ...(contents as object), format: 2 }, blobs }
    expect(() => load(earlier)).toThrow(
      expect.objectContaining({
        code: 'FORMAT_UNSUPPORTED',
        message: expect.stringContaining('prepare their service again'),
      }),
    )
  })

  it('can be empty', () => {
    const loaded = load(stored(drain(new SimilarityIndex().save())))
    expect(loaded.size).toBe(0)
    expect(loaded.nearest('oak')).toEqual([])
  })

  it('is refused when a byte of it is another, or a part is missing', () => {
    const saved = drain(changedIndex().save())
    const refused = (change: (contents: Record<string, unknown>, blobs: Map<string, Uint8Array>) => void) => {
      const { contents, blobs } = stored(saved)
      const changed = { contents: contents as Record<string, unknown>, blobs: new Map(blobs) }
      change(changed.contents, changed.blobs)
      expect(() => load(changed)).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }))
    }
    for (const name of saved.blobs.keys()) {
      refused((_, blobs) => {
        const bytes = blobs.get(name)!
        bytes[bytes.byteLength >> 1]! ^= 4
      })
      refused((_, blobs) => blobs.set(name, blobs.get(name)!.subarray(1)))
      refused((_, blobs) => blobs.delete(name))
    }
    refused(contents => {
      contents.spaces = []
    })
    expect(() => load({ contents: null, blobs: new Map() })).toThrow('malformed')
  })
})
