import { english, items, tags } from '../catalogue.ts'
import { sample, type World } from '../world.ts'

/** Datasets, documents and tags of the REST API, as JSON, in bulk, imported and exported. */
export async function httpData({ at, http }: World): Promise<void> {
  const { send, post, get } = (await http()).for(at)
  const definition = {
    Name: 'data',
    IdField: 'id',
    TagField: 'tag',
    NGramCount: 3,
    InterpretedFields: ['title', 'desc'],
    SampleDocument: sample,
  }
  for (const body of [
    definition,
    definition,
    { ...definition, Name: 'x' },
    { Name: 'bare' },
    {},
    [],
    { ...definition, Name: 'text', SampleDocument: JSON.stringify(sample) },
    { ...definition, Name: 'odd', IdField: 'a b', NGramCount: '7' },
    {
      ...definition,
      Name: 'more',
      Language: 'German',
      Weights: [{ Field: 'title', Weight: 2 }],
      Signals: [{ Field: 'price', Pivot: 5, Boost: 1 }],
    },
  ])
    await post('/api/DataSets', body)
  await post('/api/DataSets/Schema', {
    ...definition,
    Name: 'schema',
    SampleDocument: undefined,
    Schema: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        title: { type: 'string' },
        desc: { type: 'string' },
        tag: { type: 'array', items: { type: 'string' } },
      },
    },
  })
  for (const path of [
    '/api/DataSets',
    '/api/datasets/data',
    '/api/DataSets/none',
    '/api/DataSets/a',
    '/api/DataSets/data/Settings',
    '/api/DataSets/more/Settings',
  ])
    await get(path)
  await send('PUT', '/api/DataSets/text', { body: { Name: 'renamed' } })
  await send('PUT', '/api/DataSets/none', { body: { Name: 'renamed' } })
  await post('/api/DataSets/renamed/Swap/schema', undefined)
  await send('DELETE', '/api/DataSets/renamed')
  await send('DELETE', '/api/DataSets/renamed')
  const dataset = 'data'
  const all = items(english, 'h', 40)
  for (const tag of tags)
    await post('/api/Tags', { Id: tag.id, Name: tag.name, ParentId: tag.parentId }, { dataset })
  for (const body of [
    { Id: 'home', Name: 'x' },
    { Name: 'x' },
    { Id: 7, Name: 'Seven' },
    { Id: 'x', Name: 'X', ParentId: 'none' },
    null,
  ])
    await post('/api/Tags', body, { dataset })
  for (const document of all) await post('/api/Documents', document, { dataset })
  for (const body of [
    all[0],
    { ...all[0], id: 'w', price: 'x' },
    { id: 'w' },
    [],
    5,
    'x',
    '{"id":',
    { ...all[0], id: 'w', price: -0.1 },
  ])
    await post('/api/Documents', body, { dataset })
  await post('/api/Documents', '{"id":"w","title":"x","price":9007199254740993}', { dataset })
  for (const id of ['h1', 'none', '%252E', 'h%31']) {
    await get(`/api/Documents/${id}`, { dataset })
    await send('PUT', `/api/Documents/${id}`, { dataset, body: { title: 'Changed' } })
  }
  await send('PUT', '/api/Documents/h2', { dataset, body: { price: 'x' } })
  await send('DELETE', '/api/Documents/h3', { dataset })
  await send('DELETE', '/api/Documents/h3', { dataset })
  await post(
    '/api/Documents/Bulk',
    { Documents: [...all.slice(0, 5), { id: 'w' }, null, { ...all[6], stock: 'x' }] },
    { dataset },
  )
  await post('/api/documents/bulk/', { documents: all }, { dataset })
  await post('/api/Documents/Bulk', { Documents: null }, { dataset })
  await post('/api/Documents/Bulk', {}, { dataset })
  await post(
    '/api/Tags/Bulk',
    {
      Tags: [
        { Id: 'a', Name: 'A' },
        { Id: 'b', Name: 'B', ParentId: 'none' },
      ],
    },
    { dataset: 'bare' },
  )
  await post(
    '/api/Tags/Bulk',
    {
      Tags: [
        { Id: 'a', Name: 'A' },
        { Id: 'b', Name: 'B', ParentId: 'a' },
      ],
    },
    { dataset: 'bare' },
  )
  for (const path of [
    '/api/Tags',
    '/api/Tags?withDetails=true',
    '/api/Tags/lamps?withDetails=true',
    '/api/Tags/none',
    '/api/Tags?withDetails=x',
  ])
    await get(path, { dataset })
  await send('PUT', '/api/Tags/rakes', { dataset, body: { Id: 'rakes', Name: 'Rakes!', ParentId: 'tools' } })
  await send('DELETE', '/api/Tags/home', { dataset })
  await send('DELETE', '/api/Tags/desk-lamps?cleanDocuments=true', { dataset })
  await send('DELETE', '/api/Tags/home?force=true', { dataset })
  await post('/api/Tags/CleanDocuments', undefined, { dataset })
  await post('/api/Tags/ExportWords', { NGramList: [1, 2] }, { dataset })
  await post('/api/Tags/ExportWords', { NGramList: [], TagIdList: ['none'] }, { dataset })
  for (const body of [
    { DocumentIdList: ['h1', 'h9', 'none'], TargetDataSetName: 'schema' },
    { DocumentIdList: [], TargetDataSetName: 'schema' },
    { DocumentIdList: ['h1'], TargetDataSetName: 'none' },
  ])
    for (const verb of ['Copy', 'Move']) await post(`/api/Documents/${verb}`, body, { dataset })
  const lines = all.map(one => JSON.stringify(one)).join('\n')
  const csv = 'id,title,price\nc1,Lamp,1\nc2,Chair,x\n'
  for (const [type, body] of [
    ['application/x-ndjson', `${lines}\n{"id":}`],
    ['application/json', JSON.stringify(all)],
    ['text/csv', csv],
    ['application/xml', '<a/>'],
    ['application/x-ndjson', ''],
  ] as const)
    await send('POST', '/api/Documents/Import', { dataset, body, headers: { 'Content-Type': type } })
  for (const query of [
    '',
    '?format=csv',
    '?format=json',
    '?format=csv&columns=id,title',
    '?format=xml',
    '?columns=none&format=csv',
  ])
    await get(`/api/Documents/Export${query}`, { dataset })
  for (const query of ['', '?since=20&limit=5', '?since=x', '?limit=0'])
    await get(`/api/Documents/Changes${query}`, { dataset })
  for (const body of [
    { Synonyms: [{ Synonyms: ['lamp', 'light'] }] },
    { Language: 'None' },
    { InterpretedFields: ['none'] },
    { Nothing: 1 },
  ])
    await post('/api/DataSets/data/Reconfigure', body)
  await post('/api/DataSets/data/Optimize', undefined, { headers: { 'X-Api-Parallel-Limit': '1' } })
  await get('/api/DataSets/data/Settings')
}
