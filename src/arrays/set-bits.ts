/** Set bits of a 32-bit word (Warren, "Hacker's Delight", section 5-1). */
export function ones(word: number): number {
  word -= (word >>> 1) & 0x55555555
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** A bit for each of `count` things, none of them set. */
export const blankBits = (count: number): Uint32Array<ArrayBuffer> => new Uint32Array((count + 31) >>> 5)

/** Whether a bit is set; absent bits are not. */
export const isSet = (bits: Uint32Array | undefined, place: number): boolean =>
  bits !== undefined && ((bits[place >>> 5]! >>> place) & 1) === 1

export function setBit(bits: Uint32Array, place: number): void {
  bits[place >>> 5]! |= 1 << place
}

/** How many bits are set. */
export function countOf(bits: Uint32Array): number {
  let count = 0
  for (let i = 0; i < bits.length; i++) count += ones(bits[i]!)
  return count
}

/** The used bits of the last word, for this many things. */
export const lastWord = (count: number): number => ((count & 31) === 0 ? -1 : (1 << count) - 1)

export function clearBit(bits: Uint32Array, place: number): void {
  bits[place >>> 5]! &= ~(1 << place)
}

/** Inverts all bits, including the unused ones of the last word. */
export function complement(bits: Uint32Array): Uint32Array {
  const others = new Uint32Array(bits.length)
  for (let i = 0; i < others.length; i++) others[i] = ~bits[i]!
  return others
}
