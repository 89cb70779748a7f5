import type { TermTable } from './term-table.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Consecutive terms and stems: how many, and the UTF-16 units they take. */
export interface ChunkShape {
  readonly terms: number
  readonly units: number
  readonly stems: number
  readonly stemUnits: number
}

export function chunkBytes({ terms, units, stems, stemUnits }: ChunkShape): number {
  return 4 * (terms + stems) + 2 * (terms + stems + units + stemUnits)
}

/** The terms and stems from these on, as bytes. */
export function writeChunk(
  { terms, stems, elders, anchors }: Vocabulary,
  firstTerm: number,
  firstStem: number,
): { shape: ChunkShape; bytes: Uint8Array } {
  const shape = {
    terms: terms.size - firstTerm,
    units: terms.starts[terms.size]! - terms.starts[firstTerm]!,
    stems: stems.size - firstStem,
    stemUnits: stems.starts[stems.size]! - stems.starts[firstStem]!,
  }
  const bytes = new Uint8Array(chunkBytes(shape))
  const view = chunkView(bytes, shape)
  view.elders.set(elders.subarray(firstTerm, terms.size))
  view.anchors.set(anchors.subarray(firstStem, stems.size))
  writeTerms(terms, firstTerm, view.lengths, view.units)
  writeTerms(stems, firstStem, view.stemLengths, view.stemUnits)
  return { shape, bytes }
}

/** Appends what `writeChunk` wrote; false when the bytes contradict the vocabulary or themselves. */
export function readChunk(vocabulary: Vocabulary, shape: ChunkShape, bytes: Uint8Array): boolean {
  const view = chunkView(bytes, shape)
  const firstTerm = vocabulary.terms.size
  const firstStem = vocabulary.stems.size
  if (!readTerms(vocabulary.terms, view.lengths, view.units)) return false
  if (!readTerms(vocabulary.stems, view.stemLengths, view.stemUnits)) return false
  for (let i = 0; i < shape.terms; i++) {
    if (view.elders[i]! > firstTerm + i) return false
    vocabulary.join(firstTerm + i, view.elders[i]!)
  }
  for (let i = 0; i < shape.stems; i++) {
    if (view.anchors[i]! >= vocabulary.terms.size) return false
    vocabulary.anchor(firstStem + i, view.anchors[i]!)
  }
  return true
}

function chunkView({ buffer, byteOffset }: Uint8Array, { terms, units, stems, stemUnits }: ChunkShape) {
  const shorts = byteOffset + 4 * (terms + stems)
  return {
    elders: new Uint32Array(buffer, byteOffset, terms),
    anchors: new Uint32Array(buffer, byteOffset + 4 * terms, stems),
    lengths: new Uint16Array(buffer, shorts, terms),
    stemLengths: new Uint16Array(buffer, shorts + 2 * terms, stems),
    units: new Uint16Array(buffer, shorts + 2 * (terms + stems), units),
    stemUnits: new Uint16Array(buffer, shorts + 2 * (terms + stems + units), stemUnits),
  }
}

function writeTerms(table: TermTable, first: number, lengths: Uint16Array, units: Uint16Array): void {
  for (let id = first; id < table.size; id++) lengths[id - first] = table.length(id)
  units.set(table.units.subarray(table.starts[first], table.starts[table.size]))
}

function readTerms(table: TermTable, lengths: Uint16Array, units: Uint16Array): boolean {
  let at = 0
  for (const length of lengths) {
    const expected = table.size
    if (at + length > units.length) return false
    if (table.intern(units.subarray(at, at + length), length) !== expected) return false
    at += length
  }
  return at === units.length
}
