import { FindlingError } from '../errors.ts'
import { limitError } from './reader/budget.ts'
import type { ExtractedFile } from './reader/content.ts'
import type { FileToRead } from './reading.ts'
import type { Turn } from './reading-order.ts'

/** Reads files outside the calling thread, which continues whatever a file does to its reader. */
export interface Readers {
  /** @param signal ends reading, or waiting for a turn, with its reason */
  read(file: Omit<FileToRead, 'limits'>, turn: Turn, signal: AbortSignal): Promise<ExtractedFile>
  /** Ends all reading; later files are refused. */
  close(): Promise<void>
}

export const timeError = (limitMs: number): FindlingError =>
  limitError('time', `takes more than ${limitMs} ms to read`)

export const memoryError = (limit: number, cause?: unknown): FindlingError =>
  limitError('memory', `takes more than ${limit} bytes of memory to read`, cause)

/** @param how the process ended, such as `SIGSEGV` */
export const endedError = (how: string): FindlingError =>
  limitError('process', `crashes the process that reads it (${how})`)

export const closedError = (): FindlingError => new FindlingError('CLOSED', 'The extractor is closed.')
