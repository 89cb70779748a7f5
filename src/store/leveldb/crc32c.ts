/**
 * CRC-32C, the checksum in LevelDB's files (Castagnoli; RFC 3720, appendix B.4), sixteen bytes at a time by tables
 * (Kounavis and Berry, Novel Table Lookup-Based Algorithms for High-Performance CRC Generation, 2008).
 */
const POLYNOMIAL = 0x82f63b78

/** The checksums of single bytes. */
const t0 = new Int32Array(256).map((_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1
  return crc
})
/** The same with one more zero after them. */
const after = (table: Int32Array) => table.map(crc => (crc >>> 8) ^ t0[crc & 255]!)
const t1 = after(t0)
const t2 = after(t1)
const t3 = after(t2)
const t4 = after(t3)
const t5 = after(t4)
const t6 = after(t5)
const t7 = after(t6)
const t8 = after(t7)
const t9 = after(t8)
const ta = after(t9)
const tb = after(ta)
const tc = after(tb)
const td = after(tc)
const te = after(td)
const tf = after(te)

/** Of the bytes `from` up to but not including `to`. */
export function crc32c(bytes: Uint8Array, from: number, to: number): number {
  let crc = -1
  let at = from
  for (; at < to && (bytes.byteOffset + at) & 3; at++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]!) & 255]!
  const words = new Int32Array(
    bytes.buffer,
    bytes.byteOffset + at - ((bytes.byteOffset + at) & 3),
    (to - at) >>> 2,
  )
  const whole = words.length & ~3
  for (let i = 0; i < whole; i += 4) {
    const a = crc ^ words[i]!
    const b = words[i + 1]!
    const c = words[i + 2]!
    const d = words[i + 3]!
    crc =
      tf[a & 255]! ^
      te[(a >>> 8) & 255]! ^
      td[(a >>> 16) & 255]! ^
      tc[a >>> 24]! ^
      tb[b & 255]! ^
      ta[(b >>> 8) & 255]! ^
      t9[(b >>> 16) & 255]! ^
      t8[b >>> 24]! ^
      t7[c & 255]! ^
      t6[(c >>> 8) & 255]! ^
      t5[(c >>> 16) & 255]! ^
      t4[c >>> 24]! ^
      t3[d & 255]! ^
      t2[(d >>> 8) & 255]! ^
      t1[(d >>> 16) & 255]! ^
      t0[d >>> 24]!
  }
  for (at += whole * 4; at < to; at++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]!) & 255]!
  return ~crc >>> 0
}

/** Whether some first part of the bytes has this checksum. */
export function fitsSomePart(bytes: Uint8Array, from: number, to: number, wanted: number): boolean {
  let crc = -1
  for (let at = from; at < to; at++) {
    crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]!) & 255]!
    if (~crc >>> 0 === wanted) return true
  }
  return false
}

/** Where the first part ends that is followed by its own checksum, as it is stored; undefined if none is. */
export function endOfSealed(bytes: Buffer, from: number, to: number): number | undefined {
  let crc = -1
  for (let at = from; at < to - 4; at++) {
    crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]!) & 255]!
    if (bytes.readUInt32LE(at + 1) === mask(~crc >>> 0)) return at + 1
  }
  return undefined
}

/** A checksum as it is stored: those of data that hold checksums would otherwise be weak. */
export const mask = (crc: number): number => (((crc >>> 15) | (crc << 17)) + MASK) >>> 0

export function unmask(stored: number): number {
  const turned = (stored - MASK) >>> 0
  return ((turned >>> 17) | (turned << 15)) >>> 0
}

const MASK = 0xa282ead8
