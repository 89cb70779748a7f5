import type { DatasetSettings } from '../../datasets/schema/dataset-settings.ts'
import { FindlingError } from '../../errors.ts'
import { describeValue, problem, refuseIssues } from '../../input.ts'
import { unknownTags } from '../../services/prepared-tags.ts'
import type { ActiveSimilar } from './active-similar.ts'
import type { Activation, CheckedFilter, Prepared } from './settings.ts'

/** Requires searched fields. INVALID_ARGUMENT */
export function checkActivation({ fields }: Activation, { interpretedFields }: DatasetSettings): void {
  const expected = `a searched field: ${interpretedFields.join(', ')}`
  refuseIssues(
    'settings',
    (fields ?? []).flatMap((name, i) =>
      interpretedFields.includes(name) ? [] : problem(`fields[${i}]`, name, expected),
    ),
  )
}

/** Requires tags that it was prepared for. INVALID_ARGUMENT */
export function checkTags(field: string, tags: readonly string[], prepared: Pick<Prepared, 'tags'>): void {
  refuseIssues('options', unknownTags(field, tags, prepared))
}

/** The same for a filter. INVALID_ARGUMENT */
export function checkFilter({ tags = [] }: CheckedFilter, { contents }: ActiveSimilar): void {
  checkTags('filter.tags', tags, { tags: contents.tags.map(([id]) => id) })
}

/** The place of a tag, which it must have been prepared for. INVALID_ARGUMENT */
export function requirePrepared(tag: string, { contents }: ActiveSimilar): number {
  const place = contents.tags.findIndex(([id]) => id === tag)
  if (place < 0)
    refuseIssues('options', [problem('tag', tag, 'the id of a tag that the service was prepared for')])
  return place
}

/** The place of a tag, which must have words. INVALID_ARGUMENT, TAG_EMPTY */
export function checkedTag(tag: string, active: ActiveSimilar): number {
  const place = requirePrepared(tag, active)
  const { contents } = active
  if (contents.tags[place]![1] > 0) return place
  const received = describeValue(tag)
  const message = `No document with words had the tag ${received} when the service was prepared.`
  throw new FindlingError('TAG_EMPTY', message, { field: 'tag', received })
}
