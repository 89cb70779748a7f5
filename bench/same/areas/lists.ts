import type { World } from '../world.ts'

const orders = [
  ...[['price'], ['price:desc'], ['brand', 'price:desc'], ['released:desc', 'id'], ['specs.color', 'stock']],
  ...[
    ['variants.size'],
    ['variants.size:desc', 'title'],
    ['sold:desc', 'price'],
    ['tag', 'id:desc'],
    ['desc'],
    ['id'],
  ],
  ...[['none'], ['price:up'], [], ['price', 'price']],
]

/** Lists in an order, page by page by offset and by cursor, with fewer fields; samples. */
export async function lists({ at, filled }: World): Promise<void> {
  const { shop, laden } = await filled()
  const call = at.of('shop', shop)
  for (const sort of orders)
    for (const filter of ['*:*', 'lamp OR chair', 'price:>100 AND sold:true'])
      await call('filter', filter, {
        sort,
        limit: 15,
        offset: sort.length * 7,
        responseFields: ['title', ...sort.map(one => one.split(':')[0])],
      })
  for (const responseFields of [
    ['*'],
    ['title', 'specs.color'],
    ['variants.size'],
    ['none'],
    [],
    ['id', 'id'],
    [5],
  ])
    await call('filter', 'stock:3', { responseFields })
  for (const page of [
    { limit: 0 },
    { limit: 10_001 },
    { limit: -1 },
    { offset: 1_140, limit: 50 },
    { offset: 2_000_000 },
    { limit: 1.5 },
  ])
    await call('filter', {}, page)
  for (const seed of ['', 'a', 'test'])
    for (const size of [
      { size: 5 },
      { percent: 2 },
      { size: 0 },
      { percent: 200 },
      { size: 7, filter: 'sold:true', tags: ['home'] },
    ])
      await call('sample', { seed, ...size, responseFields: ['id'] })
  for (const [name, dataset] of [
    ['shop', shop],
    ['laden', laden],
  ] as const) {
    const page = at.of(name, dataset)
    for (const options of [
      { sort: ['price:desc'], limit: 40 },
      { limit: 60 },
      { sort: ['brand'], limit: 45, facets: ['brand'] },
    ]) {
      let { cursor } = await page<{ cursor: string | null }>('filter', 'stock:[1 TO 6]', {
        ...options,
        cursor: true,
      })
      for (let pages = 0; cursor && pages < 6; pages++)
        ({ cursor } = await page<{ cursor: string | null }>('filter', {}, { cursor, limit: options.limit }))
    }
    for (const query of ['lamp', 'wireless chair', 'Lampe leicht']) {
      let { cursor } = await page<{ cursor?: string | null }>('search', query, {
        cursor: true,
        limit: 7,
        documents: false,
      })
      for (let pages = 0; cursor && pages < 5; pages++)
        ({ cursor } = await page<{ cursor?: string | null }>('search', '', {
          cursor,
          limit: 7,
          documents: false,
        }))
    }
    await page('filter', {}, { cursor: 'none' })
    await page('search', 'x', { cursor: 'none' })
    await page('search', 'lamp', { cursor: true, explain: true })
  }
}
