import type { Vocabulary } from '../dictionary/vocabulary.ts'
import type { Frequencies } from '../segments/frequencies.ts'
import { sureImpactOf } from '../segments/impacts.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import { Followers, followerOf, type SegmentFollowers, type Tally } from './followers.ts'
import type { PostingList } from './posting-list.ts'

// Chosen on odd tags of three catalogues, each asked for by the last word of its name, and the checks of two shops:
// between .2 and .5, with 2 to 8 documents of doubt, the share as it is or its square root, all are better than without.
const LESS = 0.3
const DOUBT = 3

/** Factors are told in so many steps, so that most of them outlive a change of some documents. */
export const FACTOR_STEPS = 64

/** The postings of one list with what is left of their impacts. */
interface Lessened {
  readonly term: number
  /** Where the impacts lie that it was made of. */
  readonly source: Uint8Array
  readonly documents: Uint16Array
  readonly impacts: Uint8Array
  readonly most: number
  readonly sure: number
}

interface SegmentHeads {
  readonly followers: SegmentFollowers
  /** By surface of these: in steps, what is left of an impact before it. */
  factors: Uint8Array
  /** One for each term, mostly a family and a form, under the weights that were asked for last. */
  lists: Lessened[]
}

/** What it is computed from. */
export interface HeadSources {
  readonly segments: readonly LiveSegment[]
  readonly frequencies: Frequencies
  readonly vocabulary: Vocabulary
}

/**
 * The impacts of the only word of a query, in a language in which what a thing is comes last (`laptop bag`, `phone case`):
 * less where the word in the title stands before another that seldom stands elsewhere, so that the thing comes before what
 * goes with it. What is left follows from the living documents and the word alone.
 */
export class HeadImpacts {
  readonly forms: ReadonlySet<number>
  /** Memory that it holds, about. */
  bytes = 0
  readonly #followers: Followers
  /** By the body of the segment, which stays when its scores are computed anew. */
  readonly #known = new WeakMap<Uint8Array, SegmentHeads>()
  /** By place of the segment, as the index was last. */
  #heads: SegmentHeads[] = []
  readonly #tally: Tally

  constructor(terms: readonly number[], forms: ReadonlySet<number>, vocabulary: Vocabulary, tally: Tally) {
    this.forms = forms
    this.#tally = tally
    this.#followers = new Followers(terms, forms, vocabulary, tally)
  }

  /** Weighs what stands behind the word in the index as it is now. */
  follow({ segments, frequencies }: HeadSources): void {
    const tally = this.#tally
    const all = segments.map(live => this.#followers.in(live))
    for (const { surfaces, titles } of all)
      for (let i = 0; i < surfaces.length; i++) tally.add(surfaces[i]!, titles[i]!)
    this.#heads = all.map((followers, place) => {
      return this.#weighed(segments[place]!.segment.body, followers, frequencies)
    })
    this.bytes = 0
    for (const { surfaces, documents } of all) {
      tally.clear(surfaces)
      this.bytes += 9 * surfaces.length + 10 * documents.length
    }
  }

  #weighed(body: Uint8Array, followers: SegmentFollowers, frequencies: Frequencies): SegmentHeads {
    const heads = this.#known.get(body) ?? {
      followers,
      factors: new Uint8Array(followers.surfaces.length),
      lists: [],
    }
    let isSame = true
    for (let i = 0; i < heads.factors.length; i++) {
      const factor = this.#factor(followers.surfaces[i]!, frequencies)
      isSame &&= heads.factors[i] === factor
      heads.factors[i] = factor
    }
    if (!isSame) heads.lists = []
    this.#known.set(body, heads)
    return heads
  }

  /** In steps. The tally tells in how many titles the surface stands behind the word. */
  #factor(surface: number, frequencies: Frequencies): number {
    const share = this.#tally.of(surface) / (frequencies.of(surface) + DOUBT)
    return Math.round(FACTOR_STEPS * (1 - LESS * Math.sqrt(share)))
  }

  /** What is left of the impacts in a document of the segment at a place, in steps. */
  factorOf(place: number, document: number): number {
    const { followers, factors } = this.#heads[place]!
    const which = followerOf(followers, document)
    return which < 0 ? FACTOR_STEPS : factors[which]!
  }

  /** The postings of a term in the segment at a place, whose impacts lie in `source`, if it was asked for before. */
  known(place: number, term: number, source: Uint8Array, weight: number): PostingList | undefined {
    for (const lessened of this.#heads[place]!.lists)
      if (lessened.term === term && lessened.source === source) return listOf(lessened, weight)
    return undefined
  }

  /** The same postings of a term in the segment at a place, with what is left of their impacts. */
  of(place: number, term: number, list: PostingList): PostingList {
    const heads = this.#heads[place]!
    const known = this.known(place, term, list.impacts, list.weight)
    if (known) return known
    const lessened = lessen(heads, term, list)
    heads.lists = [...heads.lists.filter(other => other.term !== term), lessened]
    return listOf(lessened, list.weight)
  }
}

function listOf({ documents, impacts, most, sure }: Lessened, weight: number): PostingList {
  const to = impacts.length
  return { documents, impacts, from: 0, to, weight, bound: weight * most, sure: weight * sure }
}

function lessen({ followers, factors }: SegmentHeads, term: number, list: PostingList): Lessened {
  const documents = list.documents.subarray(list.from, list.to)
  const impacts = list.impacts.slice(list.from, list.to)
  let most = 0
  let at = 0
  for (let p = 0; p < documents.length; p++) {
    const document = documents[p]!
    while (at < followers.documents.length && followers.documents[at]! < document) at++
    if (followers.documents[at] === document)
      impacts[p] = impactLeft(impacts[p]!, factors[followers.which[at]!]!)
    if (impacts[p]! > most) most = impacts[p]!
  }
  const sure = list.sure > 0 ? sureImpactOf(impacts, most) : 0
  return { term, source: list.impacts, documents, impacts, most, sure }
}

const impactLeft = (impact: number, factor: number): number =>
  Math.max(1, Math.round((impact * factor) / FACTOR_STEPS))
