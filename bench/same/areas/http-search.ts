import { english, german, typed } from '../catalogue.ts'
import type { World } from '../world.ts'

const ways: readonly object[] = [
  {},
  { Operator: 'And', Prefix: true },
  { Highlight: true, Limit: 3 },
  { Highlight: { Fields: ['title'], Snippet: 30, Marks: true }, Limit: 2 },
  { Explain: true, Limit: 2 },
  { Filter: { Query: 'price:>50', TagIdList: ['hoses', 'home'] }, TagsBelow: true },
  { Sort: ['price:desc'], Documents: false },
  {
    Facets: ['brand', { Field: 'price', Ranges: [{ To: 10 }, { From: 10 }] }, { Field: 'tag', Parent: null }],
    Limit: 1,
  },
  { GroupBy: 'brand', GroupLimit: 2, Total: 'Exact' },
  { TypoTolerance: { Edits: 1, DisableOnCodes: true } },
  { Fields: { title: 2, desc: 0 }, Signals: false },
  { Synonyms: [{ Root: 'seat', Synonyms: ['chair'] }], StopWords: ['desk'] },
  { Pinned: [{ Id: 'e3', Position: 1 }], Hidden: ['e4'], Curations: false },
]
const wrong: readonly object[] = [
  { Text: 5 },
  {},
  { Text: 'x', Limit: -1 },
  { Text: 'x', Lmit: 1 },
  { Text: 'x', Filter: { Query: '(' } },
  { Text: 'x', Fields: ['none'] },
  { Text: 'x', Cursor: 'none' },
  { Text: 'x', Sort: ['none:up'] },
  { Text: 'x', Explain: true, Limit: 2_000 },
]

/** Search, lists and what comes up while somebody types, over HTTP. */
export async function httpSearch({ at, http }: World): Promise<void> {
  const { post, get } = (await http()).for(at)
  for (const [dataset, language] of [
    ['shop', english],
    ['laden', german],
  ] as const) {
    for (const [nr, Text] of typed(language, 45, 15).entries()) {
      for (const way of [nr, nr + 5])
        await post('/api/Documents/Search', { Text, ...ways[way % ways.length] }, { dataset })
      if (nr % 3 === 0)
        await post('/api/Documents/Complete', { Text: Text.slice(0, 6), Limit: 4 }, { dataset })
      if (nr % 3 === 1) await post('/api/Documents/Suggest', { Text, Count: 2 }, { dataset })
    }
    for (const body of wrong) await post('/api/Documents/Search', body, { dataset })
    for (const Query of ['*:*', 'lamp', 'price:>100 AND stock:[1 TO 9]', 'title:(', 'tag:hoses', '', null])
      for (const more of [
        {},
        { Order: { OrderByField: 'price', OrderDirection: 'Desc' } },
        { FieldList: ['title', 'none'] },
      ])
        await post(
          '/api/Documents/Filter',
          { Pagination: { Limit: 4 }, Filter: { Query }, ...more },
          { dataset },
        )
    let page = await post(
      '/api/Documents/Filter',
      { Pagination: { Limit: 25 }, Order: { OrderByField: 'id' } },
      { dataset },
    )
    for (let pages = 0; page?.ScrollId && pages < 5; pages++)
      page = await post(`/api/Documents/Filter/${page.ScrollId}`, undefined, { dataset })
    await post('/api/Documents/Filter/none', undefined, { dataset })
    await post('/api/Documents/Filter', undefined, { dataset })
    for (const body of [
      { Id: 'a', Size: 4 },
      { Id: 'a', Percent: '2' },
      { Id: 'a' },
      { Id: 'b', Size: 3, TagIdList: ['hoses'], FieldList: ['id'] },
      { Size: 1 },
    ])
      await post('/api/Documents/Sample', body, { dataset })
    for (const body of [{ Text: '' }, { Text: 'wir', Kinds: ['Tag'] }, { Text: 'x', Limit: 0 }, {}])
      await post('/api/Documents/Complete', body, { dataset })
    for (const body of [
      { Text: 'wirless hedphones', Confidence: 0 },
      { Text: 5, Count: -1 },
    ])
      await post('/api/Documents/Suggest', body, { dataset })
    let found = await post(
      '/api/Documents/Search',
      { Text: 'wireless', Limit: 9, Cursor: true, Documents: false },
      { dataset },
    )
    for (let pages = 0; found?.Cursor && pages < 4; pages++)
      found = await post(
        '/api/Documents/Search',
        { Text: '', Cursor: found.Cursor, Limit: 9, Documents: false },
        { dataset },
      )
  }
  await post('/api/Search/Multi', {
    Searches: [
      { DataSet: 'shop', Text: 'lamp', Limit: 2 },
      { DataSet: 'laden', Text: 'Lampe', Limit: 2 },
    ],
  })
  await post('/api/Search/Multi', { Searches: [{ DataSet: 'none', Text: 'lamp' }] })
  await post('/api/Search/Multi', { Searches: [{ DataSet: 'shop', Text: 'lamp', Limit: 'x' }] })
  await post('/api/Documents/Search', { Text: 'x' })
  await get('/api/Documents/Search', { dataset: 'shop' })
  await post('/api/Documents/Search', { Text: 'x' }, { dataset: 'none' })
}
