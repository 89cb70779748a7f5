import { type Analyzer, analyzerFor } from '../analysis/analyzer.ts'
import { fold } from '../analysis/fold.ts'
import { foldOrigins } from '../analysis/fold-origins.ts'
import { type FoundPhrase, PhraseWindows } from './phrase-windows.ts'

/** What a search found, as folded terms: what is to be marked in the texts of its hits. */
export interface FoundWords {
  /** All surfaces of all words: exact, of the same stem, typos, expansions of prefixes. */
  readonly terms: ReadonlySet<string>
  /** For terms of which only a part was found: the place of the part in the term. Only the part is marked. */
  readonly parts?: ReadonlyMap<string, PartPlace> | undefined
  /** Every word that begins with one of these is found, too. */
  readonly prefixes?: readonly string[]
  readonly phrases: readonly FoundPhrase[]
  /** How much a term or prefix counts in the choice of a passage: its idf. Default 1. */
  readonly weights?: ReadonlyMap<string, number>
}

/** UTF-16 units of a term. */
export interface PartPlace {
  readonly from: number
  readonly to: number
}

/** Called for each match, in the order of their ends, until it returns false. It must not call `find`. */
export type FindingSink = (start: number, end: number, key: number) => boolean

interface Entry {
  readonly term: string
  /** What the word is known by, or -1 where it belongs to phrases only. */
  key: number
  part: PartPlace | undefined
  /** The later words of a phrase first, as `PhraseWindows.meet` wants them. */
  readonly places: { readonly phrase: number; readonly word: number }[]
  /** The next one of the same hash. */
  readonly next: Entry | undefined
}

/** Maximum number of phrase words examined in one text: only a malicious query has more, and the text is marked up to there. */
const MOST_STEPS = 10_000_000

const BUCKETS = 1 << 12

/** Finds the words and phrases of one search in any number of texts. */
export class WordFinder {
  /** How much each word and each phrase weighs, by its key. A phrase weighs as much as its words. */
  readonly weights: readonly number[]
  // Looked up by units: few words of a text match, and making a string of each would take most of the time.
  readonly #buckets = new Array<Entry | undefined>(BUCKETS).fill(undefined)
  readonly #prefixes: readonly string[]
  /** A word and what begins with it are one. */
  readonly #prefixKeys: readonly number[]
  readonly #phrases: readonly FoundPhrase[]
  readonly #firstPhrase: number
  readonly #analyzer: Pick<Analyzer, 'scanRanges'>

  /** @param analyzer by which the words were found */
  constructor(
    { terms, parts, prefixes = [], phrases, weights }: FoundWords,
    analyzer: Pick<Analyzer, 'scanRanges'> = analyzerFor('none'),
  ) {
    this.#analyzer = analyzer
    const weightOf = (term: string) => weights?.get(term) ?? 1
    const keys = new Map([...terms].map((term, key) => [term, key]))
    for (const [term, key] of keys) {
      const entry = this.#entry(term)
      entry.key = key
      entry.part = parts?.get(term)
    }
    this.#prefixes = prefixes
    this.#prefixKeys = prefixes.map((prefix, i) => keys.get(prefix) ?? terms.size + i)
    this.#phrases = phrases
    this.#firstPhrase = terms.size + prefixes.length
    for (const [phrase, { words }] of phrases.entries()) this.#addPhrase(phrase, words)
    this.weights = [
      ...[...terms, ...prefixes].map(weightOf),
      ...phrases.map(({ words }) => phraseWeight(words, weightOf)),
    ]
  }

  /** Visits the places of all words and phrases in the text. */
  find(text: string, visit: FindingSink): void {
    const windows = this.#phrases.map(phrase => new PhraseWindows(phrase))
    let steps = 0
    let goesOn = true
    let position = -1
    this.#analyzer.scanRanges(text, (chars, length, start, end) => {
      position++
      if (!goesOn) return
      const entry = this.#find(chars, length)
      const key = entry && entry.key >= 0 ? entry.key : this.#prefixOf(chars, length)
      if (key >= 0) {
        const range = entry?.part ? rangeOfPart(text, start, end, length, entry.part) : { start, end }
        goesOn = visit(range.start, range.end, key)
      }
      if (entry === undefined) return
      for (const { phrase, word } of entry.places) {
        const begin = windows[phrase]!.meet(word, position, start)
        if (begin >= 0 && goesOn) goesOn = visit(begin, end, this.#firstPhrase + phrase)
      }
      steps += entry.places.length
      goesOn &&= steps < MOST_STEPS
    })
  }

  #addPhrase(phrase: number, words: FoundPhrase['words']): void {
    for (let word = words.length - 1; word >= 0; word--) {
      for (const term of words[word]!) this.#entry(term).places.push({ phrase, word })
    }
  }

  #entry(term: string): Entry {
    const units = Uint16Array.from({ length: term.length }, (_, i) => term.charCodeAt(i))
    const known = this.#find(units, term.length)
    if (known !== undefined) return known
    const bucket = bucketOf(units, term.length)
    const entry = { term, key: -1, part: undefined, places: [], next: this.#buckets[bucket] }
    this.#buckets[bucket] = entry
    return entry
  }

  #find(chars: Uint16Array, length: number): Entry | undefined {
    let entry = this.#buckets[bucketOf(chars, length)]
    while (entry && !(entry.term.length === length && startsWith(chars, length, entry.term)))
      entry = entry.next
    return entry
  }

  #prefixOf(chars: Uint16Array, length: number): number {
    const index = this.#prefixes.findIndex(prefix => startsWith(chars, length, prefix))
    return this.#prefixKeys[index] ?? -1
  }
}

interface Range {
  readonly start: number
  readonly end: number
}

/** The letters of a word that fold to the part; all of it where they do not fold to the term one by one. */
function rangeOfPart(text: string, start: number, end: number, length: number, part: PartPlace): Range {
  const word = text.slice(start, end)
  const folded = fold(word)
  if (folded.length !== length) return { start, end }
  const { starts, ends } = foldOrigins(word, folded)
  return { start: start + starts[part.from]!, end: start + ends[part.to - 1]! }
}

function phraseWeight(words: FoundPhrase['words'], weightOf: (term: string) => number): number {
  return words.reduce((sum, terms) => sum + Math.max(0, ...[...terms].map(weightOf)), 0)
}

function startsWith(chars: Uint16Array, length: number, prefix: string): boolean {
  if (prefix.length > length) return false
  for (let i = 0; i < prefix.length; i++) if (chars[i] !== prefix.charCodeAt(i)) return false
  return true
}

/** FNV-1a over units. */
function bucketOf(units: Uint16Array, length: number): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ units[i]!, 0x01000193)
  return (hash ^ (hash >>> 16)) & (BUCKETS - 1)
}
