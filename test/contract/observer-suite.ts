import { setImmediate as turn } from 'node:timers/promises'
import { Engine, type Observation, type Observer } from 'findling'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Afterwards, afterBlock } from '../engine/engines.ts'

/** An observer, and what it has been told so far, as JSON says it. */
export interface MadeObserver {
  readonly observer: Observer
  seen(): Promise<Observation[]>
}

const shop = [
  { id: 'p1', title: 'Wireless headphones', desc: 'Noise cancelling', price: 89, tag: ['audio'] },
  { id: 'p2', title: 'Wireless keyboard', desc: 'Quiet keys', price: 35, tag: ['office'] },
  { id: 'p3', title: 'Garden hose', desc: '25 m, brass nozzle', price: 19, tag: ['garden'] },
  { id: 'p4', title: 'Garden chair', desc: 'Folds', price: 49, tag: ['garden'] },
]

const context = { user: 'u1', tags: ['shop', 'mobile'] }

/** What every observer is told of an engine. `make` gives a new one that is interested in everything. */
export function describeObserver(name: string, make: () => Promise<MadeObserver>): void {
  describe(name, () => {
    const afterwards: Afterwards = afterBlock()
    let engine: Engine
    let made: MadeObserver
    let known = 0

    beforeAll(async () => {
      made = await make()
      engine = await Engine.open({ observer: made.observer, clock: () => 5000 })
      afterwards(() => engine.close())
      const products = await engine.datasets.create('products')
      await products.documents.bulk(shop)
      for (const tag of ['audio', 'office', 'garden']) await products.tags.create({ id: tag, name: tag })
    })

    /** What the observer is told of a call, once the caller has its answer. */
    const toldOf = async (call: () => PromiseLike<unknown>): Promise<Observation[]> => {
      await turn()
      known = (await made.seen()).length
      await call()
      await turn()
      return (await made.seen()).slice(known)
    }
    const products = () => engine.datasets.get('products')
    const timed = { at: 5000, took: expect.any(Number) }

    it('is told of a search: as it was typed, understood and answered', async () => {
      const text = 'wirless  Hose'
      const options = {
        filter: { price: { lt: 60 } },
        tags: ['office', 'garden'],
        facets: ['price'],
        context,
      }
      const [told, ...more] = await toldOf(() => products().search(text, { ...options, offset: 1, limit: 5 }))
      expect(more).toEqual([])
      expect(told).toMatchObject({
        type: 'search',
        dataset: 'products',
        ...timed,
        text,
        ...options,
        total: { count: 2, exact: true },
        words: [
          { word: 'wirless', kind: 'typo', surfaces: ['wireless'] },
          { word: 'hose', kind: 'exact' },
        ],
        relaxed: [],
      })
      expect(told).not.toHaveProperty('service')
      expect(told).toMatchObject({ hits: [{ id: expect.stringMatching(/^p[23]$/), place: 2 }] })
    })

    it('is told of words that were dropped, and of what was found without hits', async () => {
      const search = () => products().search('garden zzzz', { operator: 'and', relax: true })
      expect(await toldOf(search)).toMatchObject([{ relaxed: ['zzzz'], hits: [{ place: 1 }, { place: 2 }] }])
      expect(await toldOf(() => products().search('zzzz'))).toMatchObject([{ total: { count: 0 }, hits: [] }])
    })

    it('is told of each page of a cursor, with places that go on', async () => {
      let cursor: string | boolean = true
      const page = async () => {
        const options = { cursor, limit: 1, offset: 1 }
        cursor = (await products().search('wireless garden', options)).cursor ?? false
      }
      expect(await toldOf(page)).toMatchObject([{ hits: [{ place: 2 }] }])
      expect(await toldOf(page)).toMatchObject([{ hits: [{ place: 3 }] }])
    })

    it('is told of lists, page by page', async () => {
      let cursor: string | boolean = true
      const filter = 'price:>0'
      const page = async () => {
        cursor = (await products().filter(filter, { cursor, sort: ['price:desc'], limit: 3 })).cursor ?? false
      }
      expect(await toldOf(page)).toMatchObject([
        {
          type: 'list',
          dataset: 'products',
          ...timed,
          filter,
          sort: ['price:desc'],
          total: { count: 4, exact: true },
        },
      ])
      expect(await toldOf(page)).toMatchObject([{ type: 'list', hits: [{ id: 'p3', place: 4 }] }])
    })

    it('is told of each of many searches, and of none where one of them cannot be made', async () => {
      const searches = [
        { dataset: 'products', query: 'hose' },
        { dataset: 'products', query: 'chair', context },
      ]
      const told = await toldOf(() => engine.searchMany(searches))
      // They are answered beside each other, in any order.
      expect(told).toHaveLength(2)
      for (const search of [{ text: 'hose' }, { text: 'chair', context }])
        expect(told).toContainEqual(expect.objectContaining(search))
      const bad = [...searches, { dataset: 'nobody', query: 'hose' }]
      expect(await toldOf(() => engine.searchMany(bad).catch(() => undefined))).toEqual([])
    })

    it('is told of completions, suggestions, similar documents and recommended tags', async () => {
      expect(await toldOf(() => products().complete('gard', { context }))).toMatchObject([
        {
          ...{ type: 'completion', dataset: 'products', ...timed, text: 'gard', context },
          completions: expect.arrayContaining([{ text: 'Garden hose', kind: 'title' }]),
        },
      ])
      expect(await toldOf(() => products().suggest('wirless headphones', { context }))).toMatchObject([
        { type: 'suggestion', text: 'wirless headphones', suggestions: ['wireless headphones'], context },
      ])
      expect(await toldOf(() => products().similar({ id: 'p3' }, { limit: 1, context }))).toMatchObject([
        { type: 'similar', id: 'p3', hits: [{ id: 'p4', place: 1 }], context },
      ])
      const [byText] = await toldOf(() => products().similar('garden'))
      expect(byText).toMatchObject({ type: 'similar', text: 'garden' })
      expect(byText).not.toHaveProperty('id')
      const [byDocument] = await toldOf(() => products().similar({ document: { title: 'Garden' } }))
      expect(byDocument).toMatchObject({ type: 'similar' })
      expect(byDocument).not.toHaveProperty('text')
      await products().classifier()
      expect(await toldOf(() => products().classify('a chair', { limit: 1, context }))).toMatchObject([
        { type: 'recommendation', text: 'a chair', recommended: [{ tagId: 'garden' }], context },
      ])
    })

    it('is told of what services answer, and whose answer it is', async () => {
      const search = await engine.services.create({ type: 'search', name: 'Shop search' })
      await search.prepare({ dataset: 'products' })
      await search.activate()
      const request = { search: { filter: { query: 'price:<60', tags: ['garden'] }, facets: ['tag'] } }
      const told = await toldOf(() => search.search('gardn hose', request, { context }))
      expect(told).toMatchObject([
        {
          ...{ type: 'search', dataset: 'products', ...timed, text: 'gardn hose', context },
          service: { id: search.id, name: 'Shop search' },
          ...{ filter: 'price:<60', tags: ['garden'], facets: ['tag'] },
          words: [
            { word: 'gardn', kind: 'typo' },
            { word: 'hose', kind: 'exact' },
          ],
          corrections: ['garden hose'],
          hits: [
            { id: 'p3', place: 1 },
            { id: 'p4', place: 2 },
          ],
          total: { count: 2, exact: true },
        },
      ])
      const classifier = await engine.services.create({ type: 'classifier', name: 'Tags' })
      await classifier.prepare({ dataset: 'products' })
      await classifier.activate()
      expect(await toldOf(() => classifier.recommend('chair', { limit: 1 }, { context }))).toMatchObject([
        { type: 'recommendation', service: { name: 'Tags' }, recommended: [{ tagId: 'garden' }], context },
      ])
      const similar = await engine.services.create({ type: 'similar', name: 'Alike' })
      await similar.prepare({ dataset: 'products' })
      await similar.activate()
      expect(await toldOf(() => similar.recommend('chair', { limit: 1 }, { context }))).toMatchObject([
        {
          type: 'similar',
          service: { name: 'Alike' },
          text: 'chair',
          hits: [{ id: 'p4', place: 1 }],
          context,
        },
      ])
      await similar.index()
      expect(await toldOf(() => similar.recommendById('p3', {}, { context }))).toMatchObject([
        { type: 'similar', service: { id: similar.id }, id: 'p3', hits: [{ id: 'p4' }], context },
      ])
    })

    it('is told of writes, commit by commit and for each dataset', async () => {
      const archive = await engine.datasets.create('archive')
      const write = () =>
        engine.write([
          { type: 'insert', dataset: 'archive', document: { id: 'a1', title: 'Sold' } },
          { type: 'insert', dataset: 'products', document: { id: 'p9', title: 'New' } },
          { type: 'delete', dataset: 'products', id: 'p9' },
        ])
      const told = await toldOf(write)
      expect(told).toHaveLength(2)
      expect(told).toContainEqual({
        ...{ type: 'write', dataset: 'archive', at: 5000 },
        changes: [{ id: 'a1', seq: expect.any(Number), kind: 'content' }],
      })
      expect(told).toContainEqual({
        ...{ type: 'write', dataset: 'products', at: 5000 },
        changes: [
          { id: 'p9', seq: expect.any(Number), kind: 'content' },
          { id: 'p9', seq: expect.any(Number), kind: 'removal' },
        ],
      })
      expect(await toldOf(() => archive.documents.delete('nobody'))).toEqual([])
    })

    it('is told nothing of what fails, nor of what is neither asked nor written', async () => {
      const failing = () =>
        products()
          .search('hose', { limit: -1 })
          .catch(() => undefined)
      expect(await toldOf(failing)).toEqual([])
      expect(
        await toldOf(() =>
          products()
            .complete(5 as never)
            .catch(() => undefined),
        ),
      ).toEqual([])
      expect(await toldOf(() => products().documents.get('p1'))).toEqual([])
      expect(await toldOf(() => products().count('price:>0'))).toEqual([])
    })
  })
}
