import { describe, expect, it } from 'vitest'
import { crc32c, fitsSomePart, mask, unmask } from '../../../src/store/leveldb/crc32c.ts'

/** Bit by bit, as the polynomial says. */
function slow(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  }
  return ~crc >>> 0
}

describe('CRC-32C', () => {
  it.each([
    ['0x00', new Uint8Array(32), 0x8a9136aa],
    ['0xff', new Uint8Array(32).fill(255), 0x62a8ab43],
    ['rising bytes', Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
  ])('of 32 times %s is what RFC 3720 says', (_, bytes, expected) => {
    expect(crc32c(bytes, 0, 32)).toBe(expected)
  })

  it('is the same at every place and of every length as bit by bit', () => {
    const bytes = Uint8Array.from({ length: 100 }, (_, i) => (i * 2654435761) >>> 11)
    for (let from = 0; from < 9; from++) {
      for (let to = from; to <= bytes.length; to++) {
        expect(crc32c(bytes, from, to)).toBe(slow(bytes.subarray(from, to)))
        expect(crc32c(bytes.subarray(from), 0, to - from)).toBe(slow(bytes.subarray(from, to)))
      }
    }
  })

  it('is stored masked', () => {
    for (const crc of [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xe3069283]) {
      expect(unmask(mask(crc))).toBe(crc)
      expect(mask(crc)).not.toBe(crc)
    }
  })

  it('finds the part that it fits', () => {
    const bytes = Buffer.from('a record and what follows')
    expect(fitsSomePart(bytes, 2, bytes.length, crc32c(bytes, 2, 8))).toBe(true)
    expect(fitsSomePart(bytes, 2, 7, crc32c(bytes, 2, 8))).toBe(false)
  })
})
