import { FNV_BASIS, FNV_PRIME, hashUnits, mixed } from '../dictionary/term-table.ts'

/** Enough bits to number, from 1, the 65,536 documents that a segment may have. */
const NUMBER = 0x1ffff

/** Ids as a segment stores them: those of document `d` are `idUnits[idStarts[d]..idStarts[d + 1])`. */
interface StoredIds {
  readonly idUnits: Uint16Array
  readonly idStarts: Uint32Array
  readonly shape: { readonly documents: number }
}

/** The documents of a segment by id: an open-addressing table over the stored ids. */
export class IdTable {
  readonly #units: Uint16Array
  readonly #starts: Uint32Array
  /** Documents, numbered from 1, or 0. The other bits are from the hash, which usually makes reading the id unnecessary. */
  readonly #slots: Uint32Array

  constructor({ idUnits, idStarts, shape: { documents } }: StoredIds) {
    this.#units = idUnits
    this.#starts = idStarts
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(documents * 2 + 1)))
    for (let document = 0; document < documents; document++) this.#add(document)
  }

  get bytes(): number {
    return this.#slots.byteLength
  }

  /** The document with this id and its hash, or -1. */
  find(id: string, hash: number): number {
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let entry = this.#slots[slot]!; entry !== 0; entry = this.#slots[slot]!) {
      const document = (entry & NUMBER) - 1
      if (((entry ^ hash) & ~NUMBER) === 0 && this.#hasId(document, id)) return document
      slot = (slot + 1) & mask
    }
    return -1
  }

  #add(document: number): void {
    const start = this.#starts[document]!
    const hash = hashUnits(this.#units, start, this.#starts[document + 1]! - start, 0)
    const mask = this.#slots.length - 1
    let slot = hash & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = (hash & ~NUMBER) | (document + 1)
  }

  #hasId(document: number, id: string): boolean {
    const start = this.#starts[document]!
    if (this.#starts[document + 1]! - start !== id.length) return false
    // From the end, where ids often differ.
    for (let i = id.length - 1; i >= 0; i--) if (this.#units[start + i] !== id.charCodeAt(i)) return false
    return true
  }
}

/** The result of `hashUnits` for its UTF-16 units. */
export function hashId(id: string): number {
  let hash = FNV_BASIS
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), FNV_PRIME)
  return mixed(hash)
}
