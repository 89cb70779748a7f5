import { FindlingError } from '../../errors.ts'

/** The weight of a field (0 or more), and how strongly its length counts against it (`b`, 0 to 1). */
export interface FieldScoring {
  readonly weight: number
  readonly b: number
}

/** The parameters of impacts. `averages` are pinned: they follow the documents in steps, not at once. */
export interface ImpactParameters {
  readonly fields: readonly FieldScoring[]
  /** The higher, the later repetitions of a word saturate; above 0. */
  readonly k1: number
  readonly averages: readonly number[]
}

export const IMPACT_STEPS = 255

export function validateFields(fields: readonly FieldScoring[], k1: number): void {
  if (!(k1 > 0 && k1 < Infinity)) throw outOfRange('k1', k1, 'a number above 0')
  for (const [i, { weight, b }] of fields.entries()) {
    if (!(weight >= 0 && weight < Infinity))
      throw outOfRange(`fields[${i}].weight`, weight, 'a number from 0')
    if (!(b >= 0 && b <= 1)) throw outOfRange(`fields[${i}].b`, b, 'a number from 0 to 1')
  }
}

function outOfRange(field: string, value: unknown, expected: string): FindlingError {
  const received = String(value)
  const message = `${field} is ${received}, but must be ${expected}`
  return new FindlingError('INVALID_ARGUMENT', message, { field, received, expected })
}

/**
 * Per document and field, the factor of a term's frequency (Robertson, Zaragoza, Taylor, "Simple BM25 extension
 * to multiple weighted fields", 2004): frequencies are weighted and summed before they saturate.
 */
export function frequencyFactors(lengths: Uint16Array, scoring: ImpactParameters): Float64Array {
  const factors = new Float64Array(lengths.length)
  const { length } = scoring.fields
  for (let i = 0; i < lengths.length; i++) factors[i] = frequencyFactor(scoring, i % length, lengths[i]!)
  return factors
}

/** The same for one field with this many tokens. */
export function frequencyFactor(
  { fields, averages }: ImpactParameters,
  field: number,
  length: number,
): number {
  const { weight, b } = fields[field]!
  return weight / (1 - b + (b * length) / averages[field]!)
}

/** The saturated frequency in steps of 1/255; at least one step, so that every match has a score. */
export function impactOf(frequency: number, k1: number): number {
  return Math.max(1, Math.round((IMPACT_STEPS * frequency) / (k1 + frequency)))
}

/** The share of its impact that a term keeps if it occurs in the title only in an aside. */
const SHARE_OF_ASIDES = 0.8

export function impactAside(impact: number): number {
  return Math.max(1, Math.round(SHARE_OF_ASIDES * impact))
}

export function inverseDocumentFrequency(documents: number, having: number): number {
  return Math.log(1 + (documents - having + 0.5) / (having + 0.5))
}
