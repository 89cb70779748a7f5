import { numberLists } from './areas.ts'
import { numericCondition } from './conditions.ts'
import { type Asked, type InstantRequest, nothingAsked, refused } from './request.ts'

type Read = (value: unknown, asked: Asked, name: string) => void

/**
 * Members of a request that are read. Each takes effect, or the request is refused: nothing is ignored that could change the
 * answer.
 */
export const readMembers: Readonly<Record<string, Read>> = {
  query: (value, asked, name) => {
    asked.query = textOf(value, name)
  },
  page: (value, asked, name) => {
    asked.page = countOf(value, name)
  },
  hitsPerPage: (value, asked, name) => {
    asked.hitsPerPage = countOf(value, name)
  },
  offset: (value, asked, name) => {
    asked.offset = countOf(value, name)
  },
  length: (value, asked, name) => {
    asked.length = countOf(value, name)
  },
  facets: (value, asked, name) => {
    asked.facets = listOf(value, name)
  },
  maxValuesPerFacet: (value, asked, name) => {
    asked.mostValues = countOf(value, name)
  },
  sortFacetValuesBy: (value, asked, name) => {
    asked.valuesBy = oneOf({ count: 'Count', alpha: 'Value' } as const, value, name)
  },
  filters: (value, asked, name) => {
    const condition = textOf(value, name)
    if (condition.trim() !== '') asked.conditions.push(condition)
  },
  facetFilters: (value, asked, name) => {
    asked.facetFilters = alternativesOf(value, name)
  },
  numericFilters: (value, asked, name) => {
    for (const some of alternativesOf(value, name))
      asked.conditions.push(some.map(filter => numericCondition(filter, name)).join(' OR '))
  },
  aroundLatLng: (value, asked, name) => {
    if (value === '') return
    const [numbers = [], ...others] = numberLists(value, name)
    if (numbers.length !== 2 || others.length > 0)
      throw refused(name, 'expected a latitude and a longitude, such as 52.5, 13.4')
    asked.around = numbers
  },
  aroundRadius: (value, asked, name) => {
    if (value !== 'all') asked.radius = countOf(value, name)
  },
  insideBoundingBox: (value, asked, name) => {
    if (value !== '') asked.boxes = numberLists(value, name)
  },
  insidePolygon: (value, asked, name) => {
    if (value !== '') asked.polygons = numberLists(value, name)
  },
  aroundLatLngViaIP: (value, _, name) => {
    if (truthOf(value, name)) throw refused(name, 'give `aroundLatLng` instead')
  },
  attributesToRetrieve: (value, asked, name) => {
    asked.retrieved = listOf(value, name)
  },
  attributesToHighlight: (value, asked, name) => {
    asked.highlighted = listOf(value, name)
  },
  attributesToSnippet: (value, asked, name) => {
    asked.snippets = new Map(listOf(value, name).map(field => snippetOf(field, name)))
  },
  highlightPreTag: (value, asked, name) => {
    asked.marks = [textOf(value, name), asked.marks[1]]
  },
  highlightPostTag: (value, asked, name) => {
    asked.marks = [asked.marks[0], textOf(value, name)]
  },
  snippetEllipsisText: (value, asked, name) => {
    asked.ellipsis = textOf(value, name)
  },
  restrictHighlightAndSnippetArrays: (value, asked, name) => {
    asked.onlyMarked = truthOf(value, name)
  },
  restrictSearchableAttributes: (value, asked, name) => {
    const fields = listOf(value, name)
    if (fields.length > 0) asked.search.fields = fields
  },
  facetName: (value, asked, name) => {
    asked.facetName = textOf(value, name)
  },
  facetQuery: (value, asked, name) => {
    asked.facetQuery = textOf(value, name)
  },
  maxFacetHits: (value, asked, name) => {
    asked.mostFacetHits = countOf(value, name)
  },
  queryType: (value, asked, name) => {
    asked.search.prefix = oneOf({ prefixLast: true, prefixNone: false }, value, name)
  },
  typoTolerance: (value, asked, name) => {
    asked.search.typoTolerance = oneOf({ true: 2, false: 0 }, String(value), name)
  },
  advancedSyntax: (value, asked, name) => {
    asked.search.exclusion = truthOf(value, name)
  },
  enableRules: (value, asked, name) => {
    asked.search.curations = truthOf(value, name)
  },
  synonyms: (value, asked, name) => {
    asked.search.synonyms = truthOf(value, name)
  },
  removeWordsIfNoResults: (value, asked, name) => {
    asked.search.relax = oneOf({ none: false, allOptional: true }, value, name)
  },
  responseFields: (value, _, name) => {
    const fields = listOf(value, name)
    if (fields.length !== 1 || fields[0] !== '*')
      throw refused(name, 'answers always have all members: only ["*"] is supported')
  },
  analytics: (value, asked, name) => {
    asked.search.analytics = truthOf(value, name)
  },
  analyticsTags: (value, asked, name) => {
    const tags = listOf(value, name)
    if (tags.length > 0) asked.search.tags = tags
  },
  userToken: (value, asked, name) => {
    const user = textOf(value, name)
    if (user !== '') asked.search.user = user
  },
  // These change no answer, whatever their values: every answer has a queryID if there are analytics.
  percentileComputation: (value, _, name) => void truthOf(value, name),
  clickAnalytics: (value, _, name) => void truthOf(value, name),
  enablePersonalization: (value, _, name) => {
    if (truthOf(value, name)) throw refused(name, 'personalization is not supported')
  },
  getRankingInfo: (value, _, name) => {
    if (truthOf(value, name)) throw refused(name, 'use `explain` of the search client itself instead')
  },
}

/** What a request asks for. @throws TypeError that names a member that is not supported, or has an invalid value */
export function readRequest({ indexName, params = {}, type, ...others }: InstantRequest): Asked {
  if (typeof indexName !== 'string' || indexName === '')
    throw refused('indexName', 'expected the name of an index')
  const asked = nothingAsked(indexName)
  for (const [name, value] of Object.entries({ ...params, ...others })) {
    if (value === undefined || value === null) continue
    if (type === 'facet' && name === 'facet') asked.facetName = textOf(value, name)
    else {
      if (!Object.hasOwn(readMembers, name)) throw refused(name, 'it is not supported')
      readMembers[name]!(value, asked, name)
    }
  }
  return asked
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw refused(name, `expected a text, received ${typeof value}`)
  return value
}

function countOf(value: unknown, name: string): number {
  const count = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0)
    throw refused(name, `expected a whole number from 0 on, received ${String(value).slice(0, 50)}`)
  return count
}

function truthOf(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw refused(name, `expected true or false, received ${typeof value}`)
  return value
}

function listOf(value: unknown, name: string): string[] {
  const list = typeof value === 'string' ? [value] : value
  if (!Array.isArray(list) || !list.every(one => typeof one === 'string'))
    throw refused(name, 'expected a list of texts')
  return list
}

function oneOf<T>(choices: Readonly<Record<string, T>>, value: unknown, name: string): T {
  if (typeof value === 'string' && Object.hasOwn(choices, value)) return choices[value]!
  const known = Object.keys(choices).join(', ')
  throw refused(name, `expected one of ${known}, received ${String(value).slice(0, 50)}`)
}

/** All elements of the list must hold; a list within the list has alternatives. A text is a list with one element. */
function alternativesOf(value: unknown, name: string): string[][] {
  const all = typeof value === 'string' ? [value] : value
  if (!Array.isArray(all)) throw refused(name, 'expected a list of texts and of lists of texts')
  return all.map(one => listOf(one, name)).filter(some => some.length > 0)
}

const defaultWords = 10

function snippetOf(field: string, name: string): [field: string, words: number] {
  const at = field.lastIndexOf(':')
  if (at < 0) return [field, defaultWords]
  return [field.slice(0, at), countOf(field.slice(at + 1), name)]
}
