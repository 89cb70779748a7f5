import {
  type Dataset,
  type DatasetDefinition,
  type DatasetSettingsInput,
  Engine,
  type SearchOptions,
} from 'findling'
import { describe, expect, it } from 'vitest'
import { failureOf, memoryDatabase, openEngine, temporaryFolder } from './engines.ts'

const products = [
  { id: '1', title: 'Smart television', text: 'A bright picture', brand: 'Lumo', code: 'LX4010' },
  { id: '2', title: 'TV bench of oak', text: 'Holds a smart TV', brand: 'Holm', code: 'HB2200' },
  { id: '3', title: 'Movie projector', text: 'Throws a bright picture', brand: 'Lumo', code: 'LX4020' },
  { id: '4', title: 'Oak bench', text: 'For the garden', brand: 'Holm', code: 'HB2201' },
  { id: '5', title: 'Garden hose', text: 'Made for the garden', brand: 'Rill', code: 'RG1000' },
  { id: '6', title: 'Flat screen', text: 'Wide', code: 'FS1' },
]

async function open(settings: DatasetSettingsInput = {}): Promise<Dataset> {
  const engine = await openEngine()
  const dataset = await engine.datasets.create('products', {
    interpretedFields: ['title', 'text', 'code'],
    ...settings,
  })
  await dataset.documents.bulk(products)
  return dataset
}

async function found(dataset: Dataset, query: string, options: SearchOptions = {}): Promise<string[]> {
  return (await dataset.search(query, options)).hits.map(({ id }) => id)
}

describe('synonyms', () => {
  const synonyms = [
    { synonyms: ['tv', 'television', 'flat screen'] },
    { root: 'seat', synonyms: ['bench', 'garden chair'] },
  ]

  it('are found for each other, or for their root alone', async () => {
    const dataset = await open({ synonyms })
    expect(await found(dataset, 'tv')).toEqual(['2', '1', '6'])
    expect((await found(dataset, 'televisions')).sort()).toEqual(['1', '2', '6'])
    expect((await found(dataset, 'seat')).sort()).toEqual(['2', '4'])
    expect((await found(dataset, 'bench')).sort()).toEqual(['2', '4'])
    const { words } = await dataset.search('seat')
    expect(words).toEqual([expect.objectContaining({ word: 'seat', kind: 'synonym', surfaces: ['bench'] })])
  })

  it('of several words are found where they stand one behind the other, and stand for their words', async () => {
    const dataset = await open({ synonyms })
    await dataset.documents.insert({ id: '7', title: 'Flat tyre', text: 'Of rubber' })
    await dataset.documents.insert({ id: '8', title: 'Screen', text: 'Hardly flat' })
    await dataset.documents.insert({ id: '9', title: 'Large flat screens' })
    expect((await found(dataset, 'tv')).sort()).toEqual(['1', '2', '6', '9'])
    expect((await found(dataset, 'flat screen', { operator: 'and' })).sort()).toEqual([
      '1',
      '2',
      '6',
      '8',
      '9',
    ])
    expect((await found(dataset, 'smart flat screen', { operator: 'and' })).sort()).toEqual(['1', '2'])
  })

  it('leave quoted words as they are', async () => {
    const dataset = await open({ synonyms })
    expect(await found(dataset, '"flat screen"')).toEqual(['6'])
    expect(await found(dataset, '"smart tv"')).toEqual(['2'])
  })

  it('are found as parts of words, too, after the whole word, and not among guesses', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', {
      language: 'de',
      interpretedFields: ['title'],
      synonyms: [{ root: 'leuchte', synonyms: ['lampe'] }, { synonyms: ['schlauch', 'rohr'] }],
    })
    await shop.documents.bulk(
      [
        'Schreibtischlampe',
        'Stehlampe',
        'Lampenschirm',
        'Gartenschlauch',
        'leicht',
        'Wasserrohr',
        'Tisch',
      ].map((title, id) => ({ id, title })),
    )
    await shop.documents.bulk(['Schirm', 'Garten', 'Wasser'].map((title, id) => ({ id: id + 7, title })))
    expect((await found(shop, 'leuchte')).sort()).toEqual(['0', '1', '2'])
    expect((await found(shop, 'lampe')).sort()).toEqual(['0', '1', '2'])
    expect(await found(shop, 'rohr')).toEqual(['5', '3'])
    expect(await found(shop, 'schlauch')).toEqual(['3', '5'])
    expect(await found(shop, 'rohr', { synonyms: false })).toEqual(['5'])
    await shop.documents.insert({ id: 'whole', title: 'Rote Lampe' })
    const { hits, words } = await shop.search('leuchten', { highlight: { marks: true }, explain: true })
    expect(hits[0]?.id).toBe('whole')
    expect(words[0]).toMatchObject({
      kind: 'synonym',
      surfaces: expect.arrayContaining(['lampe', 'stehlampe']),
    })
    expect(words[0]?.parts).toContainEqual({ surface: 'stehlampe', from: 4, to: 9 })
    expect(words[0]?.parts?.map(({ surface }) => surface)).not.toContain('lampe')
    const marked = hits.map(({ highlights }) => highlights?.title?.[0]?.html)
    expect(marked).toContain('Steh<mark>lampe</mark>')
    expect(marked).toContain('Rote <mark>Lampe</mark>')
    for (const { score, explanation } of hits) {
      const sum = explanation!.words.reduce((all, word) => all + word.score, 0)
      expect(sum * explanation!.titleFactor).toBeCloseTo(score, 5)
    }
  })

  it('are more than parts of each other, in whatever order they are given', async () => {
    const engine = await openEngine()
    const answers = []
    for (const [i, given] of [
      ['lampe', 'stehlampe'],
      ['stehlampe', 'lampe'],
    ].entries()) {
      const shop = await engine.datasets.create(`shop${i}`, {
        language: 'de',
        interpretedFields: ['title'],
        synonyms: [{ root: 'leuchte', synonyms: given }],
      })
      const titles = ['Tischlampe', 'Stehlampe', 'Lampe', 'Tisch', 'Stehtisch', 'Baum']
      await shop.documents.bulk(titles.map((title, id) => ({ id, title })))
      const { hits, words } = await shop.search('leuchte')
      expect(words[0]?.parts).toEqual([{ surface: 'tischlampe', from: 5, to: 10 }])
      answers.push(hits.map(({ id, score }) => [id, score]))
    }
    expect(answers[0]).toEqual(answers[1])
  })

  it('are marked in texts and explained', async () => {
    const dataset = await open({ synonyms })
    const { hits } = await dataset.search('television', { highlight: { marks: true }, explain: true })
    const screen = hits.find(({ id }) => id === '6')!
    expect(screen.highlights?.title?.[0]?.html).toBe('<mark>Flat</mark> <mark>screen</mark>')
    for (const { score, explanation } of hits) {
      const sum = explanation!.words.reduce((all, word) => all + word.score, 0)
      expect(sum * explanation!.titleFactor).toBeCloseTo(score, 5)
    }
    expect(screen.explanation?.words[0]?.expansions).toEqual([
      expect.objectContaining({ kind: 'synonym', surfaces: ['flat', 'screen'] }),
    ])
  })

  it('can be left out or replaced for a search', async () => {
    const dataset = await open({ synonyms })
    expect(await found(dataset, 'seat', { synonyms: false, typoTolerance: 0 })).toEqual([])
    const others = [{ root: 'seat', synonyms: ['hose'] }]
    expect(await found(dataset, 'seat', { synonyms: others })).toEqual(['5'])
    const failure = await failureOf(() => dataset.search('seat', { synonyms: [{ synonyms: ['hose'] }] }))
    expect(failure.message).toMatch(
      /synonyms\[0\].synonyms is a list of 1; expected at least two texts, or a root/,
    )
  })
})

describe('stop words', () => {
  it('do not count unless there are no other words', async () => {
    const dataset = await open({ stopWords: ['for', 'the'] })
    expect(await found(dataset, 'for the hose')).toEqual(['5'])
    expect(await found(dataset, 'for the hose', { operator: 'and' })).toEqual(['5'])
    expect((await found(dataset, 'for the')).sort()).toEqual(['4', '5'])
    const { words } = await dataset.search('for the hose')
    expect(words.map(({ word, kind }) => [word, kind])).toEqual([
      ['for', 'stop'],
      ['the', 'stop'],
      ['hose', 'exact'],
    ])
  })

  it('count in phrases, and while they may go on', async () => {
    const dataset = await open({ stopWords: ['for', 'the', 'ho'] })
    expect((await found(dataset, '"for the garden"')).sort()).toEqual(['4', '5'])
    expect(await found(dataset, '"for the hose"')).toEqual([])
    expect(await found(dataset, 'garden ho', { prefix: true, operator: 'and' })).toEqual(['5'])
    expect((await found(dataset, 'garden ho ', { prefix: true, operator: 'and' })).sort()).toEqual(['4', '5'])
  })

  it('can be left out or replaced for a search', async () => {
    const dataset = await open({ stopWords: ['the'] })
    expect((await found(dataset, 'the hose')).sort()).toEqual(['5'])
    expect((await found(dataset, 'the hose', { stopWords: false })).sort()).toEqual(['4', '5'])
    expect((await found(dataset, 'the hose', { stopWords: ['hose'] })).sort()).toEqual(['4', '5'])
  })
})

describe('typo tolerance', () => {
  it('can be off in a field', async () => {
    const dataset = await open()
    expect((await found(dataset, 'HB2202')).sort()).toEqual(['2', '4'])
    expect(await found(dataset, 'televisoin')).toEqual(['1'])
    await dataset.reconfigure({ typoTolerance: { disableOnFields: ['code'] } })
    expect(await found(dataset, 'HB2202')).toEqual([])
    expect((await dataset.search('HB2202')).words[0]?.kind).toBe('none')
    expect(await found(dataset, 'televisoin')).toEqual(['1'])
    await dataset.documents.insert({ id: '9', title: 'Spare part hb2203' })
    expect(await found(dataset, 'HB2202')).toEqual(['9'])
    expect(await found(dataset, 'HB2201')).toEqual(['4'])
  })

  it('can be off for words, and for words with a digit', async () => {
    const dataset = await open({ typoTolerance: { disableOnWords: ['televisoin'], disableOnCodes: true } })
    expect(await found(dataset, 'televisoin')).toEqual([])
    expect(await found(dataset, 'televisin')).toEqual(['1'])
    expect(await found(dataset, 'HB2202')).toEqual([])
    const tolerant = { disableOnWords: [], disableOnCodes: false }
    expect(await found(dataset, 'televisoin', { typoTolerance: tolerant })).toEqual(['1'])
    expect((await found(dataset, 'HB2202', { typoTolerance: tolerant })).sort()).toEqual(['2', '4'])
    expect(await found(dataset, 'HB2202', { typoTolerance: { disableOnCodes: false, edits: 0 } })).toEqual([])
  })

  it('is off only in searched fields, of which reconfiguring keeps those that still are', async () => {
    const failure = await failureOf(() => open({ typoTolerance: { disableOnFields: ['cod'] } }))
    expect(failure.details.field).toBe('typoTolerance.disableOnFields[0]')
    expect(failure.message).toContain('(did you mean "code"?)')
    const dataset = await open({ typoTolerance: { disableOnFields: ['text', 'code'] } })
    await dataset.reconfigure({ interpretedFields: ['title', 'code'] })
    expect(dataset.settings.typoTolerance.disableOnFields).toEqual(['code'])
    const refused = await failureOf(() =>
      dataset.search('hose', { typoTolerance: { disableOnFields: ['text'] } }),
    )
    expect(refused.message).toMatch(/typoTolerance.disableOnFields\[0\] is "text"/)
  })
})

describe('curations', () => {
  const curations = [
    { query: 'Bench', pinned: [{ id: 5, position: 1 }], hidden: ['2'] },
    { query: 'oak', match: 'contains' as const, pinned: [{ id: '6', position: 2 }] },
    { pinned: [{ id: 'gone', position: 1 }], hidden: [] },
  ]

  it('pin and hide documents for the query', async () => {
    const dataset = await open({ curations })
    expect(await found(dataset, ' bench!')).toEqual(['5', '4'])
    expect(await found(dataset, 'benches')).toEqual(['4', '2'])
    expect(await found(dataset, 'an oak bench')).toEqual(['4', '6', '2'])
    expect(await found(dataset, 'oaken')).not.toContain('6')
    expect((await found(dataset, 'bench', { curations: false })).sort()).toEqual(['2', '4'])
  })

  it('say which hits they have placed', async () => {
    const dataset = await open({ curations })
    const { hits, total } = await dataset.search('an oak bench', { explain: true })
    expect(hits.map(({ id, pinned }) => [id, pinned])).toEqual([
      ['4', undefined],
      ['6', true],
      ['2', undefined],
    ])
    expect(hits[1]).toMatchObject({ score: 0, explanation: { score: 0, words: [] } })
    expect(total).toEqual({ count: 3, exact: true })
  })

  it('give way to what is pinned and hidden for a search', async () => {
    const dataset = await open({ curations })
    expect(await found(dataset, 'bench', { pinned: [{ id: '1', position: 1 }] })).toEqual(['1', '5', '4'])
    expect(await found(dataset, 'bench', { pinned: [{ id: '2', position: 1 }] })).toEqual(['5', '4'])
    expect(await found(dataset, 'bench', { hidden: [5] })).toEqual(['4'])
    expect(await found(dataset, '!', { pinned: [{ id: '1', position: 7 }] })).toEqual(['1'])
  })
})

describe('groupBy', () => {
  it('finds the best document of each value, and all that have none', async () => {
    const dataset = await open({ groupBy: 'brand' })
    const { hits, total } = await dataset.search('bright garden oak wide picture', { total: 'exact' })
    const all = await dataset.search('bright garden oak wide picture', { groupBy: null })
    const best = all.hits.filter(
      ({ document: { brand } }, i) =>
        brand === undefined || all.hits.findIndex(hit => hit.document.brand === brand) === i,
    )
    expect(hits.map(({ id }) => id)).toEqual(best.map(({ id }) => id))
    expect(total).toEqual({ count: 4, exact: true })
    expect(hits.find(({ document }) => document.brand === 'Holm')?.group).toEqual({
      value: 'Holm',
      documents: 2,
    })
    expect(hits.find(({ id }) => id === '6')?.group).toBeUndefined()
  })

  it('refuses a field that a sample or schema does not have, and takes any where there is none', async () => {
    const engine = await openEngine()
    const sample = { id: '1', title: 'A lamp', brand: 'Holm', tag: ['x'] }
    const known = await engine.datasets.create('known', { sample })
    await known.documents.insert(sample)
    expect(await known.search('lamp', { groupBy: 'brand' })).toMatchObject({ hits: [{ id: '1' }] })
    await expect(known.search('lamp', { groupBy: 'brnd' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(
        /groupBy is "brnd"; expected one of the fields .*did you mean "brand"\?/,
      ),
    })
    const open = await engine.datasets.create('open')
    await open.documents.insert(sample)
    expect(await open.search('lamp', { groupBy: 'brnd' })).toMatchObject({ hits: [{ id: '1' }] })
  })

  it('goes by the first number of a list with texts, whatever was written before', async () => {
    const engine = await openEngine()
    const documents = [
      { id: 'a', title: 'Lamp', size: 3 },
      { id: 'b', title: 'Lamp', size: 'large' },
      { id: 'c', title: 'Lamp', size: ['large', 3, 4] },
    ]
    for (const [name, order] of Object.entries({ one: [0, 1, 2], two: [1, 0, 2], three: [2, 1, 0] })) {
      const dataset = await engine.datasets.create(name, { interpretedFields: ['title'] })
      await dataset.documents.bulk(order.map(i => documents[i]!))
      const { hits } = await dataset.search('lamp', { groupBy: 'size', groupLimit: 5, sort: ['id'] })
      expect(hits.map(({ id, group }) => [id, group?.value, group?.documents])).toEqual([
        ['a', 3, 2],
        ['b', 'large', 1],
        ['c', 3, 2],
      ])
    }
  })

  it('tells dates as facets do, and of a field that is ranked by age what it holds', async () => {
    const engine = await openEngine()
    const schema = {
      type: 'object',
      properties: { id: { type: 'string' }, title: { type: 'string' }, made: { type: 'date' } },
    }
    const signals = { made: { halfLifeDays: 90, boost: 0.5 } }
    const documents = ['2024-05-31', '2024-05-31T00:00:00Z'].map((made, id) => ({ id, title: 'Lamp', made }))
    const groupsOf = async (name: string, definition: DatasetDefinition) => {
      const dataset = await engine.datasets.create(name, definition)
      await dataset.documents.bulk(documents)
      const { hits } = await dataset.search('lamp', { groupBy: 'made', sort: ['id'] })
      return hits.map(({ group }) => [group?.value, group?.documents])
    }
    expect(await groupsOf('declared', { schema })).toEqual([['2024-05-31T00:00:00.000Z', 2]])
    expect(await groupsOf('undeclared', { interpretedFields: ['title'], signals })).toEqual([
      ['2024-05-31', 1],
      ['2024-05-31T00:00:00Z', 1],
    ])
  })

  it('explains the scores of documents that were not reordered by those of their words', async () => {
    const dataset = await open()
    const lamps = Array.from({ length: 40 }, (_, i) => ({
      id: `l${i}`,
      title: 'Red lamp',
      brand: `Brand ${i}`,
    }))
    await dataset.documents.bulk(lamps)
    const { hits } = await dataset.search('red lamp', { groupBy: 'brand', explain: true, limit: 40 })
    expect(new Set(hits.map(({ explanation }) => explanation!.titleFactor > 1)).size).toBe(2)
    for (const { score, explanation } of hits) {
      const sum = explanation!.words.reduce((all, word) => all + word.score, 0)
      expect(sum * explanation!.titleFactor).toBeCloseTo(score, 5)
    }
  })

  it('finds as many of each value as groupLimit says', async () => {
    const dataset = await open()
    const query = 'bright garden oak wide picture'
    expect(await found(dataset, query, { groupBy: 'brand', groupLimit: 2 })).toEqual(
      await found(dataset, query),
    )
    expect(await found(dataset, query, { groupBy: 'brand' })).toHaveLength(4)
  })
})

describe('relax', () => {
  it('drops words that stand for nothing, then the most frequent, and says which', async () => {
    const dataset = await open({ relax: true })
    const query = 'garden hose projector zzzzzz'
    expect((await dataset.search(query, { operator: 'and', relax: false })).hits).toEqual([])
    const { hits, relaxed, total, words } = await dataset.search(query, { operator: 'and', highlight: true })
    expect(hits.map(({ id }) => id)).toEqual(['5'])
    expect(relaxed).toEqual(['garden', 'projector', 'zzzzzz'])
    expect(total).toEqual({ count: 1, exact: true })
    expect(words.map(({ word }) => word)).toEqual(['garden', 'hose', 'projector', 'zzzzzz'])
    expect(hits[0]?.highlights?.title?.[0]?.ranges).toEqual([{ start: 7, end: 11 }])
  })

  it('does nothing where something matches, or nothing ever would', async () => {
    const dataset = await open({ relax: true })
    expect(await dataset.search('garden hose', { operator: 'and' })).not.toHaveProperty('relaxed')
    expect(await dataset.search('zzzzzz yyyyyy', { operator: 'and' })).not.toHaveProperty('relaxed')
    expect(await dataset.search('hose projector')).not.toHaveProperty('relaxed')
    const second = await dataset.search('garden hose', { operator: 'and', offset: 1 })
    expect(second).toMatchObject({ hits: [], total: { count: 1 } })
    expect(second).not.toHaveProperty('relaxed')
  })

  it('keeps phrases', async () => {
    const dataset = await open({ relax: true })
    const options: SearchOptions = { operator: 'and' }
    expect(await found(dataset, '"bright picture" garden', options)).toEqual(['1', '3'])
    expect(await found(dataset, '"picture bright" garden', options)).toEqual([])
  })
})

describe('search settings', () => {
  const settings: DatasetSettingsInput = {
    synonyms: [{ root: 'seat', synonyms: ['bench'] }],
    stopWords: ['the'],
    curations: [{ query: 'hose', pinned: [{ id: '1', position: 1 }] }],
    typoTolerance: { disableOnFields: ['code'] },
    groupBy: 'brand',
    relax: true,
  }

  async function signs(dataset: Dataset): Promise<unknown> {
    return {
      synonym: (await found(dataset, 'seat', { typoTolerance: 0 })).length,
      stopWord: (await dataset.search('the hose')).words[0]?.kind,
      pinned: (await found(dataset, 'hose'))[0],
      typo: (await dataset.search('HB2202')).words[0]?.kind,
      grouped: (await found(dataset, 'oak')).length,
      relaxed: (await dataset.search('hose projector', { operator: 'and' })).relaxed,
    }
  }

  const without = { synonym: 0, stopWord: 'exact', pinned: '5', typo: 'typo', grouped: 2, relaxed: undefined }
  const withThem = {
    synonym: 1,
    stopWord: 'stop',
    pinned: '1',
    typo: 'none',
    grouped: 1,
    relaxed: ['projector'],
  }

  it('change answers at once, without another index', async () => {
    const db = memoryDatabase()
    const engine = await openEngine({ store: db })
    const dataset = await engine.datasets.create('products', { interpretedFields: ['title', 'text', 'code'] })
    await dataset.documents.bulk(products)
    expect(await signs(dataset)).toEqual(without)
    const job = dataset.reconfigure(settings)
    await job.finished
    expect(job.state.progress).toMatchObject({ phase: 'settings changed' })
    expect(await signs(dataset)).toEqual(withThem)
    await dataset.reconfigure({
      synonyms: [],
      stopWords: [],
      curations: [],
      typoTolerance: {},
      groupBy: null,
      relax: false,
    })
    expect(await signs(dataset)).toEqual(without)
  })

  it.each(Object.keys(settings) as (keyof typeof settings)[])('change something each: %s', async name => {
    const dataset = await open({ [name]: settings[name] })
    const changed = (await signs(dataset)) as Record<string, unknown>
    const different = Object.entries(without).filter(
      ([sign, value]) => changed[sign] !== value && !Array.isArray(value),
    )
    expect(different).toHaveLength(1)
  })

  it('survive a restart, and move with a swap', async () => {
    const folder = await temporaryFolder()
    const first = await Engine.open({ store: folder })
    const shop = await first.datasets.create('products', {
      interpretedFields: ['title', 'text', 'code'],
      ...settings,
    })
    await shop.documents.bulk(products)
    await first.close()
    const engine = await openEngine({ store: folder })
    const dataset = engine.datasets.get('products')
    expect(await signs(dataset)).toEqual(withThem)
    const next = await engine.datasets.create('next', { interpretedFields: ['title', 'text', 'code'] })
    await next.documents.bulk(products)
    await engine.datasets.swap('products', 'next')
    expect(await signs(dataset)).toEqual(without)
    expect(await signs(next)).toEqual(withThem)
  })
})

describe('searchMany', () => {
  it('answers as each search would alone, of one dataset or several', async () => {
    const engine = await openEngine()
    for (const name of ['one', 'two']) {
      const dataset = await engine.datasets.create(name, { interpretedFields: ['title', 'text'] })
      await dataset.documents.bulk(products.slice(name === 'one' ? 0 : 3))
    }
    const answers = await engine.searchMany([
      { dataset: 'two', query: 'oak garden', limit: 1 },
      { dataset: 'one', query: 'oak garden', documents: false },
      { dataset: 'one', query: '' },
    ])
    const [one, two] = [engine.datasets.get('one'), engine.datasets.get('two')]
    expect(answers).toEqual([
      await two.search('oak garden', { limit: 1 }),
      await one.search('oak garden', { documents: false }),
      await one.search(''),
    ])
    expect(await engine.searchMany([])).toEqual([])
  })

  it('says which search is wrong, and what of it', async () => {
    const engine = await openEngine()
    await engine.datasets.create('one')
    const right = { dataset: 'one', query: 'oak' }
    const limit = await failureOf(() => engine.searchMany([right, { ...right, limit: -1 }]))
    expect(limit).toMatchObject({ code: 'INVALID_ARGUMENT', details: { search: 1, field: 'limit' } })
    expect(limit.message).toMatch(/^searches\[1\]: options: limit is -1/)
    const dataset = await failureOf(() => engine.searchMany([{ dataset: 'two', query: '' }]))
    expect(dataset).toMatchObject({ code: 'DATASET_NOT_FOUND', details: { search: 0 } })
    const wrong: unknown[] = [
      right,
      Array(101).fill(right),
      [{ query: 'a' }],
      [null],
      [{ ...right, offset: 'a' }],
    ]
    for (const searches of wrong)
      expect((await failureOf(() => engine.searchMany(searches as []))).code).toBe('INVALID_ARGUMENT')
  })
})
