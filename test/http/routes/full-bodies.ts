import type { Engine, ServiceTypeName } from 'findling'
import { sample, stock } from './shop.ts'

/** A route with bodies that it takes, which together have every member of its model. */
export interface FullBodies {
  /** As in the table of routes. */
  readonly endpoint: string
  /** Where it is sent to. Asked again when an answer may have changed what is there. */
  path(engine: Engine): string | Promise<string>
  readonly bodies: readonly object[]
  /** For X-DataSet. Default: the shop. */
  readonly dataset?: string
}

const types = { Classifier: 'classifier', Prc: 'similar', Search: 'search' } as const
type WireType = keyof typeof types

/** The dataset of all of them, with services and a classifier. */
export async function openFullShop(engine: Engine): Promise<void> {
  for (const name of ['shop', 'settled', 'target', 'tree'])
    await stock(engine, name, {
      fields: { schema },
      tags: [
        { id: 'top', name: 'Top' },
        { id: 'a', name: 'A', parentId: 'top' },
        { id: 'b', name: 'B' },
      ],
      documents: [
        { ...sample, id: '1', title: 'Wireless headphones', added: '2024-05-01', v: [1, 1] },
        { ...sample, id: '2', title: 'Garden hose', added: '2024-05-02', tag: ['b'] },
      ],
    })
  await engine.datasets.get('shop').reconfigure({
    vectors: { v: { dimensions: 2 } },
    baskets: { dataset: 'shop', field: 'title', time: 'added' },
  })
  await engine.datasets.get('shop').classifier().finished
  for (const wire of Object.keys(types) as WireType[]) await serviceOf(engine, wire, 'active', wire)
  await engine.services.get('Prc', 'similar').index().finished
}

let made = 0

async function serviceOf(
  engine: Engine,
  wire: WireType,
  state: 'new' | 'prepared' | 'active',
  alias: string | null = null,
): Promise<string> {
  const type: ServiceTypeName = types[wire]
  const service = await engine.services.create({ type, name: `Service ${++made}`, alias })
  if (state !== 'new') await service.prepare({ dataset: 'shop' })
  if (state === 'active') await service.activate()
  return service.id
}

const at = (path: string, ...bodies: object[]): FullBodies => ({
  endpoint: `POST ${path}`,
  path: () => path,
  bodies,
})

/** A dataset that it makes is removed again. */
const making = (path: string, body: object): FullBodies => ({
  endpoint: `POST ${path}`,
  async path(engine) {
    if (engine.datasets.has(dataset.Name)) await engine.datasets.remove(dataset.Name)
    return path
  },
  bodies: [body],
})

const ofDataset = (path: string, ...bodies: object[]): FullBodies => ({
  ...at(path, ...bodies),
  path: () => path.replace('{name}', 'settled'),
})

const ofActive = (wire: WireType, call: string, ...bodies: object[]): FullBodies => ({
  endpoint: `POST /api/Services/${wire}/{id}${call}`,
  path: () => `/api/Services/${wire}/${wire}${call}`,
  bodies,
})

const ofNext = (
  wire: WireType,
  state: 'new' | 'prepared',
  call: string,
  ...bodies: object[]
): FullBodies => ({
  endpoint: `POST /api/Services/${wire}/{id}${call}`,
  path: async engine => `/api/Services/${wire}/${await serviceOf(engine, wire, state)}${call}`,
  bodies,
})

const filter = { Query: 'price:>0', TagIdList: ['a'] }
const facet = {
  Field: 'price',
  Limit: 5,
  Sort: 'Value',
  Least: 1,
  Search: '1',
  TagsBelow: false,
  MergeSpellings: true,
  Ranges: [{ Name: 'cheap', From: 1, To: 2 }],
  Histogram: 3,
  Disjunctive: true,
}
const bought = {
  Count: 5,
  Least: 1,
  Days: 30,
  Filter: 'price:>1',
  TagIdList: ['a'],
  Exclude: ['3'],
  User: 'u1',
  Tags: ['web'],
  Analytics: true,
}
const facets = [
  facet,
  { Field: 'tag', Parent: 'top' },
  { Field: 'added', Ranges: [{ From: '2024' }] },
  'title',
]
const highlight = { Fields: ['title'], Snippet: 50, Marks: ['<b>', '</b>'] }
const typos = { DisableOnFields: ['title'], DisableOnWords: ['lamp'], DisableOnCodes: true }
const pinned = [{ Id: '1', Position: 1 }]
const synonyms = [{ Root: 'lamp', Synonyms: ['light'] }]
const compression = {
  CompressLevel: 1,
  CompressSettings: { CategoryOccurence: 1, DataSetOccurence: 1, Operator: 'OR' },
}
const weights = [{ Query: 'title:hose', Value: 2 }]

const asked = { User: 'u1', Tags: ['web'], Analytics: true }
const search = {
  Text: 'hose',
  Filter: { ...filter, TagsBelow: true },
  TagsBelow: true,
  Limit: 5,
  Offset: 1,
  Sort: ['price:asc'],
  Cursor: true,
  Facets: facets,
  Operator: 'And',
  TypoTolerance: { Edits: 1, ...typos },
  Exclusion: false,
  Prefix: true,
  Fields: { title: 2 },
  Signals: false,
  Categories: false,
  Total: 'Exact',
  Documents: false,
  Highlight: highlight,
  Synonyms: synonyms,
  StopWords: ['the'],
  Curations: false,
  Pinned: pinned,
  Hidden: ['2'],
  GroupBy: 'title',
  GroupLimit: 2,
  ResponseFieldList: ['title', '-desc'],
  Relax: true,
  ...asked,
}
/** Not with a cursor. */
const near = {
  Text: 'hose',
  Vector: { Field: 'v', Value: [1, 2], Nearest: 5, Least: 0.5, Ratio: 0.2 },
}
const like = { Text: '', Vector: { Like: '1' } }
const explained = { Text: 'hose', Explain: true, Limit: 1000, Fields: ['title'] }
const serviceSettings = {
  AutoCompleteSettings: { Confidence: 1, MaximumErrors: 1, Count: 1 },
  SearchSettings: {
    Type: 'Match',
    Operator: 'AND',
    Fuzziness: 1,
    CutOffFrequency: 0.1,
    Count: 3,
    SearchFieldList: ['title', 'desc^2'],
    ResponseFieldList: ['title'],
    Filter: filter,
    UseDefaultFilter: false,
    Weights: weights,
    UseDefaultWeights: false,
    Order: { OrderByField: 'price', OrderDirection: 'Desc' },
    TypoTolerance: { Edits: 1, ...typos },
    Facets: facets,
    Highlight: highlight,
    Explain: true,
  },
  ClassifierSettings: { Id: 'Classifier', Count: 2, CategoryBoost: 0.5 },
}
const querySettings = { SearchSettings: { Type: 'Query', Highlight: true, Count: 1000 } }

const extras = {
  Language: 'German',
  Weights: [{ Field: 'title', Weight: 3, B: 0.5 }],
  Signals: [
    { Field: 'price', Pivot: 10, Boost: 0.5 },
    { Field: 'added', HalfLifeDays: 10, Boost: 0.5 },
  ],
  Vectors: [{ Field: 'v', Dimensions: 2 }],
  Baskets: { DataSet: 'shop', Field: 'title', Time: 'added' },
  Synonyms: synonyms,
  StopWords: ['the'],
  Curations: [{ Query: 'lamp', Match: 'Contains', Pinned: pinned, Hidden: ['2'] }],
  TypoTolerance: typos,
  GroupBy: 'title',
  Relax: true,
  Topics: false,
  Markup: false,
  Categories: false,
}
const dataset = {
  Name: 'fresh',
  NGramCount: 2,
  IdField: 'id',
  TagField: 'tag',
  InterpretedFields: ['title', 'desc'],
  ...extras,
}
const schema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    title: { type: 'string' },
    desc: { type: 'string' },
    price: { type: 'number' },
    added: { type: 'date' },
    tag: { type: 'array', items: { type: 'string' } },
    v: { type: 'array', items: { type: 'number' } },
  },
}
const similar = {
  Count: 5,
  Least: 0.1,
  Filter: 'price:>0',
  Exclude: ['2'],
  Diversity: 0.5,
}
const recommendation = { TagId: 'a', Count: 2, Filter: filter, Weights: weights, NeedDocumentInResult: true }
const tag = { Id: 'a', Name: 'A', ParentId: null }
const shown = { FieldList: ['title'] }

export const fullBodies: readonly FullBodies[] = [
  at('/api/License', { License: '<License/>' }),
  making('/api/DataSets', { ...dataset, Schema: null, SampleDocument: { ...sample, added: '2024-05-01' } }),
  making('/api/DataSets/Schema', { ...dataset, SampleDocument: null, Schema: schema }),
  {
    endpoint: 'PUT /api/DataSets/{existingName}',
    path: () => '/api/DataSets/target',
    bodies: [{ Name: 'target' }],
  },
  {
    ...at('/api/Tags', { Id: 'c', Name: 'C', ParentId: 'a' }, { Id: 'd', Name: 'D', ParentTagId: 'a' }),
    dataset: 'tree',
  },
  {
    endpoint: 'PUT /api/Tags/{id}',
    path: () => '/api/Tags/b',
    bodies: [
      { Id: 'b', Name: 'B', ParentId: 'a' },
      { Id: 'b', Name: 'B', ParentTagId: null },
    ],
    dataset: 'tree',
  },
  { ...at('/api/Tags/Bulk', { Tags: [tag, { Id: 'b', Name: 'B', ParentTagId: null }] }), dataset: 'tree' },
  at('/api/Tags/ExportWords', { TagIdList: ['a'], NGramList: [1] }),
  at('/api/Documents/Bulk', { Documents: [{ ...sample, id: '3' }] }),
  at('/api/Documents/Filter', {
    Pagination: { Limit: 5 },
    Order: { OrderByField: 'price', OrderDirection: 'Asc' },
    Filter: filter,
    ...shown,
  }),
  at('/api/Documents/Sample', { Id: 'one', Size: 5, Percent: 5, TagIdList: ['a'], ...shown }),
  at('/api/Documents/Copy', { DocumentIdList: ['1'], TargetDataSetName: 'target' }),
  at('/api/Documents/Move', { DocumentIdList: ['9'], TargetDataSetName: 'target' }),
  at('/api/Helper/FileParser', { Content: 'QSBob3Nl' }),
  at(
    '/api/Services',
    { Name: 'One', Alias: 'one', Description: 'It', Type: 'Search' },
    { Id: null, Name: 'One', Type: 'Search' },
  ),
  {
    endpoint: 'PUT /api/Services/{id}',
    path: async engine => `/api/Services/${await serviceOf(engine, 'Search', 'new')}`,
    bodies: [{ Name: 'One', Alias: 'one', Description: 'It' }],
  },
  ofNext('Classifier', 'new', '/Prepare', {
    DataSetName: 'shop',
    NGramList: [1],
    TagIdList: ['a', 'b'],
    ...compression,
    Again: true,
  }),
  ofNext('Classifier', 'prepared', '/Activate', {
    NGramList: [1],
    TagIdList: ['a', 'b'],
    EmphasizedTagIdList: ['a'],
  }),
  ofActive('Classifier', '/Recommend', {
    Text: 'hose',
    Count: 2,
    UseEmphasizing: true,
    NeedTagInResult: true,
    ParentTagIdList: ['top'],
    Explain: true,
  }),
  ofActive('Classifier', '/ExportDictionaries', { TagIdList: ['a'], NGramList: [1] }),
  ofNext('Prc', 'new', '/Prepare', {
    DataSetName: 'shop',
    TagIdList: ['a', 'b'],
    ...compression,
    Again: true,
  }),
  ofNext('Prc', 'prepared', '/Activate', { FieldsForRecommendation: ['title'] }),
  ofActive('Prc', '/Recommend', { Text: 'hose', ...recommendation }),
  ofActive('Prc', '/Keywords', { Text: 'hose', TagId: 'a' }),
  ofActive('Prc', '/RecommendById', { DocumentId: '1', Query: 'price:>0', ...recommendation }),
  ofActive('Prc', '/Index', { Filter: filter }),
  ofActive('Prc', '/ExportDictionaries', { TagIdList: ['a'] }),
  ofNext('Search', 'new', '/Prepare', { DataSetName: 'shop', Again: true }),
  ofNext('Search', 'prepared', '/Activate', serviceSettings, querySettings),
  ofActive(
    'Search',
    '',
    { Text: 'hose', WithQueryId: true, ...serviceSettings },
    { Text: 'hose', ...querySettings },
  ),
  at('/api/Documents/Search', search, explained, near, like),
  at('/api/Search/Multi', {
    Searches: [
      { DataSet: 'shop', ...search },
      { DataSet: 'shop', ...explained },
      { DataSet: 'shop', ...near },
      { DataSet: 'shop', ...like },
    ],
  }),
  at('/api/Documents/Complete', {
    Text: 'ho',
    Limit: 5,
    Kinds: ['Title', 'Tag'],
    TypoTolerance: 1,
    ...asked,
  }),
  at('/api/Documents/Suggest', { Text: 'hosse', Count: 2, Confidence: 1, MaximumErrors: 1 }),
  ofDataset('/api/DataSets/{name}/Classifier/Train', {
    FieldList: ['title'],
    NGramList: [1],
    TagIdList: ['a', 'b'],
    ...compression,
  }),
  at('/api/Documents/Classify', {
    Text: 'hose',
    Count: 2,
    TagIdList: ['a', 'b'],
    ParentTagIdList: ['top'],
    Renormalise: true,
    Explain: true,
    ...asked,
  }),
  ofDataset('/api/DataSets/{name}/Classifier/DoubtfulTags', { Limit: 5 }),
  at(
    '/api/Documents/Similar',
    { Text: 'hose', ...similar, ...asked },
    { Id: '1', ...similar },
    { Document: { title: 'hose' }, ...similar, Explain: true },
  ),
  at('/api/Documents/BoughtTogether', { Ids: ['1', '2'], ...bought }),
  at('/api/Documents/Trending', { ...bought, By: 'Count' }),
  at('/api/Events', {
    Events: [
      { Type: 'Conversion', QueryId: 'none', Id: '1', Position: 1, Value: 5, User: 'u1' },
      { Type: 'Click', QueryId: 'none', Id: '1' },
    ],
  }),
  at('/api/Analytics/Erase', { DataSet: 'shop', Text: 'hose', User: 'u1', Before: '2020-01-01' }),
  at('/api/Documents/Keywords', { TagId: 'a', Count: 5, Text: 'hose', Strict: true }),
  at('/api/Documents/Duplicates', { Threshold: 0.5 }),
  ofDataset('/api/DataSets/{name}/Profile', { CrossTables: [['title', 'tag']], Judged: 100 }),
  ofDataset('/api/DataSets/{name}/Reconfigure', {
    InterpretedFields: ['title', 'desc'],
    NGramCount: 2,
    Validation: 'Strict',
    ...extras,
  }),
  at(
    '/api/Keys',
    {
      Name: 'key',
      Scopes: ['Search'],
      DataSets: ['shop'],
      Filter: 'price:>0',
      Expires: '2099-12-31T00:00:00Z',
      RequestsPerMinute: 5,
      RequestsPerMinutePerAddress: 5,
      ResponseFields: ['title', 'desc'],
      Limit: 50,
      Origins: ['https://shop.example'],
      AllowCursor: true,
      CanSign: true,
    },
    { Name: 'public key', Scopes: ['Search'], DataSets: ['shop'], Public: true, AllowExplain: true },
  ),
]
