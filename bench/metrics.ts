import { random, randomInteger } from './random.ts'

/** All queries, and those of even ids: settings are tuned on the others. */
export const subsets = ['all', 'even'] as const
export type Subset = (typeof subsets)[number]
export const spellings = ['clean', 'typo'] as const
export type Spelling = (typeof spellings)[number]

/** Document id to grade: above 0 relevant, 0 judged irrelevant, below 0 taken out of every ranking. */
export type Grades = ReadonlyMap<string, number>

const discounted = (gains: readonly number[]): number =>
  gains.reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0)

/**
 * Normalised discounted cumulative gain with linear gains and a log2 discount (Järvelin and Kekäläinen, 2002);
 * unjudged documents gain nothing. `undefined` where no document is relevant: such a query measures nothing.
 */
export function ndcg(ranking: readonly string[], grades: Grades, depth = 10): number | undefined {
  const ideal = [...grades.values()].filter(grade => grade > 0).sort((a, b) => b - a)
  if (ideal.length === 0) return undefined
  const gains = ranking.map(id => grades.get(id) ?? 0).filter(grade => grade >= 0)
  return discounted(gains.slice(0, depth)) / discounted(ideal.slice(0, depth))
}

/** Whether one of the expected documents stands among the first `depth`. */
export const hitAt = (ranking: readonly string[], expected: ReadonlySet<string>, depth: number): boolean =>
  ranking.slice(0, depth).some(id => expected.has(id))

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** The value at or below which `share` (0 to 1) of an ascending list lies (nearest rank). */
export function percentile(ascending: ArrayLike<number>, share: number): number {
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)]!
}

export interface Interval {
  /** Mean of `ours - theirs`. */
  readonly difference: number
  readonly low: number
  readonly high: number
}

/**
 * 95 % percentile interval of the mean paired difference, by resampling queries (Efron and Tibshirani, 1993, ch. 13).
 * Both lists hold one value per query, in the same order.
 */
export function pairedBootstrap(
  ours: readonly number[],
  theirs: readonly number[],
  { resamples = 10_000, seed = 1 } = {},
): Interval {
  if (ours.length !== theirs.length || ours.length === 0) {
    throw new RangeError(`paired lists of equal length needed, got ${ours.length} and ${theirs.length}`)
  }
  const differences = ours.map((value, query) => value - theirs[query]!)
  const means = resampledMeans(differences, resamples, random(seed)).sort()
  return {
    difference: mean(differences),
    low: percentile(means, 0.025),
    high: percentile(means, 0.975),
  }
}

function resampledMeans(values: readonly number[], resamples: number, next: () => number): Float64Array {
  return Float64Array.from({ length: resamples }, () => {
    let sum = 0
    for (let draw = 0; draw < values.length; draw++) sum += values[randomInteger(next, values.length)]!
    return sum / values.length
  })
}
