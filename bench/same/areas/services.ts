import type { ClassifierService, SearchService, SimilarService } from 'findling'
import { english, items, tags, typed } from '../catalogue.ts'
import { sample, type World } from '../world.ts'

/** The three types of services through their lives: made, prepared, activated, asked, exported, changed, removed. */
export async function services({ at, open }: World): Promise<void> {
  const engine = await open()
  const dataset = await engine.datasets.create('served', { sample, interpretedFields: ['title', 'desc'] })
  await dataset.tags.replaceAll(tags)
  await dataset.documents.bulk(items(english, 'v', 300))
  const all = at.of('services', engine.services)
  for (const wrong of [
    { type: 'other', name: 'x' },
    { type: 'search' },
    { type: 'search', name: 'x'.repeat(300) },
  ])
    await all('create', wrong)
  const [searching, classifying, liking] = [
    await all<SearchService>('create', { type: 'search', name: 'Searching', alias: 'search' }),
    await all<ClassifierService>('create', {
      type: 'classifier',
      name: 'Classifying',
      alias: 'tags',
      description: 'x',
    }),
    await all<SimilarService>('create', { type: 'similar', name: 'Liking', alias: 'like' }),
  ]
  for (const [name, service] of [
    ['search', searching],
    ['classifier', classifying],
    ['similar', liking],
  ] as const) {
    const call = at.of(name, service as SearchService)
    await call('activate')
    await call('prepare', { dataset: 'none' })
    await call('prepare', { dataset: 'served' })
    await call('prepare', { dataset: 'served' })
    await call('info')
    await call('activate')
    await call('info')
  }
  await all('list')
  const find = at.of('search', searching)
  const texts = typed(english, 30, 12)
  for (const text of texts) {
    await find('search', text)
    await find('search', text, {
      search: { operator: 'and', limit: 3, highlight: true, explain: true, facets: ['brand'] },
      corrections: { count: 2, confidence: 1 },
    })
  }
  for (const settings of [
    { search: { type: 'query' } },
    { search: { fields: ['title^2', 'brand'], responseFields: ['*'] } },
    { search: { fields: ['specs.color', 'title'] } },
    {
      search: {
        weights: [
          { query: 'sold:true', value: 3 },
          { query: 'price:>50', value: 1 },
        ],
      },
    },
    { search: { order: { field: 'price', direction: 'desc' }, limit: 4 } },
    {
      search: { typoTolerance: 'auto', cutOffFrequency: 0.1, filter: { query: 'stock:>3', tags: ['home'] } },
    },
    { classifier: { id: 'tags', count: 2, categoryBoost: 2 } },
    { classifier: { id: 'none' } },
    { search: { limit: 0 }, corrections: { count: 5, confidence: 0, maxErrors: 0.5 } },
    { search: { limit: 20_000 } },
    { search: { fields: ['none'] } },
  ])
    for (const text of ['desk lamp', 'wirless hedphones', 'title:lamp OR brand:acme'])
      await find('search', text, settings)
  const tag = at.of('classifier', classifying)
  const like = at.of('similar', liking)
  await like('recommendById', 'v1')
  await like('index', { filter: { query: 'price:>1' } })
  await like('indexed')
  for (const text of texts.slice(0, 15)) {
    await tag('recommend', text, { count: 3 })
    await tag('recommend', text, { emphasize: true, explain: true, below: ['home'] })
    await like('recommend', text, { count: 4 })
    await like('recommend', text, {
      tag: 'hoses',
      filter: { query: 'price:>20' },
      weights: [{ query: 'sold:true', value: 2 }],
    })
    await like('keywords', text, { strict: true })
  }
  for (let nr = 0; nr < 20; nr++)
    await like('recommendById', `v${nr * 3}`, nr % 2 ? {} : { count: 6, query: 'price:>10' })
  await dataset.documents.deleteWhere('stock:4')
  await dataset.documents.bulk(items(english, 'w', 20))
  await like('recommendById', 'v3')
  await like('indexPartial')
  for (const id of ['v3', 'w3', 'w7']) await like('recommendById', id)
  for (const [name, service] of [
    ['classifier', classifying],
    ['similar', liking],
  ] as const)
    for (const options of [{}, { tags: ['hoses'] }, { tags: ['none'] }])
      await at.record(`${name}.exportDictionaries(${JSON.stringify(options)})`, async () => {
        const lists: unknown[] = []
        await service.exportDictionaries(async (given: AsyncIterable<unknown>) => {
          for await (const one of given) lists.push(one)
        }, options)
        return lists
      })
  await at.of('classifier', classifying)('prepare', {
    dataset: 'served',
    again: true,
    nGrams: [1],
    tags: ['hoses', 'rakes'],
  })
  await tag('recommend', 'a hose', { count: 0 })
  await tag('activate', { tags: ['hoses'], emphasizedTags: ['hoses'], nGrams: [7] })
  for (const service of [searching, classifying, liking]) {
    const call = at.of(service.info().type, service as SearchService)
    await call('update', { name: 'Renamed', alias: 'other' })
    await call('deactivate')
    await call('deactivate')
    await call('info')
  }
  await at.of('datasets', engine.datasets)('remove', 'served')
  await at.record('services.get', () => engine.services.get('other', 'search'))
  for (const service of [searching, classifying, liking])
    await at.of('service', service as SearchService)('remove')
  await all('has', 'other')
  await find('search', 'x')
  await all('list')
}
