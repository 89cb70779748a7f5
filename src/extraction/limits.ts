import * as z from 'zod'

/** How much one file may take. */
export interface ExtractionLimits {
  /** Milliseconds for one file, waiting for a thread not counted. Default 30,000. */
  timeLimitMs?: number | undefined
  /**
   * Bytes that the thread may take for objects. The whole process may grow by twice as much meanwhile, since buffers lie
   * outside, and by 64 MB for the thread itself. From 32 MB, where telling the
   * language takes 64 MB; default 256 MB.
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
