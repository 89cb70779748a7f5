import type { Figure } from './contents.ts'

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const precise = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 })

/** A number for people: 12,345.6; very large and very small ones have an exponent. */
export function toldNumber({ value, isEstimate }: Pick<Figure, 'value' | 'isEstimate'>): string {
  const size = Math.abs(value)
  const told =
    size >= 1e15 || (size < 1e-6 && size > 0)
      ? String(Number(value.toPrecision(6)))
      : Number.isInteger(value)
        ? whole.format(value)
        : precise.format(value)
  return isEstimate ? `about ${told}` : told
}
