import { pickFields } from '../../datasets/field-list.ts'
import { readDocuments } from '../../datasets/stored-documents.ts'
import { MatchSet } from '../../fulltext/ranking/match-set.ts'
import { isSelected } from '../../fulltext/ranking/selection.ts'
import type { JsonObject } from '../../json.ts'
import { inFields } from '../../query/in-fields.ts'
import { parseQuery } from '../../query/parser.ts'
import { everything, type Query } from '../../query/query.ts'
import { askFiltered, filterFields, filterFor } from '../../search/condition.ts'
import { idAt } from '../../search/match-list.ts'
import { Ordering, orderKeys } from '../../search/order.ts'
import { queryScores } from '../../search/query-scores.ts'
import { readSearch } from '../../search/read.ts'
import { type Searchable, searchWithin } from '../../search/search.ts'
import { fieldWeights } from './checking.ts'
import { conditionsOf, surfacesOf } from './conditions.ts'
import type { RequestSettings } from './merging.ts'

/** A document that was found, whole and as it is shown. */
export interface FoundDocument {
  readonly id: string
  readonly score: number
  readonly stored: JsonObject
  readonly document: JsonObject
}

export interface Found {
  readonly hits: readonly FoundDocument[]
  readonly total: number
}

interface Chosen {
  readonly best: readonly Omit<FoundDocument, 'stored'>[]
  readonly total: number
}

/** The documents for a text, best first or in the order asked for. */
export async function match(dataset: Searchable, text: string, settings: RequestSettings): Promise<Found> {
  const { type, limit, responseFields } = settings.search
  if (limit === 0) return { hits: [], total: 0 }
  const find = type === 'match' ? byWords : byQuery
  const { best, total } = await find(dataset, text, settings)
  const hits = best.map(({ id, score, document }) => {
    return { id, score, stored: document, document: pickFields(document, responseFields) }
  })
  return { hits, total }
}

async function byWords(dataset: Searchable, text: string, settings: RequestSettings): Promise<Chosen> {
  const { state, documents } = dataset
  const { operator, typoTolerance, limit, fields } = settings.search
  const weights = fieldWeights(fields, state)
  const options = {
    operator,
    limit,
    typoTolerance: typoTolerance === 'auto' ? 2 : typoTolerance,
    fields: weights,
    sort: sortOf(settings),
    total: 'exact',
  }
  const request = readSearch(text, options, state, documents.clock())
  // Without typos, other forms of words do not count either.
  const surfaces: Query =
    typoTolerance === 0 ? surfacesOf(text, state, { operator, fields: searchedIn(weights) }) : everything
  const conditions = conditionsOf(settings, dataset, surfaces)
  const { hits, total } = await searchWithin<JsonObject>(
    dataset,
    request,
    conditions.condition,
    conditions.weights,
  )
  return {
    best: hits.map(({ id, score, document }) => ({ id, score, document: document! })),
    total: total.count,
  }
}

const sortOf = ({ search: { order } }: RequestSettings) =>
  order ? [`${order.field}:${order.direction}`] : undefined

const searchedIn = (weights: Readonly<Record<string, number>>): string[] =>
  Object.keys(weights).filter(name => weights[name]! > 0)

/** The documents that a query string means; they rank by those of its words that they have. */
async function byQuery(dataset: Searchable, text: string, settings: RequestSettings): Promise<Chosen> {
  const { state, index, documents } = dataset
  const { operator, limit } = settings.search
  const fields = filterFields(state)
  const weights = fieldWeights(settings.search.fields, state)
  const searched = searchedIn(weights)
  const { interpretedFields } = state.settings
  const query = parseQuery(text, fields.query, { operator, what: 'text' })
  const where = searched.length === interpretedFields.length ? query : inFields(query, searched)
  const conditions = conditionsOf(settings, dataset, where)
  const keys = orderKeys(sortOf(settings), fields, state.schema)
  const ordering = new Ordering(keys)
  const filter = filterFor(conditions.condition, [], fields, dataset)
  const found = await askFiltered(
    index,
    documents,
    [filter, ...conditions.weights.map(({ filter }) => filter)],
    (whole, [selection, ...weighed]) => {
      const segments = [...whole.state.segments]
      const matches = MatchSet.selected(segments, selection)
      const given = interpretedFields.map(name => weights[name]!)
      const scores = queryScores(query, whole, selection, state.settings, given)
      if (conditions.weights.length > 0)
        for (const document of matches.documents())
          for (const [i, { value }] of conditions.weights.entries())
            if (isSelected(document, weighed[i])) scores.add(value, document)
      const page = (keys.length > 0 ? ordering.of(segments) : scores).first(matches, limit)
      const hits = page.map(document => ({ id: idAt(segments, document), score: scores.of(document) }))
      return { hits, total: matches.size }
    },
    [ordering],
  )
  const ids = found.hits.map(({ id }) => id)
  const stored = await readDocuments(documents, ids)
  const best = found.hits.flatMap((hit, i) => (stored[i] ? [{ ...hit, document: stored[i] }] : []))
  return { best, total: found.total }
}
