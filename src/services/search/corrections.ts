import { fold } from '../../analysis/fold.ts'
import type { MatchedWord } from '../../fulltext/ranking/slot.ts'
import { similarity } from '../../nearest-name.ts'
import { type Searchable, search } from '../../search/search.ts'
import type { Activation } from './settings.ts'

/** A text as it was likely meant. */
export interface CorrectedPhrase {
  readonly text: string
  /** How likely it is, above 0 and below 1. Scores can be compared within one answer only. */
  readonly score: number
}

interface Replacement {
  readonly word: string
  readonly by: string
  /** How likely the word was meant and mistyped so. */
  readonly likelihood: number
}

/** Phrases that are extended word by word: the likeliest so many are. */
const BEAM = 20
/** Words tried for each that was mistyped. */
const ALTERNATIVES = 4
/** How likely it is that a word is what was meant, where it can be found. */
const KEPT = 0.95

/**
 * Phrases in which every word that no document has stands as one that some have. A phrase scores by a noisy channel (Kernighan,
 * Church and Gale, 1990): how like the words are to what was typed, times how frequent they are; all its words occur
 * together in at least one document.
 */
export async function correct(
  dataset: Searchable,
  text: string,
  { count, confidence, maxErrors }: Activation['corrections'],
): Promise<CorrectedPhrase[]> {
  if (count === 0) return []
  const { words } = await search(() => dataset, text, { limit: 0, documents: false })
  const wrong = words.filter(({ kind }) => kind === 'typo')
  const most = maxErrors < 1 ? Math.max(1, Math.round(maxErrors * words.length)) : Math.floor(maxErrors)
  if (wrong.length === 0 || wrong.length > most || words.some(({ kind }) => kind === 'none')) return []
  const documents = dataset.documents.store.counts(dataset.state.dataset).documents
  const unlikely = KEPT / (documents + 2)
  const choices = await Promise.all(wrong.map(word => alternatives(dataset, word, documents)))
  const phrases: CorrectedPhrase[] = []
  for (const { replaced, score } of likeliest(choices)) {
    if (score <= confidence * unlikely ** wrong.length) break
    const phrase = withReplaced(text, words, replaced)
    if (await occursTogether(dataset, phrase)) phrases.push({ text: phrase, score })
    if (phrases.length === count) break
  }
  return phrases
}

async function alternatives(
  dataset: Searchable,
  { word, surfaces }: MatchedWord,
  documents: number,
): Promise<Replacement[]> {
  const tried = surfaces.slice(0, ALTERNATIVES).map(async by => {
    const { total } = await exactly(dataset, by)
    return { word, by, likelihood: similarity(word, by) * ((total.count + 1) / (documents + 2)) }
  })
  return (await Promise.all(tried)).sort((a, b) => b.likelihood - a.likelihood)
}

interface Phrase {
  readonly replaced: ReadonlyMap<string, string>
  readonly score: number
}

function likeliest(choices: readonly (readonly Replacement[])[]): Phrase[] {
  let phrases: Phrase[] = [{ replaced: new Map(), score: 1 }]
  for (const replacements of choices) {
    const longer = phrases.flatMap(({ replaced, score }) =>
      replacements.map(({ word, by, likelihood }) => {
        return { replaced: new Map([...replaced, [word, by]]), score: score * likelihood }
      }),
    )
    phrases = longer.sort((a, b) => b.score - a.score).slice(0, BEAM)
  }
  return phrases
}

/** The text with its words replaced where they stand; just the words where they cannot be found in it. */
function withReplaced(
  text: string,
  words: readonly MatchedWord[],
  replaced: ReadonlyMap<string, string>,
): string {
  const found = new Set<string>()
  const inText = text.replace(/[\p{L}\p{N}\p{M}]+/gu, token => {
    const word = fold(token)
    const by = replaced.get(word)
    if (by !== undefined) found.add(word)
    return by ?? token
  })
  if (found.size === replaced.size) return inText
  return words.map(({ word }) => replaced.get(word) ?? word).join(' ')
}

async function occursTogether(dataset: Searchable, phrase: string): Promise<boolean> {
  const { total } = await exactly(dataset, phrase.replaceAll('"', ' '))
  return total.count > 0
}

const exactly = (dataset: Searchable, text: string) =>
  search(() => dataset, text, {
    operator: 'and',
    typoTolerance: 0,
    limit: 0,
    documents: false,
    total: 'exact',
  })
