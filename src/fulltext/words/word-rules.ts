import type { Analyzer } from '../../analysis/analyzer.ts'
import { atOnce } from '../../scheduling/at-once.ts'
import type { QueryText } from './query-text.ts'

/** What is known of words other than from documents. */
export interface WordRules {
  /** Words that are left out of queries, unless these have no others. */
  readonly stopWords: readonly string[]
  /** Texts with the same meaning: the root finds the others; without a root, each finds all others. */
  readonly synonyms: readonly { readonly root?: string | undefined; readonly synonyms: readonly string[] }[]
  /** Words that are never taken for typos of others. */
  readonly exactWords: readonly string[]
  /** Whether words with a digit are never taken for typos either. */
  readonly exactCodes: boolean
  /** By field: whether words only match there as typed, or in another form. */
  readonly exactFields: readonly boolean[]
}

/** Maximum number of texts that may stand for a word besides itself. */
const MAX_ALTERNATIVES = 64

interface Source {
  /** Stems of its words. */
  readonly stems: readonly string[]
  /** The words of each text that means the same. */
  readonly alternatives: readonly (readonly string[])[]
}

/** A query without its stop words, and these. */
export interface Sifted {
  readonly text: QueryText
  readonly stopped: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/** Sources by the stem of their first word. */
type Sources = ReadonlyMap<string, readonly Source[]>

/** Compiles lists of rules for reading queries, once for each list while it is referenced. */
export class RuleCompiler {
  readonly #analyzer: Analyzer
  readonly #words = new WeakMap<readonly string[], ReadonlySet<string>>()
  readonly #sources = new WeakMap<WordRules['synonyms'], Sources>()
  readonly #begun = new WeakMap<WordRules['synonyms'], Generator<void, Sources>>()

  constructor(analyzer: Analyzer) {
    this.#analyzer = analyzer
  }

  compile(rules: WordRules): CompiledWordRules {
    return new CompiledWordRules(this.#analyzer, {
      rules,
      stopWords: this.#wordsOf(rules.stopWords),
      exactWords: this.#wordsOf(rules.exactWords),
      sources: this.#sourcesOf(rules.synonyms),
    })
  }

  /** Reads synonyms until the time is up, but at least some. Returns whether all have been read. */
  read({ synonyms }: WordRules, until: number): boolean {
    if (this.#sources.has(synonyms)) return true
    const reading = this.#reading(synonyms)
    do {
      const { done, value } = reading.next()
      if (!done) continue
      this.#sources.set(synonyms, value)
      this.#begun.delete(synonyms)
      return true
    } while (performance.now() < until)
    return false
  }

  #reading(list: WordRules['synonyms']): Generator<void, Sources> {
    const reading = this.#begun.get(list) ?? readingSources(list, this.#analyzer)
    this.#begun.set(list, reading)
    return reading
  }

  #wordsOf(list: readonly string[]): ReadonlySet<string> {
    const words = this.#words.get(list) ?? new Set(list.flatMap(text => this.#analyzer.tokens(text)))
    this.#words.set(list, words)
    return words
  }

  #sourcesOf(list: WordRules['synonyms']): Sources {
    const sources = this.#sources.get(list) ?? atOnce(this.#reading(list))
    this.#sources.set(list, sources)
    this.#begun.delete(list)
    return sources
  }
}

/** Number of texts read at a time. */
const AT_ONCE = 64

function* readingSources(list: WordRules['synonyms'], analyzer: Analyzer): Generator<void, Sources> {
  const sources = new Map<string, Source[]>()
  let read = 0
  for (const { root, synonyms } of list) {
    read += synonyms.length
    if (read >= AT_ONCE) {
      read = 0
      yield
    }
    const texts = synonyms.map(text => analyzer.tokens(text))
    for (const words of root === undefined ? texts : [analyzer.tokens(root)]) {
      const alternatives = texts.filter(text => text.length > 0 && !isSame(text, words))
      if (words.length === 0 || alternatives.length === 0) continue
      const stems = words.map(word => analyzer.stem(word))
      const others = sources.get(stems[0]!) ?? []
      others.push({ stems, alternatives })
      sources.set(stems[0]!, others)
    }
  }
  return sources
}

interface RuleParts {
  readonly rules: WordRules
  readonly stopWords: ReadonlySet<string>
  readonly exactWords: ReadonlySet<string>
  readonly sources: Sources
}

/** Rules in the form in which queries are read by them. */
export class CompiledWordRules {
  readonly #analyzer: Analyzer
  readonly #parts: RuleParts

  constructor(analyzer: Analyzer, parts: RuleParts) {
    this.#analyzer = analyzer
    this.#parts = parts
  }

  get rules(): WordRules {
    return this.#parts.rules
  }

  /** Words of phrases stay, as does the last word if it may be unfinished. */
  withoutStopWords(text: QueryText, isBeginning: boolean): Sifted {
    const all = { text, stopped: NONE }
    if (this.#parts.stopWords.size === 0) return all
    const inPhrases = new Set(text.phrases.flatMap(({ words }) => words))
    const last = isBeginning ? text.words.length - 1 : -1
    const stays = text.words.map(
      (word, place) => !this.#parts.stopWords.has(word) || inPhrases.has(place) || place === last,
    )
    if (!stays.includes(true) || !stays.includes(false)) return all
    const kept = withPlaces(text, stays)
    const left = new Set(kept.words)
    return { text: kept, stopped: new Set(text.words.filter(word => !left.has(word))) }
  }

  allowsTypos(word: string): boolean {
    return !(this.#parts.exactWords.has(word) || (this.rules.exactCodes && /\p{N}/u.test(word)))
  }

  /**
   * By word, the texts that stand for it: synonyms of the word, or of several words that include it. Words of phrases have
   * none, as they were quoted to be found as they are.
   */
  alternativesOf({ words, phrases }: QueryText): ReadonlyMap<string, readonly (readonly string[])[]> {
    const found = new Map<string, (readonly string[])[]>()
    const { sources } = this.#parts
    if (sources.size === 0) return found
    const quoted = new Set(phrases.flatMap(phrase => phrase.words.map(place => words[place]!)))
    const stems = words.map(word => (quoted.has(word) ? '' : this.#analyzer.stem(word)))
    for (let place = 0; place < words.length; place++) {
      for (const source of sources.get(stems[place]!) ?? []) {
        if (!source.stems.every((stem, i) => stem === stems[place + i])) continue
        for (let i = 0; i < source.stems.length; i++) addTo(found, words[place + i]!, source.alternatives)
      }
    }
    return found
  }
}

/** The text without some of its words, none of which may be in a phrase. */
export function withPlaces(text: QueryText, stays: readonly boolean[]): QueryText {
  const places: number[] = []
  let next = 0
  for (const kept of stays) places.push(kept ? next++ : -1)
  return {
    ...text,
    words: text.words.filter((_, place) => stays[place]),
    phrases: text.phrases.map(phrase => ({ ...phrase, words: phrase.words.map(place => places[place]!) })),
  }
}

function addTo(
  found: Map<string, (readonly string[])[]>,
  word: string,
  alternatives: readonly (readonly string[])[],
): void {
  const own = found.get(word) ?? []
  found.set(word, own)
  for (const text of alternatives)
    if (own.length < MAX_ALTERNATIVES && !own.some(other => isSame(other, text))) own.push(text)
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((word, i) => word === other[i])
