/** A search as InstantSearch requests it, or a search for facet values by typed text (`type: 'facet'`). */
export interface InstantRequest {
  readonly indexName: string
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly query?: string | undefined
  readonly type?: 'default' | 'facet' | undefined
  /** With `type: 'facet'`. */
  readonly facet?: string | undefined
  readonly facetQuery?: string | undefined
  readonly [member: string]: unknown
}

/** A validated request. Members that were left out have the defaults of InstantSearch. */
export interface Asked {
  readonly indexName: string
  query: string
  page: number
  hitsPerPage: number
  /** Replace page and hitsPerPage. */
  offset: number | undefined
  length: number | undefined
  facets: readonly string[]
  mostValues: number
  valuesBy: 'Count' | 'Value'
  /** Conditions as query strings, all of which must hold. */
  conditions: string[]
  facetFilters: readonly (readonly string[])[]
  /** Latitude and longitude, which order the hits by their distance. */
  around: readonly number[] | undefined
  /** Meters around it. */
  radius: number | undefined
  /** Each the numbers of two opposite corners. */
  boxes: readonly number[][]
  /** Each the numbers of its corners. */
  polygons: readonly number[][]
  /** `*` for all. */
  retrieved: readonly string[]
  highlighted: readonly string[]
  /** Number of words by field; `*` for fields that are not named. */
  snippets: ReadonlyMap<string, number>
  marks: readonly [before: string, behind: string]
  ellipsis: string
  /** Whether only texts with matches are shown of a list. */
  onlyMarked: boolean
  facetName: string
  facetQuery: string
  mostFacetHits: number
  /** Members of a search of this API that the request sets. */
  search: {
    prefix?: boolean
    typoTolerance?: number
    exclusion?: boolean
    fields?: readonly string[]
    curations?: boolean
    relax?: boolean
    synonyms?: boolean
    user?: string
    tags?: readonly string[]
    analytics?: boolean
  }
}

export function nothingAsked(indexName: string): Asked {
  return {
    indexName,
    query: '',
    page: 0,
    hitsPerPage: 20,
    offset: undefined,
    length: undefined,
    facets: [],
    mostValues: 100,
    valuesBy: 'Count',
    conditions: [],
    facetFilters: [],
    around: undefined,
    radius: undefined,
    boxes: [],
    polygons: [],
    retrieved: ['*'],
    highlighted: ['*'],
    snippets: new Map(),
    marks: ['<em>', '</em>'],
    ellipsis: '…',
    onlyMarked: false,
    facetName: '',
    facetQuery: '',
    mostFacetHits: 10,
    search: {},
  }
}

export const refused = (name: string, why: string): TypeError =>
  new TypeError(`${name} of a request of InstantSearch: ${why}.`)
