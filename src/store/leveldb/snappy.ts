import { ByteReader } from './byte-reader.ts'

/** Expands a block in snappy's format (literals and copies of earlier output). RangeError if it is invalid. */
export function expand(block: Uint8Array): Uint8Array {
  const reader = new ByteReader(block)
  const length = reader.number()
  // Three bytes expand to 64 at most.
  if (length > block.length * 32) throw new RangeError('the block claims more than it can hold')
  const expanded = new Uint8Array(length)
  let filled = 0
  while (!reader.isAtEnd) {
    const tag = reader.byte()
    if ((tag & 3) === 0) {
      const literal = reader.bytes(1 + literalLength(reader, tag >>> 2))
      expanded.set(literal, filled)
      filled += literal.length
    } else {
      const isShort = (tag & 3) === 1
      const count = isShort ? 4 + ((tag >>> 2) & 7) : 1 + (tag >>> 2)
      const back = isShort
        ? ((tag >>> 5) << 8) | reader.byte()
        : littleEndian(reader, (tag & 3) === 2 ? 2 : 4)
      if (back === 0 || back > filled || filled + count > length) throw new RangeError('a copy of nothing')
      // Byte by byte: a copy may overlap its own output.
      for (const end = filled + count; filled < end; filled++) expanded[filled] = expanded[filled - back]!
    }
  }
  if (filled !== length) throw new RangeError('the block is shorter than it claims')
  return expanded
}

const literalLength = (reader: ByteReader, size: number): number =>
  size < 60 ? size : littleEndian(reader, size - 59)

function littleEndian(reader: ByteReader, bytes: number): number {
  let value = 0
  for (let i = 0; i < bytes; i++) value += reader.byte() * 2 ** (8 * i)
  return value
}
