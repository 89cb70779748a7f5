import { english, typed } from '../catalogue.ts'
import type { World } from '../world.ts'

const types = ['Search', 'Classifier', 'Prc'] as const

/** The three types of services over HTTP, through their lives. */
export async function httpServices({ at, http }: World): Promise<void> {
  const { send, post, get } = (await http()).for(at)
  for (const body of [
    { Name: 'x', Type: 'Other' },
    { Type: 'Search' },
    { Id: 'x', Name: 'x', Type: 'Search' },
  ])
    await post('/api/Services', body)
  for (const Type of types)
    await post('/api/Services', { Name: `A ${Type}`, Alias: `the ${Type}`, Description: 'x', Type })
  const base = (type: string) => `/api/Services/${type}/the%20${type}`
  for (const type of types) {
    await post(`${base(type)}/Activate`, undefined)
    for (const DataSetName of ['none', 'shop', 'shop'])
      await post(`${base(type)}/Prepare`, { DataSetName, NGramList: [1, 2], CompressLevel: 0 })
    await get(base(type))
    await get(`/api/Services/the%20${type}`)
    await post(
      `${base(type)}/Activate`,
      type === 'Prc' ? { FieldsForRecommendation: ['title', 'desc'] } : undefined,
    )
    await get(base(type))
    await get(`/api/Services/${type}/none`)
    await get(`/api/Services/${type}/the%20${types[(types.indexOf(type) + 1) % 3]}`)
  }
  await get('/api/Services')
  for (const Text of typed(english, 25, 17)) {
    await post(base('Search'), { Text })
    await post(base('Search'), {
      Text,
      SearchSettings: {
        Count: 3,
        Operator: 'AND',
        Highlight: true,
        Explain: true,
        Facets: ['brand'],
        ResponseFieldList: ['title'],
      },
      ClassifierSettings: { Id: 'the Classifier', Count: 2, CategoryBoost: 1 },
      AutoCompleteSettings: { Count: 2, Confidence: 1, MaximumErrors: 2 },
    })
    await post(`${base('Classifier')}/Recommend`, { Text, Count: 2, NeedTagInResult: true })
    await post(`${base('Prc')}/Recommend`, { Text, Count: 3 })
    await post(`${base('Prc')}/Keywords?isStrict=true`, { Text })
  }
  for (const SearchSettings of [
    { Type: 'query' },
    { Type: 'Match', Fuzziness: -1 },
    { SearchFieldList: ['title^2', 'specs.color'] },
    { Order: { OrderByField: 'price', OrderDirection: 'Desc' } },
    { Weights: [{ Query: 'sold:true', Value: '2' }] },
    { Filter: { Query: 'stock:>4', TagIdList: ['hoses'] } },
    { Filter: { Query: '(' } },
    { Count: 20_000 },
    { SearchFieldList: ['none'] },
  ])
    for (const Text of ['desk lamp', 'title:lamp']) await post(base('Search'), { Text, SearchSettings })
  await post(`${base('Classifier')}/Recommend`, {
    Text: 'hoses for the lamp',
    UseEmphasizing: true,
    Explain: true,
    ParentTagIdList: ['garden'],
  })
  await post(`${base('Classifier')}/Recommend`, { Text: ' ' })
  await post(`${base('Prc')}/RecommendById`, { DocumentId: 'e1' })
  await post(`${base('Prc')}/IndexPartial`, undefined)
  await post(`${base('Prc')}/Index`, { Filter: { Query: 'price:>2' } })
  await get(base('Prc'))
  for (const DocumentId of ['e1', 'e5', 'e9', 'none'])
    for (const more of [
      {},
      { Count: 5, Query: 'sold:false', NeedDocumentInResult: true },
      { TagId: 'hoses', Weights: [{ Query: 'price:>9', Value: 2 }] },
    ])
      await post(`${base('Prc')}/RecommendById`, { DocumentId, ...more })
  await post(`${base('Prc')}/IndexPartial`, undefined)
  for (const body of [{}, { TagIdList: ['hoses'], NGramList: [1] }, { TagIdList: ['none'] }]) {
    await post(`${base('Classifier')}/ExportDictionaries`, { NGramList: [1, 2], ...body })
    await post(`${base('Prc')}/ExportDictionaries`, body)
  }
  for (const type of types) {
    await send('PUT', `/api/Services/the%20${type}`, { body: { Name: 'Renamed', Alias: `the ${type}` } })
    await post(`${base(type)}/Deactivate`, undefined)
    await post(`${base(type)}/Deactivate`, undefined)
    await send('DELETE', '/api/DataSets/shop')
    await send('DELETE', `/api/Services/the%20${type}`)
    await get(base(type))
  }
}
