import { mayHave } from '../../datasets/field-list.ts'
import { fieldAt, isSimple } from '../../datasets/schema/schema.ts'
import type { DatasetState } from '../../datasets/state.ts'
import { facetPlans } from '../../facets/facet-options.ts'
import { type Issue, invalid, problem, readMember, refuseIssues } from '../../input.ts'
import { didYouMean } from '../../nearest-name.ts'
import type { Surroundings } from '../../services/service-definition.ts'
import { filterFields } from '../condition.ts'
import { readSearch } from '../read.ts'
import { checkResponseFields } from '../response-fields.ts'
import { readingQueries } from './conditions.ts'
import type { Activation, GivenSettings } from './settings.ts'

type Extras = Pick<Activation['search'], 'type' | 'limit' | 'highlight' | 'explain'>

/**
 * Checks, piece by piece, that every named field exists, that every query can be read, and that the service that recommends
 * tags is active. INVALID_ARGUMENT, QUERY_INVALID
 */
export function* checkingSettings(
  given: GivenSettings,
  { dataset, recommender }: Surroundings,
): Generator<void, void> {
  const { state } = dataset()
  const { fields, responseFields, order, filter, weights } = given.search ?? {}
  if (fields) searchedFields(fields, state)
  checkResponseFields(responseFields, state, 'settings', 'search.')
  if (order) refuseIssues('settings', orderIssues(order.field, state))
  const queries = { filters: filter ? [filter] : [], weights: weights ?? [] }
  yield* readingQueries(queries, state.queryFields)
  const { classifier } = given
  readMember('search', 'settings', () => checkExtras(given.search ?? {}, state))
  if (classifier && !recommender(classifier.id)) {
    const expected = 'the id or alias of an active service that recommends tags'
    throw invalid('INVALID_ARGUMENT', 'settings', [problem('classifier.id', classifier.id, expected)])
  }
}

/** Checks the options that are passed on to the dataset. INVALID_ARGUMENT */
function checkExtras(
  { facets, highlight, typoTolerance }: NonNullable<GivenSettings['search']>,
  state: DatasetState,
): void {
  const typos = typeof typoTolerance === 'object' ? { typoTolerance } : {}
  readSearch('', { facets, highlight, ...typos }, state, 0)
  if (facets) facetPlans(facets, filterFields(state))
}

/** Highlighting and explaining read the texts of each hit again. */
const mostExamined = 1000

/** INVALID_ARGUMENT for options that exclude each other, whether from the activation or from the request. */
export function refuseTooMuch({ type, limit, highlight, explain }: Extras): void {
  if (limit > mostExamined && (highlight || explain)) {
    const expected = `at most ${mostExamined} with highlight or explain`
    throw invalid('INVALID_ARGUMENT', 'settings', [problem('search.limit', limit, expected)])
  }
  if (explain && type === 'query')
    throw invalid('INVALID_ARGUMENT', 'settings', [
      problem('search.explain', explain, 'false with the type query'),
    ])
}

/** The fields in which a text is looked for. */
export interface SearchedFields {
  /** The weight of each interpreted field; 0 for those that are not named. */
  readonly weights: Readonly<Record<string, number>>
  /** Named fields that are not interpreted, with their boosts: their words are read from the documents. */
  readonly others: ReadonlyMap<string, number>
}

/** INVALID_ARGUMENT for unknown fields and invalid boosts. */
export function searchedFields(fields: readonly string[], state: DatasetState): SearchedFields {
  const { interpretedFields, weights } = state.settings
  const issues: Issue[] = []
  const named = new Map<string, number>()
  const others = new Map<string, number>()
  for (const [i, text] of fields.entries()) {
    const [name = '', boost = '1', ...more] = text.split('^')
    const factor = more.length === 0 && /^\d{1,3}(\.\d{1,6})?$/.test(boost) ? Number(boost) : Number.NaN
    const isInterpreted = interpretedFields.includes(name)
    const weight = factor * (isInterpreted ? weights[name]!.weight : 1)
    if (!isInterpreted && !mayHave(state, name)) {
      const expected = `a field of the dataset${didYouMean(name, state.queryFields.names)}`
      issues.push(problem(`search.fields[${i}]`, text, expected))
    } else if (!(weight <= 100)) {
      const expected = `a factor that keeps the field's weight at 100 or less, such as ${name}^2`
      issues.push(problem(`search.fields[${i}]`, text, expected))
    } else if (isInterpreted) named.set(name, weight)
    else if (weight > 0) others.set(name, weight)
  }
  refuseIssues('settings', issues)
  return { weights: Object.fromEntries(interpretedFields.map(name => [name, named.get(name) ?? 0])), others }
}

/** INVALID_ARGUMENT if an explanation is requested for scores that cannot be explained. */
export function refuseExplanation(
  { fields = [], explain }: Pick<Activation['search'], 'fields' | 'explain'>,
  state: DatasetState,
): void {
  if (!explain || searchedFields(fields, state).others.size === 0) return
  const expected = 'false with fields that are not interpreted'
  throw invalid('INVALID_ARGUMENT', 'settings', [problem('search.explain', explain, expected)])
}

function orderIssues(field: string, state: DatasetState): Issue[] {
  const known = fieldAt(state.schema.root, field)
  const isOpen = known === undefined && mayHave(state, field)
  if (isOpen || (known && (known.type === 'any' || isSimple(known.type)))) return []
  return [problem('search.order.field', field, 'a field with one text, number, date or boolean')]
}
