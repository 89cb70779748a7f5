import * as z from 'zod'

/** How much one file may take. */
export interface ExtractionLimits {
  /**
   * Milliseconds that one file may take of a processor, waiting for a process not counted; it may take four times as long in
   * all. Where nobody tells what a process computes, and with `threads`, milliseconds in all. Default 30,000.
   */
  timeLimitMs?: number | undefined
  /**
   * Bytes that a process may take for objects. In all it may have twice as much, since buffers lie outside, and 64 MB for
   * itself. From 32 MB, where telling the language takes 64 MB; default 256 MB. With `threads`, this process may grow by
   * twice as much and 64 MB while a file is read.
   */
  memoryLimit?: number | undefined
  /** Bytes that the parts of one file may have once they are unpacked, and a file that is not packed. Default 256 MB. */
  unpackedLimit?: number | undefined
  /** UTF-16 units of text of one file. Default 10 million. */
  textLimit?: number | undefined
}

const MB = 2 ** 20

export const extractionLimits = z.strictObject({
  timeLimitMs: z.int().min(1).max(86_400_000).default(30_000),
  memoryLimit: z
    .int()
    .min(32 * MB)
    .default(256 * MB),
  unpackedLimit: z
    .int()
    .min(1)
    .default(256 * MB),
  textLimit: z.int().min(1).max(100_000_000).default(10_000_000),
})

export type CheckedLimits = z.output<typeof extractionLimits>
