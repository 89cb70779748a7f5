import { type Bag, bagOf } from './bag.ts'
import { Features, TextFeatures } from './text-features.ts'

/** What is compared of a document. */
export interface SimilarDocument {
  /** What names it; the empty text where nothing does. */
  readonly title: string
  /** Everything else. */
  readonly body: string
  /** Its tags, where features that occur too seldom within one are left out. */
  readonly tags?: readonly string[]
}

/**
 * What documents are compared by, and what each counts: the title by its words and pairs of words, the title by its
 * characters, and all words of title and body. Two documents are compared by what both have. Chosen on the odd ids of
 * two catalogues of duplicates (`bench/similar.ts`).
 */
export const aspects = [
  { name: 'title words', share: 1 },
  { name: 'title characters', share: 1 },
  { name: 'all words', share: 2 },
] as const
/** What of texts is compared: the words of titles, the characters of titles, or all words. */
export type AspectName = (typeof aspects)[number]['name']

export const ASPECTS = aspects.length
export const TITLE_CHARACTERS = 1
export const shares: readonly number[] = aspects.map(({ share }) => share)

/** Sets of aspects, as bits. */
export const OF_TITLE = 0b011
export const OF_WORDS = 0b101
export const OF_ALL_WORDS = 0b100

/** By set of aspects that both sides have: what their shares are divided by. */
export const inverseShares = Float64Array.from({ length: 1 << ASPECTS }, (_, set) => {
  const sum = shares.reduce((total, share, aspect) => total + ((set >> aspect) & 1) * share, 0)
  return sum === 0 ? 0 : 1 / sum
})

/** Makes what is compared of texts. */
export class Comparer {
  readonly #text = new TextFeatures()
  readonly #features = new Features()

  /** By aspect. */
  bags(document: SimilarDocument): Bag[] {
    const bags: Bag[] = []
    this.read(document, features => bags.push(bagOf(features)))
    return bags
  }

  /** Calls `take` with the features of each aspect in turn, while `text` tells what they stand for. */
  read({ title, body }: SimilarDocument, take: (features: Features, text: TextFeatures) => void): void {
    const text = this.#text
    const features = this.#features
    const next = (...fill: ((into: Features) => void)[]) => {
      features.count = 0
      for (const add of fill) add(features)
      take(features, text)
    }
    text.clear()
    text.read(title)
    next(
      into => text.words(into),
      into => text.pairs(into),
    )
    next(into => text.characters(into))
    text.read(body)
    next(into => text.words(into))
  }
}
