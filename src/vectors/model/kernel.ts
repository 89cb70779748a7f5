/** Numbers of a row: its length is a multiple of this. */
export const ROW_UNIT = 16

/** Maximum number of dimensions. */
export const MOST_DIMENSIONS = 4096

/** The largest number of a row, and with its sign changed the smallest: 127 times 256, so that its high byte is not rounded up. */
export const LARGEST = 32_512

/** `kernel.wat`, assembled. A test compares the two. */
export const assembled =
  'AGFzbQEAAAABEgJgBn9/f39/fwBgBX9/f39/AAIPAQNlbnYGbWVtb3J5AgABAwMCAAEHEAIEZG90cwAABXJvdWdoAAEKwgMC7QEC' +
  'A38CeyADRQRADwsgBSADQQJ0aiEIA0AgACEGIAEgBGohB/0MAAAAAAAAAAAAAAAAAAAAACEJ/QwAAAAAAAAAAAAAAAAAAAAAIQoD' +
  'QCAJIAb9AAQAIAH9AQMAQQj9iwEgAv0BAwD9jgH9ugH9+gH95AEhCSAKIAb9AAQQIAH9AQMIQQj9iwEgAv0BAwj9jgH9ugH9+gH9' +
  '5AEhCiAGQSBqIQYgAUEQaiEBIAJBEGohAiABIAdJDQALIAkgCv3kASEJIAUgCf0fACAJ/R8BkiAJ/R8CIAn9HwOSkjgCACAFQQRq' +
  'IQUgBSAISQ0ACwvQAQIDfwJ7IAJFBEAPCyAEIAJBAnRqIQcDQCAAIQUgASADaiEG/QwAAAAAAAAAAAAAAAAAAAAAIQj9DAAAAAAA' +
  'AAAAAAAAAAAAAAAhCQNAIAggBf0ABAAgAf0BAwD9ugH9rgEhCCAJIAX9AAQQIAH9AQMI/boB/a4BIQkgBUEgaiEFIAFBEGohASAB' +
  'IAZJDQALIAj9+gEgCf36Af3kASEIIARDAACAQyAI/R8AIAj9HwGSIAj9HwIgCP0fA5KSlDgCACAEQQRqIQQgBCAHSQ0ACws='

/** What kernel.wat exports. All places are in its memory; results are float32. */
export interface Kernel {
  /** The dot products of the row at `query` with `count` rows of a length, whose bytes begin at `high` and `low`. */
  dots(query: number, high: number, low: number, count: number, length: number, out: number): void
  /** The same from the high bytes alone. */
  rough(query: number, high: number, count: number, length: number, out: number): void
}

/** What is used of WebAssembly.Memory. */
export interface KernelMemory {
  readonly buffer: ArrayBuffer
  /** Invalidates the buffer. Throws a RangeError where there is no more. */
  grow(pages: number): number
}

/** What is used of the global object, whose types belong to the library of browsers. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Memory: new (size: { initial: number }) => KernelMemory
  Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

export const PAGE = 65_536

/** The kernel with a memory of its own; undefined where there is no WebAssembly with vectors, or no more room for memories. */
export function newKernel(pages: number): { kernel: Kernel; memory: KernelMemory } | undefined {
  try {
    const memory = new WebAssembly.Memory({ initial: pages })
    const module = new WebAssembly.Module(Buffer.from(assembled, 'base64'))
    const { exports } = new WebAssembly.Instance(module, { env: { memory } })
    return { kernel: exports as Kernel, memory } // as kernel.wat says
  } catch {
    return undefined
  }
}
