import * as z from 'zod'
import { aFunction } from '../input.ts'
import type { JobOptions } from './job.ts'

export const abortSignal = z.instanceof(AbortSignal, { error: 'an AbortSignal' }).optional()

/** How a search ends before it has an answer. */
export const deadlineMembers = { timeout: z.int().min(1).max(86_400_000).optional(), signal: abortSignal }

/** The same, where it takes nothing else. */
export const deadlineOptions = z.strictObject(deadlineMembers)

/** Options to watch and cancel a job, as members of a schema. */
export const watching = {
  signal: abortSignal,
  onProgress: aFunction<NonNullable<JobOptions['onProgress']>>().optional(),
}

/** Of jobs that take nothing else. */
export const jobOptions = z.strictObject(watching)
