import type { Facet, SearchResult } from '../api/models.ts'
import type { TagPaths } from './hierarchies.ts'
import { type Marked, markedFields, snippetOf, withMarks } from './marked-fields.ts'
import type { CountedLevel, Plan } from './plan.ts'
import type { Asked } from './request.ts'
import { partsOf } from './words-of.ts'

export interface InstantHit {
  readonly objectID: string
  readonly _highlightResult?: { readonly [name: string]: Marked }
  readonly _snippetResult?: { readonly [name: string]: Marked }
  readonly [field: string]: unknown
}

/** An answer as InstantSearch expects it. */
export interface InstantAnswer {
  readonly index: string
  /** For insights, if the server keeps analytics. */
  readonly queryID?: string
  readonly hits: readonly InstantHit[]
  readonly nbHits: number
  readonly page: number
  readonly nbPages: number
  readonly hitsPerPage: number
  readonly offset?: number
  readonly length?: number
  readonly facets: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly facets_stats: Readonly<
    Record<string, { readonly min: number; readonly max: number; readonly avg: number; readonly sum: number }>
  >
  readonly exhaustiveNbHits: boolean
  readonly exhaustiveFacetsCount: true
  readonly query: string
  /** The query without dropped words, if any were dropped. */
  readonly queryAfterRemoval?: string
  readonly params: string
  readonly processingTimeMS: number
  /** Further results of the search: how words were understood, and which were dropped. */
  readonly findling: Pick<SearchResult, 'words' | 'relaxed'>
}

export interface InstantFacetAnswer {
  readonly facetHits: readonly {
    readonly value: string
    readonly highlighted: string
    readonly count: number
  }[]
  readonly exhaustiveFacetsCount: true
  readonly processingTimeMS: number
}

interface Answered {
  readonly plan: Plan
  /** One for each search of the plan. */
  readonly results: readonly SearchResult[]
  readonly paths: TagPaths
  /** Maximum number of hits that can be reached by paging. */
  readonly mostHits: number
  readonly milliseconds: number
}

export function answerOf({ plan, results, paths, mostHits, milliseconds }: Answered): InstantAnswer {
  const { asked } = plan
  const [found] = results
  const { hits, total, words, relaxed = [], queryId } = found!
  const { page, hitsPerPage, offset, length } = asked
  const pages = hitsPerPage === 0 ? 0 : Math.ceil(Math.min(total.count, mostHits) / hitsPerPage)
  return {
    index: asked.indexName,
    ...(queryId !== undefined && { queryID: queryId }),
    hits: hits.map(hit => hitOf(hit, asked, words.length)),
    nbHits: total.count,
    page,
    nbPages: pages,
    hitsPerPage,
    ...(offset !== undefined && { offset }),
    ...(length !== undefined && { length }),
    ...facetsOf(plan, results, paths),
    exhaustiveNbHits: total.exact,
    exhaustiveFacetsCount: true,
    query: asked.query,
    ...(relaxed.length > 0 && { queryAfterRemoval: queryWithout(asked.query, relaxed) }),
    params: String(
      new URLSearchParams({ query: asked.query, hitsPerPage: `${hitsPerPage}`, page: `${page}` }),
    ),
    processingTimeMS: milliseconds,
    findling: { words, ...(relaxed.length > 0 && { relaxed }) },
  }
}

type Found = Pick<SearchResult['hits'][number], 'id' | 'document' | 'highlights'>

export function hitOf(
  { id, document = {}, highlights = {} }: Found,
  asked: Asked,
  words: number,
): InstantHit {
  const { marks, snippets, ellipsis, onlyMarked } = asked
  const marking = {
    highlights,
    marks,
    words,
    onlyMarked,
  }
  const highlighted = fieldsOf(asked.highlighted)
  const snipped = fieldsOf([...snippets.keys()])
  return {
    ...shown(document, asked.retrieved),
    objectID: id,
    ...(highlighted && {
      _highlightResult: markedFields(document, highlighted, marking, (text, ranges) =>
        withMarks(text, ranges, marks),
      ),
    }),
    ...(snipped && {
      _snippetResult: markedFields(document, snipped, marking, (text, ranges, path) =>
        snippetOf(text, ranges, snippets.get(path) ?? snippets.get('*') ?? 0, marks, ellipsis),
      ),
    }),
  }
}

/** Tests whether a path is one of the fields, or below one. Undefined if there are no fields. */
function fieldsOf(fields: readonly string[]): ((path: string) => boolean) | undefined {
  if (fields.length === 0) return undefined
  if (fields.includes('*')) return () => true
  const known = new Set(fields)
  return path => {
    for (let at = path.length; at > 0; at = path.lastIndexOf('.', at - 1))
      if (known.has(path.slice(0, at))) return true
    return false
  }
}

/** The requested top-level members; marked fields are always included. */
function shown(document: object, retrieved: readonly string[]): object {
  const left = new Set(retrieved.filter(field => field.startsWith('-')).map(field => field.slice(1)))
  const wanted = new Set(retrieved.filter(field => !field.startsWith('-')).map(field => field.split('.')[0]))
  const takesAll = wanted.has('*') || (wanted.size === 0 && left.size > 0)
  return Object.fromEntries(
    Object.entries(document).filter(([name]) => (takesAll || wanted.has(name)) && !left.has(name)),
  )
}

function facetsOf(
  { asked, dataset, levels, emptyLevels }: Plan,
  results: readonly SearchResult[],
  paths: TagPaths,
) {
  const counts: [string, Record<string, number>][] = emptyLevels.map(facet => [facet, {}])
  const stats: [string, InstantAnswer['facets_stats'][string]][] = []
  const ofTags = new Set(levels.flatMap(level => (level ? [level.level.field] : [])))
  for (const [field, facet] of Object.entries(results[0]!.facets ?? {})) {
    if (ofTags.has(field) && !asked.facets.includes(field)) continue
    counts.push([field, countsOf(facet)])
    const { min, max, avg, sum, count = 0 } = facet.stats ?? {}
    if (typeof min === 'number' && typeof max === 'number' && typeof avg === 'number')
      stats.push([field, { min, max, avg, sum: sum ?? avg * count }])
  }
  for (const [i, level] of levels.entries()) {
    const facet = level && results[i]?.facets?.[level.level.field]
    if (facet) counts.push([level.facet, pathCounts(facet, level, dataset, paths)])
  }
  return { facets: Object.fromEntries(counts), facets_stats: Object.fromEntries(stats) }
}

const countsOf = ({ values }: Facet): Record<string, number> => Object.fromEntries(textCounts(values))

/** A number and its text are one value here, as both are found by it. */
function textCounts(values: Facet['values']): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { value, count } of values) counts.set(String(value), (counts.get(String(value)) ?? 0) + count)
  return counts
}

function pathCounts({ values }: Facet, { level, path }: CountedLevel, dataset: string, paths: TagPaths) {
  const named = values.map(({ value, name = String(value), count }) => ({ id: String(value), name, count }))
  paths.learn(
    dataset,
    level.field,
    path,
    named.map(({ name, id }) => [name, id] as const),
  )
  return Object.fromEntries(named.map(({ name, count }) => [[...path, name].join(level.separator), count]))
}

function queryWithout(query: string, words: readonly string[]): string {
  const dropped = new Set(words)
  return query
    .split(/\s/u)
    .filter(word => !dropped.has(word.toLowerCase()))
    .join(' ')
}

export function facetAnswerOf(
  { facetName, facetQuery, marks }: Asked,
  { facets }: SearchResult,
  milliseconds: number,
): InstantFacetAnswer {
  const values = facets?.[facetName]?.values ?? []
  return {
    facetHits: Array.from(textCounts(values), ([value, count]) => ({
      value,
      highlighted: withMarks(value, begunWords(value, facetQuery), marks),
      count,
    })),
    exhaustiveFacetsCount: true,
    processingTimeMS: milliseconds,
  }
}

/** Ranges in which words of a value begin with words of a text. */
function begunWords(value: string, typed: string): { start: number; end: number }[] {
  const begun = typed.toLowerCase().split(/\s/u).filter(Boolean)
  const ranges: { start: number; end: number }[] = []
  for (const [text, start] of partsOf(value)) {
    const word = text.toLowerCase()
    const longest = begun.reduce(
      (most, one) => (word.startsWith(one) && one.length > most ? one.length : most),
      0,
    )
    if (longest > 0) ranges.push({ start, end: start + Math.min(longest, text.length) })
  }
  return ranges
}
