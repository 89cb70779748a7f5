import type { DatasetSettings } from '../../datasets/settings.ts'
import { FindlingError } from '../../errors.ts'
import { describeValue, type Issue, invalid, problem } from '../../input.ts'
import type { ActiveSimilar } from './active-similar.ts'
import type { Activation, Prepared } from './settings.ts'

/** As much of a message as somebody reads. */
const MOST_LISTED = 20

/** Only searched fields. INVALID_ARGUMENT */
export function checkActivation({ fields }: Activation, { interpretedFields }: DatasetSettings): void {
  const expected = `a searched field: ${interpretedFields.join(', ')}`
  refuse(
    'settings',
    (fields ?? []).flatMap((name, i) =>
      interpretedFields.includes(name) ? [] : problem(`fields[${i}]`, name, expected),
    ),
  )
}

/** Only tags that it was prepared for. INVALID_ARGUMENT */
export function checkTags(field: string, tags: readonly string[], prepared: Pick<Prepared, 'tags'>): void {
  const known = new Set(prepared.tags)
  const expected = 'the id of a tag that the service was prepared for'
  const unknown = tags.flatMap((id, i) => (known.has(id) ? [] : problem(`${field}[${i}]`, id, expected)))
  refuse('options', unknown.slice(0, MOST_LISTED))
}

/** The place of a tag, which must have words. INVALID_ARGUMENT, TAG_EMPTY */
export function checkedTag(tag: string, { contents }: ActiveSimilar): number {
  const place = contents.tags.findIndex(([id]) => id === tag)
  if (place < 0) refuse('options', [problem('tag', tag, 'the id of a tag that the service was prepared for')])
  if (contents.tags[place]![1] > 0) return place
  const received = describeValue(tag)
  const message = `No document with words had the tag ${received} when the service was prepared.`
  throw new FindlingError('TAG_EMPTY', message, { field: 'tag', received })
}

function refuse(what: string, [first, ...others]: readonly Issue[]): void {
  if (first) throw invalid('INVALID_ARGUMENT', what, [first, ...others])
}
