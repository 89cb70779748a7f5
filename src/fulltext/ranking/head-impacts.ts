import { grown } from '../../arrays/grow.ts'
import { isSet } from '../../arrays/set-bits.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { NO_FOLLOWER } from '../segments/forward-list.ts'
import type { Frequencies } from '../segments/frequencies.ts'
import { sureImpactOf } from '../segments/impacts.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import { lowerBound, type PostingList } from '../segments/posting-list.ts'
import { type Followers, followersOf, type Tally } from './followers.ts'

// Chosen on odd tags of three catalogues, each queried by the last word of its name, and on the checks of two shops: any value
// between .2 and .5, with a prior of 2 to 8 documents, and the share itself or its square root, is better than none.
const LESS = 0.3
const DOUBT = 3

const FACTOR_BITS = 6
/** Factors are rounded to this many steps, so that most of them outlive a change of some documents. */
export const FACTOR_STEPS = 2 ** FACTOR_BITS

/** Instead of a number, in the list of a segment. */
const GONE = 2 ** 16 - 1

/** Maximum number of titles, and therefore of words that follow. */
export const MOST_HEADS = GONE

/** Instead of a number, in the tally: sizes and models follow any word, so nothing is concluded from them. */
const HAS_DIGIT = 2 ** 32 - 1

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
  /** Documents in whose title a word without a digit follows, ascending. */
  readonly documents: Uint16Array
  /** By place in `documents`: the number of that word; `GONE` once the document has been removed. */
  readonly numbers: Uint16Array
  /** Number of removed documents that have been taken away. */
  gone: number
  /** One for each term, usually a family and a form, with the most recent weights. */
  lists: Lessened[]
}

interface SegmentFollowers {
  readonly live: LiveSegment
  readonly followers: Followers
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
  readonly #terms: readonly number[]
  readonly #vocabulary: Vocabulary
  /** By place of the segment, as of the last `follow`. */
  #heads: SegmentHeads[] = []
  /** By the body of the segment, which stays the same object when its scores are recomputed. */
  #known = new WeakMap<Uint8Array, SegmentHeads>()
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
    this.#terms = terms
    this.#vocabulary = vocabulary
    this.#tally = tally
  }

  /** Approximate memory; counted again only after something was added or has changed, since it is asked for by each query. */
  get bytes(): number {
    this.#bytes ??= this.#count()
    return this.#bytes
  }

  #count(): number {
    const arrays = [this.#surfaces, this.#titles, this.#weighed, this.#factors]
    let bytes = arrays.reduce((sum, { byteLength }) => sum + byteLength, 0)
    for (const { documents, lists } of this.#heads) {
      bytes += 4 * documents.length
      for (const { impacts } of lists) bytes += impacts.byteLength
    }
    return bytes
  }

  /** Updates the factors to the current index; only what has changed is recomputed. */
  follow({ segments, frequencies }: HeadSources): void {
    this.#bytes = undefined
    this.#begin(segments)
    const gone = new Set(this.#heads)
    this.#heads = segments.map(({ segment, removed }) => {
      const heads = this.#known.get(segment.body)!
      gone.delete(heads)
      this.#takeAway(heads, removed)
      return heads
    })
    for (const { numbers } of gone) for (const number of numbers) this.#retitle(number, -1)
    this.#weigh(frequencies)
  }

  /** Reads new segments; all of them where numbers would run out, since words that no title has any more keep theirs. */
  #begin(segments: readonly LiveSegment[]): void {
    const unknown = this.#read(segments.filter(({ segment }) => !this.#known.has(segment.body)))
    if (this.#size === 0 || this.#size + titlesIn(unknown) <= MOST_HEADS) this.#number(unknown)
    else {
      this.#heads = []
      this.#known = new WeakMap()
      this.#size = 0
      this.#number(this.#read(segments))
    }
  }

  #read(segments: readonly LiveSegment[]): SegmentFollowers[] {
    return segments.map(live => ({
      live,
      followers: followersOf(this.#terms, this.forms, live.segment, this.#vocabulary),
    }))
  }

  #number(unknown: readonly SegmentFollowers[]): void {
    const first = this.#size
    const titles = titlesIn(unknown)
    const withDigits: number[] = []
    this.#tally.makeRoom(first + titles)
    if (titles > 0)
      for (let number = 0; number < first; number++) this.#tally.set(this.#surfaces[number]!, number + 1)
    const heads = unknown.map(one => this.#headsOf(one, withDigits))
    this.#takeNumbers(first)
    for (const [i, { live }] of unknown.entries()) {
      this.#known.set(live.segment.body, heads[i]!)
      for (const number of heads[i]!.numbers) this.#retitle(number, 1)
    }
    if (titles > 0) this.#tally.clear(this.#surfaces.subarray(0, this.#size))
    this.#tally.clear(withDigits)
  }

  /** Makes places for the surfaces that have got numbers from `first` on. */
  #takeNumbers(first: number): void {
    const size = this.#size
    this.#surfaces = grown(this.#surfaces, size)
    this.#titles = grown(this.#titles, size)
    this.#weighed = grown(this.#weighed, size)
    this.#factors = grown(this.#factors, size)
    this.#surfaces.set(this.#tally.surfaces.subarray(first, size), first)
    this.#titles.fill(0, first, size)
  }

  #headsOf({ followers, live: { dead, removed } }: SegmentFollowers, withDigits: number[]): SegmentHeads {
    const { documents, surfaces } = followers
    const { having, numbers } = this.#tally
    let size = 0
    for (let i = 0; i < surfaces.length; i++) {
      const surface = surfaces[i]!
      if (surface === NO_FOLLOWER || isSet(dead, documents[i]!)) continue
      const number = this.#tally.of(surface) || this.#add(surface, withDigits)
      if (number === HAS_DIGIT) continue
      having[size] = documents[i]!
      numbers[size++] = number - 1
    }
    return {
      documents: having.slice(0, size),
      numbers: numbers.slice(0, size),
      gone: removed.length,
      lists: [],
    }
  }

  /** What the tally has of a new surface: its number, from 1 on, or `HAS_DIGIT`. */
  #add(surface: number, withDigits: number[]): number {
    if (this.#tally.hasDigit(surface, this.#vocabulary.terms)) {
      withDigits.push(surface)
      this.#tally.set(surface, HAS_DIGIT)
      return HAS_DIGIT
    }
    const number = this.#size++
    this.#tally.surfaces[number] = surface
    this.#tally.set(surface, number + 1)
    return number + 1
  }

  #takeAway(heads: SegmentHeads, removed: readonly number[]): void {
    const { documents, numbers } = heads
    for (; heads.gone < removed.length; heads.gone++) {
      const at = placeIn(documents, removed[heads.gone]!)
      if (at < 0) continue
      this.#retitle(numbers[at]!, -1)
      numbers[at] = GONE
    }
  }

  #retitle(number: number, by: number): void {
    if (number === GONE) return
    this.#titles[number]! += by
    this.#weighed[number] = UNWEIGHED
  }

  #weigh({ counts }: Frequencies): void {
    const size = this.#size
    const changed = new Uint8Array(size)
    let changes = 0
    const [surfaces, weighed] = [this.#surfaces, this.#weighed]
    for (let number = 0; number < size; number++) {
      const documents = counts[surfaces[number]!] ?? 0
      if (weighed[number] === documents) continue
      weighed[number] = documents
      const factor = factorOf(this.#titles[number]!, documents)
      if (this.#factors[number] === factor) continue
      this.#factors[number] = factor
      changed[number] = 1
      changes++
    }
    if (changes === 0) return
    for (const heads of this.#heads)
      if (heads.lists.length > 0 && heads.numbers.some(number => changed[number] === 1)) heads.lists = []
  }

  /** The factor on the impacts in a document of the segment at a place, in steps. */
  factorOf(place: number, document: number): number {
    const { documents, numbers } = this.#heads[place]!
    const at = placeIn(documents, document)
    return at < 0 || numbers[at] === GONE ? FACTOR_STEPS : this.#factors[numbers[at]!]!
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

const titlesIn = (segments: readonly SegmentFollowers[]): number =>
  segments.reduce((sum, { followers }) => sum + followers.surfaces.length, 0)

/** The factor, in steps, for a surface that this many documents have and that follows the word in this many titles. */
const factorOf = (titles: number, documents: number): number =>
  Math.round(FACTOR_STEPS * (1 - LESS * Math.sqrt(titles / (documents + DOUBT))))

function listOf({ documents, impacts, most, sure }: Lessened, weight: number): PostingList {
  const to = impacts.length
  return { documents, impacts, from: 0, to, weight, bound: weight * most, sure: weight * sure }
}

function lessen(heads: SegmentHeads, factors: Uint8Array, term: number, list: PostingList): Lessened {
  const documents = list.documents.subarray(list.from, list.to)
  const impacts = list.impacts.slice(list.from, list.to)
  const { documents: having, numbers } = heads
  let most = 0
  let at = 0
  for (let p = 0; p < documents.length; p++) {
    const document = documents[p]!
    while (at < having.length && having[at]! < document) at++
    if (having[at] === document && numbers[at] !== GONE)
      impacts[p] = impactLeft(impacts[p]!, factors[numbers[at]!]!)
    if (impacts[p]! > most) most = impacts[p]!
  }
  const sure = list.sure > 0 ? sureImpactOf(impacts, most) : 0
  return { term, source: list.impacts, documents, impacts, most, sure }
}

/** The place of a document in an ascending list, or -1. */
function placeIn(documents: Uint16Array, document: number): number {
  const at = lowerBound(documents, 0, documents.length, document)
  return documents[at] === document ? at : -1
}

/** Rounded, and at least 1. */
const impactLeft = (impact: number, factor: number): number =>
  (impact * factor + FACTOR_STEPS / 2) >> FACTOR_BITS || 1
