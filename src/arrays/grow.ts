type Numbers =
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>

/** The array itself while it holds `length` elements, otherwise a larger copy. */
export function grown<A extends Numbers>(array: A, length: number): A {
  if (length <= array.length) return array
  // The constructor of an A makes an A, which TypeScript's `constructor: Function` does not say.
  const Same = array.constructor as new (length: number) => A
  const larger = new Same(Math.max(length, Math.ceil(array.length * 1.6)))
  larger.set(array)
  return larger
}
