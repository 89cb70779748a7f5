import * as z from 'zod'
import { type Issue, problem } from '../../input.ts'
import { MOST_DIMENSIONS } from '../../vectors/model/kernel.ts'

/** A field of documents that holds vectors, such as those of an embedding model. */
export interface VectorSetting {
  /** Length of the vectors, 1 to 4,096. */
  dimensions: number
}

const mostFields = 8

const dimensionsRule = `a whole number from 1 to ${MOST_DIMENSIONS}`

/** One entry of the setting `vectors`. */
export const vectorSetting = z.strictObject({
  dimensions: z.int(dimensionsRule).min(1, dimensionsRule).max(MOST_DIMENSIONS, dimensionsRule),
})

type Given = ReadonlyMap<string, VectorSetting>

/** @param others paths of fields that have another purpose @param isPath whether a name is one of a field */
export function vectorIssues(
  vectors: Given,
  others: readonly string[],
  isPath: (name: string) => boolean,
): Issue[] {
  const issues: Issue[] = []
  if (vectors.size > mostFields)
    issues.push({ field: 'vectors', received: `${vectors.size} entries`, expected: `at most ${mostFields}` })
  for (const name of vectors.keys()) {
    if (!isPath(name)) issues.push(problem('vectors', name, 'the name of a field, or names joined by dots'))
    else if (others.some(other => other === name || other.startsWith(`${name}.`)))
      issues.push(
        problem('vectors', name, 'a field that is neither the id, the tags, searched, nor a signal'),
      )
  }
  return issues
}
