import * as z from 'zod'
import { expectation, mostIssues } from './input.ts'

/** Not looked into, let alone copied: a call may have hundreds of long lists. */
const aList = z.custom<unknown[]>(Array.isArray, 'a list')

/**
 * The schema of a list inside of another value that may be long: it is read no further than where a hundred problems are known.
 * A schema of zod's own looks for all of them, and if there are very many, it exceeds the call stack.
 */
export function longList<S extends z.ZodType>(element: S) {
  return aList.transform((list, { issues }): z.output<S>[] => {
    const elements: z.output<S>[] = []
    for (const [i, value] of list.entries()) {
      const run = element._zod.run({ value, issues: [] }, { error: expectation })
      const read = run as z.core.ParsePayload<z.output<S>> // no schema of ours is asynchronous
      elements.push(read.value)
      issues.push(...z.core.util.prefixIssues(i, read.issues))
      if (issues.length >= mostIssues) break
    }
    return elements
  })
}

/** The same for an object that has any number of texts by name. */
export const longTexts = z.record(z.string(), z.unknown()).transform((texts, { issues }) => {
  for (const [name, input] of Object.entries(texts)) {
    if (typeof input !== 'string')
      issues.push({ code: 'invalid_type', expected: 'string', input, path: [name] })
    if (issues.length >= mostIssues) break
  }
  return texts as Record<string, string>
})
