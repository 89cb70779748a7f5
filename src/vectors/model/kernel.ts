/** Numbers of a row: its length is a multiple of this. */
export const ROW_UNIT = 16

/** Rows of a block. */
export const BLOCK_ROWS = 64

/** Maximum number of dimensions. */
export const MOST_DIMENSIONS = 4096

/** `kernel.wat`, assembled. A test compares the two. */
export const assembled =
  'AGFzbQEAAAABCQFgBX9/f39/AAIPAQNlbnYGbWVtb3J5AgABAwIBAAcIAQRkb3RzAAAKzQEBygECA38CeyACRQRADwsgBCAC' +
  'QQJ0aiEHA0AgACEFIAEgA2ohBv0MAAAAAAAAAAAAAAAAAAAAACEI/QwAAAAAAAAAAAAAAAAAAAAAIQkDQCAIIAX9AAQAIAH9' +
  'AAQA/boB/foB/eQBIQggCSAF/QAEECAB/QAEEP26Af36Af3kASEJIAVBIGohBSABQSBqIQEgASAGSQ0ACyAIIAn95AEhCCAE' +
  'IAj9HwAgCP0fAZIgCP0fAiAI/R8DkpI4AgAgBEEEaiEEIAQgB0kNAAsL'

const PAGE = 65_536
const OUT_AT = 2 * MOST_DIMENSIONS
const ROWS_AT = OUT_AT + 4 * BLOCK_ROWS

/** Computes the dot products of a query with the rows of a block. The result is valid until the next call. */
export type Dots = (query: Int16Array, rows: Int16Array) => Float32Array

interface Exports {
  dots(query: number, rows: number, count: number, bytes: number, out: number): void
}

/** What is used of the global object, whose types belong to the library of browsers. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer }
  Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

let shared: Dots | undefined

/** With the processor's vector instructions where WebAssembly has them, else in JavaScript, which takes eight times as long. */
export function sharedDots(): Dots {
  shared ??= assembledDots() ?? plainDots
  return shared
}

/** Undefined where there is no WebAssembly, or none with vectors. */
export function assembledDots(): Dots | undefined {
  // One memory for all: V8 reserves gigabytes of addresses for each.
  const pages = Math.ceil((ROWS_AT + 2 * BLOCK_ROWS * MOST_DIMENSIONS) / PAGE)
  try {
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
    const module = new WebAssembly.Module(Buffer.from(assembled, 'base64'))
    const { dots } = new WebAssembly.Instance(module, { env: { memory } }).exports as Exports
    const units = new Int16Array(memory.buffer)
    const out = new Float32Array(memory.buffer, OUT_AT, BLOCK_ROWS)
    return (query, rows) => {
      units.set(query)
      units.set(rows, ROWS_AT / 2)
      dots(0, ROWS_AT, rows.length / query.length, 2 * query.length, OUT_AT)
      return out
    }
  } catch {
    return undefined
  }
}

/** The same up to rounding: the sums are of doubles. */
export const plainDots: Dots = (query, rows) => {
  const { length } = query
  const out = new Float32Array(rows.length / length)
  for (let row = 0; row < out.length; row++) {
    const from = row * length
    let sum = 0
    for (let i = 0; i < length; i++) sum += query[i]! * rows[from + i]!
    out[row] = sum
  }
  return out
}
