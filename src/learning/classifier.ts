import type { Analyzer } from '../analysis/analyzer.ts'
import { FeatureTable } from '../fulltext/dictionary/feature-table.ts'
import { AddedDocuments } from './added-documents.ts'
import { toProbabilities } from './calibration.ts'
import { ClassScorer } from './class-scorer.ts'
import type { Example } from './corpus.ts'
import { type Explanation, evidenceOf, partsOf } from './explanation.ts'
import { FeatureScanner, KINDS, SKIP } from './feature-scanner.ts'
import { weighingOf } from './feature-set.ts'
import { KnownWords } from './known-words.ts'
import { LinearModel } from './linear-model.ts'
import { best } from './shortlist.ts'
import { modelBytes } from './stored-model.ts'
import type { Model } from './training.ts'
import { MOST_COUNTED, type Weighing } from './vectors.ts'

/** A tag for a text. */
export interface Recommendation {
  /** The tag's number. */
  readonly tag: number
  /** How likely it is, from 0 to 1. */
  readonly score: number
  /**
   * How far the text lies within the tag, whatever the others are: about 1 for texts like those of the tag, below 0
   * for texts like none of them. A text out of scope has a low margin with every tag.
   */
  readonly margin: number
}

export interface RecommendOptions {
  /** At most so many; 0 for all. */
  readonly count?: number
  /** By tag number: 0 for those to leave out. */
  readonly among?: Uint8Array
  /** Whether the scores of the tags that are left make 1 together; without, they stay what they are among all tags. */
  readonly renormalise?: boolean
}

/** How a model is used. */
export interface ClassifierOptions {
  /** Word n-grams that count; all that were learnt, without. */
  readonly nGrams?: readonly number[]
}

/** Recommends tags. It keeps arrays for the text at hand: one call at a time. */
export class Classifier {
  readonly model: Model
  readonly #scanner: FeatureScanner
  readonly #table: FeatureTable
  readonly #words: KnownWords
  readonly #weighing: Weighing
  readonly #scorer: ClassScorer
  readonly #linear: LinearModel
  /** By kind whether such features count. */
  readonly #isUsed: readonly boolean[]
  readonly #scores: Float64Array
  /** By feature how often the text has it. */
  readonly #counted: Uint8Array
  #added: AddedDocuments | undefined
  #ids = new Uint32Array(256)
  #counts = new Uint8Array(256)
  #values = new Float64Array(256)

  private constructor(
    model: Model,
    analyzer: Analyzer,
    { nGrams = model.nGrams }: ClassifierOptions,
    table: FeatureTable,
    words: KnownWords,
    scorer: ClassScorer,
    linear: LinearModel,
  ) {
    this.model = model
    this.#scanner = new FeatureScanner({ analyzer, nGrams, characters: model.characters })
    this.#table = table
    this.#words = words
    this.#weighing = weighingOf(model.features)
    this.#scorer = scorer
    this.#linear = linear
    this.#isUsed = Array.from({ length: KINDS }, (_, kind) => kind >= SKIP || nGrams.includes(kind))
    this.#scores = new Float64Array(model.tags.length)
    this.#counted = new Uint8Array(model.features.keys.length)
  }

  /** Makes a model ready to answer, piece by piece. */
  static *load(
    model: Model,
    analyzer: Analyzer,
    options: ClassifierOptions = {},
  ): Generator<void, Classifier> {
    const { keys } = model.features
    const table = new FeatureTable(keys.length)
    for (let id = 0; id < keys.length; id++) {
      table.intern(keys[id]!)
      if (id % 8_192 === 0) yield
    }
    const words = yield* KnownWords.of(model.features, table)
    const scorer = yield* ClassScorer.of(model.linear, model.bayes, model.calibration)
    const linear = yield* LinearModel.of(model.linear)
    return new Classifier(model, analyzer, options, table, words, scorer, linear)
  }

  /** The likeliest tags, likeliest first; none for a text of which no word is known, or within one typo of a known one. */
  recommend(
    text: string,
    { count = 3, among, renormalise = false }: RecommendOptions = {},
  ): Recommendation[] {
    const scores = this.#scores
    const features = this.#read([text], this.#words)
    if (features === 0) return []
    this.#scorer.score(this.#ids, this.#values, features, scores)
    toProbabilities(scores)
    const all = among ? this.#mask(among) : 1
    const most = count === 0 ? scores.length : Math.min(count, scores.length)
    const list = new Uint32Array(most)
    const found = best(scores, most, list, 0)
    const share = renormalise && all > 0 ? all : 1
    const likely = list.subarray(0, found).filter(k => scores[k]! > 0)
    const margins = this.#linear.margins(this.#ids, this.#values, features, likely)
    return Array.from(likely, (k, i) => ({
      tag: this.model.tags[k]!,
      score: scores[k]! / share,
      margin: margins[i]!,
    }))
  }

  /**
   * Reads a text once, to tell of any tag which words and parts of words speak for it, and which against it; undefined for
   * a tag without documents.
   */
  explainer(text: string): (tag: number) => Explanation | undefined {
    const features = this.#read([text], this.#words)
    const [ids, values] = [this.#ids.slice(0, features), this.#values.slice(0, features)]
    const parts = partsOf(this.#scanner, this.#table, ids, values)
    const linear = this.#linear
    return tag => {
      const k = this.model.tags.indexOf(tag)
      if (k < 0) return undefined
      const margin = linear.margins(ids, values, features, Uint32Array.of(k))[0]!
      return { margin, bias: linear.bias(k), evidence: evidenceOf(parts, linear, k) }
    }
  }

  /**
   * Counts a document for its tags, at once. What naive Bayes says of words that were known before changes; new words, how
   * rare words are, the margins, the calibration and tags that had no documents wait for the next training.
   */
  add({ texts, tags }: Example): void {
    const classes = [...new Set(tags)].map(tag => this.model.tags.indexOf(tag)).filter(k => k >= 0)
    const features = this.#read(texts)
    if (features === 0 || classes.length === 0) return
    this.#added ??= new AddedDocuments(this.model.bayes)
    this.#added.add(this.#ids, this.#values, features, classes)
    this.#scorer.adopt(this.#added)
  }

  /** Memory that it takes, its model included. */
  get bytes(): number {
    const ofText = this.#counted.byteLength + this.#scores.byteLength
    const parts = [this.#scorer, this.#linear, this.#words, this.#table]
    return parts.reduce((sum, { bytes }) => sum + bytes, modelBytes(this.model) + ofText)
  }

  /** Leaves out classes, and sums what is left. */
  #mask(among: Uint8Array): number {
    const scores = this.#scores
    let all = 0
    for (let k = 0; k < scores.length; k++) {
      if (among[this.model.tags[k]!]) all += scores[k]!
      else scores[k] = 0
    }
    return all
  }

  /** The features of texts, by number and value; how many. With words to take unknown ones for: 0 where none is known. */
  #read(texts: readonly string[], words?: KnownWords): number {
    const scanner = this.#scanner
    words?.begin()
    scanner.scan(texts, words)
    if (words?.known === 0) return 0
    if (scanner.count > this.#ids.length) {
      this.#ids = new Uint32Array(2 * scanner.count)
      this.#counts = new Uint8Array(2 * scanner.count)
      this.#values = new Float64Array(2 * scanner.count)
    }
    const counted = this.#counted
    const ids = this.#ids
    let count = 0
    for (let i = 0; i < scanner.count; i++) {
      if (!this.#isUsed[scanner.kinds[i]!]) continue
      const id = this.#table.find(scanner.hashes[i]!)
      if (id < 0) continue
      const times = counted[id]!
      if (times === 0) ids[count++] = id
      if (times < MOST_COUNTED) counted[id] = times + 1
    }
    for (let at = 0; at < count; at++) {
      const id = ids[at]!
      this.#counts[at] = counted[id]!
      counted[id] = 0
    }
    this.#weighing.weigh(ids, this.#counts, 0, count, this.#values)
    return count
  }
}
