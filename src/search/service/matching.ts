import { fieldPicker } from '../../datasets/field-list.ts'
import { readDocuments } from '../../datasets/stored-documents.ts'
import type { Facet } from '../../facets/facet.ts'
import { Filter } from '../../filters/filter.ts'
import type { FilterFields } from '../../filters/filter-fields.ts'
import { MatchSet } from '../../fulltext/matching/match-set.ts'
import { readQuery } from '../../fulltext/words/query-text.ts'
import type { MatchedWord } from '../../fulltext/words/slot.ts'
import {
  type FieldHighlight,
  highlightDocument,
  highlightScope,
} from '../../highlighting/document-highlights.ts'
import { markedWords } from '../../highlighting/query-words.ts'
import { WordFinder } from '../../highlighting/word-finder.ts'
import type { JsonObject } from '../../json.ts'
import { bounded } from '../../query/bounds.ts'
import { inFields } from '../../query/in-fields.ts'
import { readingQuery } from '../../query/parser.ts'
import { any, everything, type Query } from '../../query/query.ts'
import { wantedWords } from '../../query/wanted-words.ts'
import type { Deadline } from '../../scheduling/deadline.ts'
import { inStretches, Stretch } from '../../scheduling/stretch.ts'
import { askFiltered, filterFields } from '../condition.ts'
import { countedFacets } from '../counted-facets.ts'
import type { HitExplanation } from '../explanation.ts'
import { idAt } from '../match-list.ts'
import { Ordering, orderKeys } from '../order.ts'
import type { Choose, FoundHit } from '../present.ts'
import { queryScores } from '../query-scores.ts'
import { readSearch } from '../read.ts'
import { type Searchable, searchWithin, shownWord } from '../search.ts'
import { type Weight, WeightSums } from '../weights.ts'
import { refuseExplanation, refuseTooMuch, type SearchedFields, searchedFields } from './checking.ts'
import { readingConditions } from './conditions.ts'
import type { RequestSettings } from './merging.ts'
import { fieldsFor, type SearchWeight } from './settings.ts'
import { wordsAnywhere } from './words-anywhere.ts'

/** Why a document has its score: the score for the text, and the weights added to it. */
export interface ServiceExplanation extends HitExplanation {
  /** The weights that it matches: the sum of their values is part of the score. */
  weights: SearchWeight[]
}

/** A document that was found, as stored and as shown. */
export interface FoundDocument extends Chosen {
  readonly shown: JsonObject
}

/** A document that was found. */
interface Chosen {
  readonly id: string
  readonly score: number
  readonly document: JsonObject
  readonly highlights?: Record<string, FieldHighlight[]>
  readonly explanation?: ServiceExplanation
}

interface Found<Hit> {
  readonly hits: readonly Hit[]
  readonly total: number
  readonly facets?: Record<string, Facet> | undefined
  readonly relaxed?: readonly string[] | undefined
  /** How each word was understood; empty for a query string. */
  readonly words: readonly MatchedWord[]
}

/** What a search takes in addition to its settings. */
interface Manner {
  /** Chooses which of the documents that were found are shown. */
  readonly choose: Choose | undefined
  readonly deadline: Deadline | undefined
}

/** The documents for a text, best first or in the order asked for. */
export async function match(
  dataset: Searchable,
  text: string,
  settings: RequestSettings,
  manner: Manner,
): Promise<Found<FoundDocument>> {
  refuseTooMuch(settings.search)
  const { type, limit, facets } = settings.search
  if (limit === 0 && !facets?.length) return { hits: [], total: 0, words: [] }
  refuseExplanation(settings.search, dataset.state)
  const fields = searchedFields(fieldsFor(settings.search, dataset.state).fields, dataset.state)
  const find = type === 'query' ? byQuery : fields.others.size > 0 ? byWordsAnywhere : byWords
  const { hits, ...found } = await find(dataset, text, { ...settings, fields }, manner)
  const { responseFields } = fieldsFor(settings.search, dataset.state)
  const show = fieldPicker(responseFields)
  const shown = hits.map(hit => ({ ...hit, shown: show(hit.document) }))
  return { ...found, hits: shown }
}

interface Settings extends RequestSettings {
  readonly fields: SearchedFields
}

async function byWords(
  dataset: Searchable,
  text: string,
  settings: Settings,
  { choose, deadline }: Manner,
): Promise<Found<Chosen>> {
  const { state, documents } = dataset
  const { operator, typoTolerance, limit, facets, highlight, explain } = settings.search
  const { weights } = settings.fields
  const options = {
    operator,
    limit,
    typoTolerance: typosFor(typoTolerance),
    fields: weights,
    sort: sortOf(settings),
    total: 'exact',
    facets: facets?.length ? facets : undefined,
    highlight,
    explain,
  }
  const read = readSearch(text, options, state, documents.clock())
  // Without typos, other forms of words do not count either.
  const matching = { ...read.matching, isExact: typoTolerance === 0 }
  // A service answers texts: a text without a word finds nothing, not everything.
  const request = { ...read, matching, query: text, deadline }
  const { turn } = documents.store
  const reading = readingConditions(settings, dataset, everything)
  const { condition, weights: weighing } = await inStretches(reading, deadline, turn)
  const found = await searchWithin<JsonObject>(dataset, request, condition, {
    weights: weighing,
    choose,
  })
  const stretch = new Stretch(deadline, turn)
  const hits: Chosen[] = []
  for (const { explanation, ...hit } of found.hits) {
    if (stretch.isOver) await stretch.pause()
    const document = hit.document! // which is asked for
    if (!explanation) {
      hits.push({ ...hit, document })
      continue
    }
    const matching = await stretch.through(matchingWeights(settings.weights, weighing, document))
    hits.push({ ...hit, document, explanation: { ...explanation, weights: matching } })
  }
  return {
    hits,
    total: found.total.count,
    facets: found.facets,
    relaxed: found.relaxed,
    words: found.words,
  }
}

/** The weights that a document matches, piece by piece. */
function* matchingWeights(
  given: readonly SearchWeight[],
  weighing: readonly Weight[],
  document: JsonObject,
): Generator<void, SearchWeight[]> {
  const matching: SearchWeight[] = []
  for (const [i, { filter }] of weighing.entries()) {
    if (yield* filter.matches.deciding(document)) matching.push(given[i]!)
    yield
  }
  return matching
}

const typosFor = (typos: RequestSettings['search']['typoTolerance']) => (typos === 'auto' ? 2 : typos)

const sortOf = ({ search: { order } }: RequestSettings) =>
  order ? [`${order.field}:${order.direction}`] : undefined

const searchedIn = (weights: Readonly<Record<string, number>>): string[] =>
  Object.keys(weights).filter(name => weights[name]! > 0)

/** A query, and the words by which matches are scored. */
interface Asked {
  /** What documents must match. */
  readonly where: Query
  /** The words by which documents are ranked and highlighted. */
  readonly words: Query
}

/** The documents that match a query string, ranked by its words. */
async function byQuery(
  dataset: Searchable,
  text: string,
  settings: Settings,
  manner: Manner,
): Promise<Found<Chosen>> {
  const { state, documents } = dataset
  const { operator } = settings.search
  const read = readingQuery(text, state.queryFields, { operator, what: 'text' })
  const words = await inStretches(read, manner.deadline, documents.store.turn)
  const { weights, others } = settings.fields
  const searched = searchedIn(weights)
  const areAll = searched.length === state.settings.interpretedFields.length && others.size === 0
  const where = areAll ? words : inFields(words, [...searched, ...others.keys()])
  return await byTree(dataset, { words, where }, settings, manner)
}

/** The same for words that are also looked for in fields without an index of their words. */
async function byWordsAnywhere(
  dataset: Searchable,
  text: string,
  settings: Settings,
  manner: Manner,
): Promise<Found<Chosen>> {
  const { state, documents, index } = dataset
  const { operator, typoTolerance } = settings.search
  const { weights, others } = settings.fields
  const options = { operator, typoTolerance: typosFor(typoTolerance), fields: weights, limit: 0 }
  const { matching } = readSearch(text, options, state, documents.clock())
  const understood = await index.search(text, matching, manner.deadline)
  const asked = wordsAnywhere(readQuery(text, state.queryFields.analyzer), understood.words, {
    operator,
    isExact: typoTolerance === 0,
    searched: searchedIn(weights),
    others: [...others.keys()],
  })
  return { ...(await byTree(dataset, asked, settings, manner)), words: understood.words.map(shownWord) }
}

async function byTree(
  dataset: Searchable,
  { words, where }: Asked,
  settings: Settings,
  { choose, deadline }: Manner,
): Promise<Found<Chosen>> {
  const { state, index, documents } = dataset
  const { limit, facets, highlight = false } = settings.search
  const fields = filterFields(state)
  const { weights, others } = settings.fields
  const searched = searchedIn(weights)
  const { interpretedFields } = state.settings
  const { turn } = documents.store
  if (others.size > 0) bounded(where, fields.query, 'text', 'QUERY_INVALID')
  const conditions = await inStretches(readingConditions(settings, dataset, where), deadline, turn)
  const keys = orderKeys(sortOf(settings), fields, state.schema, false)
  const ordering = new Ordering(keys)
  const asked = facets?.length ? facets : undefined
  const counted = await countedFacets(asked, conditions.condition, dataset, fields)
  const sums = new WeightSums([...conditions.weights, ...weightsOf(words, others, fields)])
  const { counting, ...found } = await askFiltered(
    { index, documents, deadline },
    counted.filters,
    (whole, selections, _seq, view) => {
      const segments = [...whole.state.segments]
      const sets = selections.map(selection => MatchSet.selected(segments, selection))
      const matches = sets[0]!
      const given = interpretedFields.map(name => weights[name]!)
      const scores = queryScores(words, whole, { selection: selections[0] }, state.settings, given)
      scores.add(sums.of(whole.state).map(boosts => boosts?.values))
      const page = (keys.length > 0 ? ordering.of(segments) : scores).first(matches, limit)
      const hits = page.map(document => ({ id: idAt(segments, document), score: scores.of(document) }))
      return { hits, total: matches.size, counting: counted.count(whole, sets, view?.selection) }
    },
    [...counted.preparations, ordering, sums],
  )
  const counts = counting && (await inStretches(counting, deadline, turn))
  const stored = await readDocuments(
    documents,
    found.hits.map(({ id }) => id),
  )
  const { matches } = counted.filters[0] ?? {}
  const scope = highlightScope(highlight, interpretedFields, searched)
  const finder = scope && new WordFinder(markedWords(words, scope.fields), state.queryFields.analyzer)
  const stretch = new Stretch(deadline, documents.store.turn)
  const meant: FoundHit[] = []
  for (const [i, hit] of found.hits.entries()) {
    if (stretch.isOver) await stretch.pause()
    const document = stored[i]
    if (document && (!matches || (await stretch.through(matches.deciding(document)))))
      meant.push({ ...hit, document })
  }
  const hits: Chosen[] = []
  for (const { id, score, document } of choose ? await choose(meant) : meant) {
    if (stretch.isOver) await stretch.pause()
    const highlights = finder && highlightDocument(document, finder, scope, state.textForm)
    hits.push({ id, score, document, ...(highlights && { highlights }) })
  }
  return { hits, total: found.total, facets: counts, words: [] }
}

/** Adds the boost of such a field to documents that have one of the words in it. */
function weightsOf(words: Query, others: ReadonlyMap<string, number>, fields: FilterFields): Weight[] {
  const wanted = new Set(wantedWords(words).flatMap(({ word, field }) => (field === null ? [word] : [])))
  return [...others].map(([field, value]) => {
    const query = any(Array.from(wanted, word => ({ kind: 'word', field, word }) as const))
    return { filter: new Filter({ query }, fields, () => []), value }
  })
}
