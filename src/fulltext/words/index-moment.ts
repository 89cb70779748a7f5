import type { Segment } from '../segments/segment.ts'
import type { SegmentList } from '../segments/segment-list.ts'

/** Tells when an index has changed. */
export class IndexMoment {
  /** Of each segment its number and how many documents are gone. */
  #state: number[] = []

  /** Whether the index has changed since it was last asked. */
  follow({ segments }: SegmentList<Segment>): boolean {
    const state = this.#state
    let isSame = state.length === 2 * segments.length
    for (let i = 0; isSame && i < segments.length; i++) {
      const { key, removed } = segments[i]!
      isSame = state[2 * i] === key && state[2 * i + 1] === removed.length
    }
    if (!isSame) this.#state = segments.flatMap(({ key, removed }) => [key, removed.length])
    return !isSame
  }
}
