import { type Issue, invalid, problem } from '../../input.ts'
import type { ServiceDataset } from '../definition.ts'
import type { DictionaryOptions } from './export.ts'
import type { Activation, Prepared } from './settings.ts'

/** As much of a message as somebody reads. */
const MOST_LISTED = 20

/** No n-grams beyond those that the dataset has. INVALID_ARGUMENT */
export function checkPreparation(nGrams: readonly number[] | undefined, { state }: ServiceDataset): void {
  const { nGramCount } = state.settings
  const expected = `at most ${nGramCount}, the nGramCount of the dataset`
  refuse(
    (nGrams ?? []).flatMap((size, i) => (size > nGramCount ? problem(`nGrams[${i}]`, size, expected) : [])),
  )
}

/** Only what was learnt. INVALID_ARGUMENT */
export function checkActivation({ nGrams, tags, emphasizedTags }: Activation, prepared: Prepared): void {
  refuse([
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
  refuse([...unknownSizes(nGrams ?? [], prepared), ...unknownTags('tags', tags ?? [], prepared)])
}

function unknownSizes(nGrams: readonly number[], prepared: Prepared): Issue[] {
  const expected = `one of those it was prepared with: ${prepared.nGrams.join(', ')}`
  return nGrams.flatMap((size, i) =>
    prepared.nGrams.includes(size) ? [] : problem(`nGrams[${i}]`, size, expected),
  )
}

function unknownTags(field: string, tags: readonly string[], prepared: Prepared): Issue[] {
  const known = new Set(prepared.tags)
  const expected = 'the id of a tag that it was prepared for'
  return tags
    .flatMap((id, i) => (known.has(id) ? [] : problem(`${field}[${i}]`, id, expected)))
    .slice(0, MOST_LISTED)
}

function refuse([first, ...others]: readonly Issue[]): void {
  if (first) throw invalid('INVALID_ARGUMENT', 'settings', [first, ...others])
}
