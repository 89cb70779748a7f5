import type { LiveSegment } from '../segments/live-segment.ts'
import { lowerBound, type PostingList } from '../segments/posting-list.ts'
import { MAX_SEGMENT_DOCUMENTS, type Segment } from '../segments/segment.ts'
import type { BestPostings } from './best-postings.ts'
import { rankList, rankNested } from './rank-any.ts'
import { TopK } from './top-k.ts'

/** Requests for more read the list itself. */
const MOST_BEST = 32

/** Reading a shorter list takes about as long as looking up its best postings. */
const LEAST_POSTINGS = 48

/** Number of lists whose best postings are kept. */
const MOST_KEPT = 8_192

/** Approximate size, in two maps and three arrays. */
const BYTES_OF_ONE = 640

const MOST_IMPACT = 255

interface Kept {
  /** Undefined after the first request: most lists change before they are requested again. */
  readonly best: BestPostings | undefined
  /** For a form, the list of its family. */
  readonly cover: PostingList
  readonly order: Order | undefined
}

/** What the order of a family's and a form's postings depends on, as long as a step of the form exceeds the remainder. */
interface Order {
  /** How many times the weight of the form is contained in that of the family. */
  readonly ratio: number
  /** The sign of the remainder: -1, 0 or 1. */
  readonly rest: number
}

/** The best postings of words that were searched for, by segment: an insert does not change them. */
export class KnownBest {
  /** By the array that holds the impacts of a form, or of a list that is alone, then by where they begin there. */
  #kept = new WeakMap<Uint8Array, Map<number, Kept>>()
  #size = 0
  readonly #top = new TopK()

  get bytes(): number {
    return this.#size * BYTES_OF_ONE
  }

  /**
   * The best postings of a list, or of a list together with one whose documents it includes, in the segment at a place.
   * Undefined where reading the lists is better, or on the first request.
   * @param wanted how many
   */
  of(
    cover: PostingList,
    exact: PostingList | undefined,
    wanted: number,
    place: number,
    segments: readonly LiveSegment<Segment>[],
  ): BestPostings | undefined {
    if (wanted > MOST_BEST || cover.to - cover.from < LEAST_POSTINGS) return undefined
    const order = exact && orderOf(cover.weight, exact.weight)
    if (exact && !order) return undefined
    const { impacts, from } = exact ?? cover
    const known = this.#kept.get(impacts)?.get(from)
    const isAskedAgain = known !== undefined && isSame(known, cover, order)
    if (isAskedAgain && known.best) return known.best
    const best = isAskedAgain ? this.#read(cover, exact, place, segments) : undefined
    this.#keep(impacts, from, { best, cover, order })
    return best
  }

  #read(
    cover: PostingList,
    exact: PostingList | undefined,
    place: number,
    segments: readonly LiveSegment<Segment>[],
  ): BestPostings {
    const top = this.#top
    const base = place * MAX_SEGMENT_DOCUMENTS
    const { documents: count } = segments[place]!.segment.shape
    const all = { base, documents: count, hidden: undefined, factors: undefined, most: 1 }
    top.begin(MOST_BEST, segments)
    if (exact) rankNested(all, cover, exact, top)
    else rankList(all, cover, top)
    top.sort()
    const documents = new Uint16Array(top.size)
    for (let rank = 0; rank < top.size; rank++) documents[rank] = top.documents[rank]! - base
    top.end()
    return {
      documents,
      impacts: impactsIn(cover, documents),
      exactImpacts: exact && impactsIn(exact, documents),
    }
  }

  #keep(impacts: Uint8Array, from: number, kept: Kept): void {
    if (this.#size >= MOST_KEPT) {
      this.#kept = new WeakMap()
      this.#size = 0
    }
    const ofArray = this.#kept.get(impacts) ?? new Map<number, Kept>()
    if (!ofArray.has(from)) this.#size++
    this.#kept.set(impacts, ofArray.set(from, kept))
  }
}

/** Undefined where the weights are so small that no order is certain. */
function orderOf(family: number, form: number): Order | undefined {
  const ratio = Math.round(family / form)
  const rest = family - ratio * form
  return Math.abs(rest) * MOST_IMPACT < form ? { ratio, rest: Math.sign(rest) } : undefined
}

const isSame = (known: Kept, { impacts, from }: PostingList, order: Order | undefined): boolean =>
  known.cover.impacts === impacts &&
  known.cover.from === from &&
  known.order?.ratio === order?.ratio &&
  known.order?.rest === order?.rest

/** Impacts of the given documents, in their order; 0 where the list lacks one. */
function impactsIn({ documents, impacts, from, to }: PostingList, wanted: Uint16Array): Uint8Array {
  return Uint8Array.from(wanted, document => {
    const at = lowerBound(documents, from, to, document)
    return at < to && documents[at] === document ? impacts[at]! : 0
  })
}
