import * as fc from 'fast-check'
import { type Dataset, Engine, type SuggestOptions } from 'findling'
import { beforeAll, describe, expect, it } from 'vitest'
import { anyCharacter } from '../any-character.ts'
import { failureOf, openEngine, temporaryFolder } from '../engine/engines.ts'

const titles = [
  'Wireless headphones with a long cable',
  'Wireless headphones for children',
  'Wireless keyboard',
  'Wired headphones',
  'Garden hose',
  'Garden hose of ten metres',
  'Sunglasses for women',
  'Sunglasses',
  'Sunglasses for children',
  'Sun hat',
  'Wine glasses',
  'Coffee table',
  'Desk lamp',
  'Disk lamp',
  'Desert cactus',
]

const rowsOf = (texts: readonly string[]) => texts.map((title, at) => ({ id: String(at), title }))

let shop: Dataset

beforeAll(async () => {
  const engine = await Engine.open()
  shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
  await shop.documents.bulk(rowsOf(titles))
  return () => engine.close()
})

const suggested = async (text: string, options?: SuggestOptions) =>
  (await shop.suggest(text, options)).map(({ text }) => text)

describe('what is suggested', () => {
  it.each([
    ['a misspelt word', 'wirless keyboard', 'wireless keyboard'],
    ['several of them', 'wirless hedphones', 'wireless headphones'],
    ['a word that should be two', 'gardenhose', 'garden hose'],
    ['two words that should be one', 'sun glasses women', 'sunglasses women'],
    ['both beside a mistake', 'gardenhose metrs', 'garden hose metres'],
  ])('for %s, %j, is %j', async (_, typed, meant) => {
    expect((await suggested(typed))[0]).toBe(meant)
  })

  it.each(['wireless headphones', 'Sunglasses for women', 'desk lamp', 'garden hose'])(
    'for %j, which is right, is nothing',
    async text => {
      expect(await suggested(text)).toEqual([])
    },
  )

  it.each(['', ' ', '?!', 'zzxqvw', '"', '-'])('for %j, which is like nothing, is nothing', async text => {
    expect(await suggested(text)).toEqual([])
  })

  it('has only words that occur together in a document', async () => {
    // Each alone has its correction.
    expect(await suggested('keybord', { confidence: 0 })).toEqual(['keyboard'])
    expect(await suggested('cactos', { confidence: 0 })).toEqual(['cactus'])
    expect(await suggested('keybord cactos', { confidence: 0, maximumErrors: 2 })).toEqual([])
  })

  it('has words as they stand together in a document, not other forms of them', async () => {
    const engine = await openEngine()
    const kitchen = await engine.datasets.create('kitchen')
    const texts = ['Coffee machine', 'Machines for wood', 'Coffee mill', 'Mills', 'Tea pot', 'Old machine']
    await kitchen.documents.bulk(rowsOf(texts))
    const of = async (text: string, options?: SuggestOptions) =>
      (await kitchen.suggest(text, options)).map(({ text }) => text)
    expect((await of('coffe machin'))[0]).toBe('coffee machine')
    // One change is not enough: no document has "machin", and none "coffee" and "machines".
    expect(await of('coffe machin', { maximumErrors: 0.5, confidence: 0 })).toEqual([])
    expect(await of('coffe machines', { confidence: 0 })).not.toContain('coffee machines')
    const word = fc.constantFrom(
      ...['coffe', 'coffee', 'machin', 'machine', 'machines', 'machnes', 'mill', 'mills', 'milling', 'od'],
      ...['fro', 'for', 'woods', 'teapots', 'teapot', 'pots', 'old'],
    )
    const documents = texts.map(text => text.toLowerCase().split(' '))
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 4 }), async words => {
        for (const text of await of(words.join(' '), { confidence: 0, limit: 100, maximumErrors: 10 })) {
          const has = (document: string[]) => text.split(' ').every(one => document.includes(one))
          expect(documents.some(has), text).toBe(true)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('is chosen by the neighbours', async () => {
    const engine = await openEngine()
    const books = await engine.datasets.create('books')
    await books.documents.bulk(
      rowsOf([
        ...Array.from({ length: 20 }, (_, i) => `Table lamp ${i}`),
        ...Array.from({ length: 20 }, (_, i) => `Cable drum ${i}`),
      ]),
    )
    expect((await books.suggest('xable lamp'))[0]?.text).toBe('table lamp')
    expect((await books.suggest('xable drum'))[0]?.text).toBe('cable drum')
  })

  it('is the likeliest first, with shares of a whole', async () => {
    const all = await shop.suggest('des', { confidence: 0, limit: 100 })
    const scores = all.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(scores.reduce((sum, score) => sum + score, 0)).toBeLessThanOrEqual(1)
    expect(Math.min(...scores)).toBeGreaterThan(0)
  })
})

describe('the options', () => {
  it('limit how many there are', async () => {
    expect(await suggested('wirless', { limit: 0 })).toEqual([])
    expect(await suggested('desk lamp', { limit: 1, confidence: 0 })).toHaveLength(1)
  })

  it('say how much likelier than what was typed they must be', async () => {
    expect(await suggested('desk lamp')).toEqual([])
    expect(await suggested('desk lamp', { confidence: 0 })).toEqual(['disk lamp'])
  })

  it('limit how many words are changed, by share and by number', async () => {
    const typed = 'wirless hedphones fro childrn'
    const meant = 'wireless headphones for children'
    expect((await suggested(typed))[0]).toBe(meant)
    for (const maximumErrors of [0, 0.5, 0.8, 1, 3])
      expect(await suggested(typed, { maximumErrors })).toEqual([])
    for (const maximumErrors of [0.9, 4, 10_000])
      expect((await suggested(typed, { maximumErrors }))[0]).toBe(meant)
  })

  it.each<[string, object]>([
    ['limit', { limit: 101 }],
    ['limit', { limit: -1 }],
    ['limit', { limit: 1.5 }],
    ['confidence', { confidence: -1 }],
    ['confidence', { confidence: Number.NaN }],
    ['maximumErrors', { maximumErrors: 10_001 }],
  ])('are refused when %s is wrong: %j', async (field, options) => {
    const failure = await failureOf(() => shop.suggest('x', options))
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', details: { field } })
  })

  it('are refused under other names, as is what is no text', async () => {
    expect(await failureOf(() => shop.suggest('x', { count: 1 } as object))).toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    for (const text of [undefined, 1, ['x']])
      expect(await failureOf(() => shop.suggest(text as never))).toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(/^text /),
      })
  })
})

describe('a hostile text', () => {
  it.each([
    ['of more than 64 words', 'wirless '.repeat(65)],
    ['of ten million letters', 'x'.repeat(1e7)],
    ['of five million words', 'x '.repeat(5e6)],
    ['of quotes', '"'.repeat(1e6)],
  ])('%s has no suggestion', async (_, text) => {
    expect(await suggested(text)).toEqual([])
  })

  it('of 64 words is corrected', async () => {
    const [text] = await suggested('wirless hedphones '.repeat(32), { maximumErrors: 64 })
    expect(text).toBe('wireless headphones '.repeat(32).trim())
  })

  it('of any kind does no harm', async () => {
    const word = fc.oneof(
      fc.constantFrom(
        '__proto__',
        'constructor',
        '\ud800',
        'wirless',
        'gardenhose',
        'sun',
        'glasses',
        '-',
        '"',
      ),
      fc.string({ unit: anyCharacter }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 8 }), async words => {
        for (const { text } of await shop.suggest(words.join(' '), { confidence: 0, maximumErrors: 10 })) {
          const { hits } = await shop.search(text, { operator: 'and', typoTolerance: 0, exclusion: false })
          expect(hits.length, text).toBeGreaterThan(0)
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('suggestions', () => {
  it('follow the documents', async () => {
    const engine = await openEngine()
    const plants = await engine.datasets.create('plants')
    expect(await plants.suggest('cactos')).toEqual([])
    await plants.documents.insert({ id: '1', title: 'Desert cactus' })
    expect(await plants.suggest('cactos')).toMatchObject([{ text: 'cactus' }])
    await plants.documents.delete('1')
    expect(await plants.suggest('cactos')).toEqual([])
  })

  it('are the same from an index that was stored', async () => {
    const store = await temporaryFolder()
    const before = await openEngine({ store })
    const written = await before.datasets.create('shop', { interpretedFields: ['title'] })
    await written.documents.bulk(rowsOf(titles))
    const texts = ['gardenhose', 'wirless hedphones', 'sun glasses women', 'desk lamp']
    const all = (dataset: Dataset) =>
      Promise.all(texts.map(text => dataset.suggest(text, { confidence: 0, limit: 10 })))
    const expected = await all(written)
    await before.close()
    const after = await openEngine({ store })
    expect(await all(after.datasets.get('shop'))).toEqual(expected)
  })
})
