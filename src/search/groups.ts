import type { Missing } from '../filters/filter.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { Grouping } from '../fulltext/reordering/grouping.ts'
import type { Preparation } from './condition.ts'

/** How long one call may take, in milliseconds. */
const STRETCH = 8

/** Which documents have the same value at a path: that of many values is found out before a search groups by it. */
export class Groups implements Preparation {
  readonly #path: string
  #begun: Grouping | undefined

  constructor(path: string) {
    this.#path = path
  }

  prepare(index: Pick<FulltextIndex, 'group'>): Missing | undefined {
    const { grouping, isRead } = index.group(this.#path, this.#begun, performance.now() + STRETCH)
    this.#begun = grouping
    return isRead ? undefined : { documents: [] }
  }

  learn(): undefined {}
}
