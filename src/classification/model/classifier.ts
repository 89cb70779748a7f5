import type { Analyzer } from '../../analysis/analyzer.ts'
import { FeatureTable } from '../../fulltext/dictionary/feature-table.ts'
import { atOnce } from '../../scheduling/at-once.ts'
import { AddedDocuments } from './added-documents.ts'
import { toProbabilities } from './calibration.ts'
import { ClassScorer } from './class-scorer.ts'
import type { Example } from './corpus.ts'
import { countedParts, type Explanation, evidenceOf } from './explanation.ts'
import { FeatureScanner, KINDS, type ScannerOptions, SKIP } from './feature-scanner.ts'
import { weighingOf } from './feature-set.ts'
import { LearntWords, WordsOfText } from './learnt-words.ts'
import { LinearModel } from './linear-model.ts'
import { best } from './shortlist.ts'
import { modelBytes } from './stored-model.ts'
import type { Model } from './training.ts'
import { type FeatureWeighing, MOST_COUNTED } from './vectors.ts'

/** A tag for a text. */
export interface LikelyTag {
  /** The tag's number. */
  readonly tag: number
  /** How likely it is, from 0 to 1. */
  readonly score: number
  /**
   * How well the text fits the tag, regardless of other tags: about 1 for texts like those of the tag, below 0 for
   * texts like none of them. A text out of scope has a low margin with every tag.
   */
  readonly margin: number
}

export interface RankingOptions {
  /** Maximum number; 0 for all. */
  readonly limit?: number
  /** By tag number: 0 excludes the tag. */
  readonly among?: Uint8Array
  /** Whether to scale the scores of the remaining tags so that they sum to 1; default: they stay what they are among all tags. */
  readonly renormalise?: boolean
}

/** How a model is used. */
export interface ModelOptions {
  /** Sizes of the word n-grams that count; default: all that were learnt. */
  readonly nGrams?: readonly number[]
}

/** Texts of up to this many characters are read in one go, in arrays that are reused for the next text. */
const SHORT = 4_096
/** Number of features looked up per piece. */
const AT_ONCE = 16_384

/** Working memory for reading a text. */
class Desk {
  readonly scanner: FeatureScanner
  readonly scores: Float64Array
  /** By feature: how often it occurs in the text. */
  readonly counted: Uint8Array
  ids = new Uint32Array(256)
  counts = new Uint8Array(256)
  values = new Float64Array(256)

  constructor(form: ScannerOptions, { tags, features }: Pick<Model, 'tags' | 'features'>) {
    this.scanner = new FeatureScanner(form)
    this.scores = new Float64Array(tags.length)
    this.counted = new Uint8Array(features.keys.length)
  }

  makeRoom(count: number): void {
    if (count <= this.ids.length) return
    this.ids = new Uint32Array(2 * count)
    this.counts = new Uint8Array(2 * count)
    this.values = new Float64Array(2 * count)
  }
}

/** Explains, piece by piece, which parts of a text speak for a tag and which against it. */
export type Explain = (tag: number) => Generator<void, Explanation | undefined>

/** Recommends tags. */
export class Classifier {
  readonly model: Model
  readonly #form: ScannerOptions
  /** For short texts only: each is read in one go, so calls cannot overlap. */
  readonly #desk: Desk
  readonly #table: FeatureTable
  readonly #words: LearntWords
  readonly #weighing: FeatureWeighing
  readonly #scorer: ClassScorer
  readonly #linear: LinearModel
  /** By kind: whether its features count. */
  readonly #isUsed: readonly boolean[]
  #added: AddedDocuments | undefined

  private constructor(
    model: Model,
    analyzer: Analyzer,
    { nGrams = model.nGrams }: ModelOptions,
    table: FeatureTable,
    words: LearntWords,
    scorer: ClassScorer,
    linear: LinearModel,
  ) {
    this.model = model
    this.#form = { analyzer, nGrams, characters: model.characters }
    this.#desk = new Desk(this.#form, model)
    this.#table = table
    this.#words = words
    this.#weighing = weighingOf(model.features)
    this.#scorer = scorer
    this.#linear = linear
    this.#isUsed = Array.from({ length: KINDS }, (_, kind) => kind >= SKIP || nGrams.includes(kind))
  }

  /** Prepares a model for answering, piece by piece. */
  static *load(model: Model, analyzer: Analyzer, options: ModelOptions = {}): Generator<void, Classifier> {
    const { keys } = model.features
    const table = new FeatureTable(keys.length)
    for (let id = 0; id < keys.length; id++) {
      table.intern(keys[id]!)
      if (id % 8_192 === 0) yield
    }
    const words = yield* LearntWords.of(model.features, table)
    const scorer = yield* ClassScorer.of(model.linear, model.bayes, model.calibration)
    const linear = yield* LinearModel.of(model.linear)
    return new Classifier(model, analyzer, options, table, words, scorer, linear)
  }

  /** The likeliest tags, likeliest first; none for a text without a known word or one within one typo of a known word. */
  recommend(text: string, options: RankingOptions = {}): LikelyTag[] {
    return atOnce(this.recommending(text, options))
  }

  /** The likeliest tags, without margins; only the first 4,096 characters of the text are read. */
  likeliest(text: string, limit: number): Omit<LikelyTag, 'margin'>[] {
    const features = atOnce(this.#readingText(text.slice(0, SHORT), this.#desk))
    if (features === 0) return []
    const { likely } = this.#likeliest(this.#desk, features, limit)
    return Array.from(likely, k => ({ tag: this.model.tags[k]!, score: this.#desk.scores[k]! }))
  }

  /** The same piece by piece; other calls are possible between two pieces. */
  *recommending(text: string, options: RankingOptions = {}): Generator<void, LikelyTag[]> {
    if (text.length <= SHORT) return atOnce(this.#recommending(text, this.#desk, options))
    return yield* this.#recommending(text, new Desk(this.#form, this.model), options)
  }

  *#recommending(
    text: string,
    desk: Desk,
    { limit = 3, among, renormalise = false }: RankingOptions,
  ): Generator<void, LikelyTag[]> {
    const features = yield* this.#readingText(text, desk)
    if (features === 0) return []
    const { ids, values, scores } = desk
    const { likely, all } = this.#likeliest(desk, features, limit, among)
    const share = renormalise && all > 0 ? all : 1
    const margins = this.#linear.margins(ids, values, features, likely)
    return Array.from(likely, (k, i) => ({
      tag: this.model.tags[k]!,
      score: scores[k]! / share,
      margin: margins[i]!,
    }))
  }

  /** The likeliest classes, likeliest first, and the total probability of those in `among`. */
  #likeliest(
    { ids, values, scores }: Desk,
    features: number,
    limit: number,
    among?: Uint8Array,
  ): { likely: Uint32Array; all: number } {
    this.#scorer.score(ids, values, features, scores)
    toProbabilities(scores)
    const all = among ? this.#mask(scores, among) : 1
    const most = limit === 0 ? scores.length : Math.min(limit, scores.length)
    const list = new Uint32Array(most)
    const found = best(scores, most, list)
    return { likely: list.subarray(0, found).filter(k => scores[k]! > 0), all }
  }

  /**
   * Reads a text once, to explain for any tag which words and parts of words speak for it, and which against it; undefined
   * for a tag without documents.
   */
  explainer(text: string): (tag: number) => Explanation | undefined {
    const explain = atOnce(this.explaining(text))
    return tag => atOnce(explain(tag))
  }

  /** The same piece by piece. */
  *explaining(text: string): Generator<void, Explain> {
    if (text.length <= SHORT) return atOnce(this.#explaining(text, this.#desk))
    return yield* this.#explaining(text, new Desk(this.#form, this.model))
  }

  *#explaining(text: string, desk: Desk): Generator<void, Explain> {
    const features = yield* this.#readingText(text, desk)
    const [ids, values] = [desk.ids.slice(0, features), desk.values.slice(0, features)]
    const parts = yield* countedParts(desk.scanner, this.#table, ids, values)
    const [linear, { tags }] = [this.#linear, this.model]
    return function* (tag) {
      const k = tags.indexOf(tag)
      if (k < 0) return undefined
      const margin = linear.margins(ids, values, features, Uint32Array.of(k))[0]!
      return { margin, bias: linear.bias(k), evidence: yield* evidenceOf(parts, linear, k) }
    }
  }

  /**
   * Counts a document for its tags, with immediate effect on what naive Bayes says about known words. New words, the rarity
   * of words, margins, calibration and tags that had no documents wait for the next training.
   */
  add({ texts, tags }: Example): void {
    const classes = [...new Set(tags)].map(tag => this.model.tags.indexOf(tag)).filter(k => k >= 0)
    this.#desk.scanner.scan(texts)
    const features = atOnce(this.#reading(this.#desk))
    if (features === 0 || classes.length === 0) return
    const { ids, values } = this.#desk
    this.#added ??= new AddedDocuments(this.model.bayes)
    this.#added.add(ids, values, features, classes)
    this.#scorer.adopt(this.#added)
  }

  /** Bytes of memory in use, including the model. */
  get bytes(): number {
    const ofText = this.#desk.counted.byteLength + this.#desk.scores.byteLength
    const parts = [this.#scorer, this.#linear, this.#words, this.#table]
    return parts.reduce((sum, { bytes }) => sum + bytes, modelBytes(this.model) + ofText)
  }

  /** Sets the scores of excluded classes to 0, and returns the sum of the others. */
  #mask(scores: Float64Array, among: Uint8Array): number {
    let all = 0
    for (let k = 0; k < scores.length; k++) {
      if (among[this.model.tags[k]!]) all += scores[k]!
      else scores[k] = 0
    }
    return all
  }

  /** Returns the number of features of a text; 0 if none of its words is known or similar to a known one. */
  *#readingText(text: string, desk: Desk): Generator<void, number> {
    const words = new WordsOfText(this.#words)
    if (desk === this.#desk) desk.scanner.scan([text], words)
    else yield* desk.scanner.scanning(text, words)
    return words.known === 0 ? 0 : yield* this.#reading(desk)
  }

  /** Writes the features of the scanned text, with their values, to the desk; returns their number. */
  *#reading(desk: Desk): Generator<void, number> {
    const { scanner, counted } = desk
    desk.makeRoom(scanner.count)
    const { ids, counts, values } = desk
    let count = 0
    for (let i = 0; i < scanner.count; i++) {
      if (i % AT_ONCE === AT_ONCE - 1) yield
      if (!this.#isUsed[scanner.kinds[i]!]) continue
      const id = this.#table.find(scanner.hashes[i]!)
      if (id < 0) continue
      const times = counted[id]!
      if (times === 0) ids[count++] = id
      if (times < MOST_COUNTED) counted[id] = times + 1
    }
    for (let at = 0; at < count; at++) {
      const id = ids[at]!
      counts[at] = counted[id]!
      counted[id] = 0
    }
    this.#weighing.weigh(ids, counts, 0, count, values)
    return count
  }
}
