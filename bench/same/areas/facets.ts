import type { World } from '../world.ts'

const requests = [
  ...[
    'brand',
    'price',
    'stock',
    'sold',
    'released',
    'specs.color',
    'specs.weight',
    'variants.color',
    'variants.size',
  ],
  ...['tag', 'title', 'desc', 'none', 'id'],
  { field: 'brand', limit: 3, sort: 'value' },
  { field: 'brand', limit: 0 },
  { field: 'brand', search: 'kes' },
  { field: 'title', search: 'wireles', limit: 4 },
  { field: 'tag', tagsBelow: false },
  { field: 'tag', parent: null },
  { field: 'tag', parent: 'home' },
  { field: 'price', ranges: [{ to: 10 }, { from: 10, to: 50, name: 'mid' }, { from: 50 }] },
  { field: 'price', histogram: 7 },
  { field: 'released', ranges: [{ to: '2022' }, { from: '2022-06-01' }] },
  { field: 'released', histogram: 5 },
  { field: 'specs.color', disjunctive: true },
  { field: 'tag', disjunctive: true },
  { field: 'price', ranges: [] },
  { field: 'brand', histogram: 3 },
  { field: 'brand', limit: -1 },
]

/** What documents that are found have at some fields, of searches, lists and conditions. */
export async function facets({ at, filled }: World): Promise<void> {
  const { shop, laden } = await filled()
  const call = at.of('shop', shop)
  for (const facet of requests) {
    await call('search', 'wireless lamp', { facets: [facet], documents: false, limit: 1 })
    await call('filter', 'specs.color:red AND price:<200', { facets: [facet], limit: 0 })
    await call('search', 'chair', {
      facets: [facet],
      filter: ['specs.color:(red blue)', { sold: false }],
      tags: ['home'],
      documents: false,
      limit: 1,
    })
  }
  await call('search', 'desk', {
    facets: requests.slice(0, 12),
    groupBy: 'brand',
    hidden: ['e1'],
    documents: false,
  })
  await call('search', 'desk', { facets: requests.slice(0, 12), visible: 'price:>20', documents: false })
  for (const facet of requests.slice(0, 9))
    await at.of('laden', laden)('filter', 'Lampe*', { facets: [facet], limit: 0 })
}
