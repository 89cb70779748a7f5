import type { Analyzer } from '../../analysis/analyzer.ts'
import { unitsOf } from '../../analysis/units.ts'
import type { Dictionary } from '../dictionary/dictionary.ts'
import { TypedWord } from '../dictionary/edit-distance.ts'
import type { Scoring } from '../segments/bm25f.ts'
import type { Segment } from '../segments/segment.ts'
import type { SegmentList } from '../segments/segment-list.ts'
import type { Topics } from '../topics/topics.ts'
import { Accumulators } from './accumulators.ts'
import { withShares } from './function-word-shares.ts'
import type { MatchVisitor } from './match-visitor.ts'
import type { KnownWords } from './meaning.ts'
import type { TypoTolerance } from './misspellings.ts'
import { type QueryPlan, QueryRun, type Ranking, type ScoredId } from './query-run.ts'
import { type QueryText, readQuery } from './query-text.ts'
import { needsForwardLists, type ResolvedQuery, resolveQuery } from './resolve-words.ts'
import type { Selection } from './selection.ts'
import type { SignalFactors } from './signal-factors.ts'
import type { MatchedWord } from './slot.ts'
import { findStanding } from './standing.ts'
import { TopK } from './top-k.ts'
import type { Total } from './total.ts'
import { WordMemory } from './word-memory.ts'
import { WordPlaces } from './word-places.ts'

/** The query that all documents match. */
export const EVERYTHING: unique symbol = Symbol('all documents')

/** Text as it was typed, or all documents. */
export type Query = string | typeof EVERYTHING

/** Which documents match, and by what they are ranked. */
export interface MatchOptions {
  /** Whether a document must match one word or all. */
  readonly operator: 'or' | 'and'
  /** The most edits a word that occurs nowhere may be away from what it is taken for; 0 for none. */
  readonly typoTolerance: TypoTolerance
  /** Whether a hyphen before a word or phrase excludes it. Default true. */
  readonly exclusion?: boolean
  /** Whether the last word may be the beginning of one, unless a blank or the end of a phrase follows. Default false. */
  readonly prefix?: boolean
  /** Weights for this query in place of the index's own, one per field; a field of weight 0 is not searched. */
  readonly weights?: readonly number[] | undefined
  /** Whether signals weigh. Default true. */
  readonly signals?: boolean
  /** Milliseconds since 1970, for the age of documents. Default 0. */
  readonly now?: number
  /** Documents that alone may match. Default all. */
  readonly selection?: Selection | undefined
}

export interface QueryOptions extends MatchOptions {
  /** The most hits. */
  readonly limit: number
  /** Hits to leave out at the start. Default 0. */
  readonly offset?: number
  /** Whether every match is counted, which reads all of them, rather than estimated. Default false. */
  readonly count?: boolean
  /** Whether what the best hits are about weighs, where that is known. Default true. */
  readonly topics?: boolean
  /** Whether hits say why they have their score. Default false. */
  readonly explain?: boolean
}

/** A phrase of the query: per place the surfaces that may stand there. */
export interface MatchedPhrase {
  readonly places: readonly (readonly string[])[]
  readonly slop: number
}

export interface QueryAnswer {
  /** Best first; equal scores by id, in byte order. */
  readonly hits: ScoredId[]
  /** What each distinct word was taken for, in the query's order. */
  readonly words: MatchedWord[]
  readonly phrases: MatchedPhrase[]
  /** The last word, when it may be the beginning of one. */
  readonly beginning: string | undefined
  /** Whether the query has more text or words than are looked at. */
  readonly isCut: boolean
  /** Documents that match. */
  readonly total: Total
}

interface SearcherParts {
  readonly analyzer: Analyzer
  readonly signals: SignalFactors | undefined
  readonly dictionary: Dictionary
  readonly segments: SegmentList<Segment>
  /** The same where their forward lists are there. */
  readonly whole?: NonNullable<Ranking['whole']>
  readonly topics: Topics
}

type Reading = Pick<Required<MatchOptions>, 'typoTolerance' | 'prefix' | 'exclusion'>

/** Answers queries from the words and the segments of an index, which are at rest meanwhile. */
export class Searcher {
  readonly #analyzer: Analyzer
  readonly #signals: SignalFactors | undefined
  readonly #known: KnownWords
  readonly #ranking: Ranking

  constructor({ analyzer, signals, dictionary, segments, whole, topics }: SearcherParts) {
    this.#analyzer = analyzer
    this.#signals = signals
    const standing: KnownWords['standing'] = terms =>
      whole && findStanding(terms, whole.segments, dictionary.vocabulary)
    this.#known = {
      dictionary,
      segments,
      standing,
      language: analyzer.name,
      units: unitsOf(analyzer.name),
      typed: new TypedWord(),
      memory: new WordMemory(),
    }
    this.#ranking = {
      stack: segments,
      whole,
      vocabulary: dictionary.vocabulary,
      functionWords: analyzer.functionWords,
      topics,
      places: new WordPlaces(),
      sums: new Accumulators(),
      top: new TopK(),
      reweighing: undefined,
    }
  }

  get bytes(): number {
    const { places, sums, reweighing } = this.#ranking
    return places.bytes + sums.bytes + (reweighing?.bytes ?? 0)
  }

  /** What words are resolved against, as the index is now. */
  get words(): KnownWords {
    this.#known.memory.follow(this.#ranking.stack)
    return this.#known
  }

  /** Whether an answer needs the forward lists. */
  needsForward(
    query: Query,
    { explain, weights, exclusion }: Pick<QueryOptions, 'explain' | 'weights' | 'exclusion'>,
  ): boolean {
    if (query === EVERYTHING) return false
    const { words, phrases, excluded } = readQuery(query, this.#analyzer, exclusion)
    if (words.length === 0) return false
    if (excluded.length > 0) return true
    return (
      words.length > 1 ||
      phrases.length > 0 ||
      !!explain ||
      !!weights ||
      needsForwardLists(words[0]!, this.#known)
    )
  }

  /** Without forward lists only for what needs none. */
  search(query: Query, options: QueryOptions): QueryAnswer {
    const { offset = 0, limit, explain = false } = options
    return this.#run(query, options, (run, words) => {
      const hits = run.hits(offset, limit, explain)
      return {
        hits,
        words: words?.resolved.words ?? [],
        phrases: words ? matchedPhrases(words.text, words.resolved) : [],
        beginning: words?.isBeginning ? words.text.words.at(-1) : undefined,
        isCut: words?.text.isCut ?? false,
        total: totalOf(run, options, hits.length),
      }
    })
  }

  /** Hands every document that matches to the visitor. */
  visit(query: Query, options: MatchOptions, visitor: MatchVisitor): void {
    this.#run(query, options, run => run.visit(visitor))
  }

  #run<T>(
    query: Query,
    options: MatchOptions & Pick<QueryOptions, 'topics'>,
    use: (run: QueryRun, words: QueryPlan['words']) => T,
  ): T {
    this.#ranking.stack.searches++
    const {
      operator,
      typoTolerance,
      prefix = false,
      exclusion = true,
      signals = true,
      topics = true,
      now = 0,
      weights,
      selection,
    } = options
    try {
      const words =
        query === EVERYTHING ? undefined : this.#resolved(query, { typoTolerance, prefix, exclusion })
      const scoring = this.#scoring(weights)
      const weighing = signals ? this.#signals : undefined
      const plan = { words, operator, scoring, signals: weighing, now, topics, selection }
      return use(new QueryRun(plan, this.#ranking), words)
    } catch (error) {
      this.#ranking.sums.clear()
      throw error
    }
  }

  #resolved(query: string, { typoTolerance, prefix, exclusion }: Reading) {
    const read = readQuery(query, this.#analyzer, exclusion)
    const isBeginning = prefix && read.isOpen
    const { text, resolved } = resolveQuery(read, this.words, { typoTolerance, prefix: isBeginning })
    const { functionWords } = this.#analyzer
    return {
      text,
      resolved: functionWords ? withShares(resolved, functionWords.all) : resolved,
      isBeginning,
    }
  }

  #scoring(weights: readonly number[] | undefined): Scoring | undefined {
    if (!weights) return undefined
    const { scoring } = this.#ranking.stack
    const { fields: own } = scoring
    const fields = own.map(({ b }, i) => ({ weight: weights[i] ?? own[i]!.weight, b }))
    return { ...scoring, fields }
  }
}

/** With fewer hits than asked for, or none left out, they are all there is. */
function totalOf(run: QueryRun, { offset = 0, limit, count }: QueryOptions, hits: number): Total {
  if (hits < limit && (hits > 0 || offset === 0)) return { count: offset + hits, exact: true }
  if (count) return { count: run.count(), exact: true }
  return run.total(hits > 0 ? offset + hits : 0, hits < limit ? offset : Number.POSITIVE_INFINITY)
}

function matchedPhrases({ phrases }: QueryText, { sequence, words }: ResolvedQuery): MatchedPhrase[] {
  if (phrases.length === 0) return []
  const surfaces = new Map(words.map(({ word, surfaces }) => [word, surfaces]))
  return phrases.map(({ words: places, slop }) => ({
    places: places.map(place => surfaces.get(sequence[place]?.word ?? '') ?? []),
    slop,
  }))
}
