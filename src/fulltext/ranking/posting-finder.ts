import { setBit } from '../../arrays/set-bits.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { IMPACT_STEPS } from '../segments/bm25f.ts'
import type { Part, PostingList, SlotParts } from '../segments/posting-list.ts'
import type { Segment } from '../segments/segment.ts'
import { placeOf } from '../segments/term-place.ts'
import type { Expansion, Slot } from '../words/slot.ts'
import { type Standing, standingList } from '../words/standing.ts'
import { FACTOR_STEPS, type HeadImpacts } from './head-impacts.ts'

const MAX_SCALE = 2 ** 20
const MAX_SCORE = 2 ** 31 - 2 ** 20

/** Score steps per score of 1: as many as possible while the largest sum stays a 31-bit number. */
export function scoreSteps(slots: readonly Slot[]): number {
  const total = slots.reduce((sum, { occurrences, idf, share }) => sum + occurrences * idf * share, 0)
  return IMPACT_STEPS * Math.max(Number.MIN_VALUE, Math.min(MAX_SCALE, MAX_SCORE / (IMPACT_STEPS * total)))
}

/** The weight of an expansion as a whole number: what one impact step of it adds, in score steps. */
function stepWeight({ occurrences, idf, share }: Slot, { weight }: Expansion, steps: number): number {
  return Math.max(1, Math.floor((occurrences * idf * share * weight * steps) / IMPACT_STEPS))
}

/** The postings `from..end` of a segment under weights other than the stored ones; undefined where none counts. */
export type Reweigh = (from: number, end: number, weight: number) => PostingList | undefined

interface FinderParts {
  readonly segment: Segment
  /** Place of the segment in the index. */
  readonly place: number
  readonly vocabulary: Vocabulary
  readonly steps: number
  readonly heads: HeadImpacts | undefined
  readonly reweigh: Reweigh | undefined
  /** The same for possible typos, if these do not count in every field. */
  readonly reweighTypos: Reweigh | undefined
}

/** Finds the postings of slots in one segment. */
export class PostingFinder {
  readonly #segment: Segment
  readonly #vocabulary: Vocabulary
  readonly #steps: number
  readonly #reweigh: Reweigh | undefined
  readonly #reweighTypos: Reweigh | undefined
  readonly #heads: HeadImpacts | undefined
  readonly #place: number

  constructor({ segment, place, vocabulary, steps, heads, reweigh, reweighTypos = reweigh }: FinderParts) {
    this.#heads = heads
    this.#place = place
    this.#segment = segment
    this.#vocabulary = vocabulary
    this.#steps = steps
    this.#reweigh = reweigh
    this.#reweighTypos = reweighTypos
  }

  /** Undefined when no document of the segment matches the slot. */
  find(slot: Slot): SlotParts | undefined {
    const cover = this.#part(slot, slot.cover)
    if (!cover) return undefined
    return { cover, exact: slot.exact && this.#part(slot, [slot.exact]) }
  }

  #part(slot: Slot, expansions: readonly Expansion[]): Part | undefined {
    const lists: PostingList[] = []
    let bound = 0
    let length = 0
    for (const expansion of expansions) {
      const list = this.listOf(slot, expansion)
      if (!list) continue
      lists.push(list)
      bound = Math.max(bound, list.bound)
      length += list.to - list.from
    }
    return lists.length === 0 ? undefined : { lists, bound, length }
  }

  /** The postings of one expansion of a slot, as its only or best one. */
  listOf(slot: Slot, expansion: Expansion): PostingList | undefined {
    const { kind, term, standing } = expansion
    const weight = stepWeight(slot, expansion, this.#steps)
    if (standing) return this.#ofStanding(standing, weight)
    const reweigh = kind === 'typo' ? this.#reweighTypos : this.#reweigh
    const heads = kind === 'prefix' ? undefined : this.#heads
    if (!heads) return this.#ofTerm(term, weight, reweigh)
    const known = reweigh ? undefined : heads.known(this.#place, term, this.#segment.impacts, weight)
    if (known) return known
    const list = this.#ofTerm(term, weight, reweigh)
    return list && heads.of(this.#place, term, list)
  }

  /** The factor on an expansion's impact in a document for the word that follows it in the title. */
  headFactor({ kind, standing }: Expansion, document: number): number {
    if (!this.#heads || kind === 'prefix' || standing) return 1
    return this.#heads.factorOf(this.#place, document) / FACTOR_STEPS
  }

  /** Marks the documents that have the words of an expansion in any field. */
  hide({ term, standing }: Expansion, hidden: Uint32Array): void {
    const { offsets, documents } = this.#segment
    if (standing) {
      for (const document of standing.documents.get(this.#segment.body) ?? []) setBit(hidden, document)
      return
    }
    const at = placeOf(term, this.#segment, this.#vocabulary)
    if (at < 0) return
    for (let p = offsets[at]!; p < offsets[at + 1]!; p++) setBit(hidden, documents[p]!)
  }

  #ofStanding({ terms, documents }: Standing, weight: number): PostingList | undefined {
    const own = documents.get(this.#segment.body)
    if (!own) return undefined
    const lists: PostingList[] = []
    for (const term of terms) {
      const list = this.#ofTerm(term, weight, this.#reweigh)
      if (!list) return undefined
      lists.push(list)
    }
    return standingList(own, lists, weight)
  }

  #ofTerm(term: number, weight: number, reweigh: Reweigh | undefined): PostingList | undefined {
    const segment = this.#segment
    const at = placeOf(term, segment, this.#vocabulary)
    if (at < 0) return undefined
    const from = segment.offsets[at]!
    const end = segment.offsets[at + 1]!
    if (reweigh) return reweigh(from, end, weight)
    const { documents, impacts } = segment
    const bound = weight * segment.maxImpacts[at]!
    const sure = weight * segment.sureImpacts[at]!
    return { documents, impacts, from, to: end, weight, bound, sure }
  }
}
