import { type Issue, problem } from '../input.ts'

/** As much of a message as somebody reads. */
const MOST_LISTED = 20

/** What is wrong with ids of tags of which a service may not have been prepared for all. */
export function unknownTags(
  field: string,
  tags: readonly string[],
  prepared: { readonly tags: readonly string[] },
): Issue[] {
  const known = new Set(prepared.tags)
  const expected = 'the id of a tag that the service was prepared for'
  return tags
    .flatMap((id, i) => (known.has(id) ? [] : problem(`${field}[${i}]`, id, expected)))
    .slice(0, MOST_LISTED)
}
