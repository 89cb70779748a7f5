import type { DatasetSettings } from '../datasets/schema/dataset-settings.ts'
import type { ScoreExplanation } from '../fulltext/reordering/explanation.ts'
import type { ExpansionKind } from '../fulltext/words/slot.ts'

/** Why a document has its score: the sum of the words' scores, multiplied by every factor, including those of the signals. */
export interface HitExplanation {
  score: number
  words: WordExplanation[]
  /** 1 to 1.45: a bonus for the positions of the query's words in the first field. */
  titleFactor: number
  /**
   * 1 to 1.86, for a query with `without`, `no` or `not`: the maximum
   * if the first field negates the same words, 1 if it has them unnegated.
   */
  negationFactor: number
  /** 1 to 1.25: how likely the query is about a tag of the document. */
  categoryFactor: number
  /** 1 to 2.5, for a query of several words: how close the document is to the topics of the ten best hits. */
  topicFactor: number
  signals: { field: string; factor: number }[]
}

/** What a word of the query contributes: the sum over its expansions. */
export interface WordExplanation {
  word: string
  /** How often the word occurs in the query. */
  occurrences: number
  idf: number
  /** The share of its weight that a function word keeps beside more than three other words; else 1. */
  share: number
  score: number
  /** Each scores occurrences x idf x share x weight x impact. */
  expansions: {
    kind: ExpansionKind
    /** Its forms that occur in the document. */
    surfaces: string[]
    weight: number
    /** The saturated frequency over all fields, 0 to 1. */
    impact: number
    score: number
    /** Whether the first field has it only after words such as `for` and `with`, which lowers the impact by a fifth. */
    aside: boolean
    /**
     * Factor on the impact, .7 to 1, for a query of one word in languages such as English. It is lower the less often the word
     * that follows the match in the first field occurs elsewhere (`laptop sleeve`).
     */
    headFactor: number
    /** The fields in which it occurs, how often, and the number of words in each. */
    fields: { field: string; occurrences: number; length: number }[]
  }[]
}

/** The index's explanation, with field names. */
export function explanationOf(
  { words, titleFactor, negationFactor, categoryFactor, topicFactor, signalFactors, score }: ScoreExplanation,
  { interpretedFields, signals }: Pick<DatasetSettings, 'interpretedFields' | 'signals'>,
): HitExplanation {
  const fieldsOf = (fields: ScoreExplanation['words'][number]['expansions'][number]['fields']) =>
    fields.flatMap(({ occurrences, length }, i) =>
      occurrences > 0 ? [{ field: interpretedFields[i]!, occurrences, length }] : [],
    )
  return {
    score,
    titleFactor,
    negationFactor,
    categoryFactor,
    topicFactor,
    signals: Object.keys(signals).map((field, i) => ({ field, factor: signalFactors[i] ?? 1 })),
    words: words.map(word => ({
      ...word,
      expansions: word.expansions.map(({ surfaces, fields, ...expansion }) => ({
        ...expansion,
        surfaces: [...surfaces],
        fields: fieldsOf(fields),
      })),
    })),
  }
}
