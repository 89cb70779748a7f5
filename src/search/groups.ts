import type { Grouping } from '../fulltext/reordering/grouping.ts'
import { stretchEnd } from '../scheduling/stretch.ts'
import type { Preparation } from './condition.ts'

/** Which documents have the same value at a path: that of many values is found out before a search groups by it. */
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
