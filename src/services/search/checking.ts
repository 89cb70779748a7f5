import { mayHave } from '../../datasets/field-list.ts'
import { fieldAt, isSimple, refuseIssues } from '../../datasets/schema/schema.ts'
import type { DatasetState } from '../../datasets/state.ts'
import { type Issue, invalid, problem } from '../../input.ts'
import { didYouMean } from '../../nearest-name.ts'
import { refuseUnknownFields } from '../../search/response-fields.ts'
import type { Surroundings } from '../definition.ts'
import { readQueries } from './conditions.ts'
import type { GivenSettings } from './settings.ts'

/** Every field that is named exists, every query can be read, the service that recommends tags is active. INVALID_ARGUMENT. */
export function checkSettings(given: GivenSettings, { dataset, recommender }: Surroundings): void {
  const { state } = dataset()
  const { fields, responseFields, order, filter, weights } = given.search ?? {}
  if (fields) fieldWeights(fields, state)
  refuseUnknownFields(responseFields, state, 'settings', 'search.')
  if (order) refuseIssues('settings', orderIssues(order.field, state))
  const queries = { filters: filter ? [filter] : [], weights: weights ?? [] }
  readQueries(queries, state.queryFields)
  const { classifier } = given
  if (classifier && !recommender(classifier.id)) {
    const expected = 'the id or alias of an active service that recommends tags'
    throw invalid('INVALID_ARGUMENT', 'settings', [problem('classifier.id', classifier.id, expected)])
  }
}

/** How much each field counts, those that are not named nothing. INVALID_ARGUMENT. */
export function fieldWeights(fields: readonly string[], { settings }: DatasetState): Record<string, number> {
  const { interpretedFields, weights } = settings
  const issues: Issue[] = []
  const named = new Map<string, number>()
  for (const [i, text] of fields.entries()) {
    const [name = '', boost = '1', ...more] = text.split('^')
    const factor = more.length === 0 && /^\d{1,3}(\.\d{1,6})?$/.test(boost) ? Number(boost) : Number.NaN
    const weight = factor * (weights[name]?.weight ?? Number.NaN)
    if (!interpretedFields.includes(name)) {
      const expected = `an interpreted field: ${interpretedFields.join(', ')}${didYouMean(name, interpretedFields)}`
      issues.push(problem(`search.fields[${i}]`, text, expected))
    } else if (!(weight <= 100)) {
      issues.push(
        problem(
          `search.fields[${i}]`,
          text,
          `${name}^2: a number of which the field's weight becomes at most 100`,
        ),
      )
    } else named.set(name, weight)
  }
  refuseIssues('settings', issues)
  return Object.fromEntries(interpretedFields.map(name => [name, named.get(name) ?? 0]))
}

function orderIssues(field: string, state: DatasetState): Issue[] {
  const known = fieldAt(state.schema.root, field)
  const isOpen = known === undefined && mayHave(state, field)
  if (isOpen || (known && (known.type === 'any' || isSimple(known.type)))) return []
  return [problem('search.order.field', field, 'a field of one text, number, date or truth value')]
}
