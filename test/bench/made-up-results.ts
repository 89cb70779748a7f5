import type { AnswersResults } from '../../bench/answers.ts'
import type { Rate } from '../../bench/measure.ts'
import type { RelevanceFigure, RelevanceResults } from '../../bench/relevance.ts'
import type { SearchResults } from '../../bench/search.ts'
import type { SearchFigures } from '../../bench/search-contest.ts'
import type { SpellingResults } from '../../bench/spelling.ts'

/** Figures in which everything takes its time times `slowness`. */
export function figures(slowness: number): SearchFigures {
  const rate: Rate = {
    perCpuSecond: 1_000 / slowness,
    perSecond: 1_000 / slowness,
    p50: slowness,
    p95: 2 * slowness,
    p99: 3 * slowness,
    calls: 100,
  }
  const cost = { cpuSeconds: slowness, seconds: slowness }
  const answering = { ids: { term: rate, or: rate, and: rate, typo: rate }, whole: rate }
  return {
    build: cost,
    memory: { held: 1_000 * slowness, resident: 2_000 * slowness },
    right: { term: 1, or: 1, and: 1, typo: 0.9 },
    alone: answering,
    writing: answering,
    visibility: rate,
    removal: { ...cost, documents: 100 },
    reopening: { ...cost, bytes: 1_000 },
  }
}

export function searchResults(
  documents: number,
  contestants: Record<
    string,
    { readonly slowness: number; readonly documents?: 'asked' | 'memory' | 'disk' }
  >,
): SearchResults {
  return {
    documents,
    documentBytes: 430,
    vocabulary: 'made up',
    contestants: Object.entries(contestants).map(([name, { slowness, documents: kept = 'asked' }]) => ({
      name,
      settings: 'none',
      documents: kept,
      reopening: 'opened',
      figures: figures(slowness),
    })),
    oneWord: {
      words: 100,
      first: figures(9).visibility!,
      again: figures(1).visibility!,
      afterInsert: figures(3).visibility!,
      weighted: figures(5).visibility!,
    },
    leftOut: [['elsewhere', 'not installed']],
  }
}

const figure = (ours: number, theirs: number): RelevanceFigure => ({
  value: { difference: theirs, low: theirs - 0.02, high: theirs + 0.02 },
  weLeadBy: { difference: ours - theirs, low: ours - theirs - 0.01, high: ours - theirs + 0.01 },
})

/** Of each contestant its nDCG, the same with typos and for the even queries; ours first. */
export function relevanceResults(values: Record<string, number>): RelevanceResults {
  const [ours = 0] = Object.values(values)
  const judged = (collection: string) => ({
    collection,
    queries: { all: 10, even: 5 },
    figures: Object.entries(values).map(([name, theirs]) => {
      const both = { clean: figure(ours, theirs), typo: figure(ours, theirs) }
      return { name, all: both, even: both }
    }),
    known: Object.values(values).map(value => ({ clean: value, typo: value })),
  })
  return {
    judged: [judged('esci-us-small'), judged('cranfield')],
    pooled: judged('esci-us-small and cranfield'),
    catalogue: {
      asked: [['exact', 2]],
      figures: Object.keys(values).map(name => ({ name, right: 2, rightAt1: 1, ofKind: [2] })),
    },
    leftOut: [],
  }
}

/** Of each contestant how many of ten checks are accepted in each of two classes; ours first. */
export function answersResults(accepted: Record<string, readonly [number, number]>): AnswersResults {
  return {
    collections: ['sample'],
    classes: [
      ['codes', 10],
      ['sentences', 10],
    ],
    figures: Object.entries(accepted).map(([name, ofClass]) => ({
      name,
      right: ofClass[0] + ofClass[1],
      ofClass,
    })),
    leftOut: [],
  }
}

/** Of each contestant the share of right corrections in one list; ours first. */
export const spellingResults = (right: Record<string, number>): SpellingResults => ({
  sets: [
    { name: 'spell-wikipedia', pairs: 100, inDictionary: 1, realWords: 0, right: Object.entries(right) },
  ],
  cleanChanged: 0.02,
  leftOut: [],
})
