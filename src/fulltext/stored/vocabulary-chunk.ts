import type { Vocabulary } from '../dictionary/vocabulary.ts'

/** Consecutive terms: how many, and the UTF-16 units they take. */
export interface ChunkShape {
  readonly terms: number
  readonly units: number
}

/** Terms that are read in one go. */
const PIECE = 4096

export function chunkBytes({ terms, units }: ChunkShape): number {
  return 4 * terms + 2 * (terms + units)
}

/** The terms from this one on, as bytes. */
export function writeChunk(
  { terms, links }: Vocabulary,
  first: number,
): { shape: ChunkShape; bytes: Uint8Array } {
  const shape = { terms: terms.size - first, units: terms.starts[terms.size]! - terms.starts[first]! }
  const bytes = new Uint8Array(chunkBytes(shape))
  const view = chunkView(bytes, shape)
  for (let id = first; id < terms.size; id++) {
    view.links[id - first] = linkBackwards(id, links[id]!)
    view.lengths[id - first] = terms.length(id)
  }
  view.units.set(terms.units.subarray(terms.starts[first], terms.starts[terms.size]))
  return { shape, bytes }
}

// Of two that belong together the later one says so: a chunk is never changed by what comes after it.
function linkBackwards(id: number, link: number): number {
  return link > id ? 0 : link
}

/**
 * Appends, piece by piece, what `writeChunk` wrote and there is room for; false when the bytes contradict the
 * vocabulary or themselves.
 */
export function* readChunk(
  vocabulary: Vocabulary,
  shape: ChunkShape,
  bytes: Uint8Array,
): Generator<void, boolean> {
  const view = chunkView(bytes, shape)
  let at = 0
  for (let first = 0; first < shape.terms && at >= 0; first += PIECE) {
    at = readTerms(vocabulary, view, first, at)
    yield
  }
  return at === shape.units
}

/** Reads terms from the given one on, whose units begin at `at`; where the next ones' do, or -1. */
function readTerms(
  vocabulary: Vocabulary,
  { links, lengths, units }: ChunkView,
  first: number,
  at: number,
): number {
  const some = lengths.subarray(first, first + PIECE)
  if (at + some.reduce((sum, length) => sum + length, 0) > units.length) return -1
  return vocabulary.restore(units, at, some, links.subarray(first, first + PIECE))
}

type ChunkView = ReturnType<typeof chunkView>

function chunkView({ buffer, byteOffset }: Uint8Array, { terms, units }: ChunkShape) {
  return {
    links: new Uint32Array(buffer, byteOffset, terms),
    lengths: new Uint16Array(buffer, byteOffset + 4 * terms, terms),
    units: new Uint16Array(buffer, byteOffset + 6 * terms, units),
  }
}
