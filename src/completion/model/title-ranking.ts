import { BestTitles } from './best-titles.ts'
import type { Candidates } from './candidates.ts'
import type { IntegerLists } from './integer-lists.ts'
import { MOST_TYPED_WORDS } from './title-words.ts'
import type { Titles } from './titles.ts'

const BEGINS_TITLE = 0
const IN_ORDER = 1
const IN_ANY_ORDER = 2
/** A grade combines how a title matches the order of the typed words with, less significantly, its number of corrected words. */
const CORRECTIONS = MOST_TYPED_WORDS + 1
const UNFIT = -1

/** Finds the best of the titles that have a word for every typed word. */
export class TitleRanking {
  readonly #titles: Titles
  /** By word of the lexicon: in the low half, the typed words that begin it; in the high half, those that it equals or corrects. */
  #marks = new Uint32Array(0)
  /** By word: the typed words that it only matches as a correction. */
  #corrected = new Uint16Array(0)

  constructor(titles: Titles) {
    this.#titles = titles
  }

  /**
   * Numbers of titles, best first: titles that begin with the typed text, then those with the words in the order typed; then
   * by fewer corrected words, more documents, length (shorter first), and text. A title only begins with the typed text if
   * the typed words before the last are whole words of it.
   */
  best(typed: readonly string[], candidates: readonly Candidates[], limit: number): readonly number[] {
    const best = new BestTitles(this.#titles, limit)
    this.#mark(typed, candidates)
    this.#offer(candidates, best)
    for (const { all } of candidates) for (const word of all) this.#marks[word] = this.#corrected[word] = 0
    return best.titles
  }

  #mark(typed: readonly string[], candidates: readonly Candidates[]): void {
    const { lexicon } = this.#titles
    if (this.#marks.length < lexicon.end) {
      this.#marks = new Uint32Array(Math.ceil(lexicon.end * 1.5))
      this.#corrected = new Uint16Array(Math.ceil(lexicon.end * 1.5))
    }
    for (const [i, { exact, corrected }] of candidates.entries()) {
      const begun = 1 << i
      const whole = 1 << (MOST_TYPED_WORDS + i)
      for (const word of exact) this.#marks[word]! |= lexicon.word(word) === typed[i] ? begun | whole : begun
      for (const word of corrected) {
        this.#marks[word]! |= begun | whole
        this.#corrected[word]! |= begun
      }
    }
  }

  /** A short prefix begins very many words, and usually enough titles: then no other titles are examined. */
  #offer(candidates: readonly Candidates[], best: BestTitles): void {
    const { having, begunBy } = this.#titles
    const typed = candidates.length
    // A title needs a candidate of every typed word, so it is enough to examine those of the rarest.
    const sums = candidates.map(({ all }) => sumOf(having, all))
    const rarest = Math.min(...sums)
    if (sumOf(begunBy, candidates[0]!.all) < rarest) {
      this.#offerTitles(begunBy, candidates[0]!.all, best, typed)
      if (!best.admitsGrade(IN_ORDER * CORRECTIONS)) return
    }
    this.#offerTitles(having, candidates[sums.indexOf(rarest)]!.all, best, typed)
  }

  #offerTitles(lists: IntegerLists, words: readonly number[], best: BestTitles, typed: number): void {
    const { counts } = this.#titles
    for (const word of words) {
      const start = lists.start(word)
      const end = start + lists.length(word)
      for (let i = start; i < end; i++) {
        const title = lists.items[i]!
        if (counts[title] === 0) continue
        // Most titles can be skipped: even the best grade that they can have would not be good enough.
        if (!best.admits(title, BEGINS_TITLE) || !best.admits(title, this.#leastGrade(title))) continue
        const grade = this.#gradeOf(title, typed)
        if (grade !== UNFIT && best.admits(title, grade)) best.offer(title, grade)
      }
    }
  }

  #leastGrade(title: number): number {
    const { words } = this.#titles
    const first = words.items[words.start(title)]!
    return (this.#marks[first]! & 1) !== 0 ? BEGINS_TITLE : IN_ORDER * CORRECTIONS
  }

  #gradeOf(title: number, typed: number): number {
    const wanted = (1 << typed) - 1
    const { items } = this.#titles.words
    const start = this.#titles.words.start(title)
    const end = start + this.#titles.words.length(title)
    let begun = 0
    let exact = 0
    for (let i = start; i < end; i++) {
      const marks = this.#marks[items[i]!]!
      begun |= marks
      exact |= marks & ~this.#corrected[items[i]!]!
    }
    if ((begun & wanted) !== wanted) return UNFIT
    const corrections = bits(wanted & ~exact)
    return this.#orderOf(start, end, typed, exact) * CORRECTIONS + corrections
  }

  /** A typed word that begins some word of the title exactly is not matched with corrections. */
  #orderOf(start: number, end: number, typed: number, exact: number): number {
    const { items } = this.#titles.words
    let next = 0
    let whole = true
    for (let i = start; i < end && next < typed; i++) {
      const word = items[i]!
      const marks = this.#marks[word]!
      const fits = (marks & ~(this.#corrected[word]! & exact) & (1 << next)) !== 0
      const isWhole = next === typed - 1 || (marks & (1 << (MOST_TYPED_WORDS + next))) !== 0
      if (!fits || !isWhole || i - start !== next) whole = false
      if (fits) next++
    }
    if (next < typed) return IN_ANY_ORDER
    return whole ? BEGINS_TITLE : IN_ORDER
  }
}

function sumOf(lists: IntegerLists, words: readonly number[]): number {
  let sum = 0
  for (const word of words) sum += lists.length(word)
  return sum
}

function bits(mask: number): number {
  let count = 0
  for (let left = mask; left !== 0; left &= left - 1) count++
  return count
}
