import type { Dataset } from 'findling'
import type { Item } from '../catalogue.ts'
import { english, german, japanese, typed } from '../catalogue.ts'
import type { World } from '../world.ts'

/** Each way to search, asked in turn with what people type. */
const ways: readonly object[] = [
  {},
  { operator: 'and', relax: true },
  { prefix: true, operator: 'and' },
  { typoTolerance: 0 },
  { typoTolerance: 1, total: 'exact' },
  { typoTolerance: { edits: 2, disableOnFields: ['title'], disableOnCodes: true, disableOnWords: ['lamp'] } },
  { highlight: true, limit: 4 },
  { highlight: { fields: ['desc'], snippet: 40, marks: true }, limit: 3 },
  { highlight: { marks: ['[', ']'] }, prefix: true, limit: 3 },
  { explain: true, limit: 4 },
  { explain: true, operator: 'and', prefix: true, limit: 2 },
  { fields: ['title'] },
  { fields: { title: 0, desc: 5 } },
  { filter: 'price:>20', tags: ['home', 'tools'] },
  { filter: { sold: false }, tags: ['lamps'], tagsBelow: false },
  { visible: 'stock:>5' },
  { sort: ['price:desc'] },
  { sort: ['brand', 'released:desc'], groupBy: 'specs.color', groupLimit: 2 },
  { groupBy: 'brand' },
  {
    pinned: [
      { id: 'e7', position: 2 },
      { id: 'g3', position: 1 },
    ],
    hidden: ['e1', 'e2'],
  },
  { synonyms: [{ synonyms: ['lamp', 'chair'] }, { root: 'hose', synonyms: ['desk lamp'] }] },
  { stopWords: ['wireless', 'garden'] },
  { exclusion: false },
  { limit: 100, offset: 5, documents: false },
  { offset: 3, limit: 2 },
]
const special = [
  ...[
    '',
    ' ',
    '"',
    '"" ~2',
    '-',
    'lamp -',
    '-lamp',
    '"desk lamp"~3',
    'lamp lamp lamp',
    'a',
    'the and for',
    'LAMP!',
  ],
  ...[
    'noise cancelling',
    'noisecancelling',
    'noise-cancelling',
    '2kg',
    '2 kg',
    '500 g',
    '0.5mm',
    'AK120',
    'ak-120',
    'lamp without desk',
  ],
  ...[
    'no wireless',
    'Straße',
    'strasse',
    'Kopfhoerer',
    'Häuser',
    'Bücherregale',
    'Lampenständer',
    '東京タワー',
    'ワイヤレス',
    'ﾜｲﾔﾚｽ',
    'naïve',
  ],
  ...[
    '\ud800',
    '😀',
    'x'.repeat(300),
    'children',
    "children's",
    'wireles hedphnes',
    'lapm',
    'chiar desk',
    'for the office',
    'knives',
    'knife',
    'scarf scarves',
  ],
]
const wrong = [
  ...[
    { limit: -1 },
    { limit: 10_001 },
    { operator: 'xor' },
    { typoTolerance: 3 },
    { fields: ['none'] },
    { fields: [] },
    { sort: ['none'] },
  ],
  ...[
    { filter: '(' },
    { tags: 'home' },
    { groupLimit: 0 },
    { explain: true, limit: 2_000 },
    { facets: [{}] },
    { pinned: [{ id: 'a' }] },
  ],
  ...[
    { lmit: 3 },
    { highlight: { snippet: 1 } },
    { synonyms: [{ synonyms: [] }] },
    { total: 'all' },
    { timeout: -5 },
  ],
]

/** Searches in three languages, with all options. */
export async function search({ at, filled }: World): Promise<void> {
  const { shop, laden, mise, engine } = await filled()
  const of = [
    ['shop', shop, english],
    ['laden', laden, german],
    ['mise', mise, japanese],
  ] as [string, Dataset<Item>, typeof english][]
  for (const [name, dataset, language] of of) {
    const call = at.of(name, dataset)
    for (const text of special) await call('search', text, { documents: false })
    const texts = typed(language, name === 'shop' ? 100 : 50, 5)
    for (const [nr, text] of texts.entries()) {
      await call('search', text, { documents: false, limit: 20 })
      for (const way of [nr, nr * 3 + 1, nr * 7 + 2]) await call('search', text, ways[way % ways.length])
    }
    for (const options of wrong) await call('search', 'lamp', options)
  }
  const call = at.of('engine', engine)
  await call('searchMany', [
    { dataset: 'shop', query: 'lamp' },
    { dataset: 'laden', query: 'Lampe', limit: 2 },
  ])
  await call('searchMany', [
    { dataset: 'shop', query: 'lamp' },
    { dataset: 'none', query: 'x' },
  ])
  await call('searchMany', [
    { dataset: 'shop', query: 'lamp' },
    { dataset: 'shop', query: 'x', filter: 'price:(' },
  ])
  await call('searchMany', [])
}
