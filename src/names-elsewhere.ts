/** `queryBy` and `query_by` are one name. */
const plain = (name: string): string => name.toLowerCase().replaceAll('_', '')

/**
 * What others call our members and languages, for errors: these names are too different for edit distance to find them.
 * MiniSearch, Orama, FlexSearch, Meilisearch, Typesense, Algolia.
 */
const ours = new Map<string, readonly string[]>(
  Object.entries({
    limit: ['count', 'top', 'topK', 'size', 'hitsPerPage', 'per_page', 'pageSize', 'maxResults'],
    responseFields: [
      'attributesToRetrieve',
      'include_fields',
      'exclude_fields',
      'enrich',
      'select',
      'returning',
      'storeFields',
    ],
    highlight: [
      'attributesToHighlight',
      'attributesToSnippet',
      'attributesToCrop',
      'cropLength',
      'highlight_fields',
      'highlight_full_fields',
      'highlightPreTag',
      'highlightPostTag',
    ],
    prefix: ['queryType'],
    fields: [
      'boost',
      'query_by_weights',
      'attributesToSearchOn',
      'restrictSearchableAttributes',
      'properties',
      'weights',
    ],
    interpretedFields: ['fields', 'attributes', 'searchableAttributes', 'searchFields', 'document'],
    filter: [
      'where',
      'filters',
      'filter_by',
      'facetFilters',
      'numericFilters',
      'aroundRadius',
      'insideBoundingBox',
      'insidePolygon',
    ],
    operator: ['combineWith', 'matchingStrategy', 'drop_tokens_threshold', 'threshold', 'bool'],
    relax: ['removeWordsIfNoResults'],
    typoTolerance: ['fuzzy', 'tolerance', 'fuzziness', 'suggest'],
    disableOnFields: ['disableOnAttributes'],
    vector: ['knn', 'hybrid', 'vector_query', 'vectorQuery'],
    vectors: ['embedders', 'embeddings'],
    ratio: ['semanticRatio', 'alpha'],
    nearest: ['numCandidates'],
    least: ['minScore', 'distance_threshold', 'rankingScoreThreshold'],
    sort: ['sort_by', 'orderBy', 'order', 'aroundLatLng'],
    facets: ['facet_by', 'facet_query', 'disjunctiveFacets', 'maxValuesPerFacet', 'aggregations', 'aggs'],
    groupBy: ['group_by', 'distinct', 'distinctOn', 'distinctAttribute', 'attributeForDistinct'],
    groupLimit: ['group_limit', 'maxResult'],
    explain: ['showRankingScore', 'showRankingScoreDetails', 'getRankingInfo'],
    signals: ['rankingRules', 'customRanking', 'boostDocument', 'default_sorting_field'],
    idField: ['primaryKey', 'objectID'],
    stopWords: ['stopwords', 'removeStopWords'],
    analyzer: ['tokenizer', 'stemmer', 'token_separators'],
    language: ['locale'],
    store: ['path', 'dir', 'directory', 'folder', 'location', 'dataDir', 'file'],
    pinned: ['pinned_hits'],
    hidden: ['hidden_hits'],
    // Languages by their own names: "deutsch" is no misspelt "dutch".
    danish: ['dansk'],
    dutch: ['nederlands'],
    finnish: ['suomi'],
    french: ['français', 'francais'],
    german: ['deutsch'],
    hungarian: ['magyar'],
    italian: ['italiano'],
    norwegian: ['norsk'],
    portuguese: ['português', 'portugues'],
    romanian: ['română', 'romana'],
    spanish: ['español', 'espanol'],
    swedish: ['svenska'],
    turkish: ['türkçe', 'turkce'],
  }).flatMap(([name, others]) => others.map(other => [plain(other), [name]] as const)),
)
ours.set('page', ['offset', 'limit'])
ours.set('queryby', ['fields', 'interpretedFields'])
// The setting, or its member.
ours.set('numtypos', ['typoTolerance', 'edits'])
ours.set('disabletypotoleranceonattributes', ['typoTolerance', 'disableOnFields'])
ours.set('disabletypotoleranceonwords', ['typoTolerance', 'disableOnWords'])
// Over HTTP some have older names.
ours.set('limit', ['count'])
for (const name of ours.keys())
  if (ours.get(name)![0] === 'responseFields') ours.set(name, ['responseFields', 'responseFieldList'])
ours.set('responsefields', ['responseFieldList'])

/** ` (here it is operator)`, or nothing. @param members the known members */
export function nameHere(name: string, members: readonly string[]): string {
  const names = ours.get(plain(name)) ?? []
  const there = members.filter(member => names.some(one => one.toLowerCase() === member.toLowerCase()))
  return there.length === 0 ? '' : ` (here it is ${there.join(' and ')})`
}
