import type { Vocabulary } from '../dictionary/vocabulary.ts'
import type { Frequencies } from '../segments/frequencies.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import type { Segment } from '../segments/segment.ts'
import { MAX_SEGMENT_DOCUMENTS } from '../segments/segment.ts'
import type { SegmentList } from '../segments/segment-list.ts'
import type { Followers, KnownFollowers } from './followers.ts'
import type { Expansion, Slot } from './slot.ts'

// Chosen on odd tags of three catalogues, each asked for by the last word of its name, and the checks of two shops:
// between .2 and .5, with 2 to 8 documents of doubt, the share as it is or its square root, all are better than without.
const LESS = 0.3
const DOUBT = 3

/** Of fewer documents little can be learnt, and the first page shows half of them anyway. */
const LEAST_DOCUMENTS = 24

/** More take too long to be counted in a search. */
const MOST_DOCUMENTS = MAX_SEGMENT_DOCUMENTS

const digit = /\p{N}/u

/** By what a word stands for, which is found out anew once the index has changed. */
export type HeadBonuses = WeakMap<readonly Expansion[], HeadBonus | 'none'>

/** What is known of words. */
interface Known {
  readonly stack: SegmentList<Segment>
  readonly vocabulary: Vocabulary
  readonly followers: KnownFollowers
  readonly heads: HeadBonuses
}

/**
 * What the score of a document is multiplied with for a query of one word, in a language in which what a thing is comes
 * last (`laptop bag`, `phone case`): less where the word in the title stands before another that seldom stands elsewhere,
 * so that the thing comes before what goes with it.
 */
export class HeadBonus {
  /** With 16 more things come behind what goes with them, with 24 hardly fewer, at the double cost. */
  readonly depth = 20
  readonly most = 1 / (1 - LESS)
  readonly #segments: readonly LiveSegment[]
  readonly #followers: Followers
  /** Of each segment. */
  readonly #titles: readonly ReadonlyMap<number, number>[]
  readonly #frequencies: Frequencies
  readonly #vocabulary: Vocabulary
  /** By the number of the document among all, as far as they were asked for. */
  readonly #known = new Map<number, number>()

  private constructor(segments: readonly LiveSegment[], forms: ReadonlySet<number>, ranking: Known) {
    this.#segments = segments
    this.#followers = ranking.followers.of(forms)
    this.#titles = this.#followers.titles(segments)
    this.#frequencies = ranking.stack.frequencies
    this.#vocabulary = ranking.vocabulary
  }

  /** That of a word for the index as it is now; undefined where the word is too rare, or too frequent. */
  static of({ cover }: Slot, segments: readonly LiveSegment[], ranking: Known): HeadBonus | undefined {
    const known = ranking.heads.get(cover)
    if (known !== undefined) return known === 'none' ? undefined : known
    const forms = formsOf(cover, ranking)
    const bonus = forms && new HeadBonus(segments, forms, ranking)
    ranking.heads.set(cover, bonus ?? 'none')
    return bonus
  }

  /** By the number of the document among all. */
  of(document: number): number {
    const known = this.#known.get(document)
    if (known !== undefined) return known
    const { segment } = this.#segments[document >>> 16]!
    const share = this.#shareOf(this.#followers.in(segment, document & 0xffff))
    const factor = (1 - LESS * Math.sqrt(share)) / (1 - LESS)
    this.#known.set(document, factor)
    return factor
  }

  /** Of the documents with a surface, the share in whose titles it stands directly behind the word. */
  #shareOf(surface: number): number {
    if (surface < 0 || digit.test(this.#vocabulary.terms.term(surface))) return 0
    let titles = 0
    for (const ofSegment of this.#titles) titles += ofSegment.get(surface) ?? 0
    return titles / (this.#frequencies.of(surface) + DOUBT)
  }
}

/** The forms of what the only word of a query stands for; undefined where these are too rare or too frequent. */
export function formsOf(
  cover: readonly Expansion[],
  { stack, vocabulary }: Pick<Known, 'stack' | 'vocabulary'>,
): ReadonlySet<number> | undefined {
  // What is still being typed may become many words.
  const terms = cover.flatMap(({ kind, term, standing }) => (kind === 'prefix' || standing ? [] : [term]))
  const documents = terms.reduce((sum, term) => sum + stack.frequencies.of(term), 0)
  if (documents < LEAST_DOCUMENTS || documents > MOST_DOCUMENTS) return undefined
  const forms = new Set<number>()
  for (const term of terms) vocabulary.visitMembers(term, surface => forms.add(surface))
  return forms
}
