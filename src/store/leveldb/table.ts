import { ByteReader } from './byte-reader.ts'
import { crc32c, endOfSealed, unmask } from './crc32c.ts'
import { expand } from './snappy.ts'

/**
 * LevelDB's tables: blocks of data, perhaps a filter, a block that names the filter, a block that names the blocks of
 * data, and a footer with the places of the latter two. They follow each other without gaps, each with its kind (1)
 * and a checksum of both (4): what the footer says, which has no checksum, is thereby known from the rest.
 */
interface Place {
  readonly offset: number
  readonly size: number
}

const FOOTER = 48
const TRAILER = 5
const MAGIC = Buffer.from('57fb808b247547db', 'hex')
/** Of a table of common size this holds everything but the data. */
const TAIL = 2 ** 16

/** Returns the last bytes of a table: as many as requested, or all. */
export type ReadTail = (bytes: number) => Buffer

/**
 * The damage to a table; undefined if there is none. `structure` skips the data blocks and checks only the blocks that say where
 * they are and which keys they hold.
 */
export function tableDamage(size: number, readTail: ReadTail, part: 'all' | 'structure'): string | undefined {
  try {
    return damageOf(size, readTail, part)
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}

function damageOf(size: number, readTail: ReadTail, part: 'all' | 'structure'): string | undefined {
  let tail = new Tail(size, readTail(part === 'all' ? size : TAIL))
  const { named, index } = footerOf(tail, size)
  if (!tail.holds(named.offset)) tail = new Tail(size, readTail(size - named.offset))
  const filters = placesIn(tail.block(named))
  const blocks = placesIn(tail.block(index))
  const structure = [...filters, named, index]
  let end = 0
  for (const { offset, size } of [...blocks, ...structure]) {
    if (offset !== end) return `a block is not where it belongs, at byte ${end}`
    end = offset + size + TRAILER
  }
  if (end !== size - FOOTER) return 'its blocks do not fill it'
  const first = structure[0]!.offset
  if (!tail.holds(first)) tail = new Tail(size, readTail(size - first))
  for (const place of part === 'all' ? [...blocks, ...structure] : structure) tail.verify(place)
  return undefined
}

function footerOf(tail: Tail, size: number): { named: Place; index: Place } {
  const footer = tail.bytes(size - FOOTER, FOOTER)
  if (!footer.subarray(FOOTER - MAGIC.length).equals(MAGIC)) throw new RangeError('it has no valid footer')
  const reader = new ByteReader(footer)
  return { named: placeIn(reader), index: placeIn(reader) }
}

class Tail {
  readonly #start: number
  readonly #bytes: Buffer

  constructor(size: number, bytes: Buffer) {
    this.#start = size - bytes.length
    this.#bytes = bytes
  }

  holds(offset: number): boolean {
    return offset >= this.#start
  }

  bytes(offset: number, length: number): Buffer {
    const from = offset - this.#start
    if (from < 0 || from + length > this.#bytes.length)
      throw new RangeError(`bytes from ${offset} on are not in it`)
    return this.#bytes.subarray(from, from + length)
  }

  verify({ offset, size }: Place): Buffer {
    const block = this.bytes(offset, size + TRAILER)
    if (crc32c(block, 0, size + 1) !== unmask(block.readUInt32LE(size + 1)))
      throw new RangeError(`the block at byte ${offset} does not match its checksum`)
    return block
  }

  /** Contents of a block, verified against its checksum. */
  block(place: Place): Uint8Array {
    const block = this.verify(place)
    const contents = block.subarray(0, place.size)
    const kind = block[place.size]
    if (kind === 0) return contents
    if (kind === 1) return expand(contents)
    throw new RangeError(`the block at byte ${place.offset} is of unknown kind ${kind}`)
  }
}

/**
 * The entries of the data blocks that match their checksums, in order, each with LevelDB's own key. `onDamage` is told which
 * parts cannot be read.
 */
export function* readableEntries(
  table: Buffer,
  onDamage: (what: string) => void,
): Generator<readonly [key: Buffer, value: Uint8Array]> {
  const tail = new Tail(table.length, table)
  for (const place of dataBlocks(table, tail, onDamage)) {
    const entries = unlessDamaged(() => [...entriesIn(tail.block(place))], onDamage)
    if (entries) yield* entries
  }
}

/** The data blocks that the index names; if it cannot be read, those from the beginning up to the first damaged one. */
function dataBlocks(table: Buffer, tail: Tail, onDamage: (what: string) => void): Iterable<Place> {
  const footer = unlessDamaged(() => footerOf(tail, table.length), onDamage)
  const index = footer && unlessDamaged(() => placesIn(tail.block(footer.index)), onDamage)
  if (index) return index
  const filters = footer && unlessDamaged(() => placesIn(tail.block(footer.named)), onDamage)
  return blocksInARow(table, filters?.[0]?.offset ?? footer?.named.offset ?? table.length)
}

function* blocksInARow(table: Buffer, to: number): Generator<Place> {
  for (let offset = 0; ; ) {
    const end = endOfSealed(table, offset, Math.min(to, table.length))
    if (end === undefined) return
    yield { offset, size: end - offset - 1 }
    offset = end - 1 + TRAILER
  }
}

function unlessDamaged<T>(read: () => T, onDamage: (what: string) => void): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    onDamage(error.message)
    return undefined
  }
}

const placesIn = (block: Uint8Array): Place[] =>
  Array.from(entriesIn(block), ([, value]) => placeIn(new ByteReader(value)))

/** A block has entries, of which each shares the beginning of its key with the one before, then the offsets of some of them. */
function* entriesIn(block: Uint8Array): Generator<readonly [key: Buffer, value: Uint8Array]> {
  const restarts = Buffer.from(block.buffer, block.byteOffset, block.length).readUInt32LE(block.length - 4)
  const reader = new ByteReader(block, 0, block.length - 4 * (restarts + 1))
  let key: Buffer = Buffer.alloc(0)
  while (!reader.isAtEnd) {
    const shared = reader.number()
    const own = reader.number()
    const length = reader.number()
    if (shared > key.length) throw new RangeError('a key shares more than there is')
    key = Buffer.concat([key.subarray(0, shared), reader.bytes(own)])
    yield [key, reader.bytes(length)]
  }
}

const placeIn = (reader: ByteReader): Place => ({ offset: reader.number(), size: reader.number() })
