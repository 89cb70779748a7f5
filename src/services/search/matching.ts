import { pickFields } from '../../datasets/field-list.ts'
import { readDocuments } from '../../datasets/stored-documents.ts'
import type { FulltextIndex } from '../../fulltext/fulltext-index.ts'
import { isSelected, type Selection } from '../../fulltext/ranking/selection.ts'
import type { JsonObject } from '../../json.ts'
import { inFields } from '../../query/in-fields.ts'
import { parseQuery } from '../../query/parser.ts'
import { everything, type Query } from '../../query/query.ts'
import { filterFields } from '../../search/condition.ts'
import { inOrder } from '../../search/in-order.ts'
import { orderKeys } from '../../search/list.ts'
import { idAt, Scores, selectedDocuments } from '../../search/match-list.ts'
import { Pages } from '../../search/pages.ts'
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

interface Candidate {
  readonly id: string
  readonly score: number
  readonly document: JsonObject
}

interface Chosen {
  readonly best: readonly Candidate[]
  readonly total: number
}

/** The documents for a text, best first or in the order asked for. */
export async function match(dataset: Searchable, text: string, settings: RequestSettings): Promise<Found> {
  const { type, limit, order, responseFields } = settings.search
  if (limit === 0) return { hits: [], total: 0 }
  const { best, total } = await (type === 'match' && !order
    ? bestOf(dataset, text, settings)
    : listed(dataset, text, settings))
  const hits = best.map(({ id, score, document }) => {
    return { id, score, stored: document, document: pickFields(document, responseFields) }
  })
  return { hits, total }
}

async function bestOf(dataset: Searchable, text: string, settings: RequestSettings): Promise<Chosen> {
  const { filter, weights } = conditionsOf(settings, dataset, surfaces(dataset, text, settings))
  const request = asked(dataset, text, settings)
  const { hits, total } = await searchWithin<JsonObject>(dataset, request, filter, weights)
  return {
    best: hits.map(({ id, score, document }) => ({ id, score, document: document! })),
    total: total.count,
  }
}

const asked = ({ state, documents }: Searchable, text: string, { search }: RequestSettings) =>
  readSearch(
    text,
    {
      limit: search.limit,
      operator: search.operator,
      typoTolerance: search.typoTolerance === 'auto' ? 2 : search.typoTolerance,
      fields: fieldWeights(search.fields, state),
      total: 'exact',
    },
    state,
    documents.clock(),
  )

/** Without typos, other forms of words do not count either. */
function surfaces({ state }: Searchable, text: string, { search }: RequestSettings): Query {
  if (search.typoTolerance !== 0) return everything
  const fields = searchedIn(fieldWeights(search.fields, state))
  return surfacesOf(text, state, { operator: search.operator, fields })
}

const searchedIn = (weights: Readonly<Record<string, number>>): string[] =>
  Object.keys(weights).filter(name => weights[name]! > 0)

/** In an order, or by a query string: they rank by those of its words that they have. */
async function listed(dataset: Searchable, text: string, settings: RequestSettings): Promise<Chosen> {
  const { state, documents } = dataset
  const { type, limit, order } = settings.search
  const query = type === 'query' ? readText(dataset, text, settings) : undefined
  const { filter, weights } = conditionsOf(
    settings,
    dataset,
    query?.where ?? surfaces(dataset, text, settings),
  )
  const sort = order ? [`${order.field}:${order.direction}`] : undefined
  const found = await inOrder(dataset, {
    filters: [filter, ...weights.map(({ filter }) => filter)],
    keys: orderKeys(sort, filterFields(state), state.schema),
    matchesOf(whole, [selection, ...weighed]) {
      const segments = [...whole.state.segments]
      const scores = query
        ? query.score(whole, selection)
        : textScores(dataset, text, settings, whole, selection)
      const matching = query
        ? selectedDocuments(segments, selection)
        : Uint32Array.from(scores.byDocument.keys()).sort()
      if (!order)
        for (const [i, { value }] of weights.entries())
          for (const document of matching) if (isSelected(document, weighed[i])) scores.add(document, value)
      return { segments, documents: matching, scores: scores.byDocument }
    },
    take({ matches: { segments, documents, scores }, compare }) {
      const page = new Pages(documents, compare).next(limit)
      const ids = page.map(document => ({
        id: idAt(segments, document),
        // With an order it says nothing.
        score: order ? 0 : (scores?.get(document) ?? 0),
      }))
      return { ids, total: documents.length }
    },
  })
  const stored = await readDocuments(
    documents,
    found.ids.map(({ id }) => id),
  )
  const best = found.ids.flatMap((one, i) => (stored[i] ? [{ ...one, document: stored[i] }] : []))
  return { best, total: found.total }
}

/** A text that is a query string, over the fields that are searched. */
function readText({ state }: Searchable, text: string, { search }: RequestSettings) {
  const { operator, fields } = search
  const weights = fieldWeights(fields, state)
  const searched = searchedIn(weights)
  const query = parseQuery(text, filterFields(state).query, { operator, what: 'text' })
  const { settings } = state
  const given = settings.interpretedFields.map(name => weights[name]!)
  return {
    where: searched.length === given.length ? query : inFields(query, searched),
    score: (whole: FulltextIndex, selection: Selection | undefined) =>
      queryScores(query, whole, selection, settings, given),
  }
}

function textScores(
  dataset: Searchable,
  text: string,
  settings: RequestSettings,
  whole: FulltextIndex,
  selection: Selection | undefined,
): Scores {
  const scores = new Scores()
  const { query, matching } = asked(dataset, text, settings)
  whole.visit(query, { ...matching, selection }, scores)
  return scores
}
