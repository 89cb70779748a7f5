import type { Labelled } from '../labelled.ts'

export interface ScoredTag {
  readonly tag: string
  /** From 0 to 1; undefined of those that tell no probabilities. */
  readonly score?: number
}

/** What has been learnt. */
export interface Learnt {
  /** The best three, best first. */
  answer(text: string): ScoredTag[]
  /** Of what would be stored. */
  bytes?(): number
}

/** A classifier in this process, with the settings that it runs under. */
export interface TextClassifier {
  readonly name: string
  readonly settings: string
  /** More documents times tags than this would take it longer than the rest of the run. */
  readonly mostWork?: number
  learn(documents: readonly Labelled[], tags: readonly string[]): Learnt
}

/** The best three of scores by tag number. */
export function bestThree(scores: ArrayLike<number>, tags: readonly string[]): ScoredTag[] {
  const found: number[] = []
  for (let tag = 0; tag < scores.length; tag++) {
    let place = found.length
    while (place > 0 && scores[found[place - 1]!]! < scores[tag]!) place--
    if (place < 3) found.splice(place, 0, tag)
    if (found.length > 3) found.pop()
  }
  return found.map(tag => ({ tag: tags[tag]! }))
}
