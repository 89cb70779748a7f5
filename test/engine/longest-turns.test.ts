import { type Dataset, Engine, type WriteOperation } from 'findling'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { heldBytes } from '../held-bytes.ts'
import { leastLongestTurn } from '../longest-turn.ts'
import { openEngine, temporaryFolder } from './engines.ts'

/** Milliseconds that one turn of the event loop may take. */
const LONGEST_TURN = 80

const LONG = 200
const SHORT = 60_000

describe('the event loop goes on', () => {
  let engine: Engine
  /** Documents of many words. */
  let long: Dataset
  /** Many documents, all of which are found. */
  let short: Dataset

  beforeAll(async () => {
    engine = await Engine.open()
    long = await engine.datasets.create('long', { language: 'english', categories: false })
    await long.documents.bulk(Array.from({ length: LONG }, (_, i) => ({ id: `d${i}`, text: longText(i) })))
    short = await engine.datasets.create('short', {
      language: 'none',
      interpretedFields: ['title'],
      // What reads documents in the background holds memory meanwhile.
      categories: false,
    })
    for (let from = 0; from < SHORT; from += 10_000) {
      const numbers = Array.from({ length: 10_000 }, (_, i) => from + i)
      await short.documents.bulk(numbers.map(shortDocument))
    }
    await short.search('lamp')
    while (engine.jobs().some(({ endedAt }) => endedAt === null))
      await new Promise(resolve => setTimeout(resolve, 50))
  }, 120_000)
  afterAll(() => engine.close())

  it('while a hundred searches of one call mark what they have found', async () => {
    const searches = Array.from({ length: 100 }, (_, i) => ({
      dataset: 'long',
      query: `word${i} lamp`,
      limit: 100,
      highlight: true,
    }))
    const turn = await leastLongestTurn(LONGEST_TURN, () => engine.searchMany(searches))
    expect(turn).toBeLessThan(LONGEST_TURN)
  })

  it('while a hundred misspelt queries of one call are compared with what queries are about', async () => {
    const kinds = ['lamps', 'tables', 'chairs', 'shelves']
    const learnt = await engine.datasets.create('learnt', { language: 'none', topics: false })
    for (const kind of kinds) await learnt.tags.create({ id: kind, name: kind })
    const word = (i: number) => `${'bcdfgh'[i % 6]}${(i * 7919).toString(36)}${'aeiou'[i % 5]}`
    await learnt.documents.bulk(
      Array.from({ length: 2_000 }, (_, i) => ({
        id: i,
        title: [kinds[i % 4], ...Array.from({ length: 20 }, (_, w) => word(i * 7 + w))].join(' '),
        tag: kinds[i % 4]!,
      })),
    )
    await learnt.search('lamps')
    await expect.poll(async () => (await learnt.info()).categories).toBeTruthy()
    const searches = Array.from({ length: 100 }, (_, i) => ({
      dataset: 'learnt',
      query: Array.from({ length: 100 }, (_, w) => `${word(i * 131 + w)}x`).join(' '),
      documents: false,
    }))
    const turn = await leastLongestTurn(LONGEST_TURN, () => engine.searchMany(searches))
    expect(turn).toBeLessThan(LONGEST_TURN)
    const failing = engine.searchMany([{ dataset: 'nowhere', query: 'lamps' }, ...searches.slice(1)])
    await expect(failing).rejects.toMatchObject({ code: 'DATASET_NOT_FOUND', details: { search: 0 } })
  })

  it('while a search reads ten thousand synonyms', async () => {
    const synonyms = Array.from({ length: 10_000 }, (_, i) => ({
      synonyms: [`word${i}ing`, `${i}ational`, `some${i}ness otherly${i}`, `more${i}ables`],
    }))
    const turn = await leastLongestTurn(LONGEST_TURN, () => long.search('lamp', { synonyms }))
    expect(turn).toBeLessThan(LONGEST_TURN)
  })

  it('while the best of as many groups as documents are found', async () => {
    const turn = await leastLongestTurn(LONGEST_TURN, () => short.search('lamp', { groupBy: 'own' }))
    expect(turn).toBeLessThan(LONGEST_TURN)
  })

  it('while very many documents in memory are read, all as of one moment', async () => {
    const ids = Array.from({ length: SHORT }, (_, i) => `d${i}`)
    const turn = await leastLongestTurn(LONGEST_TURN, () => short.documents.getMany(ids))
    expect(turn).toBeLessThan(LONGEST_TURN)
    const reading = short.documents.getMany(ids)
    const last = shortDocument(SHORT - 1)
    await short.documents.delete(last.id)
    expect((await reading).at(-1)).toEqual(last)
    expect(await short.documents.get(last.id)).toBeUndefined()
    await short.documents.insert(last)
  })

  it('while a cursor is opened in another order', async () => {
    const turn = await leastLongestTurn(LONGEST_TURN, () =>
      short.search('lamp', { sort: ['own:desc', 'third'], cursor: true }),
    )
    expect(turn).toBeLessThan(LONGEST_TURN)
  })

  it('while cursors are opened, of which many hold far less than the hits that they lead through', async () => {
    const open = () => short.search('lamp', { limit: 1, cursor: true, sort: ['own'] })
    // What every order needs once is not the cursors'.
    await open()
    const before = heldBytes()
    const turn = await leastLongestTurn(LONGEST_TURN, async () => {
      for (let i = 0; i < 100; i++) await open()
    })
    expect(turn).toBeLessThan(LONGEST_TURN)
    // 32 times 20,000 hits: ids of up to six letters, and scores. Buffers are let go a moment after they are collected.
    await expect.poll(() => heldBytes() - before).toBeLessThan(32 * 20_000 * 40)
  })

  it('while a service reads a hundred weights of very many fuzzy words, and explains by them', async () => {
    const service = await engine.services.create({ type: 'search', name: 'many weights' })
    await service.prepare({ dataset: 'long' })
    await service.activate()
    const fuzzy = (at: number) => Array.from({ length: 400 }, (_, i) => `wird${at}x${i}~2`).join(' OR ')
    const weights = Array.from({ length: 100 }, (_, at) => ({ query: `text:lamp OR ${fuzzy(at)}`, value: 1 }))
    const asked = service.search('lamp', { search: { limit: 1 } })
    expect((await asked).hits).toHaveLength(1)
    const reading = await leastLongestTurn(LONGEST_TURN, async () => {
      const late = service.search('lamp', { search: { weights, limit: 20 } }, { timeout: 1_500 })
      await late.catch(({ code }) => expect(code).toBe('SEARCH_TIMEOUT'))
    })
    expect(reading).toBeLessThan(LONGEST_TURN)
    // As no document has them, each of them is looked for in all of the document.
    const absent = (at: number) => Array.from({ length: 150 }, (_, i) => `zzz${at}q${i}~2`).join(' OR ')
    const denying = weights.map((_, at) => ({ query: `NOT (${absent(at)})`, value: 1 }))
    const explaining = await leastLongestTurn(LONGEST_TURN, async () => {
      const { hits } = await service.search('lamp', { search: { weights: denying, explain: true, limit: 1 } })
      expect(hits[0]!.explanation!.weights).toHaveLength(100)
    })
    expect(explaining).toBeLessThan(LONGEST_TURN)
  }, 60_000)

  it('while everything is examined, and while an index is rebuilt and stored', async () => {
    const examining = await leastLongestTurn(LONGEST_TURN, () => engine.doctor())
    expect(examining).toBeLessThan(LONGEST_TURN)
    const building = await leastLongestTurn(LONGEST_TURN, () => short.optimize().finished)
    expect(building).toBeLessThan(LONGEST_TURN)
  })

  it('while many ask for similar documents, completions and recommendations at once', async () => {
    const kinds = ['lamp', 'table', 'chair', 'shelf', 'door', 'hose', 'bench', 'clock']
    const many = await engine.datasets.create('many', {
      language: 'english',
      topics: false,
      categories: false,
    })
    for (const kind of kinds) await many.tags.create({ id: kind, name: kind })
    await many.documents.bulk(
      Array.from({ length: 6_000 }, (_, i) => ({
        id: i,
        title: `${kinds[i % 8]} of ${kinds[(i >> 3) % 8]} and word${i % 701} with a ${kinds[(i >> 6) % 8]}`,
        tag: kinds[i % 8]!,
      })),
    )
    const service = await engine.services.create({ type: 'similar', name: 'asked by many' })
    await service.prepare({ dataset: 'many' })
    await service.activate()
    const calls: ((i: number) => Promise<unknown[]>)[] = [
      i => many.similar({ id: i }),
      i => many.similar(`a ${kinds[i % 8]} for the ${kinds[i % 7]} of word${i}`),
      i => many.complete(kinds[i % 8]!.slice(0, 1 + (i % 3))),
      i => service.recommend(`a ${kinds[i % 8]} of word${i}`, {}),
      i => service.keywords(`a ${kinds[i % 8]} of word${i}`, {}),
    ]
    for (const call of calls) {
      await call(0)
      const turn = await leastLongestTurn(LONGEST_TURN, async () => {
        const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => call(i)))
        expect(answers.filter(({ length }) => length === 0).length).toBeLessThan(50)
      })
      expect(turn).toBeLessThan(LONGEST_TURN)
    }
  }, 60_000)

  it('while documents are changed whose long texts have some words', async () => {
    const longer = await engine.datasets.create('longer', { topics: false, categories: false })
    const text = (i: number) => Array.from({ length: 10 }, (_, part) => longText(i + part)).join(' ')
    await longer.documents.bulk(Array.from({ length: 100 }, (_, i) => ({ id: i, text: text(i) })))
    const where = '"word11 word18" OR lamps'
    const turn = await leastLongestTurn(LONGEST_TURN, async () => {
      expect(await longer.documents.updateWhere(where, { seen: true }).finished).toBe(100)
    })
    expect(turn).toBeLessThan(LONGEST_TURN)
  })

  it('while conditions at their limits are read for a change or a count', async () => {
    const ids = (from: number) => `id:(${Array.from({ length: 65_000 }, (_, i) => `x${from + i}`).join(' ')})`
    const calls = [
      () => long.documents.deleteWhere(ids(0)),
      () => long.documents.updateWhere(ids(0), { seen: true }),
      () => long.tags.exportWords(async () => {}, { visible: [ids(0), ids(1), ids(2)] }),
    ]
    for (const call of calls) expect(await leastLongestTurn(LONGEST_TURN, call)).toBeLessThan(LONGEST_TURN)
    // What is found wrong in the first pieces is the call's own error.
    expect(() => long.documents.deleteWhere('(')).toThrow(expect.objectContaining({ code: 'QUERY_INVALID' }))
  }, 20_000)

  it('while one call makes seven thousand writes, together or each for itself', async () => {
    const onDisk = await openEngine({ store: await temporaryFolder() })
    const written = await onDisk.datasets.create('written', { topics: false, categories: false })
    const asked = { dataset: 'written' }
    const document = shortDocument
    const of = (operation: (i: number) => WriteOperation) =>
      Array.from({ length: 7_000 }, (_, i) => operation(i))
    const calls: [WriteOperation[], { each?: boolean }][] = [
      [of(i => ({ ...asked, type: 'upsert', document: document(i) })), {}],
      [of(i => ({ ...asked, type: 'update', id: document(i).id, patch: { seen: true } })), {}],
      [of(i => ({ ...asked, type: 'upsert', document: document(i + 5_000) })), { each: true }],
    ]
    for (const [operations, options] of calls) {
      const turn = await leastLongestTurn(LONGEST_TURN, () => onDisk.write(operations, options))
      expect(turn).toBeLessThan(LONGEST_TURN)
    }
    expect(written.documents.count).toBe(12_000)
  })

  it('while the first search in German looks for words among parts of a hundred thousand others', async () => {
    const part = (n: number) => n.toString(26).replace(/./g, digit => letters[Number.parseInt(digit, 26)]!)
    const words = Array.from(
      { length: 100_000 },
      (_, i) => part((i * 7919) % 100_000) + (i % 10 === 0 ? 'lampe' : 'stuhl'),
    )
    // Sorting all words at once takes some 90 ms.
    const LESS = 60
    let built = 0
    const turn = await leastLongestTurn(LESS, async () => {
      const german = await engine.datasets.create(`german${built++}`, { language: 'german', topics: false })
      for (let from = 0; from < words.length; from += 10_000) {
        const ten = (i: number) => words.slice(from + i * 10, from + i * 10 + 10).join(' ')
        await german.documents.bulk(
          Array.from({ length: 1_000 }, (_, i) => ({ id: from + i, title: ten(i) })),
        )
      }
      const { total } = await german.search('lampe')
      expect(total.count).toBeGreaterThan(0)
    })
    expect(turn).toBeLessThan(LESS)
  })

  it('while tens of thousands of tags are replaced, listed, counted and removed', async () => {
    const onDisk = await openEngine({ store: await temporaryFolder() })
    const tagged = await onDisk.datasets.create('tagged', { topics: false, categories: false })
    const tag = (i: number) => ({ id: `t${i}`, name: `Tag ${i}`, parentId: i === 0 ? null : 't0' })
    const all = Array.from({ length: 40_000 }, (_, i) => tag(i))
    await tagged.documents.upsert({ id: 1, title: 'lamp', tag: 't7' })
    const calls = [
      () => tagged.tags.replaceAll(all),
      () => tagged.tags.list(),
      () => tagged.tags.counts(),
      async () => {
        for await (const { words } of tagged.tags.words()) expect(words.size).toBeLessThan(2)
      },
      async () => {
        await tagged.tags.remove('t0', { force: true })
        expect(await tagged.tags.list()).toEqual([])
      },
    ]
    for (const call of calls) expect(await leastLongestTurn(LONGEST_TURN, call)).toBeLessThan(LONGEST_TURN)
  }, 20_000)

  it('and long pages in another order are those of all documents sorted', async () => {
    const all = Array.from({ length: SHORT }, (_, i) => shortDocument(i))
    const orders: [string[], (one: Short, other: Short) => number][] = [
      [['own:desc', 'third'], (one, other) => compareTexts(other.own, one.own)],
      [['third', 'own:desc'], (one, other) => one.third - other.third || compareTexts(other.own, one.own)],
    ]
    for (const [sort, compare] of orders) {
      const { hits } = await short.search('lamp', { sort, offset: 500, limit: 10_000, documents: false })
      const expected = all.toSorted(compare).slice(500, 10_500)
      expect(hits.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
    }
  })
})

type Short = ReturnType<typeof shortDocument>

const letters = 'aeioubcdfghklmnprstvwzjqxy'

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const longText = (seed: number): string =>
  Array.from({ length: 500 }, (_, i) => (i % 9 === 0 ? 'lamp' : `word${(seed * 31 + i * 7) % 500}`)).join(' ')

const shortDocument = (n: number) => ({
  id: `d${n}`,
  title: 'lamp',
  own: `v${(n * 7919) % SHORT}`,
  third: n % 20_000,
})
