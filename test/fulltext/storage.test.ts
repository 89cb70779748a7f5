import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../src/fulltext/fulltext-index.ts'

const options = {
  analyzer: analyzerFor('english'),
  fields: [
    { weight: 3, b: 0.5 },
    { weight: 1, b: 0.6 },
  ],
}
const search = { limit: 100, operator: 'or', typoTolerance: 2 } as const
const queries = ['lamp', 'lamps', 'lmap red', 'chair', 'number7', 'nubmer7 sofa']

function example(): FulltextIndex {
  const index = new FulltextIndex(options)
  for (let i = 0; i < 40; i++)
    index.add(`d${i}`, [`red lamp number${i}`, i % 3 === 0 ? 'a chair and lamps' : undefined])
  index.search('lamp', search)
  for (let i = 0; i < 5; i++) index.remove(`d${i * 2}`)
  index.add('d1', ['blue sofa', 'lamps'])
  return index
}

function answers(index: FulltextIndex): unknown[] {
  return [index.size, ...queries.map(query => index.search(query, search))]
}

const stored = example().checkpoint()
const manifest = () => JSON.parse(JSON.stringify(stored.manifest))
const blob = (name: string) => stored.blobs.get(name)!
const corrupt = expect.objectContaining({ name: 'FindlingError', code: 'STORE_CORRUPT' })

describe('load', () => {
  it('answers as the index that was stored', () => {
    expect(answers(FulltextIndex.load(options, manifest(), blob))).toEqual(answers(example()))
  })

  it('takes blobs from any place in shared or unaligned memory', () => {
    const unaligned = (name: string) => {
      const memory = new Uint8Array(new SharedArrayBuffer(blob(name).length + 3), 3)
      memory.set(blob(name))
      return memory
    }
    expect(answers(FulltextIndex.load(options, manifest(), unaligned))).toEqual(answers(example()))
  })

  it('goes on as the index that was stored would have', () => {
    const [before, after] = [example(), FulltextIndex.load(options, manifest(), blob)]
    for (const index of [before, after]) {
      index.add('d3', ['sofas', 'number99'])
      index.add('new', ['lamping', 'numbers'])
      index.remove('d39')
    }
    expect(answers(after)).toEqual(answers(before))
  })

  it('asks for the blobs that blobNames lists, and for no others', () => {
    const asked: string[] = []
    FulltextIndex.load(options, manifest(), name => {
      asked.push(name)
      return blob(name)
    })
    expect(asked.sort()).toEqual(FulltextIndex.blobNames(manifest()).sort())
    expect(asked.sort()).toEqual([...stored.blobs.keys()].sort())
  })

  it('restores an empty index', () => {
    const { manifest, blobs } = new FulltextIndex(options).checkpoint()
    expect(blobs.size).toBe(0)
    expect(FulltextIndex.load(options, manifest, blob).size).toBe(0)
  })

  it('refuses a blob with any byte changed', () => {
    const names = [...stored.blobs.keys()]
    const flip = fc.tuple(fc.constantFrom(...names), fc.nat(), fc.integer({ min: 1, max: 255 }))
    fc.assert(
      fc.property(flip, ([damaged, place, bits]) => {
        const bytes = blob(damaged).slice()
        bytes[place % bytes.length]! ^= bits
        const load = () =>
          FulltextIndex.load(options, manifest(), name => (name === damaged ? bytes : blob(name)))
        expect(load).toThrow(corrupt)
      }),
    )
  })

  it('refuses a blob that is cut, too long or missing', () => {
    for (const damaged of stored.blobs.keys()) {
      const longer = new Uint8Array(blob(damaged).length + 1)
      longer.set(blob(damaged))
      for (const bytes of [
        blob(damaged).subarray(1),
        blob(damaged).subarray(0, -1),
        longer,
        undefined,
        null,
        'text',
      ]) {
        // What a careless store might hand out.
        const careless = (name: string) => (name === damaged ? bytes : blob(name)) as Uint8Array
        expect(() => FulltextIndex.load(options, manifest(), careless)).toThrow(corrupt)
      }
    }
  })

  it('refuses a manifest with any member changed, missing or added', () => {
    for (const damage of damages(manifest())) {
      expect(() => FulltextIndex.load(options, damage, blob)).toThrow(corrupt)
      expect(() => FulltextIndex.blobNames(damage)).toThrow(corrupt)
    }
  })

  it('refuses anything else as manifest', () => {
    fc.assert(
      fc.property(fc.anything(), value => {
        expect(() => FulltextIndex.load(options, value, blob)).toThrow(corrupt)
      }),
    )
  })

  it.each([
    ['another analyzer', { ...options, analyzer: analyzerFor('none') }],
    ['another analyzer version', { ...options, analyzer: { ...options.analyzer, version: 99 } }],
    [
      'other weights',
      {
        ...options,
        fields: [
          { weight: 2, b: 0.5 },
          { weight: 1, b: 0.6 },
        ],
      },
    ],
    ['fewer fields', { ...options, fields: [{ weight: 3, b: 0.5 }] }],
    ['another k1', { ...options, k1: 2 }],
  ])('refuses an index made with %s', (_, other) => {
    expect(() => FulltextIndex.load(other, manifest(), blob)).toThrow(corrupt)
  })
})

describe('checkpoint', () => {
  it('gives each blob once', () => {
    const index = example()
    index.checkpoint()
    const { blobs, obsolete } = index.checkpoint()
    expect([...blobs.keys()]).toEqual([])
    expect(obsolete).toEqual([])
  })

  it('of a removal gives no more than the removal', () => {
    const index = example()
    index.checkpoint()
    index.remove('d30')
    const { blobs, obsolete } = index.checkpoint()
    expect([...blobs.values()].map(bytes => bytes.byteLength)).toEqual([2 * 7])
    expect(obsolete).toHaveLength(1)
  })

  it('keeps few blobs of words however often words are added', () => {
    const index = new FulltextIndex(options)
    let written = 0
    for (let i = 0; i < 300; i++) {
      index.add(`d${i}`, [`number${i}`, undefined])
      for (const [name, bytes] of index.checkpoint().blobs)
        if (name.startsWith('terms')) written += bytes.length
    }
    const chunks = index.checkpoint().manifest.vocabulary
    expect(chunks.length).toBeLessThanOrEqual(9)
    expect(chunks.reduce((sum, { terms }) => sum + terms, 0)).toBe(300)
    const once = chunks.reduce((sum, { blob }) => sum + blob.bytes, 0)
    expect(written).toBeLessThan(10 * once)
  })

  it('never uses a name twice, across loads too', () => {
    const names = new Set(stored.blobs.keys())
    const index = FulltextIndex.load(options, manifest(), blob)
    for (let i = 0; i < 20; i++) {
      index.add(`x${i}`, ['lamp', `word${i}`])
      for (const name of index.checkpoint().blobs.keys()) {
        expect(names.has(name)).toBe(false)
        names.add(name)
      }
    }
  })
})

/** Copies of a JSON value, each with one number, text or member changed somewhere. */
function* damages(value: unknown): Generator<unknown> {
  if (typeof value === 'number') yield* [value + 1, -1, Number.NaN, String(value)]
  else if (typeof value === 'string') yield* [`${value}x`, 0]
  else if (Array.isArray(value)) {
    yield [...value, value[0]]
    if (value.length > 0) yield value.slice(1)
    for (const [i, member] of value.entries()) for (const other of damages(member)) yield value.with(i, other)
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, more: 1 }
    for (const [key, member] of Object.entries(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== key))
      for (const other of damages(member)) yield { ...value, [key]: other }
    }
  }
}
