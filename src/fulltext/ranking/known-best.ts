import type { LiveSegment } from '../segments/live-segment.ts'
import { lowerBound, type PostingList } from '../segments/posting-list.ts'
import { MAX_SEGMENT_DOCUMENTS, type Segment } from '../segments/segment.ts'
import type { BestPostings } from './best-postings.ts'
import { rankList, rankNested } from './rank-any.ts'
import { TopK } from './top-k.ts'

/** Who asks for more reads the list itself. */
const MOST_BEST = 32

/** Reading a shorter list takes about as long as looking up its best. */
const LEAST_POSTINGS = 48

/** Lists of which the best are kept. */
const MOST_KEPT = 8_192

/** About, in two maps and three arrays. */
const BYTES_OF_ONE = 640

const MOST_IMPACT = 255

interface Kept {
  /** Undefined after the first question: of most lists there is no other before they change. */
  readonly best: BestPostings | undefined
  /** Of a form its family. */
  readonly cover: PostingList
  readonly order: Order | undefined
}

/** What the order of a family and a form depends on, as long as a step of the form outweighs what is left. */
interface Order {
  /** How often the weight of the form goes into that of the family. */
  readonly ratio: number
  /** Whether more or less than that is left: -1, 0 or 1. */
  readonly rest: number
}

/** The best postings of words that were asked for, segment by segment: an insert leaves them as they are. */
export class KnownBest {
  /** By the array in which the impacts of a form lie, or of a list that is alone, and where they begin there. */
  #kept = new WeakMap<Uint8Array, Map<number, Kept>>()
  #size = 0
  readonly #top = new TopK()

  get bytes(): number {
    return this.#size * BYTES_OF_ONE
  }

  /**
   * The best of a list, or of one and another that it has all documents of, in the segment at a place; undefined where to
   * read them is better, or nobody has asked before.
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

/** Undefined where weights are so small that the order may be any. */
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

/** Of documents, in their order; 0 where the list lacks one. */
function impactsIn({ documents, impacts, from, to }: PostingList, wanted: Uint16Array): Uint8Array {
  return Uint8Array.from(wanted, document => {
    const at = lowerBound(documents, from, to, document)
    return at < to && documents[at] === document ? impacts[at]! : 0
  })
}
