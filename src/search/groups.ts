import type { Grouping } from '../fulltext/reordering/grouping.ts'
import { stretchEnd } from '../scheduling/stretch.ts'
import type { Preparation } from './condition.ts'

/** Prepares grouping by a path: which documents share a value there is found out before the search. */
export function grouping(path: string): Preparation {
  let begun: Grouping | undefined
  return {
    prepare(index) {
      const { grouping, isRead } = index.group(path, begun, stretchEnd())
      begun = grouping
      return isRead ? undefined : { documents: [] }
    },
    learn: () => undefined,
  }
}
