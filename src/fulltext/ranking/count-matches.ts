import type { SlotParts } from './posting-list.ts'
import type { Candidacy } from './rank-any.ts'

/** How many documents that may be found match some slot. */
export function countAny({ documents, hidden }: Candidacy, slots: readonly SlotParts[]): number {
  const seen = hidden?.slice() ?? new Uint8Array(documents)
  let count = 0
  for (const { cover } of slots) {
    for (const { documents: matching, from, end } of cover.lists) {
      for (let p = from; p < end; p++) {
        const document = matching[p]!
        count += 1 - seen[document]!
        seen[document] = 1
      }
    }
  }
  return count
}
