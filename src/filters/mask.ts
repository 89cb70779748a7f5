import { blankBits, complement, lastWord } from '../arrays/set-bits.ts'

/**
 * A set of documents of a segment: one bit for each; bits beyond the last document are not set. A mask is never changed
 * after it is made.
 */
export type Mask = Uint32Array | 'none' | 'all'

export function both(one: Mask, other: Mask): Mask {
  if (one === 'none' || other === 'none') return 'none'
  if (one === 'all' || one === other) return other
  if (other === 'all') return one
  const result = new Uint32Array(one.length)
  for (let i = 0; i < result.length; i++) result[i] = one[i]! & other[i]!
  return result
}

export function either(one: Mask, other: Mask): Mask {
  if (one === 'all' || other === 'all') return 'all'
  if (one === 'none' || one === other) return other
  if (other === 'none') return one
  const result = new Uint32Array(one.length)
  for (let i = 0; i < result.length; i++) result[i] = one[i]! | other[i]!
  return result
}

export function without(one: Uint32Array, other: Uint32Array): Uint32Array {
  const result = new Uint32Array(one.length)
  for (let i = 0; i < result.length; i++) result[i] = one[i]! & ~other[i]!
  return result
}

/** @param documents number of documents in the segment */
export function opposite(mask: Mask, documents: number): Mask {
  if (mask === 'none') return 'all'
  if (mask === 'all') return 'none'
  const result = complement(mask)
  if (result.length > 0) result[result.length - 1]! &= lastWord(documents)
  return result
}

/** The same mask, or `none` if it is empty, which makes combining it free. */
export function known(mask: Mask): Mask {
  return typeof mask === 'string' || mask.some(word => word !== 0) ? mask : 'none'
}

/** The documents with these numbers. @param documents number of documents in the segment */
export function maskOf(numbers: ArrayLike<number>, documents: number): Mask {
  if (numbers.length === 0) return 'none'
  const mask = blankBits(documents)
  for (let i = 0; i < numbers.length; i++) mask[numbers[i]! >>> 5]! |= 1 << numbers[i]!
  return mask
}
