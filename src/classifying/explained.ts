import type { Classifier } from '../learning/classifier.ts'
import type { Explanation } from '../learning/explanation.ts'
import type { LoopTurn } from '../loop-turn.ts'

/** What speaks for the tags of a text and against them, tag by tag: a long text has many parts. */
export async function explained(
  classifier: Classifier,
  text: string,
  tags: readonly { readonly tag: number }[],
  turn: LoopTurn,
): Promise<Explanation[]> {
  const explain = classifier.explainer(text)
  const explanations: Explanation[] = []
  for (const { tag } of tags) {
    if (turn.isOver()) await turn.pause()
    explanations.push(explain(tag)!)
  }
  return explanations
}
