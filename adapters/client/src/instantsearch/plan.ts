import type { FacetRequest, SearchRequest } from '../api/models.ts'
import type { PartialSearch } from '../dataset-search.ts'
import { areaConditions } from './areas.ts'
import { fieldText, valueCondition } from './conditions.ts'
import { type Hierarchy, type Level, levelOf, type TagPaths } from './hierarchies.ts'
import { type Asked, refused } from './request.ts'

/** What an index of InstantSearch stands for. */
export interface InstantIndex {
  readonly dataset: string
  /** The order of its hits, as in a search. Default: by score. */
  readonly sort?: readonly string[] | undefined
}

/** Options of every search in addition to those of the widgets. */
export interface SearchDefaults
  extends Pick<
    SearchRequest,
    | 'operator'
    | 'typoTolerance'
    | 'exclusion'
    | 'prefix'
    | 'fields'
    | 'signals'
    | 'total'
    | 'synonyms'
    | 'stopWords'
    | 'curations'
    | 'pinned'
    | 'hidden'
    | 'groupBy'
    | 'groupLimit'
    | 'relax'
  > {
  /** A condition that every hit meets. */
  readonly filter?: string | undefined
}

export interface Surroundings {
  readonly indexes: Readonly<Record<string, InstantIndex>>
  readonly hierarchies: Readonly<Record<string, Hierarchy>>
  /** The field of points. */
  readonly points: string
  /** What `facets: ['*']` stands for. */
  readonly facets: readonly string[] | undefined
  /** Further options of every search. */
  readonly search: SearchDefaults
  /** Maximum number of hits that can be reached by paging. */
  readonly mostHits: number
  readonly paths: TagPaths
}

/** A level of tags to count, and the path below which it lies. */
export interface CountedLevel {
  readonly facet: string
  readonly level: Level
  readonly path: readonly string[]
}

interface PlannedFilter {
  readonly query: string
  /** Tags, of which a hit has one, or one below it. */
  readonly tagIdList?: readonly string[]
}

/** The searches that answer one request: the first has the hits, further ones count levels that do not fit into it. */
export interface Plan {
  readonly asked: Asked
  readonly searches: readonly PartialSearch[]
  readonly dataset: string
  /** What every hit has to meet. */
  readonly filter: PlannedFilter
  /** By the index of the search. */
  readonly levels: readonly (CountedLevel | undefined)[]
  /** Facets without values, because no tag is chosen above them. */
  readonly emptyLevels: readonly string[]
}

const order = '/sort/'

/** `products`, or `products/sort/price:asc,title:desc`. */
function indexOf(
  name: string,
  indexes: Surroundings['indexes'],
): Pick<PartialSearch, 'sort'> & { dataset: string } {
  if (Object.hasOwn(indexes, name)) return indexes[name]!
  const at = name.indexOf(order)
  if (at < 0) return { dataset: name }
  return { dataset: name.slice(0, at), sort: name.slice(at + order.length) }
}

/** A filter that matches no document. */
const nothing = 'NOT *:*'

export async function planOf(asked: Asked, around: Surroundings): Promise<Plan> {
  const { dataset, sort } = indexOf(asked.indexName, around.indexes)
  const { tags, chosen, conditions } = await refinementsOf(asked, dataset, around)
  const filter: PlannedFilter = {
    query: [...conditions, ...(around.search.filter ? [around.search.filter] : [])]
      .map(one => `(${one})`)
      .join(' AND '),
    ...(tags && { tagIdList: tags }),
  }
  const base: PartialSearch = {
    ...around.search,
    ...asked.search,
    dataSet: dataset,
    text: asked.query,
    filter,
    ...(tags && { tagsBelow: true }),
    ...(sort ? { sort } : asked.around && { sort: [`${around.points}(${asked.around.join(', ')})`] }),
  }
  const { fields, counted, emptyLevels } = await facetsOf(asked, dataset, chosen, around)
  const [first, ...others] = counted
  const facetsWith = (level: CountedLevel & { parent: string | null }): FacetRequest => ({
    field: level.level.field,
    parent: level.parent,
    limit: asked.mostValues,
    sort: asked.valuesBy,
  })
  const facets = [...fields, ...(first ? [facetsWith(first)] : [])]
  return {
    asked,
    dataset,
    filter,
    emptyLevels,
    levels: [first, ...others],
    searches: [
      { ...base, ...pageOf(asked, around.mostHits), ...shownOf(asked), ...(facets.length > 0 && { facets }) },
      // One page view counts as one search, however many it takes.
      ...others.map(level => ({ ...base, analytics: false, limit: 0, facets: [facetsWith(level)] })),
    ],
  }
}

function pageOf(
  { page, hitsPerPage, offset, length }: Asked,
  mostHits: number,
): Pick<PartialSearch, 'limit' | 'offset'> {
  const isPage = offset === undefined && length === undefined
  const first = isPage ? page * hitsPerPage : (offset ?? 0)
  const limit = Math.min(length ?? hitsPerPage, mostHits - first)
  // A page in an address may be any number, and the server refuses high ones.
  return limit > 0 ? { limit, offset: first } : { limit: 0 }
}

/** Maximum length, in UTF-16 units, of texts that are marked as a whole. */
const longestMarked = 100_000

function shownOf({ retrieved, highlighted, snippets, hitsPerPage }: Asked): Partial<PartialSearch> {
  const marks = hitsPerPage > 0 && (highlighted.length > 0 || snippets.size > 0)
  const showsAll = retrieved.includes('*') && retrieved.length === 1
  return {
    ...(marks && { highlight: { snippet: longestMarked } }),
    // Texts have to be in the answer to be marked.
    ...(!showsAll && !marks && { responseFieldList: retrieved.length > 0 ? retrieved : ['-*'] }),
  }
}

interface Refinements {
  readonly tags: string[] | undefined
  /** By hierarchy, the chosen path. */
  readonly chosen: ReadonlyMap<string, readonly string[]>
  readonly conditions: readonly string[]
}

async function refinementsOf(asked: Asked, dataset: string, around: Surroundings): Promise<Refinements> {
  const conditions = [...asked.conditions, ...placesOf(asked, around.points)]
  const chosen = new Map<string, readonly string[]>()
  let tags: string[] | undefined
  for (const alternatives of asked.facetFilters) {
    const read = alternatives.map(text => refinementOf(text, around.hierarchies))
    if (!read.some(({ level }) => level)) {
      conditions.push(
        read
          .map(({ field, value, isNot }) => (isNot ? 'NOT ' : '') + valueCondition(field, value))
          .join(' OR '),
      )
      continue
    }
    if (read.some(({ level, isNot }) => !level || isNot))
      throw refused(
        'facetFilters',
        'levels of a hierarchy can be combined only with other levels, and cannot be excluded',
      )
    if (tags) throw refused('facetFilters', 'tags can be selected only in a single list of alternatives')
    tags = []
    for (const { level, value } of read) {
      const path = value.split(level!.separator)
      chosen.set(level!.hierarchy, path)
      const id = await around.paths.find(dataset, level!.field, path)
      if (id !== undefined) tags.push(id)
    }
    if (tags.length === 0) conditions.push(nothing)
  }
  return { tags: tags && tags.length > 0 ? tags : undefined, chosen, conditions }
}

/** Where hits may lie: in one of the areas or, if there are none, around a point. */
function placesOf({ around, radius, boxes, polygons }: Asked, points: string): string[] {
  const areas = areaConditions(points, boxes, polygons)
  if (areas.length > 0) return [areas.join(' OR ')]
  return around && radius !== undefined
    ? [`${fieldText(points)}:within(${[...around, radius].join(', ')})`]
    : []
}

function refinementOf(text: string, hierarchies: Surroundings['hierarchies']) {
  const at = text.indexOf(':')
  if (at <= 0) throw refused('facetFilters', `expected field:value, received ${text.slice(0, 100)}`)
  const field = text.slice(0, at)
  const value = text.slice(at + 1)
  const isNot = value.startsWith('-')
  const given = isNot ? value.slice(1) : value
  // A leading `\-` stands for a hyphen that is part of the value.
  const plain = given.startsWith('\\-') ? given.slice(1) : given
  return { field, value: plain, isNot, level: levelOf(field, hierarchies) }
}

async function facetsOf(
  asked: Asked,
  dataset: string,
  chosen: Refinements['chosen'],
  { hierarchies, facets, paths }: Surroundings,
) {
  const fields: FacetRequest[] = []
  const counted: (CountedLevel & { parent: string | null })[] = []
  const emptyLevels: string[] = []
  for (const facet of new Set(asked.facets.flatMap(name => (name === '*' ? everything(facets) : [name])))) {
    const level = levelOf(facet, hierarchies)
    if (!level) {
      fields.push({ field: facet, limit: asked.mostValues, sort: asked.valuesBy })
      continue
    }
    const path = chosen.get(level.hierarchy) ?? []
    const above = path.slice(0, level.depth)
    const parent = above.length < level.depth ? undefined : await parentOf(dataset, level, above, paths)
    if (parent === undefined) emptyLevels.push(facet)
    else counted.push({ facet, level, path: above, parent })
  }
  return { fields, counted, emptyLevels }
}

const parentOf = async (
  dataset: string,
  { depth, field }: Level,
  path: readonly string[],
  paths: TagPaths,
): Promise<string | null | undefined> => (depth === 0 ? null : await paths.find(dataset, field, path))

function everything(facets: readonly string[] | undefined): readonly string[] {
  if (!facets) throw refused('facets', 'the fields for * are set by the option `facets` of this client')
  return facets
}
