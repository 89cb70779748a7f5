/** Numbers of a row: its length is a multiple of this. */
export const ROW_UNIT = 16

/** Maximum number of dimensions. */
export const MOST_DIMENSIONS = 4096

/** `kernel.wat`, assembled. A test compares the two. */
export const assembled =
  'AGFzbQEAAAABCQFgBX9/f39/AAIPAQNlbnYGbWVtb3J5AgABAwIBAAcIAQRkb3RzAAAKzQEBygECA38CeyACRQRADwsgBCAC' +
  'QQJ0aiEHA0AgACEFIAEgA2ohBv0MAAAAAAAAAAAAAAAAAAAAACEI/QwAAAAAAAAAAAAAAAAAAAAAIQkDQCAIIAX9AAQAIAH9' +
  'AAQA/boB/foB/eQBIQggCSAF/QAEECAB/QAEEP26Af36Af3kASEJIAVBIGohBSABQSBqIQEgASAGSQ0ACyAIIAn95AEhCCAE' +
  'IAj9HwAgCP0fAZIgCP0fAiAI/R8DkpI4AgAgBEEEaiEEIAQgB0kNAAsL'

/** The dot products of the row at `query` with `count` rows at `rows`, each of so many bytes, written to `out`; all in its memory. */
export type Kernel = (query: number, rows: number, count: number, bytes: number, out: number) => void

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
    // What kernel.wat exports.
    const { dots } = new WebAssembly.Instance(module, { env: { memory } }).exports as { dots: Kernel }
    return { kernel: dots, memory }
  } catch {
    return undefined
  }
}
