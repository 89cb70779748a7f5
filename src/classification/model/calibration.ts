import type { Lists } from './vectors.ts'

/** How margins and likelihoods become probabilities. */
export interface Calibration {
  /** What margins, and logarithms of likelihoods, are multiplied by. */
  readonly linear: number
  readonly bayes: number
  /** What naive Bayes counts beside the margins. */
  readonly share: number
  /** What both together are multiplied by. */
  readonly both: number
}

/** Fitted to public sets; for those too small to fit anything. */
const usual: Calibration = { linear: 3, bayes: 0.5, share: 0.3, both: 1 }

/** Never none: documents that are added later are counted by naive Bayes alone. */
const shares = [0.05, 0.15, 0.3, 0.5, 0.8]
/** What a miss weighs beside the loss when a share is chosen: misses of few rows are much a matter of chance. */
const LOSS_PER_MISS = 10
const [LEAST_TEMPERATURE, MOST_TEMPERATURE] = [0.02, 100]
const ROUNDS = 20
/** A share of the temperature: the loss hardly changes with less. */
const EXACT = 1e-3

/** Scores of rows held out: row `r` has those from `r * classes` on. */
export interface HeldScores {
  readonly classes: number
  readonly linear: Float32Array
  readonly bayes: Float32Array
  /** By row the classes that are right. */
  readonly right: Lists
}

/**
 * Finds the numbers with which the right classes of rows held out are likely and first: temperatures (Guo and others, "On
 * calibration of modern neural networks", ICML 2017), and the share of naive Bayes.
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

/** By Newton's method, which the loss suits by being convex; within bounds, halved where a step would leave them. */
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
 * Mean negative logarithm of what the right classes are given, of several right ones the mean of theirs, and its first
 * and second derivative by the temperature.
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

/** The share of rows whose highest class is not a right one. */
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

/** Logarithms of shares (log-softmax). */
function logarithms(scores: Float32Array, classes: number, temperature: number): Float32Array {
  const logs = new Float32Array(scores.length)
  for (let from = 0; from < scores.length; from += classes) {
    const total = logSum(scores, from, classes, temperature)
    for (let i = from; i < from + classes; i++) logs[i] = scores[i]! * temperature - total
  }
  return logs
}

/** The logarithm of the sum of e to the scores. */
function logSum(scores: Float32Array, from: number, count: number, temperature: number): number {
  let most = Number.NEGATIVE_INFINITY
  for (let i = from; i < from + count; i++) if (scores[i]! > most) most = scores[i]!
  let sum = 0
  for (let i = from; i < from + count; i++) sum += Math.exp((scores[i]! - most) * temperature)
  return most * temperature + Math.log(sum)
}

/** Makes probabilities of logarithms that are all too high by the same (softmax). */
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
