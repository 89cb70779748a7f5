import * as z from 'zod'
import { deadlineMembers } from '../jobs/watching.ts'
import type { JsonObject } from '../json.ts'
import type { VisibilityOptions } from '../query/condition-query.ts'
import type { DeadlineOptions } from '../scheduling/deadline.ts'

/** What `dataset.complete()` takes. */
export interface CompletionOptions<T = JsonObject> extends VisibilityOptions<T>, DeadlineOptions {
  /** Maximum number of completions, 1 to 100. Default 10. */
  limit?: number
  /**
   * Which kinds to return: titles of documents, names of tags or, if the engine has `analytics`, texts that many people have
   * searched for and that find something. Default titles and tags. With `visible`, no texts that were searched for are returned,
   * since they may contain words of hidden documents.
   */
  kinds?: readonly ('title' | 'tag' | 'query')[]
  /** 1 (default): if nothing begins as typed, one edit is tolerated. */
  typoTolerance?: 0 | 1
}

export const completionOptions = z.strictObject({
  limit: z.int().min(1).max(100).default(10),
  kinds: z
    .array(z.enum(['title', 'tag', 'query']))
    .min(1)
    .max(100)
    .default(['title', 'tag']),
  typoTolerance: z.union([z.literal(0), z.literal(1)]).default(1),
  visible: z.unknown().optional(),
  ...deadlineMembers,
})

export type CheckedCompletionOptions = Omit<
  z.output<typeof completionOptions>,
  'visible' | 'timeout' | 'signal'
>
