import { grown } from '../../arrays/grow.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import type { Frequencies } from '../segments/frequencies.ts'
import { sureImpactOf } from '../segments/impacts.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import type { PostingList } from '../segments/posting-list.ts'
import type { ReadableSegment } from '../segments/segment.ts'
import { Followers, followerOf, type SegmentFollowers, type Tally } from './followers.ts'

// Chosen on odd tags of three catalogues, each queried by the last word of its name, and on the checks of two shops: any value
// between .2 and .5, with a prior of 2 to 8 documents, and the share itself or its square root, is better than none.
const LESS = 0.3
const DOUBT = 3

/** Factors are rounded to this many steps, so that most of them outlive a change of some documents. */
export const FACTOR_STEPS = 64

/** Size in four arrays. */
const BYTES_OF_SURFACE = 13

/** So few surfaces are looked up one by one, more by the tally. */
const FEW_SURFACES = 16

/** A value that no frequency has. */
const UNWEIGHED = 2 ** 32 - 1

/** The postings of one list with reduced impacts. */
interface Lessened {
  readonly term: number
  /** The impacts from which they were computed. */
  readonly source: Uint8Array
  readonly documents: Uint16Array
  readonly impacts: Uint8Array
  readonly most: number
  readonly sure: number
}

interface SegmentHeads {
  readonly followers: Pick<SegmentFollowers, 'documents' | 'which' | 'titles'>
  /** By surface here: its number among those of all segments. */
  readonly numbers: Uint32Array
  /** Number of removed documents that have been subtracted. */
  gone: number
  /** One for each term, usually a family and a form, with the most recent weights. */
  lists: Lessened[]
}

/** What the factors are computed from. */
export interface HeadSources {
  readonly segments: readonly LiveSegment[]
  readonly frequencies: Frequencies
  readonly vocabulary: Vocabulary
}

/**
 * Impacts for a query of a single word, in a language in which the head of a compound comes last (`laptop bag`, `phone case`).
 * They are reduced if the word in the title precedes another word that seldom occurs elsewhere, so that a product ranks before
 * its accessories. The factor depends only on the living documents and the word.
 */
export class HeadImpacts {
  readonly forms: ReadonlySet<number>
  readonly #followers: Followers
  /** By place of the segment, as of the last `follow`. */
  #heads: SegmentHeads[] = []
  /** By the body of the segment, which stays the same object when its scores are recomputed. */
  readonly #known = new WeakMap<Uint8Array, SegmentHeads>()
  readonly #tally: Tally
  #bytes: number | undefined
  /** Number of surfaces after the word in any segment. Each has a place in these arrays. */
  #size = 0
  #surfaces = new Uint32Array(8)
  /** Number of living titles. */
  #titles = new Uint32Array(8)
  /** The surface's document frequency at the last computation; UNWEIGHED if its titles have changed since. */
  #weighed = new Uint32Array(8)
  /** In steps. */
  #factors = new Uint8Array(8)

  constructor(terms: readonly number[], forms: ReadonlySet<number>, vocabulary: Vocabulary, tally: Tally) {
    this.forms = forms
    this.#tally = tally
    this.#followers = new Followers(terms, forms, vocabulary, tally)
  }

  /** Approximate memory; counted again only after something was added or has changed, since it is asked for by each query. */
  get bytes(): number {
    this.#bytes ??= this.#count()
    return this.#bytes
  }

  #count(): number {
    let bytes = BYTES_OF_SURFACE * this.#size
    for (const { followers, numbers, lists } of this.#heads) {
      bytes += 8 * numbers.length + 4 * followers.documents.length
      for (const { impacts } of lists) bytes += impacts.byteLength
    }
    return bytes
  }

  /** Updates the factors to the current index; only what has changed is recomputed. */
  follow({ segments, frequencies }: HeadSources): void {
    this.#bytes = undefined
    const gone = new Set(this.#heads)
    this.#heads = segments.map(({ segment, removed }) => {
      const heads = this.#known.get(segment.body) ?? this.#begin(segment)
      gone.delete(heads)
      this.#takeAway(heads, removed)
      return heads
    })
    for (const { followers, numbers } of gone)
      for (let i = 0; i < numbers.length; i++) this.#retitle(numbers[i]!, -followers.titles[i]!)
    this.#weigh(frequencies)
  }

  #begin(segment: ReadableSegment): SegmentHeads {
    const { surfaces, ...followers } = this.#followers.read(segment)
    const numbers = this.#numbersOf(surfaces)
    for (let i = 0; i < numbers.length; i++) this.#retitle(numbers[i]!, followers.titles[i]!)
    const heads: SegmentHeads = { followers, numbers, gone: 0, lists: [] }
    this.#known.set(segment.body, heads)
    return heads
  }

  /** The places of distinct surfaces in the arrays; new ones are added. */
  #numbersOf(surfaces: Uint32Array): Uint32Array {
    const known = this.#surfaces.subarray(0, this.#size)
    if (surfaces.length <= FEW_SURFACES)
      return surfaces.map(surface => {
        const number = known.indexOf(surface)
        return number < 0 ? this.#add(surface) : number
      })
    const tally = this.#tally
    for (let number = 0; number < known.length; number++) tally.add(known[number]!, number + 1)
    const numbers = surfaces.map(surface => {
      const number = tally.of(surface) - 1
      return number < 0 ? this.#add(surface) : number
    })
    tally.clear(known)
    return numbers
  }

  #add(surface: number): number {
    const number = this.#size++
    this.#surfaces = grown(this.#surfaces, this.#size)
    this.#titles = grown(this.#titles, this.#size)
    this.#weighed = grown(this.#weighed, this.#size)
    this.#factors = grown(this.#factors, this.#size)
    this.#surfaces[number] = surface
    return number
  }

  #takeAway(heads: SegmentHeads, removed: readonly number[]): void {
    const { followers, numbers } = heads
    for (; heads.gone < removed.length; heads.gone++) {
      const which = followerOf(followers, removed[heads.gone]!)
      if (which < 0) continue
      followers.titles[which]!--
      this.#retitle(numbers[which]!, -1)
    }
  }

  #retitle(number: number, by: number): void {
    this.#titles[number]! += by
    this.#weighed[number] = UNWEIGHED
  }

  #weigh({ counts }: Frequencies): void {
    const changed = new Set<number>()
    const size = this.#size
    const [surfaces, weighed] = [this.#surfaces, this.#weighed]
    for (let number = 0; number < size; number++) {
      const documents = counts[surfaces[number]!] ?? 0
      if (weighed[number] === documents) continue
      weighed[number] = documents
      const factor = factorOf(this.#titles[number]!, documents)
      if (this.#factors[number] === factor) continue
      this.#factors[number] = factor
      changed.add(number)
    }
    if (changed.size === 0) return
    for (const heads of this.#heads)
      if (heads.lists.length > 0 && heads.numbers.some(number => changed.has(number))) heads.lists = []
  }

  /** The factor on the impacts in a document of the segment at a place, in steps. */
  factorOf(place: number, document: number): number {
    const { followers, numbers } = this.#heads[place]!
    const which = followerOf(followers, document)
    return which < 0 ? FACTOR_STEPS : this.#factors[numbers[which]!]!
  }

  /** The reduced postings of a term in the segment at a place, for the impacts in `source`, if they were made before. */
  known(place: number, term: number, source: Uint8Array, weight: number): PostingList | undefined {
    for (const lessened of this.#heads[place]!.lists)
      if (lessened.term === term && lessened.source === source) return listOf(lessened, weight)
    return undefined
  }

  /** The postings of a term in the segment at a place, with reduced impacts. */
  of(place: number, term: number, list: PostingList): PostingList {
    const heads = this.#heads[place]!
    const known = this.known(place, term, list.impacts, list.weight)
    if (known) return known
    this.#bytes = undefined
    const lessened = lessen(heads, this.#factors, term, list)
    heads.lists = [...heads.lists.filter(other => other.term !== term), lessened]
    return listOf(lessened, list.weight)
  }
}

/** The factor, in steps, for a surface that this many documents have and that follows the word in this many titles. */
const factorOf = (titles: number, documents: number): number =>
  Math.round(FACTOR_STEPS * (1 - LESS * Math.sqrt(titles / (documents + DOUBT))))

function listOf({ documents, impacts, most, sure }: Lessened, weight: number): PostingList {
  const to = impacts.length
  return { documents, impacts, from: 0, to, weight, bound: weight * most, sure: weight * sure }
}

function lessen(
  { followers, numbers }: SegmentHeads,
  factors: Uint8Array,
  term: number,
  list: PostingList,
): Lessened {
  const documents = list.documents.subarray(list.from, list.to)
  const impacts = list.impacts.slice(list.from, list.to)
  let most = 0
  let at = 0
  for (let p = 0; p < documents.length; p++) {
    const document = documents[p]!
    while (at < followers.documents.length && followers.documents[at]! < document) at++
    if (followers.documents[at] === document)
      impacts[p] = impactLeft(impacts[p]!, factors[numbers[followers.which[at]!]!]!)
    if (impacts[p]! > most) most = impacts[p]!
  }
  const sure = list.sure > 0 ? sureImpactOf(impacts, most) : 0
  return { term, source: list.impacts, documents, impacts, most, sure }
}

const impactLeft = (impact: number, factor: number): number =>
  Math.max(1, Math.round((impact * factor) / FACTOR_STEPS))
