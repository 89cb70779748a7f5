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
const GOLDEN = (Math.sqrt(5) - 1) / 2
const ROUNDS = 15

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

/** By golden section (Kiefer, 1953) over logarithms. */
function bestTemperature(
  scores: Float32Array,
  classes: number,
  right: Lists,
): { temperature: number; loss: number } {
  const lossAt = (log: number) => lossOf(scores, classes, right, Math.exp(log))
  let [low, high] = [Math.log(0.02), Math.log(100)]
  let [left, right_] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)]
  let [lossLeft, lossRight] = [lossAt(left), lossAt(right_)]
  for (let round = 0; round < ROUNDS; round++) {
    if (lossLeft < lossRight) {
      high = right_
      right_ = left
      lossRight = lossLeft
      left = high - GOLDEN * (high - low)
      lossLeft = lossAt(left)
    } else {
      low = left
      left = right_
      lossLeft = lossRight
      right_ = low + GOLDEN * (high - low)
      lossRight = lossAt(right_)
    }
  }
  return lossLeft < lossRight
    ? { temperature: Math.exp(left), loss: lossLeft }
    : { temperature: Math.exp(right_), loss: lossRight }
}

/** Mean negative logarithm of what the right classes are given; of several right ones, the mean of theirs. */
function lossOf(
  scores: Float32Array,
  classes: number,
  { starts, items }: Lists,
  temperature: number,
): number {
  let loss = 0
  const rows = starts.length - 1
  for (let row = 0; row < rows; row++) {
    const from = row * classes
    const total = logSum(scores, from, classes, temperature)
    let own = 0
    for (let at = starts[row]!; at < starts[row + 1]!; at++) own += scores[from + items[at]!]! * temperature
    loss += total - own / (starts[row + 1]! - starts[row]!)
  }
  return loss / rows
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
function logSum(
  scores: Float32Array | Float64Array,
  from: number,
  count: number,
  temperature: number,
): number {
  let most = Number.NEGATIVE_INFINITY
  for (let i = from; i < from + count; i++) if (scores[i]! > most) most = scores[i]!
  let sum = 0
  for (let i = from; i < from + count; i++) sum += Math.exp((scores[i]! - most) * temperature)
  return most * temperature + Math.log(sum)
}

/** Makes probabilities of logarithms that are all too high by the same (softmax). */
export function toProbabilities(scores: Float64Array): void {
  const total = logSum(scores, 0, scores.length, 1)
  for (let k = 0; k < scores.length; k++) scores[k] = Math.exp(scores[k]! - total)
}
