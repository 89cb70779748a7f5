import { pickFields } from '../../datasets/field-list.ts'
import { recordIn } from '../../datasets/record.ts'
import type { DatasetState } from '../../datasets/state.ts'
import { allDocuments, readDocuments } from '../../datasets/stored-documents.ts'
import { type JsonObject, valueAt } from '../../json.ts'
import { parseQuery } from '../../query/parser.ts'
import { compileQuery } from '../../query/predicate.ts'
import { type Searchable, search } from '../../search/search.ts'
import { Stretch } from '../../stretch.ts'
import { fieldWeights } from './checking.ts'
import { compileConditions } from './conditions.ts'
import type { RequestSettings } from './merging.ts'
import { wordsOf } from './query-words.ts'

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

/** The most that one search of the index gives. */
const PAGE = 10_000
const READ = 500

/** The documents for a text, best first or in the order asked for. */
export async function match(dataset: Searchable, text: string, settings: RequestSettings): Promise<Found> {
  const { type, limit, order, responseFields } = settings.search
  if (limit === 0) return { hits: [], total: 0 }
  const isPlain = type === 'match' && !order && settings.filters.length === 0 && settings.weights.length === 0
  const { best, total } = await (isPlain
    ? bestOf(dataset, text, settings)
    : chosenOf(dataset, text, settings))
  const hits = best.map(({ id, score, document }) => {
    return { id, score, stored: document, document: pickFields(document, responseFields) }
  })
  return { hits, total }
}

interface Chosen {
  readonly best: readonly Candidate[]
  readonly total: number
}

async function bestOf(dataset: Searchable, text: string, settings: RequestSettings): Promise<Chosen> {
  const { limit } = settings.search
  const { hits, total } = await search<JsonObject>(() => dataset, text, {
    ...optionsOf(dataset, settings),
    limit,
    total: 'exact',
  })
  return {
    best: hits.map(({ id, score, document }) => ({ id, score, document: document! })),
    total: total.count,
  }
}

/** Looks at every document that matches. */
async function chosenOf(dataset: Searchable, text: string, settings: RequestSettings): Promise<Chosen> {
  const { state } = dataset
  const { type, limit, order } = settings.search
  const { matches, weight } = compileConditions(state, settings)
  const chosen: Candidate[] = []
  const candidates = type === 'query' ? byQuery(dataset, text, settings) : byWords(dataset, text, settings)
  for await (const { id, score, document } of candidates) {
    if (matches(document)) chosen.push({ id, score: score + weight(document), document })
  }
  const byScore = (a: Candidate, b: Candidate) => b.score - a.score || (a.id < b.id ? -1 : 1)
  chosen.sort(order ? inOrder(order, state, byScore) : byScore)
  return { best: chosen.slice(0, limit), total: chosen.length }
}

function optionsOf({ state }: Searchable, { search: { operator, typoTolerance, fields } }: RequestSettings) {
  return {
    operator,
    typoTolerance: typoTolerance === 'auto' ? (2 as const) : typoTolerance,
    fields: fieldWeights(fields, state),
  }
}

async function* byWords(
  dataset: Searchable,
  text: string,
  settings: RequestSettings,
): AsyncGenerator<Candidate> {
  const scores = await scoresOf(dataset, text, optionsOf(dataset, settings))
  const ids = [...scores.keys()]
  const stretch = new Stretch()
  for (let at = 0; at < ids.length; at += READ) {
    const some = ids.slice(at, at + READ)
    const documents = await readDocuments(dataset.documents, some)
    for (const [i, document] of documents.entries()) {
      if (stretch.isOver) await stretch.pause()
      if (document) yield { id: some[i]!, score: scores.get(some[i]!)!, document }
    }
  }
}

/** The documents that a query string means; they rank by those of its words that they have. */
async function* byQuery(
  dataset: Searchable,
  text: string,
  settings: RequestSettings,
): AsyncGenerator<Candidate> {
  const { state, documents } = dataset
  const { operator, fields } = settings.search
  const weights = fieldWeights(fields, state)
  const searched = Object.keys(weights).filter(name => weights[name]! > 0)
  const known = { ...state.queryFields, searched }
  const query = parseQuery(text, known, { operator, what: 'text' })
  const matches = compileQuery(query, known)
  const words = wordsOf(query).join(' ')
  const scores = await scoresOf(dataset, words, { operator: 'or', typoTolerance: 0, fields: weights })
  const stretch = new Stretch()
  for await (const batch of allDocuments(documents)) {
    for (const [id, payload] of batch) {
      if (stretch.isOver) await stretch.pause()
      const { document } = recordIn(payload)
      if (matches(document)) yield { id, score: scores.get(id) ?? 0, document }
    }
  }
}

/** Of all documents that match, best first. */
async function scoresOf(dataset: Searchable, text: string, options: object): Promise<Map<string, number>> {
  const scores = new Map<string, number>()
  for (let offset = 0; ; offset += PAGE) {
    const asked = { ...options, limit: PAGE, offset, documents: false }
    const { hits } = await search(() => dataset, text, asked)
    for (const { id, score } of hits) scores.set(id, score)
    if (hits.length < PAGE) return scores
  }
}

type Order = NonNullable<RequestSettings['search']['order']>

/** Documents without a value last, whatever the direction. */
function inOrder(
  { field, direction }: Order,
  { queryFields }: DatasetState,
  otherwise: (a: Candidate, b: Candidate) => number,
): (a: Candidate, b: Candidate) => number {
  const { time } = queryFields.find(field) ?? {}
  const keys = new WeakMap<Candidate, string | number | null>()
  const keyOf = (candidate: Candidate) => {
    let key = keys.get(candidate)
    if (key === undefined) {
      const value = valueAt(candidate.document, field)
      const read = time && (typeof value === 'string' || typeof value === 'number') ? time(value) : value
      key =
        typeof read === 'string' || typeof read === 'number'
          ? read
          : typeof read === 'boolean'
            ? Number(read)
            : null
      keys.set(candidate, key)
    }
    return key
  }
  const sign = direction === 'asc' ? 1 : -1
  return (a, b) => {
    const [one, other] = [keyOf(a), keyOf(b)]
    if (one === other) return otherwise(a, b)
    if (one === null || other === null) return one === null ? 1 : -1
    // Numbers before texts, where a field has both.
    if (typeof one !== typeof other) return typeof one === 'number' ? -sign : sign
    return one < other ? -sign : sign
  }
}
