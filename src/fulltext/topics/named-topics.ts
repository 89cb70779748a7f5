import { grown } from '../../arrays/grow.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { FAMILY_MARK } from '../dictionary/vocabulary.ts'
import { DIMENSIONS, type TermPlaces, type TopicBlocks, type TopicShape } from './topic-model.ts'

/** A model whose terms are texts, so that any index of similar documents can use it. */
export interface NamedTopics {
  readonly shape: TopicShape
  /** Stems, in order. */
  readonly terms: readonly string[]
  /** By term, a step of 4 bytes; then by term, a vector. */
  readonly body: Uint8Array
}

/** Number of terms named or looked up without a pause. */
const PIECE = 2048

export const namedTopicBytes = ({ terms }: Pick<TopicShape, 'terms'>): number => terms * (4 + DIMENSIONS)

/** A model with the texts of its terms, in their order: independent of term numbers. Piece by piece. */
export function* namedTopics(
  { shape, body }: TopicBlocks,
  { terms }: Pick<Vocabulary, 'terms'>,
): Generator<void, NamedTopics> {
  const count = shape.terms
  const ids = new Uint32Array(body.buffer, body.byteOffset, count)
  const names: [stem: string, place: number][] = []
  for (let place = 0; place < count; place++) {
    if (place % PIECE === 0) yield
    names.push([stemNamedBy(terms.term(ids[place]!)), place])
  }
  names.sort(([one], [other]) => (one < other ? -1 : 1))
  const named = new Uint8Array(namedTopicBytes(shape))
  const [steps, vectors] = [body.subarray(4 * count, 8 * count), body.subarray(8 * count)]
  for (const [to, [, from]] of names.entries()) {
    if (to % PIECE === 0) yield
    named.set(steps.subarray(4 * from, 4 * from + 4), 4 * to)
    const vector = vectors.subarray(from * DIMENSIONS, (from + 1) * DIMENSIONS)
    named.set(vector, 4 * count + to * DIMENSIONS)
  }
  return { shape, terms: names.map(([stem]) => stem), body: named }
}

/** The blocks of a model that identifies its terms by text: their numbers are not used. */
export function blocksOf({ shape, body }: NamedTopics): TopicBlocks {
  const blocks = new Uint8Array(new SharedArrayBuffer(body.byteLength + 4 * shape.terms))
  blocks.set(body, 4 * shape.terms)
  return { shape, body: blocks }
}

/** The name of a family is a mark and its stem; a surface without a family is its own stem. */
const stemNamedBy = (term: string): string => (term.charCodeAt(0) === FAMILY_MARK ? term.slice(1) : term)

/** The places of terms in a model, looked up by text as the vocabulary grows. */
export class NamedPlaces implements TermPlaces {
  readonly #vocabulary: Vocabulary
  /** Terms that no document has had yet, with their places. */
  readonly #missing: Map<string, number>
  #places = new Uint32Array(0)
  /** Size of the vocabulary at the last lookup. */
  #seen = 0

  constructor(terms: readonly string[], vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
    this.#missing = new Map(terms.map((term, place) => [term, place]))
    // Done now, so that the next search need not.
    this.current()
  }

  get bytes(): number {
    return this.#places.byteLength
  }

  current(): Uint32Array {
    const { size } = this.#vocabulary.terms
    if (size !== this.#seen) this.#look(size)
    return this.#places
  }

  #look(size: number): void {
    const { terms } = this.#vocabulary
    const from = this.#seen
    this.#seen = size
    this.#places = grown(this.#places, size)
    if (this.#missing.size === 0) return
    // Either a pass through all new terms, or two lookups for each missing one, whichever is cheaper.
    if (size - from < 2 * this.#missing.size) {
      for (let id = from; id < size; id++) this.#find(stemNamedBy(terms.term(id)))
    } else for (const stem of [...this.#missing.keys()]) this.#find(stem)
  }

  #find(stem: string): void {
    const place = this.#missing.get(stem)
    if (place === undefined) return
    const { terms, links } = this.#vocabulary
    const family = terms.find(String.fromCharCode(FAMILY_MARK) + stem)
    const surface = family < 0 ? terms.find(stem) : -1
    // A word may be the stem of others and itself have another stem.
    const term = family >= 0 || (surface >= 0 && links[surface] === 0) ? Math.max(family, surface) : -1
    if (term < 0) return
    this.#places[term] = place + 1
    this.#missing.delete(stem)
  }
}
