import { increasinglyTolerant } from './candidates.ts'
import type { Completion } from './completion.ts'
import { withCommonParts } from './near-copies.ts'
import { TitleRanking } from './title-ranking.ts'
import { counting, typedWordsOf } from './title-words.ts'
import { Titles } from './titles.ts'
import { typedRanges } from './typed-ranges.ts'

interface TitleOptions {
  /** Completions returned at most. */
  limit: number
  /**
   * 1: where no title has words that begin as typed, those that begin no word of any title may be one edit away from
   * a beginning, and if that is not enough, all may.
   */
  typoTolerance: 0 | 1
}

/** Numbers of titles, best first. */
interface Found {
  readonly titles: readonly number[]
  completionOf(place: number): Completion
}

const NONE: Found = {
  titles: [],
  completionOf: () => {
    throw new RangeError('There are no titles.')
  },
}

/** Titles that are looked at for each that is wanted, and where these are nearly the same: many copies may be among the best. */
const LOOKED_AT = 2
const MOST_LOOKED_AT = 200

/** Roughly what the heap holds for the id of a document and its place in a map. */
const BYTES_PER_DOCUMENT = 60

/**
 * Instant completion of the titles of documents. Every typed word must begin a word of the title, without regard to
 * case and accents. Equal titles of several documents are one completion, and of a title the first 200 characters
 * count; of what is typed, the first 200 characters and 16 words. Answers depend on the titles there are, never on
 * how they came.
 */
export class Completions {
  readonly #titles = new Titles()
  readonly #ranking = new TitleRanking(this.#titles)
  /** Title numbers by document. */
  readonly #documents = new Map<string, number>()

  /** How many different titles there are. */
  get size(): number {
    return this.#titles.size
  }

  /** Roughly how much memory they hold. */
  get bytes(): number {
    return this.#titles.bytes + this.#documents.size * BYTES_PER_DOCUMENT
  }

  /** The title of a document, in place of one it had. A title without letters and digits is as none. */
  add(id: string, title: string | undefined): void {
    const text = counting(title ?? '')
    const before = this.#documents.get(id)
    if (before !== undefined && this.#titles.text(before) === text) return
    // Words that both have live on.
    const number = this.#titles.add(text)
    this.remove(id)
    if (number !== undefined) this.#documents.set(id, number)
  }

  remove(id: string): void {
    const number = this.#documents.get(id)
    if (number === undefined) return
    this.#documents.delete(id)
    this.#titles.remove(number)
  }

  /**
   * Best first: titles that begin with what was typed, then those that have the words in the order typed; those with
   * fewer corrected words; then those of more documents, the shorter, by text. Nothing typed gives none.
   */
  complete(text: string, options: TitleOptions): Completion[] {
    const { titles, completionOf } = this.#best(text, options)
    return titles.map((_, place) => completionOf(place))
  }

  /** The same, what near copies have in common before them: they crowd out nothing else. */
  completeApart(text: string, { limit, typoTolerance }: TitleOptions): Completion[] {
    for (const most of [limit * LOOKED_AT, Math.max(limit * LOOKED_AT, MOST_LOOKED_AT)]) {
      const { titles, completionOf } = this.#best(text, { limit: most, typoTolerance })
      const texts = titles.map(title => this.#titles.text(title))
      const { completions, different } = withCommonParts(texts, limit, completionOf)
      if (different >= limit || texts.length < most || most >= MOST_LOOKED_AT) return completions
    }
    return []
  }

  #best(text: string, { limit, typoTolerance }: TitleOptions): Found {
    const typed = typedWordsOf(text)
    if (typed.length > 0 && limit > 0) {
      for (const candidates of increasinglyTolerant(this.#titles.lexicon, typed, typoTolerance)) {
        const titles = this.#ranking.best(typed, candidates, limit)
        const corrected = candidates.some(({ corrected }) => corrected.length > 0)
        if (titles.length > 0)
          return { titles, completionOf: place => this.#completion(titles[place]!, typed, corrected) }
      }
    }
    return NONE
  }

  #completion(title: number, typed: readonly string[], corrected: boolean): Completion {
    const text = this.#titles.text(title)
    const count = this.#titles.counts[title]!
    return { text, kind: 'title', count, ranges: typedRanges(text, typed, corrected), corrected }
  }
}
