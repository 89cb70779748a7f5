import type { Segment } from '../segments/segment.ts'

/** How a number of a document weighs in its rank: a factor from 1 to 1 + boost; 1 where there is no number. */
export type Signal =
  | {
      /** More is better, with ever less to gain: half of the boost at `pivot`. Negative numbers count as 0. */
      readonly kind: 'saturation'
      readonly pivot: number
      readonly boost: number
    }
  | {
      /** A time in milliseconds since 1970: newer is better, half of the boost at an age of `halfLife` milliseconds. */
      readonly kind: 'recency'
      readonly halfLife: number
      readonly boost: number
    }

export function signalFactor(signal: Signal, value: number, now: number): number {
  if (Number.isNaN(value)) return 1
  if (signal.kind === 'recency') return 1 + signal.boost * 2 ** (-Math.max(0, now - value) / signal.halfLife)
  return value <= 0 ? 1 : 1 + signal.boost / (1 + signal.pivot / value)
}

/** The largest product of factors that a document can have. */
export function mostFactor(signals: readonly Signal[]): number {
  return signals.reduce((product, { boost }) => product * (1 + boost), 1)
}

// Ages are told to the hour, so that factors can be kept from query to query.
const HOUR = 3_600_000

/** By segment and document the product of its factors, computed once an hour. */
export class SignalFactors {
  readonly signals: readonly Signal[]
  readonly #kept = new WeakMap<Uint8Array, { hour: number; factors: Float64Array }>()

  constructor(signals: readonly Signal[]) {
    this.signals = signals
  }

  of(segment: Segment, now: number): Float64Array {
    const hour = Math.floor(now / HOUR)
    const known = this.#kept.get(segment.body)
    if (known?.hour === hour) return known.factors
    const factors = this.#compute(segment, hour * HOUR)
    this.#kept.set(segment.body, { hour, factors })
    return factors
  }

  /** The factor of each signal of one document. */
  each({ signals: values }: Segment, document: number, now: number): number[] {
    const at = Math.floor(now / HOUR) * HOUR
    return this.signals.map((signal, s) =>
      signalFactor(signal, values[document * this.signals.length + s]!, at),
    )
  }

  #compute({ signals: values, shape }: Segment, now: number): Float64Array {
    const { signals } = this
    const factors = new Float64Array(shape.documents).fill(1)
    for (let document = 0; document < factors.length; document++) {
      for (let s = 0; s < signals.length; s++) {
        factors[document]! *= signalFactor(signals[s]!, values[document * signals.length + s]!, now)
      }
    }
    return factors
  }
}
