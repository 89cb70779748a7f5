import { analyzerFor } from '../analysis/analyzer.ts'
import { TermTable } from '../fulltext/dictionary/term-table.ts'
import { grown } from '../fulltext/grow.ts'

/** In so many documents at least a keyword stands. */
const LEAST_DOCUMENTS = 3
/**
 * Words that tell nothing about any tag: so large a part of all documents has them, and in so large a part of the tags
 * they are at least so usual as they are overall. Tags vote where so many documents would have the word by chance.
 */
const COMMON_DOCUMENTS = 1 / 50
const COMMON_TAGS = 2 / 3
const USUAL = 1 / 3
const LEAST_EXPECTED = 3
const SPACE = 32

export interface Keyword {
  /** A word, or two neighbouring words. */
  readonly word: string
  /** Chi-squared of the word and the tag, above 0: the more, the less it is by chance. */
  readonly score: number
  /** Documents of the tag that have it, and documents at all. */
  readonly inTag: number
  readonly inAll: number
}

export interface KeywordsOptions {
  /** At most so many; all unless told. */
  readonly count?: number
  /** Only words of this text. */
  readonly text?: string
  /** Only those that score no less than the mean of all. */
  readonly strict?: boolean
}

/** Which words stand in the documents of a tag more often than chance would have it (chi-squared on presence). */
export class Keywords {
  readonly #analyzer = analyzerFor('none')
  readonly #terms = new TermTable(0)
  #frequencies = new Uint32Array(1 << 8)
  #entries = new Uint32Array(1 << 10)
  #starts = new Uint32Array(1 << 6)
  #documents = 0
  /** By pair the numbers of its two words, by word nothing. */
  readonly #words = new Map<number, readonly [number, number]>()
  readonly #byTag = new Map<string, number[]>()
  #common: Uint8Array | undefined

  get size(): number {
    return this.#documents
  }

  /** Words of different texts are no neighbours. */
  add(texts: readonly string[], tags: readonly string[]): void {
    const terms = this.#termsOf(texts, this.#intern)
    const start = this.#starts[this.#documents]!
    this.#entries = grown(this.#entries, start + terms.size)
    this.#starts = grown(this.#starts, this.#documents + 2)
    let at = start
    for (const term of terms) {
      this.#entries[at++] = term
      this.#frequencies[term]!++
    }
    for (const tag of new Set(tags)) {
      if (this.#byTag.has(tag)) this.#byTag.get(tag)!.push(this.#documents)
      else this.#byTag.set(tag, [this.#documents])
    }
    this.#starts[++this.#documents] = at
    this.#common = undefined
  }

  /** Those of a tag, best first; none for a tag without documents, or with all. */
  of(tag: string, { count, text, strict = false }: KeywordsOptions = {}): Keyword[] {
    const documents = this.#byTag.get(tag) ?? []
    const inTag = new Uint32Array(this.#terms.size)
    this.#count(documents, inTag)
    const candidates = text === undefined ? inTag.keys() : this.#termsOf([text], this.#known)
    const scored = [...candidates]
      .filter(term => inTag[term]! > 0 && this.#isContent(term))
      .map(term => ({
        term,
        among: inTag[term]!,
        score: this.#chiSquared(inTag[term]!, documents.length, term),
      }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || this.#partsOf(b) - this.#partsOf(a) || a.term - b.term)
    const chosen = this.#withoutPartsOfPairs(scored)
    const mean = chosen.reduce((sum, { score }) => sum + score, 0) / chosen.length
    return chosen
      .filter(({ score }) => !strict || score >= mean)
      .slice(0, count)
      .map(({ term, among, score }) => ({
        word: this.#terms.term(term),
        score,
        inTag: among,
        inAll: this.#frequencies[term]!,
      }))
  }

  /** 0 where the term is rarer among the documents of the tag than elsewhere. */
  #chiSquared(among: number, ofTag: number, term: number): number {
    const all = this.#documents
    const elsewhere = this.#frequencies[term]! - among
    const without = ofTag - among
    const neither = all - ofTag - elsewhere
    const difference = among * neither - elsewhere * without
    if (difference <= 0) return 0
    const table = (among + elsewhere) * (without + neither) * ofTag * (all - ofTag)
    return (all * difference * difference) / table
  }

  #partsOf({ term }: { readonly term: number }): number {
    return this.#words.get(term)?.length ?? 0
  }

  /** Takes out the words of pairs that stand before them. */
  #withoutPartsOfPairs<T extends { readonly term: number }>(scored: readonly T[]): T[] {
    const said = new Set<number>()
    return scored.filter(({ term }) => {
      if (said.has(term)) return false
      for (const word of this.#words.get(term) ?? []) said.add(word)
      return true
    })
  }

  /** Neither rare nor a word that stands everywhere, nor a pair with such a word. */
  #isContent(term: number): boolean {
    if (this.#frequencies[term]! < LEAST_DOCUMENTS) return false
    this.#common ??= this.#commonTerms()
    const words = this.#words.get(term) ?? [term]
    return words.every(word => this.#common![word] === 0)
  }

  /** By term 1 where it is a word of the language or of the whole catalogue: as usual in most tags as anywhere. */
  #commonTerms(): Uint8Array {
    const size = this.#terms.size
    const counts = new Uint32Array(size)
    const tags = new Uint32Array(size)
    const usual = new Uint32Array(size)
    const rates = Float64Array.from({ length: size }, (_, term) => this.#frequencies[term]! / this.#documents)
    const frequent = [...rates.keys()].filter(term => rates[term]! >= COMMON_DOCUMENTS)
    for (const documents of this.#byTag.values()) {
      this.#count(documents, counts)
      for (const term of frequent) {
        const expected = rates[term]! * documents.length
        if (expected < LEAST_EXPECTED) continue
        tags[term]!++
        if (counts[term]! >= USUAL * expected) usual[term]!++
      }
      counts.fill(0)
    }
    return Uint8Array.from(usual, (count, term) =>
      Number(tags[term]! > 2 && count >= COMMON_TAGS * tags[term]!),
    )
  }

  #count(documents: readonly number[], counts: Uint32Array): void {
    for (const document of documents) {
      for (let i = this.#starts[document]!; i < this.#starts[document + 1]!; i++) counts[this.#entries[i]!]!++
    }
  }

  /** The words of texts and their pairs, as far as `termOf` knows them. */
  #termsOf(texts: readonly string[], termOf: TermOf): Set<number> {
    const terms = new Set<number>()
    for (const text of texts) {
      let before = -1
      this.#analyzer.scan(text, (chars, length) => {
        const term = termOf(chars, length)
        if (term >= 0) terms.add(term)
        if (term >= 0 && before >= 0) this.#addPair(before, term, termOf, terms)
        before = term
      })
    }
    return terms
  }

  #addPair(first: number, second: number, termOf: TermOf, into: Set<number>): void {
    const { units, starts } = this.#terms
    const ofFirst = units.subarray(starts[first]!, starts[first + 1]!)
    const ofSecond = units.subarray(starts[second]!, starts[second + 1]!)
    const pair = Uint16Array.of(...ofFirst, SPACE, ...ofSecond)
    const term = termOf(pair, pair.length)
    if (term < 0) return
    into.add(term)
    if (!this.#words.has(term)) this.#words.set(term, [first, second])
  }

  readonly #intern: TermOf = (chars, length) => {
    const term = this.#terms.intern(chars, length)
    this.#frequencies = grown(this.#frequencies, term + 1)
    return term
  }

  readonly #known: TermOf = (chars, length) => this.#terms.lookup(chars, length)
}

/** The number of a term, -1 for none. */
type TermOf = (chars: Uint16Array, length: number) => number
