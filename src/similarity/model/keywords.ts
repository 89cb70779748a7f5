import { analyzerFor } from '../../analysis/analyzer.ts'
import { grown } from '../../arrays/grow.ts'
import { sorting } from '../../arrays/sorting.ts'
import { TermTable } from '../../fulltext/dictionary/term-table.ts'
import { chiSquared } from './tag-words.ts'

/** Minimum document frequency of a keyword. */
const LEAST_DOCUMENTS = 3
/**
 * Words that say nothing about any tag: at least COMMON_DOCUMENTS of all documents have them, and in at least COMMON_TAGS of the
 * tags their frequency is at least USUAL times the overall one. Only tags in which LEAST_EXPECTED documents would have the word
 * by chance are counted.
 */
const COMMON_DOCUMENTS = 1 / 50
const COMMON_TAGS = 2 / 3
const USUAL = 1 / 3
const LEAST_EXPECTED = 3
const SPACE = 32

/** Number of unused terms at which rebuilding is worthwhile. */
const WORN_OUT = 10_000
const AT_ONCE = 256
const TERMS_AT_ONCE = 16_384

/** A word that is typical of the documents of a tag. */
export interface TypicalWord {
  /** A word, or two adjacent words; from a dataset, in the spelling of its documents. */
  readonly text: string
  /** Chi-squared of the word and the tag, above 0: the higher, the less likely by chance. */
  readonly score: number
  /** How many documents of the tag have it, and how many documents in all. */
  readonly inTag: number
  readonly inAll: number
}

export interface TypicalWordsOptions {
  /** Maximum number. Default: all. */
  readonly limit?: number | undefined
  /** Returns only words of this text. */
  readonly text?: string | undefined
  /** Returns only words whose score is at least the mean of all. */
  readonly strict?: boolean | undefined
}

/** A document: the numbers of its words and of their pairs. */
interface Entry {
  readonly id: string
  readonly terms: Uint32Array
  readonly tags: readonly string[]
}

/** Which words occur in the documents of a tag more often than by chance (chi-squared on presence). */
export class Keywords {
  readonly #analyzer = analyzerFor('none')
  readonly #terms = new TermTable(0)
  readonly #documents = new Map<string, Entry>()
  readonly #byTag = new Map<string, Set<Entry>>()
  /** By pair: the numbers of its two words, + 1; for a single word 0. */
  #firsts = new Uint32Array(1 << 8)
  #seconds = new Uint32Array(1 << 8)
  #frequencies = new Uint32Array(1 << 8)
  #entries = 0
  #dead = 0
  #common: Uint8Array | undefined
  #changes = 0

  get size(): number {
    return this.#documents.size
  }

  /** Roughly how much memory they hold. */
  get bytes(): number {
    const pairs = this.#firsts.byteLength + this.#seconds.byteLength
    return this.#terms.bytes + 4 * this.#entries + 150 * this.#documents.size + pairs
  }

  /** Whether most of the terms belong only to documents that are gone. */
  get isWornOut(): boolean {
    return this.#dead > WORN_OUT && 2 * this.#dead > this.#terms.size
  }

  /** Whether a document has the tag. */
  hasTag(tag: string): boolean {
    return this.#byTag.has(tag)
  }

  /** Documents of a tag, in order of arrival. */
  idsOf(tag: string, most: number): string[] {
    const ids: string[] = []
    for (const { id } of this.#byTag.get(tag) ?? []) {
      if (ids.length === most) break
      ids.push(id)
    }
    return ids
  }

  /** Adds a document, replacing any with the same id. Words of different texts are not adjacent. */
  add(id: string, texts: readonly string[], tags: readonly string[]): void {
    const terms = Uint32Array.from(this.#termsOf(texts, this.#intern))
    const entry = { id, terms, tags: [...new Set(tags)] }
    this.#count(entry, 1)
    this.remove(id)
    this.#documents.set(id, entry)
    for (const tag of entry.tags) {
      if (this.#byTag.has(tag)) this.#byTag.get(tag)!.add(entry)
      else this.#byTag.set(tag, new Set([entry]))
    }
  }

  remove(id: string): void {
    const entry = this.#documents.get(id)
    if (!entry) return
    this.#documents.delete(id)
    this.#count(entry, -1)
    for (const tag of entry.tags) {
      const documents = this.#byTag.get(tag)!
      documents.delete(entry)
      if (documents.size === 0) this.#byTag.delete(tag)
    }
  }

  /** The words of a tag, best first, piece by piece; none for a tag without documents, or one that all documents have. */
  *of(
    tag: string,
    { limit, text, strict = false }: TypicalWordsOptions = {},
  ): Generator<void, TypicalWord[]> {
    const common = yield* this.#knownCommonTerms()
    const inTag = new Uint32Array(this.#terms.size)
    const found = yield* countIn(this.#byTag.get(tag) ?? [], inTag)
    const candidates = text === undefined ? found : yield* this.#termsIn(text)
    const ofTag = this.#byTag.get(tag)?.size ?? 0
    const scored: Scored[] = []
    let seen = 0
    for (const term of candidates) {
      if (++seen % TERMS_AT_ONCE === 0) yield
      if (!inTag[term] || !this.#isContent(term, common)) continue
      // A document may have been removed between two pieces.
      const among = Math.min(inTag[term], this.#frequencies[term]!, ofTag)
      const score = chiSquared(among, ofTag, this.#frequencies[term]!, this.size)
      if (score > 0) scored.push({ term, among, score })
    }
    const sorted = yield* sorting(
      scored,
      (a, b) =>
        b.score - a.score ||
        Number(this.#isPair(b.term)) - Number(this.#isPair(a.term)) ||
        // Not by number: in which order words were first met depends on the order of the writes.
        (this.#terms.term(a.term) < this.#terms.term(b.term) ? -1 : 1),
    )
    const chosen = yield* this.#withoutPartsOfPairs(sorted)
    const mean = chosen.reduce((sum, { score }) => sum + score, 0) / chosen.length
    return chosen
      .filter(({ score }) => !strict || score >= mean)
      .slice(0, limit)
      .map(({ term, among, score }) => ({
        text: this.#terms.term(term),
        score,
        inTag: among,
        inAll: this.#frequencies[term]!,
      }))
  }

  #isPair(term: number): boolean {
    return this.#firsts[term]! > 0
  }

  /** Removes words that are part of a pair before them. */
  *#withoutPartsOfPairs(scored: readonly Scored[]): Generator<void, Scored[]> {
    const said = new Set<number>()
    const left: Scored[] = []
    for (const [at, one] of scored.entries()) {
      if (at % TERMS_AT_ONCE === 0) yield
      if (said.has(one.term)) continue
      if (this.#isPair(one.term)) said.add(this.#firsts[one.term]! - 1).add(this.#seconds[one.term]! - 1)
      left.push(one)
    }
    return left
  }

  /** Whether it is neither rare nor common, nor a pair with a common word. */
  #isContent(term: number, common: Uint8Array): boolean {
    if (this.#frequencies[term]! < LEAST_DOCUMENTS) return false
    if (!this.#isPair(term)) return !common[term]
    return !common[this.#firsts[term]! - 1] && !common[this.#seconds[term]! - 1]
  }

  *#knownCommonTerms(): Generator<void, Uint8Array> {
    if (this.#common) return this.#common
    const changes = this.#changes
    const common = yield* this.#commonTerms()
    // Otherwise it is of documents that have changed between two pieces.
    if (changes === this.#changes) this.#common = common
    return common
  }

  /** By term: 1 for common words of the language or of the whole catalogue, about as frequent in most tags as anywhere. */
  *#commonTerms(): Generator<void, Uint8Array> {
    const size = this.#terms.size
    const frequent: number[] = []
    for (let term = 0; term < size; term++) {
      if (this.#frequencies[term]! >= COMMON_DOCUMENTS * this.size) frequent.push(term)
      if (term % TERMS_AT_ONCE === 0) yield
    }
    const rates = frequent.map(term => this.#frequencies[term]! / this.size)
    const tags = new Uint32Array(size)
    const usual = new Uint32Array(size)
    const counts = new Uint32Array(size)
    for (const documents of [...this.#byTag.values()]) {
      const found = yield* countIn(documents, counts)
      for (const [at, term] of frequent.entries()) {
        const expected = rates[at]! * documents.size
        if (expected < LEAST_EXPECTED) continue
        tags[term]!++
        if (counts[term]! >= USUAL * expected) usual[term]!++
      }
      for (const term of found) counts[term] = 0
      yield
    }
    const common = new Uint8Array(size)
    for (const term of frequent)
      common[term] = Number(tags[term]! > 2 && usual[term]! >= COMMON_TAGS * tags[term]!)
    return common
  }

  #count({ terms }: Entry, by: 1 | -1): void {
    this.#entries += by * terms.length
    this.#common = undefined
    this.#changes++
    for (const term of terms) {
      const before = this.#frequencies[term]!
      const now = before + by
      this.#frequencies[term] = now
      if (now === 0) this.#dead++
      // Counted before: a new term has never been dead.
      else if (before === 0 && term < this.#counted) this.#dead--
    }
    this.#counted = this.#terms.size
  }

  /** Number of terms whose documents have been counted. */
  #counted = 0

  /** The words of texts and their pairs, as far as `termOf` knows them. */
  #termsOf(texts: readonly string[], termOf: TermOf): Set<number> {
    const terms = new Set<number>()
    for (const text of texts) this.#analyzer.scan(text, this.#gathering(termOf, terms))
    return terms
  }

  /** The words and pairs of a text that documents have, piece by piece. */
  *#termsIn(text: string): Generator<void, Set<number>> {
    const terms = new Set<number>()
    yield* this.#analyzer.scanInPieces(text, this.#gathering(this.#known, terms))
    return terms
  }

  /** Takes the words of one text, one after the other. */
  #gathering(termOf: TermOf, into: Set<number>): (chars: Uint16Array, length: number) => void {
    let before = -1
    return (chars, length) => {
      const term = termOf(chars, length)
      if (term >= 0) into.add(term)
      if (term >= 0 && before >= 0) this.#addPair(before, term, termOf, into)
      before = term
    }
  }

  #addPair(first: number, second: number, termOf: TermOf, into: Set<number>): void {
    const { units, starts } = this.#terms
    const ofFirst = units.subarray(starts[first]!, starts[first + 1]!)
    const ofSecond = units.subarray(starts[second]!, starts[second + 1]!)
    const pair = new Uint16Array(ofFirst.length + 1 + ofSecond.length)
    pair.set(ofFirst)
    pair[ofFirst.length] = SPACE
    pair.set(ofSecond, ofFirst.length + 1)
    const term = termOf(pair, pair.length)
    if (term < 0) return
    into.add(term)
    if (this.#isPair(term)) return
    this.#firsts = grown(this.#firsts, term + 1)
    this.#seconds = grown(this.#seconds, term + 1)
    this.#firsts[term] = first + 1
    this.#seconds[term] = second + 1
  }

  readonly #intern: TermOf = (chars, length) => {
    const term = this.#terms.intern(chars, length)
    this.#frequencies = grown(this.#frequencies, term + 1)
    return term
  }

  readonly #known: TermOf = (chars, length) => this.#terms.lookup(chars, length)
}

/** The number of a term; -1 where there is none. */
type TermOf = (chars: Uint16Array, length: number) => number

interface Scored {
  readonly term: number
  /** How many documents of the tag have it. */
  readonly among: number
  readonly score: number
}

/** Counts how many documents each term is in, as far as there is room for its number; returns the terms that it met. */
function* countIn(documents: Iterable<Entry>, counts: Uint32Array): Generator<void, number[]> {
  const met: number[] = []
  let seen = 0
  for (const { terms } of [...documents]) {
    for (const term of terms) {
      if (term >= counts.length) continue
      if (counts[term] === 0) met.push(term)
      counts[term]!++
    }
    if (++seen % AT_ONCE === 0) yield
  }
  return met
}
