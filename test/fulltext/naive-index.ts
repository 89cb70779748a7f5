import type { Analyzer } from '../../src/analysis/analyzer.ts'
import type { FieldScoring } from '../../src/fulltext/segments/bm25f.ts'
import type { FieldText } from '../../src/fulltext/segments/token-list.ts'
import { type Alternative, type Corpus, type Meaning, type Options, resolve, stand } from './naive-words.ts'

export type NaiveSignal = { kind: 'saturation' | 'recency'; pivot?: number; halfLife?: number; boost: number }

/** A word, or words that must stand one behind the other. */
export type QueryPart = string | { phrase: string; slop: number }

export interface NaiveSearch extends Options {
  operator: 'or' | 'and'
  weights?: readonly number[] | undefined
  signals?: boolean
  now?: number
}

export interface NaiveHit {
  id: string
  score: number
}

interface Document {
  given: readonly FieldText[]
  /** By field: the words of each text of it. */
  texts: string[][][]
  /** By field: its words. */
  words: string[][]
  /** By word of the title, whether it stands aside. */
  asides: boolean[]
  signals: readonly number[]
}

interface Slot extends Meaning {
  word: string
  share: number
  /** Occurrences in the query times inverse document frequency times share. */
  weight: number
}

/** The text of a query, as it is typed. */
export function typed(parts: readonly QueryPart[]): string {
  const texts = parts.map(part =>
    typeof part === 'string' ? part : `"${part.phrase}"${part.slop > 0 ? `~${part.slop}` : ''}`,
  )
  return texts.join(' ')
}

/** The definition of a search over plain lists of words: slow, and rounding only where the index does. */
export class NaiveIndex implements Corpus {
  readonly #documents = new Map<string, Document>()
  readonly known = new Set<string>()
  readonly #stems = new Map<string, string>()
  #flat: string[][] | undefined

  constructor(
    readonly analyzer: Analyzer,
    readonly fields: readonly FieldScoring[],
    readonly signals: readonly NaiveSignal[] = [],
    readonly k1 = 2,
  ) {}

  add(id: string, texts: readonly FieldText[], signals: readonly number[] = []): void {
    const counted = texts.map(text => this.#textsOf(text))
    const words = counted.map(list => list.flat())
    for (const word of words.flat()) this.known.add(word)
    this.#flat = undefined
    this.#documents.delete(id)
    const asides = [texts[0] ?? []].flat().flatMap(text => this.#asidesOf(text))
    this.#documents.set(id, { given: texts, texts: counted, words, asides, signals })
  }

  /** Behind an opening all words stand aside until some delimiter, and so does the opening. */
  #asidesOf(text: string): boolean[] {
    const openings = this.analyzer.functionWords?.asides
    return text.split(delimiter).flatMap(clause => {
      const words = this.analyzer.tokens(clause)
      const opening = words.findIndex(word => openings?.has(word))
      return words.map((_, at) => opening >= 0 && at >= opening)
    })
  }

  #textsOf(field: FieldText): string[][] {
    let left = 65_535
    return [field ?? []].flat().map(text => {
      const words = this.analyzer.tokens(text).slice(0, left)
      left -= words.length
      return words
    })
  }

  stem(word: string): string {
    const stem = this.#stems.get(word) ?? this.analyzer.stem(word)
    this.#stems.set(word, stem)
    return stem
  }

  remove(id: string): boolean {
    this.#flat = undefined
    return this.#documents.delete(id)
  }

  has(id: string): boolean {
    return this.#documents.has(id)
  }

  get size(): number {
    return this.#documents.size
  }

  get entries(): [id: string, texts: readonly FieldText[], signals: readonly number[]][] {
    return [...this.#documents].map(([id, { given, signals }]) => [id, given, signals])
  }

  get documents(): readonly string[][] {
    this.#flat ??= [...this.#documents.values()].map(({ words }) => words.flat())
    return this.#flat
  }

  get texts(): string[][][] {
    return [...this.#documents.values()].map(({ texts }) => texts.flat())
  }

  /** Average words per field. */
  get averages(): number[] {
    return this.fields.map((_, field) => {
      const lengths = [...this.#documents.values()].map(({ words }) => words[field]!.length)
      const total = lengths.reduce((sum, length) => sum + length, 0)
      return total > 0 ? total / lengths.length : 1
    })
  }

  /** All hits, best first, documents of equal score in byte order of their ids. */
  search(parts: readonly QueryPart[], search: NaiveSearch, averages = this.averages): NaiveHit[] {
    const { words, phrases, slots } = this.#resolved(parts, search)
    const live = slots.filter(({ cover }) => cover.length > 0)
    if (live.length === 0 || (search.operator === 'and' && live.length < slots.length)) return []
    const places = words.map(word => new Set(slots.find(slot => slot.word === word)!.surfaces))
    const steps = scoreSteps(live)
    const ignoresTitle = search.weights?.[0] === 0
    const leftIn = words.length === 1 && !ignoresTitle ? this.#headFactors(live[0]!) : () => 1
    const hits: NaiveHit[] = []
    for (const [id, document] of this.#documents) {
      const left = leftIn(document)
      const scores = live.map(slot => this.#score(slot, document, steps, search.weights, averages, left))
      const isMatch = search.operator === 'and' ? scores.every(isAbove0) : scores.some(isAbove0)
      const has = (place: number) => isAbove0(scores[live.findIndex(slot => slot.word === words[place])] ?? 0)
      const stand = phrases.every(
        phrase => phrase.places.every(has) && stands(phrase, places, document, search.weights),
      )
      if (!isMatch || !stand) continue
      const score = scores.reduce((sum, part) => sum + part, 0)
      hits.push({
        id,
        score: search.signals === false ? score : score * this.#signalFactor(document, search),
      })
    }
    hits.sort(better)
    if (words.length > 1 && !ignoresTitle) {
      const unwanted = this.#unwanted(words).map(place => places[place]!)
      for (const hit of hits.slice(0, unwanted.length > 0 ? NEGATION_DEPTH : TITLE_DEPTH)) {
        const title = this.#documents.get(hit.id)!.texts[0]!
        hit.score *= titleBonus(places.slice(0, 31), title)
        if (unwanted.length > 0) hit.score *= this.#negationFactor(unwanted, title)
      }
    }
    return hits.sort(better).map(({ id, score }) => ({ id, score: score / steps }))
  }

  /** What each distinct word is taken for. */
  words(parts: readonly QueryPart[], options: Options): unknown[] {
    return this.#resolved(parts, options).slots.map(({ word, kind, surfaces, idf, suggestion }) => {
      return { word, kind, surfaces, idf, ...(suggestion === undefined ? {} : { suggestion }) }
    })
  }

  #read(parts: readonly QueryPart[]): {
    words: string[]
    phrases: { places: number[]; slop: number }[]
    last: string | undefined
  } {
    const words: string[] = []
    const phrases: { places: number[]; slop: number }[] = []
    for (const part of parts) {
      const first = words.length
      words.push(...this.analyzer.tokens(typeof part === 'string' ? part : part.phrase))
      const places = words.map((_, place) => place).slice(first)
      if (typeof part !== 'string' && places.length > 0) phrases.push({ places, slop: part.slop })
    }
    // A phrase that is closed ends its last word.
    return { words, phrases, last: typeof parts.at(-1) === 'string' ? words.at(-1) : undefined }
  }

  #resolved(parts: readonly QueryPart[], options: Options) {
    const read = this.#read(parts)
    const { words, places, meanings } = resolve(read.words, read.last, this, options)
    const phrases = read.phrases.map(phrase => ({
      ...phrase,
      places: phrase.places.flatMap(at => places[at]!),
    }))
    return { words, phrases, slots: this.#slots(words, meanings) }
  }

  #slots(words: readonly string[], meanings: ReadonlyMap<string, Meaning>): (Slot & { idf: number })[] {
    const distinct = [...new Set(words)]
    const meaningOf = (word: string) => meanings.get(word) ?? nothing
    const functionWords = this.analyzer.functionWords?.all
    const isContent = (word: string, { cover }: Meaning) =>
      !functionWords?.has(word) || cover.some(({ weight }) => weight === 0.6)
    const content = distinct.filter(word => {
      const meaning = meaningOf(word)
      return meaning.cover.length > 0 && isContent(word, meaning)
    })
    const shareOfOthers = Math.max(0.001, Math.min(1, (5 - content.length) / 2))
    return distinct.map(word => {
      const meaning = meaningOf(word)
      const share = content.includes(word) ? 1 : shareOfOthers
      const occurrences = words.filter(other => other === word).length
      const idf = meaning.cover.length > 0 ? inverseFrequency(this.size, meaning.documents) : 0
      return { ...meaning, word, idf, share, weight: occurrences * idf * share }
    })
  }

  /** Of the words that may stand for it the best counts, and the word itself is added. */
  #score(
    { cover, exact, weight }: Slot,
    document: Document,
    steps: number,
    weights: readonly number[] | undefined,
    averages: readonly number[],
    left: number,
  ): number {
    const scoreOf = (alternative: Alternative) => {
      const perImpact = Math.max(1, Math.floor((weight * alternative.weight * steps) / 255))
      const impact = this.#impact(alternative, document, weights, averages)
      return (
        perImpact * (impact === 0 || !isHead(alternative) ? impact : Math.max(1, Math.round(left * impact)))
      )
    }
    return Math.max(0, ...cover.map(scoreOf)) + (exact ? scoreOf(exact) : 0)
  }

  #impact(
    { is, standing }: Alternative,
    document: Document,
    weights: readonly number[] | undefined,
    averages: readonly number[],
  ): number {
    if (standing) {
      const parts = standing.map(part => part.is)
      const isThere = document.texts.flat().some(words => stand(words, parts))
      return isThere ? Math.min(...standing.map(part => this.#impact(part, document, weights, averages))) : 0
    }
    const { words: texts, asides } = document
    const counts = texts.map((words, field) => Math.min(field === 0 ? 127 : 255, words.filter(is).length))
    if (!counts.some((count, field) => count > 0 && weights?.[field] !== 0)) return 0
    let frequency = 0
    for (const [field, { weight, b }] of this.fields.entries()) {
      const factor = (weights?.[field] ?? weight) / (1 - b + (b * texts[field]!.length) / averages[field]!)
      frequency += counts[field]! * factor
    }
    const impact = Math.max(1, Math.round((255 * frequency) / (this.k1 + frequency)))
    const isAside = counts[0]! > 0 && texts[0]!.every((word, at) => !is(word) || asides[at])
    return isAside && weights?.[0] !== 0 ? Math.max(1, Math.round(0.8 * impact)) : impact
  }

  /**
   * For the only word of a query: what is left of its impacts in a document, less where it stands before a word that seldom
   * stands elsewhere.
   */
  #headFactors({ cover }: Slot): (document: Document) => number {
    const forms = cover.filter(isHead)
    const documents = [...this.#documents.values()]
    const isForm = (word: string) => forms.some(({ is }) => is(word))
    const having = forms.map(({ is }) => documents.filter(({ words }) => words.flat().some(is)).length)
    const count = having.reduce((sum, one) => sum + one, 0)
    if (!this.analyzer.functionWords?.headsAreLast || count < 24 || count > 65_535) return () => 1
    const behind = ({ texts }: Document) => {
      const title = texts[0]!.find(words => words.some(isForm)) ?? []
      return title[title.findIndex(isForm) + 1]
    }
    return document => {
      const word = behind(document)
      if (word === undefined || /\p{N}/u.test(word) || !document.words[0]!.some(isForm)) return 1
      const titles = documents.filter(other => other.words[0]!.some(isForm) && behind(other) === word).length
      const all = documents.filter(({ words }) => words.flat().includes(word)).length
      return Math.round(64 * (1 - 0.3 * Math.sqrt(titles / (all + 3)))) / 64
    }
  }

  /** Places of the words that a query says it does not want. */
  #unwanted(words: readonly string[]): number[] {
    const { all, negations } = this.analyzer.functionWords ?? { all: new Set(), negations: new Set() }
    const places = words.flatMap((word, at) => {
      if (!negations.has(word)) return []
      const place = words.findIndex((other, i) => i > at && !all.has(other))
      return place < 0 ? [] : [place]
    })
    return places.filter(place => place < 31)
  }

  #negationFactor(unwanted: readonly ReadonlySet<string>[], title: readonly string[][]): number {
    const { before, behind } = this.analyzer.functionWords!.lacks
    const isUnwanted = (word: string) => unwanted.some(surfaces => surfaces.has(word))
    const isLacking = title.some(words =>
      words.some(
        (word, at) =>
          isUnwanted(word) && (before.has(words[at - 1] ?? '') || behind.has(words[at + 1] ?? '')),
      ),
    )
    if (isLacking) return 1.3 / 0.7
    return title.flat().some(isUnwanted) ? 1 : 1 / 0.7
  }

  #signalFactor({ signals }: Document, { now = 0 }: NaiveSearch): number {
    const time = now - (now % 3_600_000)
    return this.signals.reduce((product, signal, i) => {
      return product * signalFactor(signal, signals[i] ?? Number.NaN, time)
    }, 1)
  }
}

/** So many of the best are looked at for how the words stand in the title. */
export const TITLE_DEPTH = 16

/** The same for whether they have what the query does not want. */
const NEGATION_DEPTH = 200

const delimiter = /[|()[\]{};:!?"“”–—•…]|,(?!\d)|\.(?=\s|$)|(?<=\s|^)[-/](?=\s|$)/u

const nothing: Meaning = { kind: 'none', cover: [], surfaces: [], documents: 0 }

/** Whether what stands behind it counts: what is still being typed may become many words. */
const isHead = ({ isBegun, standing }: Alternative): boolean => !isBegun && !standing

const isAbove0 = (score: number): boolean => score > 0

const better = (a: NaiveHit, b: NaiveHit): number =>
  b.score - a.score || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))

/** Score steps to 1: so many that the largest sum is a number of 31 bits. */
function scoreSteps(slots: readonly Slot[]): number {
  const total = slots.reduce((sum, { weight }) => sum + weight, 0)
  return 255 * Math.min(2 ** 20, (2 ** 31 - 2 ** 20) / (255 * total))
}

function inverseFrequency(documents: number, having: number): number {
  const capped = Math.min(having, documents)
  return Math.log(1 + (documents - capped + 0.5) / (capped + 0.5))
}

function stands(
  { places, slop }: { places: number[]; slop: number },
  surfaces: readonly ReadonlySet<string>[],
  { texts }: Document,
  weights: readonly number[] | undefined,
): boolean {
  const wanted = places.map(place => surfaces[place]!)
  return texts.some(
    (list, field) => weights?.[field] !== 0 && list.some(words => standsIn(words, wanted, slop, true)),
  )
}

/** Whether the wanted stand in the words in their order, with at most so many others between. */
function standsIn(
  words: string[],
  wanted: readonly ReadonlySet<string>[],
  slop: number,
  isStart = false,
): boolean {
  if (wanted.length === 0) return true
  return words.some((word, at) => {
    if (!wanted[0]!.has(word) || (!isStart && at > slop)) return false
    return standsIn(words.slice(at + 1), wanted.slice(1), isStart ? slop : slop - at)
  })
}

function titleBonus(places: readonly ReadonlySet<string>[], title: readonly string[][]): number {
  const pairs = places.slice(1).map((second, i) => [places[i]!, second] as const)
  const neighbours = pairs.filter(([first, second]) =>
    title.some(words => words.some((word, at) => first.has(word) && second.has(words[at + 1] ?? ''))),
  )
  const isComplete = places.every(surfaces => title.flat().some(word => surfaces.has(word)))
  return 1 + 0.3 * (neighbours.length / pairs.length) + (isComplete ? 0.15 : 0)
}

function signalFactor(
  { kind, pivot = 0, halfLife = 1, boost }: NaiveSignal,
  value: number,
  now: number,
): number {
  if (Number.isNaN(value)) return 1
  if (kind === 'recency') return 1 + boost * 0.5 ** (Math.max(0, now - value) / halfLife)
  return value <= 0 ? 1 : 1 + boost * (value === Infinity ? 1 : value / (value + pivot))
}
