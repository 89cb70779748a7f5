import type { Lists } from './vectors.ts'

/** How margins and likelihoods are turned into probabilities. */
export interface Calibration {
  /** Factors on margins and on logarithms of likelihoods. */
  readonly linear: number
  readonly bayes: number
  /** The weight of naive Bayes relative to the margins. */
  readonly share: number
  /** The factor on the weighted sum of both. */
  readonly both: number
}

/** Fitted to public datasets; used for datasets that are too small to fit anything. */
const usual: Calibration = { linear: 3, bayes: 0.5, share: 0.3, both: 1 }

/** Never 0: documents that are added later only count in naive Bayes. */
const shares = [0.05, 0.15, 0.3, 0.5, 0.8]
/** The loss that weighs as much as one miss when a share is chosen: with few rows, misses are largely a matter of chance. */
const LOSS_PER_MISS = 10
const [LEAST_TEMPERATURE, MOST_TEMPERATURE] = [0.02, 100]
const ROUNDS = 20
/** Relative precision of the temperature: smaller steps hardly change the loss. */
const EXACT = 1e-3

/** Scores of held-out rows: those of row `r` begin at `r * classes`. */
export interface HeldScores {
  readonly classes: number
  readonly linear: Float32Array
  readonly bayes: Float32Array
  /** By row: its correct classes. */
  readonly right: Lists
}

/**
 * Finds the temperatures (Guo and others, "On calibration of modern neural networks", ICML 2017) and the share of naive Bayes
 * with which the correct classes of held-out rows are likely and come first.
 */
export function calibrate({ classes, linear, bayes, right }: HeldScores): Calibration {
  if (right.starts.length === 1) return usual
  const ofLinear = bestTemperature(linear, classes, right)
  const ofBayes = bestTemperature(bayes, classes, right)
  const a = logarithms(linear, classes, ofLinear.temperature)
  const b = logarithms(bayes, classes, ofBayes.temperature)
  let found: { calibration: Calibration; badness: number } | undefined
  const mixture = new Float32Array(a.length)
  for (const share of shares) {
    for (let i = 0; i < mixture.length; i++) mixture[i] = a[i]! + share * b[i]!
    const { temperature, loss } = bestTemperature(mixture, classes, right)
    const badness = missesOf(mixture, classes, right) + loss / LOSS_PER_MISS
    if (found && found.badness <= badness) continue
    const calibration = {
      linear: ofLinear.temperature,
      bayes: ofBayes.temperature,
      share,
      both: temperature,
    }
    found = { calibration, badness }
  }
  return found!.calibration
}

/** By Newton's method, which suits the convex loss; where a step would leave the bounds, their geometric mean is taken instead. */
function bestTemperature(
  scores: Float32Array,
  classes: number,
  right: Lists,
): { temperature: number; loss: number } {
  let [low, high] = [LEAST_TEMPERATURE, MOST_TEMPERATURE]
  let temperature = 1
  for (let round = 1; ; round++) {
    const { loss, slope, curvature } = lossAt(scores, classes, right, temperature)
    if (slope > 0) high = temperature
    else low = temperature
    const newton = temperature - slope / curvature
    const next = newton > low && newton < high ? newton : Math.sqrt(low * high)
    if (slope === 0 || round === ROUNDS || Math.abs(next / temperature - 1) < EXACT)
      return { temperature, loss }
    temperature = next
  }
}

/**
 * The mean negative logarithm of the probabilities of the correct classes (the mean of several in one row), and its first and
 * second derivative with respect to the temperature.
 */
function lossAt(
  scores: Float32Array,
  classes: number,
  { starts, items }: Lists,
  temperature: number,
): { loss: number; slope: number; curvature: number } {
  let [loss, slope, curvature] = [0, 0, 0]
  const rows = starts.length - 1
  for (let row = 0; row < rows; row++) {
    const from = row * classes
    let most = Number.NEGATIVE_INFINITY
    for (let i = from; i < from + classes; i++) if (scores[i]! > most) most = scores[i]!
    let [sum, first, second] = [0, 0, 0]
    for (let i = from; i < from + classes; i++) {
      const below = scores[i]! - most
      const share = Math.exp(below * temperature)
      sum += share
      first += share * below
      second += share * below * below
    }
    let own = 0
    for (let at = starts[row]!; at < starts[row + 1]!; at++) own += scores[from + items[at]!]! - most
    own /= starts[row + 1]! - starts[row]!
    const expected = first / sum
    loss += Math.log(sum) - own * temperature
    slope += expected - own
    curvature += second / sum - expected * expected
  }
  return { loss: loss / rows, slope: slope / rows, curvature: curvature / rows }
}

/** The share of rows whose highest-scoring class is not correct. */
function missesOf(scores: Float32Array, classes: number, { starts, items }: Lists): number {
  const rows = starts.length - 1
  let misses = 0
  for (let row = 0; row < rows; row++) {
    let first = row * classes
    for (let i = first; i < (row + 1) * classes; i++) if (scores[i]! > scores[first]!) first = i
    if (!items.subarray(starts[row], starts[row + 1]).includes(first - row * classes)) misses++
  }
  return misses / rows
}

/** Log-softmax. */
function logarithms(scores: Float32Array, classes: number, temperature: number): Float32Array {
  const logs = new Float32Array(scores.length)
  for (let from = 0; from < scores.length; from += classes) {
    const total = logSum(scores, from, classes, temperature)
    for (let i = from; i < from + classes; i++) logs[i] = scores[i]! * temperature - total
  }
  return logs
}

/** The logarithm of the sum of the exponentials of scores. */
function logSum(scores: Float32Array, from: number, count: number, temperature: number): number {
  let most = Number.NEGATIVE_INFINITY
  for (let i = from; i < from + count; i++) if (scores[i]! > most) most = scores[i]!
  let sum = 0
  for (let i = from; i < from + count; i++) sum += Math.exp((scores[i]! - most) * temperature)
  return most * temperature + Math.log(sum)
}

/** Turns logarithms that are all too high by the same constant into probabilities (softmax). */
export function toProbabilities(scores: Float64Array): void {
  let most = Number.NEGATIVE_INFINITY
  for (let k = 0; k < scores.length; k++) if (scores[k]! > most) most = scores[k]!
  let sum = 0
  for (let k = 0; k < scores.length; k++) {
    scores[k] = Math.exp(scores[k]! - most)
    sum += scores[k]!
  }
  for (let k = 0; k < scores.length; k++) scores[k]! /= sum
}
