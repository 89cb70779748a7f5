import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { modelBlobs, readModel, saveModel } from '../../../src/classification/model/stored-model.ts'
import { analyzer, catalogue, learn, loaded, run } from './learnt.ts'

const { examples, tags } = catalogue()
const model = learn(
  examples.filter((_, i) => i % 16 === 0),
  tags.length,
)
const { contents, blobs } = saveModel(model, analyzer)
/** As it comes from a store: JSON, and bytes in other memory. */
const stored = JSON.parse(JSON.stringify(contents))
const copies = new Map([...blobs].map(([name, bytes]) => [name, bytes.slice()]))
const read = (raw: unknown = stored, of = (name: string) => copies.get(name), as = analyzer) =>
  run(readModel(raw, as, of))
const corrupt = expect.objectContaining({ code: 'STORE_CORRUPT' })

describe('a stored model', () => {
  it('answers as the one that was learnt', () => {
    const [before, after] = [loaded(model), loaded(read())]
    for (const { texts } of examples.filter((_, i) => i % 100 === 1)) {
      const text = texts.join(' ')
      const answers = after.recommend(text, { limit: 0 })
      expect(answers).toEqual(before.recommend(text, { limit: 0 }))
      expect(after.explainer(text)(answers[0]!.tag)).toEqual(before.explainer(text)(answers[0]!.tag))
    }
    expect(saveModel(read(), analyzer).contents).toEqual(contents)
  })

  it('names all its blobs', () => {
    expect(new Set(modelBlobs(stored))).toEqual(new Set(blobs.keys()))
  })

  it('lies anywhere in memory', () => {
    const shifted = (name: string) => {
      const bytes = new Uint8Array(copies.get(name)!.length + 1)
      bytes.set(copies.get(name)!, 1)
      return bytes.subarray(1)
    }
    expect(loaded(read(stored, shifted)).recommend('chair')).toEqual(loaded(model).recommend('chair'))
  })

  it('is never read when a byte of it has changed', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...[...copies].filter(([, { length }]) => length > 0).map(([name]) => name)),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (name, at, change) => {
          const damaged = copies.get(name)!.slice()
          damaged[at % damaged.length]! ^= change
          expect(() => read(stored, other => (other === name ? damaged : copies.get(other)))).toThrow(corrupt)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('is never read when a part is missing or cut, or its contents have changed', () => {
    for (const name of copies.keys()) {
      expect(() => read(stored, other => (other === name ? undefined : copies.get(other)))).toThrow(corrupt)
      const cut = (other: string) => (other === name ? copies.get(name)!.subarray(1) : copies.get(other))
      if (copies.get(name)!.length > 0) expect(() => read(stored, cut)).toThrow(corrupt)
    }
    const others = [
      null,
      'text',
      {},
      { ...stored, format: 2 },
      { ...stored, trained: stored.trained + 1 },
      { ...stored, blobs: stored.blobs.slice(1) },
      { ...stored, more: 1 },
    ]
    for (const other of others) expect(() => read(other)).toThrow(corrupt)
  })

  it('is of no use to another analyzer', () => {
    const unsupported = expect.objectContaining({
      code: 'FORMAT_UNSUPPORTED',
      message: expect.stringContaining('again'),
    })
    for (const other of [{ version: analyzer.version + 1 }, { name: 'german' }])
      expect(() => read(stored, name => copies.get(name), { ...analyzer, ...other })).toThrow(unsupported)
  })
})
