import type { World } from '../world.ts'

const calls = [
  ...[
    ['Documents/Search', { Text: 'lamp', Limit: 2, Documents: false }],
    ['Documents/Complete', { Text: 'desk' }],
    ['Documents/Suggest', { Text: 'wirless' }],
  ],
  ...[
    ['Documents/Filter', { Pagination: { Limit: 2 }, FieldList: ['id'] }],
    ['Documents/Sample', { Id: 'a', Size: 2, FieldList: ['id'] }],
    ['Documents/Similar', { Id: 'e1', Count: 2 }],
  ],
  ...[
    ['Documents/Keywords', { TagId: 'hoses', Count: 2 }],
    ['Documents', { id: 'k' }],
    ['Documents/Duplicates', {}],
    ['Tags', { Id: 'k', Name: 'K' }],
  ],
] as [string, object][]
const reads = [
  'DataSets',
  'Documents/e1',
  'Documents/e7',
  'Tags',
  'Documents/Changes',
  'Documents/Export?format=csv&columns=id',
  'Keys',
  'Services',
  'Statistics',
  'Processes',
  'License',
]

/** Named keys, what each of them may do, and whom they see. */
export async function httpKeys({ at, http }: World): Promise<void> {
  const { send, post, get } = (await http()).for(at)
  const wanted = [
    { Name: 'reads', Scopes: ['Read'] },
    { Name: 'searches', Scopes: ['Search'], DataSets: ['shop'] },
    { Name: 'few', Scopes: ['Read', 'Search'], DataSets: ['shop'], Filter: 'price:>60' },
    { Name: 'writes', Scopes: ['Write'], DataSets: ['laden'] },
    { Name: 'all', Scopes: ['Admin'] },
    { Name: 'limited', Scopes: ['Admin'], RequestsPerMinute: 1 },
    { Name: 'late', Scopes: ['Read'], Expires: '2020-01-01T00:00:00Z' },
  ]
  for (const body of wanted) {
    const made = await post('/api/Keys', body)
    const key = made?.Key ?? 'none'
    // A key that has ended is a wrong one, of which few are answered at once.
    if (body.RequestsPerMinute) for (let nr = 0; nr < 3; nr++) await get('/api/DataSets/laden', { key })
    if (body.Expires) await get('/api/DataSets', { key })
    if (body.Expires || body.RequestsPerMinute) continue
    for (const [path, asked] of calls) await post(`/api/${path}`, asked, { dataset: 'shop', key })
    for (const path of reads) await get(`/api/${path}`, { dataset: 'shop', key })
    await post('/api/Documents/Search', { Text: 'Lampe', Limit: 1, Explain: true }, { dataset: 'laden', key })
    await post(
      '/api/Documents/Search',
      { Text: 'lamp', Facets: ['brand', 'tag'], Limit: 1, Total: 'Exact' },
      { dataset: 'shop', key },
    )
    if (body.Name !== 'reads' && body.Name !== 'all') await get('/metrics', { key })
  }
  for (const body of [
    wanted[0],
    {},
    { Name: 'x', Scopes: [] },
    { Name: 'x', Scopes: ['Admin'], DataSets: ['shop'] },
    { Name: 'x', Scopes: ['Read'], Filter: 'a' },
    { Name: 'x', Scopes: ['Read'], DataSets: ['shop'], Filter: '(' },
    { Name: 'x', Scopes: ['Other'] },
  ])
    await post('/api/Keys', body)
  const { Keys = [] } = (await get('/api/Keys')) ?? {}
  for (const { Id } of Keys) await send('DELETE', `/api/Keys/${Id}`)
  await send('DELETE', '/api/Keys/none')
  await get('/api/Keys')
}
