import type { Classifier } from '../model/classifier.ts'
import type { Explanation } from '../model/explanation.ts'

/** What speaks for the tags of a text and against them, piece by piece. */
export function* explaining(
  classifier: Classifier,
  text: string,
  tags: readonly { readonly tag: number }[],
): Generator<void, Explanation[]> {
  const explain = yield* classifier.explaining(text)
  const explanations: Explanation[] = []
  for (const { tag } of tags) {
    explanations.push((yield* explain(tag))!)
    yield
  }
  return explanations
}
