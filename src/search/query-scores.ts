import type { DatasetSettings } from '../datasets/schema/dataset-settings.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { MatchOptions } from '../fulltext/searching/text-query.ts'
import type { Query } from '../query/query.ts'
import { type WantedWord, wantedWords } from '../query/wanted-words.ts'
import { ScoreOrder } from './match-list.ts'

/** Words of one field and boost are scored together. With more such kinds than this, those with the highest boosts count. */
const MOST_KINDS = 16

interface Kind extends Omit<WantedWord, 'word'> {
  readonly words: Set<string>
}

/**
 * The scores, by document, that the words of a query give, as in a search for them.
 * @param given weights of the fields, in place of the dataset's
 */
export function queryScores(
  query: Query,
  whole: FulltextIndex,
  within: Pick<MatchOptions, 'selection' | 'view'>,
  { interpretedFields, weights: own }: Pick<DatasetSettings, 'interpretedFields' | 'weights'>,
  given?: readonly number[],
): ScoreOrder {
  const { segments } = whole.state
  const scores = new ScoreOrder(segments)
  for (const { words, field, boost } of kindsOf(wantedWords(query))) {
    if (field !== null && !interpretedFields.includes(field)) continue
    const weights =
      field === null
        ? given
        : interpretedFields.map((name, i) => (name === field ? given?.[i] || own[name]!.weight : 0))
    const options = { operator: 'or', typoTolerance: 0, exclusion: false, weights, ...within } as const
    const found = new ScoreOrder(segments)
    const steps = whole.visit([...words].join(' '), options, found)
    scores.add(found.scores, steps, boost)
  }
  return scores
}

function kindsOf(words: readonly WantedWord[]): Kind[] {
  const kinds = new Map<string, Kind>()
  for (const { word, field, boost } of words) {
    if (boost === 0) continue
    const name = JSON.stringify([boost, field])
    const kind = kinds.get(name) ?? { field, boost, words: new Set() }
    kinds.set(name, kind)
    kind.words.add(word)
  }
  return [...kinds.values()].sort((a, b) => b.boost - a.boost).slice(0, MOST_KINDS)
}
