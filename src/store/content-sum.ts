import { crc32 } from 'node:zlib'

/** Two sums, modulo 2^32, over all values of a set, independent of their order. */
export type ContentSum = readonly [number, number]

export const noContent: ContentSum = [0, 0]

/**
 * The sum after the value of a name was replaced; undefined is no value. Checksums are mixed before they are added: sums of
 * plain CRCs would often stay the same when two values change places.
 */
export function withContent(
  [one, other]: ContentSum,
  name: string,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): ContentSum {
  const ofName = crc32(name)
  const [oneBefore, otherBefore] = before ? summands(ofName, before) : noContent
  const [oneAfter, otherAfter] = after ? summands(ofName, after) : noContent
  return [(one - oneBefore + oneAfter) >>> 0, (other - otherBefore + otherAfter) >>> 0]
}

/** Sixteen hex digits. */
export const textOfContent = (sum: ContentSum): string =>
  sum.map(part => part.toString(16).padStart(8, '0')).join('')

function summands(ofName: number, bytes: Uint8Array): ContentSum {
  const crc = crc32(bytes, ofName)
  const more = Math.imul(crc, 0x9e3779b1) ^ Math.imul(ofName, 0x85ebca77) ^ bytes.byteLength
  return [mixed(crc), mixed(more)]
}

/** The end of MurmurHash3 (Austin Appleby, public domain): each bit of the result depends on all of the number. */
function mixed(number: number): number {
  let mix = number ^ (number >>> 16)
  mix = Math.imul(mix, 0x85ebca6b)
  mix ^= mix >>> 13
  mix = Math.imul(mix, 0xc2b2ae35)
  return (mix ^ (mix >>> 16)) >>> 0
}
