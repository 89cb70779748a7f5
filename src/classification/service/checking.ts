import { type Issue, problem, refuseIssues } from '../../input.ts'
import { unknownTags } from '../../services/prepared-tags.ts'
import type { ServiceDataset } from '../../services/service-definition.ts'
import type { DictionaryOptions } from './export.ts'
import type { Activation, Prepared } from './settings.ts'

/** No n-grams beyond those that the dataset has. INVALID_ARGUMENT */
export function checkPreparation(nGrams: readonly number[] | undefined, { state }: ServiceDataset): void {
  const { nGramCount } = state.settings
  const expected = `at most ${nGramCount}, the maximum of this dataset`
  refuseIssues(
    'settings',
    (nGrams ?? []).flatMap((size, i) => (size > nGramCount ? problem(`nGrams[${i}]`, size, expected) : [])),
  )
}

/** Only what was learnt. INVALID_ARGUMENT */
export function checkActivation({ nGrams, tags, emphasizedTags }: Activation, prepared: Prepared): void {
  refuseIssues('settings', [
    ...unknownSizes(nGrams ?? [], prepared),
    ...unknownTags('tags', tags ?? [], prepared),
    ...unknownTags('emphasizedTags', emphasizedTags, prepared),
  ])
}

/** The same for an export. */
export function checkExport(
  { nGrams, tags }: Pick<DictionaryOptions, 'nGrams' | 'tags'>,
  prepared: Prepared,
): void {
  refuseIssues('settings', [
    ...unknownSizes(nGrams ?? [], prepared),
    ...unknownTags('tags', tags ?? [], prepared),
  ])
}

function unknownSizes(nGrams: readonly number[], prepared: Prepared): Issue[] {
  const expected = `one of the sizes that the service was prepared with: ${prepared.nGrams.join(', ')}`
  return nGrams.flatMap((size, i) =>
    prepared.nGrams.includes(size) ? [] : problem(`nGrams[${i}]`, size, expected),
  )
}
