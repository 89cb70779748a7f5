import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import { EVERYTHING } from '../../../src/fulltext/searching/text-query.ts'
import { blobNames } from '../../../src/fulltext/stored/index-contents.ts'
import { complete, loadNeeded, loadWhole } from '../index-blobs.ts'
import { inColumns } from '../signal-values.ts'

const options = {
  analyzer: analyzerFor('english'),
  fields: [
    { weight: 3, b: 0.5 },
    { weight: 1, b: 0.6 },
  ],
}
const search = { limit: 100, operator: 'or', typoTolerance: 2 } as const
const queries = [
  'lamp',
  'lamps',
  'lmap red',
  'chair',
  'number7',
  'nubmer7 sofa',
  '"red lamp" chair',
  'a chair and',
]

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

const stored = example().save()
const contents = () => JSON.parse(JSON.stringify(stored.contents))
const blob = (name: string) => stored.blobs.get(name)!
const corrupt = expect.objectContaining({ name: 'FindlingError', code: 'STORE_CORRUPT' })

describe('load', () => {
  it('answers as the index that was stored', () => {
    expect(answers(loadWhole(options, contents(), blob))).toEqual(answers(example()))
  })

  it('takes blobs from any place in shared or unaligned memory', () => {
    const unaligned = (name: string) => {
      const memory = new Uint8Array(new SharedArrayBuffer(blob(name).length + 3), 3)
      memory.set(blob(name))
      return memory
    }
    expect(answers(loadWhole(options, contents(), unaligned))).toEqual(answers(example()))
  })

  it('goes on as the index that was stored would have', () => {
    const [before, after] = [example(), loadWhole(options, contents(), blob)]
    for (const index of [before, after]) {
      index.add('d3', ['sofas', 'number99'])
      index.add('new', ['lamping', 'numbers'])
      index.remove('d39')
    }
    expect(answers(after)).toEqual(answers(before))
  })

  it('asks for the blobs that blobNames lists, and for no others', () => {
    const asked: string[] = []
    loadWhole(options, contents(), name => {
      asked.push(name)
      return blob(name)
    })
    const { needed, forward, columns } = blobNames(contents())
    expect(asked.sort()).toEqual([...needed, ...forward, ...columns].sort())
    expect(asked.sort()).toEqual([...stored.blobs.keys()].sort())
  })

  it('restores an empty index', () => {
    const { contents, blobs } = new FulltextIndex(options).save()
    expect(blobs.size).toBe(0)
    expect(loadWhole(options, contents, blob).size).toBe(0)
  })

  it('refuses a blob with any byte changed', () => {
    for (const damaged of stored.blobs.keys()) {
      const bytes = blob(damaged).slice()
      const load = () => loadWhole(options, contents(), name => (name === damaged ? bytes : blob(name)))
      for (let place = 0; place < bytes.length; place++) {
        bytes[place]! ^= 1 << (place & 7)
        expect(load).toThrow(corrupt)
        bytes[place]! ^= 1 << (place & 7)
      }
      expect(load).not.toThrow()
    }
  })

  it('refuses a blob that is cut, too long or missing', () => {
    const { needed, forward, columns } = blobNames(contents())
    for (const damaged of [...needed, ...forward, ...columns]) {
      const longer = new Uint8Array(blob(damaged).length + 1)
      longer.set(blob(damaged))
      const cut = [blob(damaged).subarray(1), blob(damaged).subarray(0, -1), longer, 'text']
      // Forward lists may come later.
      const wrong = needed.includes(damaged) ? [...cut, undefined, null] : cut
      for (const bytes of wrong) {
        // What a careless store might hand out.
        const careless = (name: string) => (name === damaged ? bytes : blob(name)) as Uint8Array
        expect(() => loadWhole(options, contents(), careless)).toThrow(corrupt)
      }
    }
  })

  it('refuses contents with any member changed, missing or added', () => {
    for (const damage of damages(contents())) {
      expect(() => loadWhole(options, damage, blob)).toThrow(corrupt)
      expect(() => blobNames(damage)).toThrow(corrupt)
    }
  })

  it('refuses anything else as contents', () => {
    fc.assert(
      fc.property(fc.anything(), value => {
        expect(() => loadWhole(options, value, blob)).toThrow(corrupt)
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
    ['another k1', { ...options, k1: 1.2 }],
    ['numbers that weigh', { ...options, signals: inColumns([{ kind: 'saturation', pivot: 1, boost: 1 }]) }],
  ])('refuses an index made with %s', (_, other) => {
    expect(() => loadWhole(other, contents(), blob)).toThrow(corrupt)
  })
})

describe('an index without its forward lists', () => {
  const { needed, forward } = blobNames(contents())
  const loaded = () =>
    loadNeeded(options, contents(), name => (needed.includes(name) ? blob(name) : undefined))

  it('names them, and becomes one that answers like the whole', () => {
    const index = loaded()
    expect(forward.length).toBeGreaterThan(1)
    expect(index.missing('forward')).toEqual(forward)
    expect(index.size).toBe(example().size)
    expect(['d0', 'd1', 'new'].map(id => index.has(id))).toEqual([false, true, false])
    expect(answers(complete(index, blob))).toEqual(answers(example()))
  })

  it('answers all questions that need none, and no others', () => {
    const whole = example()
    const index = loaded()
    const asked = [...queries, 'lamp', '"lamp"', 'sofas', 'd1', 'gone9', 'number0', 'lampchair', ' … ', '']
    const free = asked.filter(query => index.search(query, search))
    for (const query of free) expect(index.search(query, search)).toEqual(whole.search(query, search))
    expect(free).toEqual(expect.arrayContaining(['chair', 'd1', 'gone9', 'number0', '']))
    // What follows it in titles weighs where many documents have it.
    for (const query of ['lamp', 'lamps']) expect(free).not.toContain(query)
    expect(free).not.toEqual(expect.arrayContaining(['"lamp"']))
    expect(free).not.toEqual(expect.arrayContaining(['lampchair']))
    expect(free).not.toEqual(expect.arrayContaining(['a chair and']))
    expect(index.search('lamp', { ...search, explain: true })).toBeUndefined()
    expect(index.search('lamp', { ...search, weights: [1, 2] })).toBeUndefined()
    expect(index.search(EVERYTHING, search)).toEqual(whole.search(EVERYTHING, search))
    expect(index.search(EVERYTHING, { ...search, explain: true })).toEqual(
      whole.search(EVERYTHING, { ...search, explain: true }),
    )
  })

  it('answers rightly after it was asked too early', () => {
    const whole = example()
    const index = loaded()
    const begun = { ...search, operator: 'and', prefix: true, count: true, limit: 3 } as const
    for (const query of ['"red la"', 'rde la', 'lamp red number1']) {
      expect(index.search(query, begun)).toBeUndefined()
    }
    const completed = complete(index, blob)
    for (const query of ['"red la"', 'rde la', 'la', 'lamp red number1'])
      expect(completed.search(query, begun)).toEqual(whole.search(query, begun))
    expect(answers(completed)).toEqual(answers(whole))
  })

  it('saves nothing again once it is completed', () => {
    const { contents: again, blobs, obsolete } = complete(loaded(), blob).save()
    expect(again.segments).toEqual(contents().segments)
    expect([blobs.size, obsolete]).toEqual([0, []])
  })

  it('needs none after segments that were mostly removed were stored', () => {
    const index = new FulltextIndex(options)
    for (const [letter, count] of [
      ['a', 300],
      ['b', 60],
      ['c', 12],
    ] as const) {
      for (let i = 0; i < count; i++) index.add(`${letter}${i}`, ['lamp', i < 3 ? 'brass' : undefined])
      index.search('lamp', search)
    }
    for (const [letter, count] of [
      ['a', 160],
      ['b', 35],
      ['c', 8],
    ] as const)
      for (let i = 0; i < count; i++) index.remove(`${letter}${i}`)
    const { contents, blobs } = index.save()
    const names = new Set(blobNames(contents).needed)
    const late = loadNeeded(options, contents, name => (names.has(name) ? blobs.get(name) : undefined))
    expect(late.search(EVERYTHING, { ...search, limit: 1000 })?.hits).toHaveLength(169)
    expect(late.search('brass', search)?.hits).toEqual([])
  })

  it('is not completed with a damaged or missing list, and can be afterwards', () => {
    const index = loaded()
    const damaged = forward[0]!
    const having = (bytes: Uint8Array | undefined) => (name: string) =>
      name === damaged ? bytes : blob(name)
    for (let place = 0; place < blob(damaged).length; place++) {
      const bytes = blob(damaged).slice()
      bytes[place]! ^= 128 >> (place & 7)
      expect(() => complete(index, having(bytes))).toThrow(corrupt)
    }
    expect(() => complete(index, having(blob(damaged).subarray(4)))).toThrow(corrupt)
    expect(() => complete(index, having(undefined))).toThrow(corrupt)
    expect(index.missing('forward')).toEqual(forward)
    expect(answers(complete(index, blob))).toEqual(answers(example()))
  })
})

describe('save', () => {
  it('gives each blob once', () => {
    const index = example()
    index.save()
    const { blobs, obsolete } = index.save()
    expect([...blobs.keys()]).toEqual([])
    expect(obsolete).toEqual([])
  })

  it('of a removal gives no more than the removal', () => {
    const index = example()
    index.save()
    index.remove('d30')
    const { blobs, obsolete } = index.save()
    expect([...blobs.values()].map(bytes => bytes.byteLength)).toEqual([2 * 7])
    expect(obsolete).toHaveLength(1)
  })

  it('keeps few blobs of words however often words are added', () => {
    const index = new FulltextIndex(options)
    let written = 0
    for (let i = 0; i < 300; i++) {
      index.add(`d${i}`, [`number${i}`, undefined])
      for (const [name, bytes] of index.save().blobs) if (name.startsWith('terms')) written += bytes.length
    }
    const chunks = index.save().contents.vocabulary
    expect(chunks.length).toBeLessThanOrEqual(9)
    expect(chunks.reduce((sum, { terms }) => sum + terms, 0)).toBe(300)
    const once = chunks.reduce((sum, { blob }) => sum + blob.bytes, 0)
    expect(written).toBeLessThan(10 * once)
  })

  it('never uses a name twice, across loads too', () => {
    const names = new Set(stored.blobs.keys())
    const index = loadWhole(options, contents(), blob)
    for (let i = 0; i < 20; i++) {
      index.add(`x${i}`, ['lamp', `word${i}`])
      for (const name of index.save().blobs.keys()) {
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
