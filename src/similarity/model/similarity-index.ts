import { Comparer, NUMBERS, OF_ALL_WORDS, OF_TITLE, OF_WORDS, type SimilarDocument } from './aspects.ts'
import { AllAtLeast, Best, type Collector } from './best.ts'
import { scoresOf } from './comparison.ts'
import { diversified } from './diversity.ts'
import { explainer, type SimilarityExplanation, sharedWords } from './explanation.ts'
import { Holdings, type Vectors } from './holdings.ts'
import { type Accepts, Ranker } from './ranker.ts'
import { MOST_EXACT, type RefreshOptions, refreshed, withoutDocuments } from './refresh.ts'
import { restored, type SavedSimilarity, saved } from './saved-similarity.ts'

/** If characters have no postings, words select at least this many documents, which are then compared in every aspect. */
const LEAST_CHOSEN = 200

/** With diversity, this many times as many documents are considered. */
const POOL = 4

/** Number of changes, plus a sixteenth of the documents, after which a refresh is due. */
const CHANGES = 64

/** A document of the index, one that need not be in it, or a text, which is read as a title and as a whole document. */
export type SimilarQuery = { readonly id: string } | SimilarDocument | string

export interface NearestOptions {
  /** Maximum number of documents; default 10. */
  readonly count?: number
  /** Minimum score; default: all documents that have something in common. */
  readonly least?: number
  /** Whether a document may be in the result; only called for near ones. */
  readonly accepts?: (id: string) => boolean
  /** 0 (default) to 1: how much similarity to the documents before it counts against a document. */
  readonly diversity?: number
}

export interface NearDocument {
  readonly id: string
  /** Above 0; 1 means no difference that counts. */
  readonly score: number
}

/**
 * Documents, and which of them are similar to a text or to each other. Features have the weights of the last refresh;
 * documents that were added since are compared one by one until the next.
 */
export class SimilarityIndex {
  readonly #comparer = new Comparer()
  readonly #options: RefreshOptions
  #held = new Holdings()
  #ranker = new Ranker(this.#held)
  #changes = 0

  /** @param options for every refresh */
  constructor(options: RefreshOptions = {}) {
    this.#options = options
  }

  get size(): number {
    return this.#held.size
  }

  get bytes(): number {
    return this.#held.bytes + this.#ranker.bytes
  }

  /** Whether enough has changed to make a refresh worthwhile. */
  get isStale(): boolean {
    return this.#changes > CHANGES + this.size / 16
  }

  has(id: string): boolean {
    return this.#held.numberOf(id) !== undefined
  }

  /** The tags of a document; empty if it is not in the index. */
  tagsOf(id: string): readonly string[] {
    const document = this.#held.numberOf(id)
    return document === undefined ? [] : this.#held.tags[document]!
  }

  /** 32 bits, equal for documents with equal compared parts; 0 for a document that is not in the index. */
  fingerprint(id: string): number {
    const document = this.#held.numberOf(id)
    if (document === undefined) return 0
    return this.#held.spaces.reduce((print, space) => space.fingerprint(document, print), 1)
  }

  /** The ids of all documents, in order of arrival. */
  ids(): string[] {
    return this.#held.ids.filter((_, document) => this.#held.holds(document))
  }

  /** Adds a document, replacing any with the same id. */
  add(id: string, document: SimilarDocument): void {
    this.#held.remove(id)
    this.#held.append(id, this.#comparer.bags(document), document.tags ?? [])
    this.#changes++
  }

  remove(id: string): boolean {
    const wasThere = this.#held.remove(id)
    if (wasThere) this.#changes++
    return wasThere
  }

  /**
   * Reweighs all features and makes additions fast to find, piece by piece. The index can be queried and changed
   * between pieces. None of this takes effect before the last piece, so it can be abandoned at any time.
   */
  *refresh(): Generator<void, void> {
    const before = this.#changes
    const held = yield* refreshed(this.#held, this.#options)
    this.#held = held
    this.#ranker = new Ranker(held)
    this.#changes -= before
  }

  /** The documents most similar to the query, best first, equal ones by id; without the query itself, if it is a document. */
  nearest(query: SimilarQuery, options: NearestOptions = {}): NearDocument[] {
    const { count = 10, least = 0, accepts, diversity = 0 } = options
    const held = this.#held
    const asked = typeof query === 'object' && 'id' in query ? query.id : undefined
    const accept: Accepts = document => {
      const id = held.ids[document]!
      return id !== asked && (accepts === undefined || accepts(id))
    }
    const best = new Best(held.ids, diversity > 0 ? POOL * count : count, least)
    this.#rank(this.#views(query), best, accept)
    const order = diversity > 0 ? diversified(held, best, { count, diversity }) : [...best.documents.keys()]
    return order.map(at => ({ id: held.ids[best.documents[at]!]!, score: best.scores[at]! }))
  }

  /** All documents whose similarity to this one is at least `least`, in no particular order. */
  allLike(id: string, least: number): NearDocument[] {
    const held = this.#held
    const all = new AllAtLeast(least)
    this.#rank(this.#views({ id }), all, document => held.ids[document] !== id)
    return all.documents.map((document, at) => ({ id: held.ids[document]!, score: all.scores[at]! }))
  }

  /** The scores of documents; 0 for those that are not in the index. */
  scores(query: SimilarQuery, ids: readonly string[]): number[] {
    const documents = ids.map(id => this.#held.numberOf(id))
    const there = documents.filter(document => document !== undefined)
    const scores = this.#scoresOf(this.#views(query), there)
    let next = 0
    return documents.map(document => (document === undefined ? 0 : scores[next++]!))
  }

  /**
   * Says why documents are similar to this one or to this text: the features that both have, and what each adds to the score.
   * The function is for this state of the index.
   */
  explainer(one: SimilarDocument | string): (other: SimilarDocument) => SimilarityExplanation {
    const [held, comparer] = [this.#held, this.#comparer]
    if (typeof one !== 'string') return explainer(held, comparer, one)
    return explainer(held, comparer, { title: one, body: '' }, [OF_TITLE, OF_ALL_WORDS])
  }

  /** Words that all of these documents have, the most significant first. Handles one document per step. */
  *sharedWords(documents: Iterable<SimilarDocument>, count = 10): Generator<void, string[]> {
    return (yield* sharedWords(this.#held, this.#comparer, documents)).slice(0, count)
  }

  /** The current index in a form that `load` reads, piece by piece. */
  save(): Generator<void, SavedSimilarity> {
    return saved(this.#held, this.#changes)
  }

  /** Reads what was saved, piece by piece. */
  static *load(from: SavedSimilarity, options: RefreshOptions = {}): Generator<void, SimilarityIndex> {
    const index = new SimilarityIndex(options)
    const { holdings, changes } = yield* restored(from)
    index.#held = holdings
    index.#ranker = new Ranker(holdings)
    index.#changes = changes
    return index
  }

  /** An index without documents, with the feature weights of this one, which it keeps. */
  *emptied(): Generator<void, SimilarityIndex> {
    const index = new SimilarityIndex({ keepsWeights: true })
    index.#held = yield* withoutDocuments(this.#held)
    index.#ranker = new Ranker(index.#held)
    return index
  }

  /** A text is compared as a title and as a whole document: the better score counts. */
  #views(query: SimilarQuery): readonly Vectors[] {
    const held = this.#held
    if (typeof query === 'string') {
      const vectors = held.vectorsOf(this.#comparer.bags({ title: query, body: '' }))
      return [only(vectors, OF_TITLE), only(vectors, OF_ALL_WORDS)]
    }
    if (!('id' in query)) return [held.vectorsOf(this.#comparer.bags(query))]
    const document = held.numberOf(query.id)
    return document === undefined ? [] : [held.vectorsAt(document)]
  }

  #rank(views: readonly Vectors[], collector: Collector, accepts: Accepts): void {
    const [first] = views
    if (first && views.length === 1 && !this.#areChosenByWords) {
      this.#ranker.rank({ vectors: first, collector, accepts })
      return
    }
    const met = new Set<number>()
    for (const vectors of views) {
      const { most, threshold } = collector
      const best = this.#areChosenByWords
        ? new Best(this.#held.ids, Math.max(LEAST_CHOSEN, Number.isFinite(most) ? most : 0), 0)
        : new Best(this.#held.ids, most, threshold)
      const chosenBy = this.#areChosenByWords ? only(vectors, OF_WORDS) : vectors
      this.#ranker.rank({ vectors: chosenBy, collector: best, accepts })
      for (const document of best.documents) met.add(document)
    }
    const documents = [...met]
    for (const [at, score] of this.#scoresOf(views, documents).entries())
      if (score > 0) collector.offer(documents[at]!, score)
  }

  #scoresOf(views: readonly Vectors[], documents: readonly number[]): number[] {
    const scores = new Array<number>(documents.length).fill(0)
    for (const vectors of views)
      for (const [at, score] of scoresOf(this.#held, vectors, documents).entries())
        scores[at] = Math.max(scores[at]!, score)
    return scores
  }

  get #areChosenByWords(): boolean {
    return this.#held.posted > MOST_EXACT
  }
}

/** The vectors of a set of aspects, and of numbers. */
const only = (vectors: Vectors, set: number): Vectors =>
  vectors.map((vector, space) => (space === NUMBERS || (set >> space) & 1 ? vector : undefined))
