import * as z from 'zod'

/** Limits for one file. */
export interface ExtractionLimits {
  /**
   * CPU milliseconds for one file, not counting the wait for a process; in elapsed time, four
   * times as much. Where CPU time cannot be measured, and with `threads`, elapsed milliseconds. Default 30,000.
   */
  timeLimitMs?: number | undefined
  /**
   * Heap bytes of a process. In all it may have twice as much, for buffers, plus 64
   * MB for itself. At least 32 MB, or 64 MB to detect languages; default 256 MB. With
   * `threads`, this process may grow by twice as much plus 64 MB while a file is read.
   */
  memoryLimit?: number | undefined
  /** Maximum size of a file in bytes, and of its parts unpacked. Default 256 MB. */
  unpackedLimit?: number | undefined
  /** Maximum text of one file in UTF-16 units. Default 10 million. */
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
