import type { ColumnName } from '../segments/columns/columns.ts'
import type { Segment } from '../segments/segment.ts'

/** How a number in a document affects its score: a factor from 1 to 1 + boost; 1 if it has no number. */
export type SignalWeight =
  | {
      /** More is better, with diminishing returns: half of the boost at `pivot`. Negative numbers count as 0. */
      readonly kind: 'saturation'
      readonly pivot: number
      readonly boost: number
    }
  | {
      /** A time in milliseconds since 1970: newer is better; half of the boost at an age of `halfLife` milliseconds. */
      readonly kind: 'recency'
      readonly halfLife: number
      readonly boost: number
    }

/** A weight and the column of its numbers; if a document has several, the first counts. */
export type Signal = SignalWeight & { readonly column: string }

/** The column that a signal requires. */
export function columnOf({ column, kind }: Signal): ColumnName & { readonly kind: 'date' | 'number' } {
  return { name: column, kind: kind === 'recency' ? 'date' : 'number' }
}

export function signalFactor(signal: SignalWeight, value: number, now: number): number {
  if (Number.isNaN(value)) return 1
  if (signal.kind === 'recency') return 1 + signal.boost * 2 ** (-Math.max(0, now - value) / signal.halfLife)
  return value <= 0 ? 1 : 1 + signal.boost / (1 + signal.pivot / value)
}

/** The largest product of factors that a document can have. */
export function mostFactor(signals: readonly SignalWeight[]): number {
  return signals.reduce((product, { boost }) => product * (1 + boost), 1)
}

// Ages are rounded to the hour, so that factors can be cached between queries.
const HOUR = 3_600_000

/** The product of a document's factors, by segment and document; computed once an hour. */
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
  each(segment: Segment, document: number, now: number): number[] {
    const at = Math.floor(now / HOUR) * HOUR
    return this.signals.map(signal => signalFactor(signal, numbersOf(segment, signal)[document]!, at))
  }

  #compute(segment: Segment, now: number): Float64Array {
    const factors = new Float64Array(segment.shape.documents).fill(1)
    for (const signal of this.signals) {
      const numbers = numbersOf(segment, signal)
      for (let document = 0; document < factors.length; document++)
        factors[document]! *= signalFactor(signal, numbers[document]!, now)
    }
    return factors
  }
}

/** By document. Every segment of an index with the signal has the column, and it is loaded with the segment. */
function numbersOf({ columns }: Segment, signal: Signal): Float64Array {
  const { name, kind } = columnOf(signal)
  const column = columns?.find(name, kind)
  if (!column) throw new Error(`a segment has no column ${name} of the kind ${kind}`)
  return column.first
}
