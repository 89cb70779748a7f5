import { IMPACT_STEPS } from './bm25f.ts'
import type { Segment } from './segment.ts'

/** A term that may stand for a query word, and how well (above 0, at most 1). */
export interface Surface {
  readonly term: number
  readonly weight: number
}

/** A query word: a document scores its weight times the best impact among the surfaces. */
export interface Slot {
  readonly surfaces: readonly Surface[]
  readonly weight: number
}

/** A slot whose surfaces have whole-numbered weights; so sums are exact and the same in every order. */
export interface WeighedSlot {
  readonly surfaces: readonly Surface[]
}

/** The postings of one surface in one segment. */
export interface PostingList {
  /** The part at hand, of which `end` is the end of the whole. */
  from: number
  to: number
  readonly end: number
  readonly weight: number
  /** The most it can add to a score. */
  readonly bound: number
}

/** What a slot comes to in one segment. */
export interface SlotPostings {
  readonly lists: readonly PostingList[]
  /** The most it can add to a score. */
  readonly bound: number
  /** Postings of the part at hand. */
  length: number
}

const MAX_SCALE = 2 ** 20
const MAX_SCORE = 2 ** 31 - 2 ** 20

/** Turns weights into whole numbers whose largest possible sum of scores is a 31-bit number. */
export function weigh(slots: readonly Slot[]): { slots: WeighedSlot[]; scale: number } {
  const total = slots.reduce((sum, slot) => sum + slot.weight, 0)
  const scale = Math.min(MAX_SCALE, MAX_SCORE / (IMPACT_STEPS * total))
  const weighed = slots.map(({ surfaces, weight }) => ({
    surfaces: surfaces.map(({ term, weight: share }) => ({
      term,
      weight: Math.max(1, Math.floor(weight * share * scale)),
    })),
  }))
  return { slots: weighed, scale }
}

/** The slots some surface of which occurs in the segment. */
export function slotPostings(segment: Segment, slot: WeighedSlot): SlotPostings | undefined {
  const lists: PostingList[] = []
  let bound = 0
  let length = 0
  for (const { term, weight } of slot.surfaces) {
    const at = segment.find(term)
    if (at < 0) continue
    const from = segment.offsets[at]!
    const to = segment.offsets[at + 1]!
    const most = weight * segment.maxImpacts[at]!
    lists.push({ from, to, end: to, weight, bound: most })
    bound = Math.max(bound, most)
    length += to - from
  }
  return lists.length === 0 ? undefined : { lists, bound, length }
}
