import { First } from '../arrays/first.ts'
import type { Missing } from '../filters/filter.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import { MatchSet } from '../fulltext/matching/match-set.ts'
import { isSelected } from '../fulltext/matching/selection.ts'
import type { MatchOrder } from '../fulltext/reordering/match-order.ts'
import {
  EVERYTHING,
  type QueryAnswer,
  type QueryOptions,
  type TextQuery,
} from '../fulltext/searching/text-query.ts'
import { idPrecedes } from '../fulltext/segments/document-ids.ts'
import { hashId } from '../fulltext/segments/id-table.ts'
import { stretchEnd } from '../scheduling/stretch.ts'
import type { FieldVectors } from '../vectors/dataset/document-vectors.ts'
import { Similarities } from '../vectors/model/similarities.ts'
import type { Preparation, Selections } from './condition.ts'
import { ScoreOrder } from './match-list.ts'
import type { VectorQuery } from './vector-options.ts'

/** Documents whose score by text is computed as in a search for it; that of others is at most the last of these. */
const RANKED = 1000

/** How much longer it takes to compare one vector alone than one of many. */
const COST_OF_SINGLE = 6

/** If more than one of so many may be among the nearest, as far as rough similarities tell, all are compared exactly. */
const FEW_OF = 16

/** Vectors that are compared alone at most, which takes some 5 ms. */
const MOST_SINGLE = 16_384

type Segments = FulltextIndex['state']['segments']

/**
 * The documents that a vector finds, and their order together with those that a text finds. Scores are combined linearly, as in
 * Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval (2023), section 4.
 */
export class VectorMatches implements Preparation {
  readonly #request: VectorQuery
  readonly #vectors: FieldVectors
  readonly #similarities: Similarities
  /** Tell which few have to be compared exactly; undefined with a text, for which all are. */
  readonly #rough: Similarities | undefined
  /** Whether they tell few enough; undefined while they are not read. */
  #tellsFew: boolean | undefined
  readonly #following: { readonly isSettled: boolean }

  /**
   * @param query of the search
   * @param following whether the vectors have every change so far
   */
  constructor(
    request: VectorQuery,
    query: TextQuery,
    vectors: FieldVectors,
    following: { readonly isSettled: boolean },
  ) {
    this.#request = request
    this.#following = following
    this.#vectors = vectors
    this.#similarities = new Similarities(vectors.list, request.direction)
    if (query === EVERYTHING)
      this.#rough = new Similarities(vectors.list, request.direction, { isRough: true })
  }

  /** Finds the vectors of the documents. */
  prepare({ state }: Pick<FulltextIndex, 'state'>): Missing | undefined {
    // What the index has and the vectors do not have yet would be taken for documents without a vector.
    if (!this.#following.isSettled) return MORE_TIME
    const segments = state.segments.map(({ segment }) => segment)
    return this.#vectors.numbers.read(segments, stretchEnd()) ? undefined : MORE_TIME
  }

  /** Compares all vectors with that of the request, unless so few may be found that these are compared when they are needed. */
  prepareFor(_: unknown, selections: Selections): Missing | undefined {
    const { size } = this.#vectors.list
    const largest = Math.max(...selections.map(selection => selection?.size ?? size))
    if (largest <= Math.min(MOST_SINGLE, size / COST_OF_SINGLE)) return undefined
    const rough = this.#rough
    if (rough) {
      if (!rough.read(stretchEnd())) return MORE_TIME
      const { nearest, least } = this.#request
      this.#tellsFew ??= rough.mayBeNearest(nearest, least) <= size / FEW_OF
      if (this.#tellsFew) return undefined
    }
    return this.#similarities.read(stretchEnd()) ? undefined : MORE_TIME
  }

  learn(): undefined {}

  /** Answers on an index for which it is prepared. */
  search(whole: FulltextIndex, query: TextQuery, options: QueryOptions): QueryAnswer {
    const { segments } = whole.state
    const { pinned = [], hidden = [], groupBy, limit, offset = 0, operator, typoTolerance } = options
    const { collect = [] } = options
    const collected = collect.length > 0 ? collect : [options.selection]
    const text = query === EVERYTHING ? undefined : ofText(whole, query, { ...options, collect: collected })
    const places = numbersOf(segments)
    const leftOut = new Set(hidden.flatMap(places))
    const open = collected.map(selection => whole.open(query, { ...options, selection }))
    const near = text && open.map(documents => this.#near(segments, documents))
    const nearest = near
      ? near.map(one => one.nearest)
      : open.map(documents => this.#nearest(segments, documents))
    const pins = pinned.flatMap(({ id }) => places(id)).filter(document => !leftOut.has(document))
    const matches = nearest.map((documents, at) => {
      const set = text?.matches[at] ?? new MatchSet(segments)
      const selection = collected[at] ?? options.view?.selection
      for (const document of documents) set.add(document)
      for (const document of pins) if (isSelected(document, selection)) set.add(document)
      return set
    })
    const found = matches[0]!
    const scores = near
      ? this.#scores(segments, found, near[0]!, pins, textScores(whole, query, options, text.hits))
      : this.#similarityOrder(segments, [...nearest[0]!, ...pins])
    const arranged = whole.search(EVERYTHING, {
      ...{ limit, offset, operator, typoTolerance, groupBy, pinned, count: true, signals: false },
      selection: found.selection,
      order: options.order ?? scores,
    })
    const hits = arranged.hits.map(hit => {
      const [document] = places(hit.id)
      const similarity = this.#similarity(segments, document!)
      const scored = { ...hit, score: scores.of(document!) }
      return Number.isNaN(similarity) ? scored : { ...scored, similarity }
    })
    return {
      ...(text ?? arranged),
      hits,
      kept: undefined,
      total: arranged.total,
      matches: collect.length > 0 ? matches : [],
    }
  }

  /** The nearest of the documents that may be found. */
  #near(segments: Segments, open: MatchSet): Near {
    const { nearest: count, least } = this.#request
    const similarities = segments.map(({ segment }, place) => {
      const own = new Float32Array(segment.shape.documents).fill(Number.NaN)
      const bits = open.in(place)
      if (bits) this.#similarities.write(own, this.#vectors.numbers.in(segment), bits)
      return own
    })
    const of = (document: number) => similarities[document >>> 16]![document & 0xffff]!
    const earlier = byId(segments)
    const order = new First(count, (one, other) => of(other) - of(one) || earlier(one, other))
    let below = least
    let sum = 0
    let compared = 0
    let best = Number.NEGATIVE_INFINITY
    for (const [place, own] of similarities.entries()) {
      for (let document = 0; document < own.length; document++) {
        const similarity = own[document]!
        if (Number.isNaN(similarity)) continue
        sum += similarity
        compared++
        if (similarity > best) best = similarity
        if (similarity < below) continue
        order.offer((place << 16) + document)
        if (order.last !== undefined) below = Math.max(least, of(order.last))
      }
    }
    return { nearest: order.sorted(), similarities, best, mean: sum / compared }
  }

  /** The same without a text. Only those that may be among the nearest, as far as rough similarities tell, are compared exactly. */
  #nearest(segments: Segments, open: MatchSet): readonly number[] {
    if (this.#similarities.isRead) return this.#near(segments, open).nearest
    const { nearest: count, least } = this.#request
    const rough = this.#rough!
    const candidates: number[] = []
    const most: number[] = []
    const surely = new First(count, (one, other) => other - one)
    let below = least
    for (const [place, { segment }] of segments.entries()) {
      const bits = open.in(place)
      if (!bits) continue
      const numbers = this.#vectors.numbers.in(segment)
      for (let at = 0; at < bits.length; at++)
        for (let word = bits[at]!; word !== 0; word &= word - 1) {
          const document = (at << 5) + 31 - Math.clz32(word & -word)
          const number = numbers[document]!
          if (number < 0) continue
          const similarity = rough.at(number)
          const error = rough.errorAt(number)
          if (similarity + error < below) continue
          candidates.push((place << 16) + document)
          most.push(similarity + error)
          if (similarity - error <= below) continue
          surely.offer(similarity - error)
          below = Math.max(least, surely.last ?? least)
        }
    }
    const few = candidates.filter((_, i) => most[i]! >= below)
    if (few.length <= this.#vectors.list.size / FEW_OF) return this.#exactlyNearest(segments, few)
    this.#similarities.read()
    return this.#near(segments, open).nearest
  }

  #exactlyNearest(segments: Segments, candidates: readonly number[]): number[] {
    const { nearest: count, least } = this.#request
    const similarities = new Map(candidates.map(one => [one, this.#similarity(segments, one)]))
    const earlier = byId(segments)
    const of = (document: number) => similarities.get(document)!
    const order = new First(count, (one, other) => of(other) - of(one) || earlier(one, other))
    for (const document of candidates) if (of(document) >= least) order.offer(document)
    return order.sorted()
  }

  #similarityOrder(segments: Segments, documents: readonly number[]): ScoreOrder {
    const order = new ScoreOrder(segments, byId(segments))
    for (const document of documents) {
      const similarity = this.#similarity(segments, document)
      if (!Number.isNaN(similarity)) order.offer(similarity, document)
    }
    return order
  }

  /** Those of the documents found, from their scores by the text, if there is one. */
  #scores(
    segments: Segments,
    found: MatchSet,
    { similarities, best, mean }: Near,
    pins: readonly number[],
    scores: ScoreOrder,
  ): ScoreOrder {
    const { ratio } = this.#request
    // The text may exclude them.
    for (const document of pins)
      similarities[document >>> 16]![document & 0xffff] = this.#similarity(segments, document)
    for (const [place, near] of similarities.entries()) {
      const bits = found.in(place)
      if (!bits) continue
      const own = scores.in(place)
      for (let at = 0; at < bits.length; at++)
        for (let word = bits[at]!; word !== 0; word &= word - 1) {
          const document = (at << 5) + 31 - Math.clz32(word & -word)
          const similarity = near[document]!
          if (Number.isNaN(similarity)) continue
          // Where all are equally near, all are the nearest.
          const nearness = best > mean ? Math.max(0, (similarity - mean) / (best - mean)) : 1
          own[document] = (1 - ratio) * own[document]! + ratio * nearness
        }
    }
    return scores
  }

  /** NaN for a document without a vector. */
  #similarity(segments: Segments, document: number): number {
    const number = this.#vectors.numbers.in(segments[document >>> 16]!.segment)[document & 0xffff]!
    return number < 0 ? Number.NaN : this.#similarities.of(number)
  }
}

interface Near {
  /** Nearest first. */
  readonly nearest: readonly number[]
  /** By place of the segment, then by document; NaN for others and for documents without a vector. */
  readonly similarities: readonly Float32Array[]
  /** Of all documents that may be found: the highest similarity, and the mean. */
  readonly best: number
  readonly mean: number
}

const MORE_TIME: Missing = { documents: [] }

/** The best documents for the text, and all that match. */
const ofText = (whole: FulltextIndex, query: TextQuery, options: QueryOptions): QueryAnswer =>
  whole.search(query, { ...options, limit: RANKED, offset: 0, groupBy: undefined, order: undefined })

/** The score of each document by the text, as a share of the best. */
function textScores(
  whole: FulltextIndex,
  query: TextQuery,
  options: QueryOptions,
  hits: QueryAnswer['hits'],
): ScoreOrder {
  const { segments } = whole.state
  const places = numbersOf(segments)
  const scores = new ScoreOrder(segments, byId(segments))
  const matching = hits.map(({ score }) => score).filter(score => score > 0)
  const best = Math.max(...matching, Number.MIN_VALUE)
  if (hits.length >= RANKED) {
    const last = Math.min(...matching)
    const steps = whole.visit(query, options, scores)
    for (const own of scores.scores)
      if (own)
        for (let document = 0; document < own.length; document++)
          own[document] = Math.min(own[document]! / steps, last) / best
  }
  for (const { id, score } of hits) for (const document of places(id)) scores.offer(score / best, document)
  return scores
}

/** Finds the number of the living document with an id. */
const numbersOf =
  (segments: Segments) =>
  (id: string): number[] => {
    const hash = hashId(id)
    for (const [place, live] of segments.entries()) {
      const document = live.documentOf(id, hash)
      if (document >= 0) return [(place << 16) + document]
    }
    return []
  }

const byId =
  (segments: Segments): MatchOrder['compare'] =>
  (one, other) => {
    if (one === other) return 0
    const [a, b] = [segments[one >>> 16]!.segment, segments[other >>> 16]!.segment]
    return idPrecedes(a, one & 0xffff, b, other & 0xffff) ? -1 : 1
  }
