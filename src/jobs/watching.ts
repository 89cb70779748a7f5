import * as z from 'zod'
import { aFunction } from '../function-schema.ts'
import type { JobOptions } from './job.ts'

export const abortSignal = z.instanceof(AbortSignal, { error: 'an AbortSignal' }).optional()

/** Options that end a search before it has an answer. */
export const deadlineMembers = { timeout: z.int().min(1).max(86_400_000).optional(), signal: abortSignal }

/** The same, for calls without other options. */
export const deadlineOptions = z.strictObject(deadlineMembers)

/** Options for watching and cancelling a job, as members of a schema. */
export const watching = {
  signal: abortSignal,
  onProgress: aFunction<NonNullable<JobOptions['onProgress']>>().optional(),
}

/** For jobs without other options. */
export const jobOptions = z.strictObject(watching)
