import type { Segment } from './segment.ts'
import { FNV_BASIS, FNV_PRIME, mixed } from './term-table.ts'

/** The documents of a segment by id: an open-addressing table over the ids as they are stored. */
export class IdTable {
  readonly #units: Uint16Array
  readonly #starts: Uint32Array
  /** Documents, numbered from 1, or 0. */
  readonly #slots: Uint32Array

  constructor({ idUnits, idStarts, shape: { documents } }: Segment) {
    this.#units = idUnits
    this.#starts = idStarts
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(documents * 2 + 1)))
    for (let document = 0; document < documents; document++) this.#add(document)
  }

  get bytes(): number {
    return this.#slots.byteLength
  }

  /** The document with this id, which has this hash, or -1. */
  find(id: string, hash: number): number {
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const document = this.#slots[slot]! - 1
      if (this.#hasId(document, id)) return document
    }
    return -1
  }

  #add(document: number): void {
    let hash = FNV_BASIS
    for (let i = this.#starts[document]!; i < this.#starts[document + 1]!; i++)
      hash = Math.imul(hash ^ this.#units[i]!, FNV_PRIME)
    const mask = this.#slots.length - 1
    let slot = mixed(hash) & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = document + 1
  }

  #hasId(document: number, id: string): boolean {
    const start = this.#starts[document]!
    if (this.#starts[document + 1]! - start !== id.length) return false
    // Ids often differ at their end only.
    for (let i = id.length - 1; i >= 0; i--) if (this.#units[start + i] !== id.charCodeAt(i)) return false
    return true
  }
}

/** By its UTF-16 units, as they are stored. */
export function hashId(id: string): number {
  let hash = FNV_BASIS
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), FNV_PRIME)
  return mixed(hash)
}
