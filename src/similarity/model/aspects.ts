import { type Bag, bagOf, MOST_OCCURRENCES } from './bag.ts'
import { Features, TextFeatures } from './text-features.ts'

/** The parts of a document that are compared. */
export interface SimilarDocument {
  /** Its name; the empty text where it has none. */
  readonly title: string
  /** Everything else. */
  readonly body: string
  /** Its tags, if features that are too rare within each tag are left out. */
  readonly tags?: readonly string[]
}

/**
 * The aspects in which documents are compared, with their weights: the words and word pairs of the title, the characters of
 * the title, and all words of title and body. Two documents are compared in the aspects that both have. Chosen on the odd ids
 * of two catalogues of duplicates (`bench/similar.ts`).
 */
export const aspects = [
  { name: 'title words', share: 1 },
  { name: 'title characters', share: 1 },
  { name: 'all words', share: 2 },
] as const
/** The aspect that was compared: words or characters of the titles, or all words. */
export type AspectName = (typeof aspects)[number]['name']

export const ASPECTS = aspects.length
const TITLE_WORDS = 0
export const TITLE_CHARACTERS = 1
export const ALL_WORDS = 2
/** A space after those of the aspects: words of the title with digits, which lower a score where they differ. */
export const NUMBERS = ASPECTS
export const SPACES = ASPECTS + 1
export const shares: readonly number[] = aspects.map(({ share }) => share)

/** Sets of aspects, as bits. */
export const OF_TITLE = 0b011
export const OF_WORDS = 0b101
export const OF_ALL_WORDS = 0b100
export const OF_EVERYTHING = 0b111

/** By set of aspects that both sides have: the inverse of the sum of their shares. */
export const inverseShares = Float64Array.from({ length: 1 << ASPECTS }, (_, set) => {
  const sum = shares.reduce((total, share, aspect) => total + ((set >> aspect) & 1) * share, 0)
  return sum === 0 ? 0 : 1 / sum
})

/** Receives the features of one space; until it returns, `text` tells what they stand for. */
export type TakeFeatures = (space: number, features: Features, text: TextFeatures) => void

/** Extracts the features by which texts are compared. */
export class Comparer {
  readonly #text = new TextFeatures()
  readonly #features = new Features()

  /** By space. */
  bags(document: SimilarDocument): Bag[] {
    const bags = new Array<Bag>(SPACES)
    this.read(document, (space, features) => {
      bags[space] = bagIn(space, features)
    })
    return bags
  }

  /** Calls `take` for each space. */
  read({ title, body }: SimilarDocument, take: TakeFeatures): void {
    const text = this.#text
    const features = this.#features
    const next = (space: number, fill: () => void) => {
      features.count = 0
      fill()
      take(space, features, text)
    }
    text.clear()
    text.read(title)
    next(TITLE_WORDS, () => {
      text.words(features)
      text.pairs(features)
    })
    next(TITLE_CHARACTERS, () => text.characters(features))
    next(NUMBERS, () => text.numbers(features))
    text.read(body)
    next(ALL_WORDS, () => text.words(features))
  }
}

/** How often a number occurs does not matter. */
export const bagIn = (space: number, features: Features): Bag =>
  bagOf(features, space === NUMBERS ? 1 : MOST_OCCURRENCES)
