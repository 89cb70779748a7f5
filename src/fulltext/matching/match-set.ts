import { blankBits, clearBit, complement, countOf, isSet, lastWord, setBit } from '../../arrays/set-bits.ts'
import { LEAST_SCORE, type MatchVisitor } from './match-visitor.ts'
import { NOBODY, type Selection } from './selection.ts'

interface Sized {
  readonly segment: { readonly shape: { readonly documents: number } }
  readonly dead: Uint32Array | undefined
}

/** Documents of one state of the index: one bit each, by the place of their segment. */
export class MatchSet implements MatchVisitor {
  readonly threshold = LEAST_SCORE
  readonly ignoresScores = true
  readonly #segments: readonly Sized[]
  readonly #bits: (Uint32Array | undefined)[]
  #size: number | undefined = 0

  constructor(segments: readonly Sized[]) {
    this.#segments = [...segments]
    this.#bits = segments.map(() => undefined)
  }

  /** All that may be found. */
  static selected(segments: readonly Sized[], selection: Selection | undefined): MatchSet {
    const set = new MatchSet(segments)
    for (const [place, { segment, dead }] of segments.entries()) {
      if (selection?.sizes[place] === 0) continue
      set.#bits[place] = bitsOutside(selection ? selection.hidden[place] : dead, segment.shape.documents)
    }
    set.#size = selection ? selection.size : undefined
    return set
  }

  /** All that are not hidden. @param hidden by place of the segment, as in a selection */
  static outside(segments: readonly Sized[], hidden: Selection['hidden']): MatchSet {
    const set = new MatchSet(segments)
    for (const [place, { segment }] of segments.entries())
      set.#bits[place] = bitsOutside(hidden[place], segment.shape.documents)
    set.#size = undefined
    return set
  }

  /** Selects these documents only. */
  get selection(): Selection {
    const sizes = this.#bits.map(bits => (bits ? countOf(bits) : 0))
    return {
      hidden: this.#bits.map(bits => (bits ? complement(bits) : NOBODY)),
      sizes,
      size: sizes.reduce((sum, size) => sum + size, 0),
    }
  }

  /** How many there are. */
  get size(): number {
    this.#size ??= this.#bits.reduce((sum, bits) => sum + (bits ? countOf(bits) : 0), 0)
    return this.#size
  }

  /** The bits of the segment at a place; undefined if none are set. */
  in(place: number): Uint32Array | undefined {
    return this.#bits[place]
  }

  /** All of them, ascending. */
  documents(): Uint32Array {
    const documents = new Uint32Array(this.size)
    let count = 0
    for (const [place, bits] of this.#bits.entries()) {
      if (!bits) continue
      for (let at = 0; at < bits.length; at++)
        for (let word = bits[at]!; word !== 0; word &= word - 1)
          documents[count++] = (place << 16) + (at << 5) + 31 - Math.clz32(word & -word)
    }
    return documents
  }

  /** The first of them in ascending order, starting after `after`. */
  first(count: number, after = -1): number[] {
    const documents: number[] = []
    for (const [place, bits] of this.#bits.entries()) {
      if (!bits || (place << 16) + 0xffff <= after) continue
      for (let at = 0; at < bits.length; at++) {
        for (let word = bits[at]!; word !== 0; word &= word - 1) {
          if (documents.length === count) return documents
          const document = (place << 16) + (at << 5) + 31 - Math.clz32(word & -word)
          if (document > after) documents.push(document)
        }
      }
    }
    return documents
  }

  has(document: number): boolean {
    return isSet(this.#bits[document >>> 16], document & 0xffff)
  }

  offer(_score: number, document: number): void {
    this.add(document)
  }

  offerAll(documents: Uint32Array, base: number): void {
    this.#bits[base >>> 16] = documents
    this.#size = undefined
  }

  add(document: number): void {
    const place = document >>> 16
    this.#bits[place] ??= blankBits(this.#segments[place]!.segment.shape.documents)
    setBit(this.#bits[place], document & 0xffff)
    this.#size = undefined
  }

  delete(document: number): void {
    const bits = this.#bits[document >>> 16]
    if (bits) clearBit(bits, document & 0xffff)
    this.#size = undefined
  }
}

function bitsOutside(hidden: Uint32Array | undefined, documents: number): Uint32Array {
  const bits = hidden ? complement(hidden).subarray(0, (documents + 31) >>> 5) : blankBits(documents).fill(-1)
  if (bits.length > 0) bits[bits.length - 1]! &= lastWord(documents)
  return bits
}
