import { invalid, problem } from '../../input.ts'

const longestId = 1024
/** Of ids that are text. */
export const idTextRule = `text of 1 to ${longestId} bytes of UTF-8 that is not blank, without lone surrogates`
/** Larger whole numbers may have lost digits. */
export const idRule = `${idTextRule}, or a number (whole numbers up to ${Number.MAX_SAFE_INTEGER})`

/** An id as text, or undefined where the value cannot be one. Ids compare as text: 9 and "9" are the same. */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'number')
    return Number.isFinite(value) && !isInexact(value) ? String(value) : undefined
  if (typeof value !== 'string' || value.length > longestId) return undefined
  if (value.trim() === '' || /\p{Surrogate}/u.test(value)) return undefined
  // A UTF-16 unit takes three bytes at most, so most ids need no counting.
  return value.length * 3 <= longestId || Buffer.byteLength(value) <= longestId ? value : undefined
}

function isInexact(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value)
}

/** @throws FindlingError INVALID_ARGUMENT naming `field` */
export function checkId(value: unknown, field: string): string {
  const text = idText(value)
  if (text !== undefined) return text
  throw invalid('INVALID_ARGUMENT', '', [problem(field, value, idRule)])
}
