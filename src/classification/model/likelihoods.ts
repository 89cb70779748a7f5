/** Turns a probability into a calibrated one: `1 / (1 + e^-(shift + scale x log(p / (1 - p))))`. */
export interface LikelihoodFit {
  readonly shift: number
  readonly scale: number
}

/** A first answer, and whether it was right. */
export interface JudgedAnswer {
  readonly score: number
  readonly isRight: boolean
}

export const UNFITTED: LikelihoodFit = { shift: 0, scale: 1 }

/** Nothing is fitted to fewer answers. */
const LEAST = 30
const ROUNDS = 25
/** Pulls the fit towards the original scores, as strongly as this many additional answers would. */
const PULL = 2
const NEAREST = 1e-4

/** Fits the scores of first answers to how often they are right (Platt, 1999), by Newton's method. */
export function fitLikelihoods(answers: readonly JudgedAnswer[]): LikelihoodFit {
  if (answers.length < LEAST) return UNFITTED
  // Begins where the curvature is greatest, so that no step goes too far.
  let [shift, scale] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    let [byShift, byScale] = [PULL * shift, PULL * (scale - 1)]
    let [shiftShift, shiftScale, scaleScale] = [PULL, 0, PULL]
    for (const { score, isRight } of answers) {
      const x = logit(score)
      const p = 1 / (1 + Math.exp(-(shift + scale * x)))
      const error = p - (isRight ? 1 : 0)
      const weight = p * (1 - p)
      byShift += error
      byScale += error * x
      shiftShift += weight
      shiftScale += weight * x
      scaleScale += weight * x * x
    }
    const determinant = shiftShift * scaleScale - shiftScale * shiftScale
    const stepOfShift = (scaleScale * byShift - shiftScale * byScale) / determinant
    const stepOfScale = (shiftShift * byScale - shiftScale * byShift) / determinant
    shift -= stepOfShift
    scale -= stepOfScale
    if (Math.abs(stepOfShift) + Math.abs(stepOfScale) < NEAREST) break
  }
  // The order of answers must not change.
  return scale > 0 && Number.isFinite(shift) ? { shift, scale } : UNFITTED
}

export const fitted = ({ shift, scale }: LikelihoodFit, score: number): number =>
  1 / (1 + Math.exp(-(shift + scale * logit(score))))

/**
 * Probabilities of answers, likeliest first. The first one is fitted; the others share what it leaves of 1 in the same
 * proportions as before, but none becomes likelier than the first.
 */
export function fittedAnswers(fit: LikelihoodFit, scores: readonly number[]): number[] {
  const [first] = scores
  if (first === undefined) return []
  const own = fitted(fit, first)
  const left = first < 1 ? (1 - own) / (1 - first) : 0
  return scores.map((score, at) => (at === 0 ? own : Math.min(own, score * left)))
}

function logit(score: number): number {
  const bounded = Math.min(1 - NEAREST, Math.max(NEAREST, score))
  return Math.log(bounded / (1 - bounded))
}
