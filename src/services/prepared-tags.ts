import type { TagTree } from '../datasets/tags/tag-tree.ts'
import { type Issue, problem } from '../input.ts'
import { inStretches } from '../scheduling/stretch.ts'

/** Maximum number of ids listed in a message. */
const MOST_LISTED = 20

/** The tags to learn of those given, by default the leaves; null where there is no tree: then all that documents name. */
export async function tagsToLearn(
  given: readonly string[] | undefined,
  tree: TagTree,
): Promise<string[] | null> {
  if (given) return [...new Set(given)]
  return tree.size === 0 ? null : (await inStretches(tree.leavesAndInner())).leaves
}

/** Reports the tag ids for which a service was not prepared. */
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
