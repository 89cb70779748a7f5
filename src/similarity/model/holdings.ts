import { grown } from '../../arrays/grow.ts'
import { ASPECTS, SPACES } from './aspects.ts'
import type { Bag } from './bag.ts'
import { type Vector, VectorSpace } from './vector-space.ts'

/** A vector for each space, undefined where the text has none. */
export type Vectors = readonly (Vector | undefined)[]

/** The documents of an index in their spaces, numbered from 0 in order of arrival. A removed document keeps its number. */
export class Holdings {
  readonly spaces: readonly VectorSpace[] = Array.from({ length: SPACES }, () => new VectorSpace())
  readonly ids: string[] = []
  /** By document. */
  readonly tags: (readonly string[])[] = []
  /** By document: the aspects that it has, as bits; 0 once it is removed. */
  sets = new Uint8Array(1 << 6)
  /** By set of aspects: how many documents have exactly these. */
  readonly setSizes = new Uint32Array(1 << ASPECTS)
  /** Number of documents, without removed ones. */
  size = 0
  readonly #numbers = new Map<string, number>()

  get documents(): number {
    return this.ids.length
  }

  /** Number of documents that have postings: all others have to be compared one by one. */
  get posted(): number {
    return this.spaces[0]!.posted
  }

  get bytes(): number {
    return this.spaces.reduce((sum, { bytes }) => sum + bytes, this.sets.byteLength)
  }

  numberOf(id: string): number | undefined {
    return this.#numbers.get(id)
  }

  /** The id must not be held. */
  append(id: string, bags: readonly Bag[], tags: readonly string[]): void {
    for (const [space, bag] of bags.entries()) this.spaces[space]!.append(bag)
    this.#number(id, tags)
  }

  /** Appends a document of other holdings. `numbers`: for each space those of `VectorSpace.appendFrom`. */
  appendFrom(other: Holdings, document: number, numbers: readonly Uint32Array[]): void {
    for (const [at, space] of this.spaces.entries())
      space.appendFrom(other.spaces[at]!, document, numbers[at]!)
    this.#number(other.ids[document]!, other.tags[document]!)
  }

  /** Names the next document, whose vectors the spaces already have; without an id it is one that was removed. */
  restore(id: string | undefined, tags: readonly string[]): void {
    const document = this.ids.length
    this.#number(id ?? '', tags)
    if (id === undefined) {
      for (const space of this.spaces) space.forget(document)
      this.#forget('', document)
    }
  }

  remove(id: string): boolean {
    const document = this.#numbers.get(id)
    if (document === undefined) return false
    for (const space of this.spaces) space.forget(document)
    this.#forget(id, document)
    return true
  }

  holds(document: number): boolean {
    return this.#numbers.get(this.ids[document]!) === document
  }

  /** Determines the documents' aspects, piece by piece. These depend on the weights of features, and are outdated by new ones. */
  *lookAtSets(): Generator<void, void> {
    for (let document = 0; document < this.documents; document++) {
      this.#lookAtSet(document)
      if (document % 2_048 === 2_047) yield
    }
  }

  /** By tag: the documents that have it. */
  byTag(): Map<string, number[]> {
    const documents = new Map<string, number[]>()
    for (const [document, tags] of this.tags.entries()) {
      if (!this.holds(document)) continue
      for (const tag of tags) {
        if (documents.has(tag)) documents.get(tag)!.push(document)
        else documents.set(tag, [document])
      }
    }
    return documents
  }

  vectorsOf(bags: readonly Bag[]): Vectors {
    return this.spaces.map((space, at) => space.vectorOf(bags[at]!))
  }

  vectorsAt(document: number): Vectors {
    return this.spaces.map(space => space.vectorAt(document))
  }

  #number(id: string, tags: readonly string[]): void {
    const document = this.ids.length
    this.sets = grown(this.sets, document + 1)
    this.setSizes[0]!++
    this.ids.push(id)
    this.tags.push(tags)
    this.#numbers.set(id, document)
    this.size++
    this.#lookAtSet(document)
  }

  #forget(id: string, document: number): void {
    this.#numbers.delete(id)
    this.#setSet(document, 0)
    this.size--
  }

  #lookAtSet(document: number): void {
    let set = 0
    for (let aspect = 0; aspect < ASPECTS; aspect++)
      if (this.spaces[aspect]!.scales[document]! > 0) set |= 1 << aspect
    this.#setSet(document, this.holds(document) ? set : 0)
  }

  #setSet(document: number, set: number): void {
    this.setSizes[this.sets[document]!]!--
    this.setSizes[set]!++
    this.sets[document] = set
  }
}
