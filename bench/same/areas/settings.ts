import { english, german, items } from '../catalogue.ts'
import { sample, settled, type World } from '../world.ts'

const changes: readonly object[] = [
  { interpretedFields: ['title'] },
  { interpretedFields: ['title', 'desc', 'brand'], weights: { desc: { weight: 3, b: 0.1 } } },
  { language: 'german' },
  { language: 'none' },
  { language: 'english' },
  { synonyms: [{ synonyms: ['lamp', 'light'] }, { root: 'seat', synonyms: ['chair', 'garden chair'] }] },
  { stopWords: ['wireless', 'desk'] },
  {
    curations: [
      { query: 'lamp', pinned: [{ id: 's9', position: 1 }], hidden: ['s1'] },
      { match: 'contains', query: 'desk', hidden: ['s2', 's3'] },
      { pinned: [{ id: 's20', position: 2 }] },
    ],
  },
  { typoTolerance: { disableOnWords: ['lamp'], disableOnCodes: true, disableOnFields: ['title'] } },
  { groupBy: 'brand', relax: true },
  { groupBy: null },
  { signals: { price: { pivot: 50, boost: 2 }, released: { halfLifeDays: 400, boost: 1 } } },
  { signals: {} },
  { nGramCount: 2, validation: 'strict' },
  { topics: false },
  { idField: 'other' },
  { interpretedFields: ['price'] },
  { interpretedFields: ['none'] },
  { weights: { none: {} } },
  { signals: { title: { pivot: 1, boost: 1 } } },
  { stopWords: ['!'] },
  { langauge: 'german' },
  { synonyms: [], stopWords: [], curations: [] },
]
const asked = [
  'lamp',
  'desk lamp',
  'seat',
  'light wireless',
  'lapm',
  'Lampen',
  'AK120',
  'chairs for the garden',
]

/** Settings, and how they change what is found; definitions with samples and schemas. */
export async function settings({ at, open }: World): Promise<void> {
  const engine = await open()
  const dataset = await engine.datasets.create('set', { sample, interpretedFields: ['title', 'desc'] })
  await dataset.documents.bulk([...items(english, 's', 150), ...items(german, 't', 50)])
  const call = at.of('set', dataset)
  for (const change of changes) {
    await call('reconfigure', change)
    await settled(engine, dataset)
    await at.record('set.settings', () => dataset.settings)
    for (const query of asked) {
      await call('search', query, { documents: false })
      await call('search', query, { operator: 'and', documents: false, curations: false, limit: 5 })
    }
  }
  await call('optimize')
  await call('info')
  const create = at.of('datasets', engine.datasets)
  for (const [nr, definition] of [
    { sample: '{"id":1,"title":"x","tag":5}' },
    { sample: { id: 'x', a: { b: [{ c: 1 }] }, d: '2024-01-01', e: true } },
    {
      schema: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          title: { type: 'string' },
          made: { type: 'string', format: 'date-time' },
        },
      },
    },
    { schema: { type: 'string' } },
    { sample: '{' },
    { sample: { id: [] } },
    { idField: 'sku', tagField: 'kinds' },
    { idField: 'tag' },
    { nGramCount: 9 },
    { validation: 'strict' },
    { language: 'klingon' },
  ].entries()) {
    await create('create', `made-${nr}`, definition)
  }
  await create('create', 'made-0')
  await create('create', 'no name')
  await create('list')
  await create('rename', 'made-0', 'renamed')
  await create('rename', 'none', 'x-y-z')
  await create('rename', 'renamed', 'set')
  await create('swap', 'renamed', 'set')
  await create('has', 'renamed')
  await at.record('renamed.search', () => engine.datasets.get('renamed').search('lamp', { documents: false }))
  await create('remove', 'renamed')
  await create('remove', 'renamed')
  await at.record('the dataset that is gone', () => engine.datasets.get('renamed'))
  await create('list')
}
