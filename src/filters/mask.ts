/** Which documents of a segment are meant: 1 for each that is. A mask is not changed once it is made. */
export type Mask = Uint8Array | 'none' | 'all'

/** Room for a mask in whole words of four documents, which are combined at once. */
export function blank(documents: number): Uint8Array {
  return new Uint8Array(new ArrayBuffer((documents + 3) & ~3), 0, documents)
}

export function both(one: Mask, other: Mask): Mask {
  if (one === 'none' || other === 'none') return 'none'
  if (one === 'all' || one === other) return other
  if (other === 'all') return one
  const result = blank(one.length)
  const [a, b, to] = [wordsOf(one), wordsOf(other), wordsOf(result)]
  for (let i = 0; i < to.length; i++) to[i] = a[i]! & b[i]!
  return result
}

export function either(one: Mask, other: Mask): Mask {
  if (one === 'all' || other === 'all') return 'all'
  if (one === 'none' || one === other) return other
  if (other === 'none') return one
  const result = blank(one.length)
  const [a, b, to] = [wordsOf(one), wordsOf(other), wordsOf(result)]
  for (let i = 0; i < to.length; i++) to[i] = a[i]! | b[i]!
  return result
}

export function opposite(mask: Mask): Mask {
  if (mask === 'none') return 'all'
  if (mask === 'all') return 'none'
  const result = blank(mask.length)
  const [from, to] = [wordsOf(mask), wordsOf(result)]
  for (let i = 0; i < to.length; i++) to[i] = from[i]! ^ 0x01010101
  return result
}

/** The same, `none` where nobody is in it: what is combined with it then costs nothing. */
export function known(mask: Mask): Mask {
  return typeof mask === 'string' || wordsOf(mask).some(word => word !== 0) ? mask : 'none'
}

/** How many documents are meant. @param documents of the segment */
export function sizeOf(mask: Mask, documents: number): number {
  if (mask === 'none') return 0
  if (mask === 'all') return documents
  let size = 0
  for (let i = 0; i < mask.length; i++) size += mask[i]!
  return size
}

const wordsOf = ({ buffer, length }: Uint8Array): Uint32Array => new Uint32Array(buffer, 0, (length + 3) >> 2)
