import { grown } from '../../../arrays/grow.ts'

/** Arrays that columns are made of. */
export type ColumnArray = Uint8Array | Uint16Array | Uint32Array | Float64Array

export type ColumnArrayType =
  | Uint8ArrayConstructor
  | Uint16ArrayConstructor
  | Uint32ArrayConstructor
  | Float64ArrayConstructor

/** Values that are still being collected. */
export interface GrowingValues {
  /** Approximate memory. */
  readonly bytes: number
  /** Bytes of its arrays. */
  readonly valueBytes: number
  /** Adds the next value; false if it is longer than the column allows. */
  push(value: number | string): boolean
  arrays(): ColumnArray[]
}

/** Of the values of a column that is merged: the places, ascending, of those that are kept. */
export interface KeptValues {
  readonly arrays: readonly ColumnArray[]
  readonly kept: Uint32Array
}

type NumberArray = Float64Array<ArrayBuffer> | Uint8Array<ArrayBuffer>
export type NumberArrayType = Float64ArrayConstructor | Uint8ArrayConstructor

export class GrowingNumbers implements GrowingValues {
  #values: NumberArray
  #size = 0

  constructor(Values: NumberArrayType) {
    this.#values = new Values(16)
  }

  get bytes(): number {
    return this.#values.byteLength
  }

  get valueBytes(): number {
    return this.#size * this.#values.BYTES_PER_ELEMENT
  }

  push(value: number | string): boolean {
    this.#values = grown(this.#values, this.#size + 1)
    this.#values[this.#size++] = Number(value)
    return true
  }

  arrays(): ColumnArray[] {
    return [this.#values.slice(0, this.#size)]
  }
}

export function mergeNumbers(Values: NumberArrayType, sources: readonly KeptValues[]): ColumnArray[] {
  const merged = new Values(sources.reduce((sum, { kept }) => sum + kept.length, 0))
  let at = 0
  for (const { arrays, kept } of sources) {
    const values = arrays[0]!
    for (let i = 0; i < kept.length; i++) merged[at++] = values[kept[i]!]!
  }
  return [merged]
}
