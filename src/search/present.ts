import type { Analyzer } from '../analysis/analyzer.ts'
import type { FieldSchema } from '../datasets/schema/schema.ts'
import type { DatasetSettings } from '../datasets/schema/settings.ts'
import { readDocuments } from '../datasets/stored-documents.ts'
import type { DocumentsContext } from '../datasets/writes.ts'
import type { ScoredId } from '../fulltext/reordering/hit-list.ts'
import type { MatchedPhrase, QueryAnswer } from '../fulltext/searching/searcher.ts'
import { highlightDocument } from '../highlighting/document-highlights.ts'
import { WordFinder } from '../highlighting/word-finder.ts'
import type { JsonObject } from '../json.ts'
import type { Predicate } from '../query/predicate.ts'
import type { Deadline } from '../scheduling/deadline.ts'
import { Stretch } from '../scheduling/stretch.ts'
import type { BareHit, PresentedAnswer } from './answer.ts'
import type { VisibleCondition } from './cursors.ts'
import { explanationOf } from './explanation.ts'
import type { SearchRequest } from './read.ts'
import { isThere } from './visible.ts'

type Found = Pick<QueryAnswer, 'hits' | 'words' | 'phrases' | 'beginning' | 'relaxed'>

interface Presented {
  readonly documents: DocumentsContext
  readonly settings: DatasetSettings
  /** What the dataset's schema knows of its fields. */
  readonly root: FieldSchema
  /** Whether a document may still be shown: it may have changed since it was found. */
  readonly matches?: Predicate | undefined
  /** What a document said before it changed, where it has and that still counts. */
  readonly before?: ((id: string) => JsonObject | undefined) | undefined
  readonly deadline?: Deadline | undefined
  /** Default: all, as they were found. */
  readonly choose?: Choose | undefined
  /** Which documents there are by now. */
  readonly visible?: VisibleCondition | undefined
}

/** Ids, scores and explanations, for which nothing has to be read. */
export const presentScores = <T>({ hits }: Found, settings: DatasetSettings): BareHit<T>[] =>
  hits.map(hit => bareHit(hit, settings))

/** A document that was found and may be shown. */
export interface FoundHit extends ScoredId {
  readonly document: JsonObject
}

/** Which of the documents that were found are shown, in which order and with which scores. */
export type Choose = (hits: readonly FoundHit[]) => Promise<readonly FoundHit[]>

/**
 * The same with documents, highlights or both, as was asked. What is gone by now, or does not match any more, is left out;
 * only what is shown is marked.
 */
export async function presentDocuments<T extends object>(
  found: Found,
  { documents: withDocuments, highlights: scope }: Pick<SearchRequest, 'documents' | 'highlights'>,
  { documents, settings, root, matches, before, choose, visible, deadline }: Presented,
): Promise<PresentedAnswer<T>['hits']> {
  const stored = await readDocuments(
    documents,
    found.hits.map(({ id }) => id),
  )
  if (before) await documents.store.heard()
  const stretch = new Stretch(deadline, documents.store.turn)
  const meant: FoundHit[] = []
  for (const [i, hit] of found.hits.entries()) {
    if (stretch.isOver) await stretch.pause()
    const earlier = before?.(hit.id)
    const document = earlier ?? stored[i]
    if (!document || (visible && !isThere(stored[i], visible))) continue
    if (earlier || !matches || (await stretch.through(matches.deciding(document))))
      meant.push(isPlain(hit) ? { id: hit.id, score: hit.score, document } : { ...hit, document })
  }
  const finder = scope && finderOf(found, documents.state.queryFields.analyzer)
  const presented: PresentedAnswer<T>['hits'] = []
  for (const hit of choose ? await choose(meant) : meant) {
    if (stretch.isOver) await stretch.pause()
    const { document } = hit
    const marked = scope && finder && highlightDocument(document, finder, scope, root)
    // What is stored has passed the dataset's rules.
    const shown: PresentedAnswer<T>['hits'][number] = bareHit<T>(hit, settings)
    if (withDocuments) shown.document = document as T
    if (marked) shown.highlights = marked
    presented.push(shown)
  }
  return presented
}

/** Most are like this, and to copy members that are not named takes several times as long. */
const isPlain = ({ explanation, group, pinned }: ScoredId): boolean => !explanation && !group && !pinned

function bareHit<T>(found: ScoredId | FoundHit, settings: DatasetSettings): BareHit<T> {
  if (isPlain(found)) return { id: found.id, score: found.score }
  const { explanation, document: _, ...hit } = { document: undefined, ...found }
  return explanation ? { ...hit, explanation: explanationOf(explanation, settings) } : hit
}

/** Finds in texts what a search has found. */
function finderOf({ words, phrases, beginning, relaxed }: Found, analyzer: Analyzer): WordFinder {
  const wanted = words.filter(({ word }) => !relaxed.includes(word))
  const weights = new Map(wanted.flatMap(({ surfaces, idf }) => surfaces.map(surface => [surface, idf])))
  const terms = new Set(weights.keys())
  const prefixes = beginning === undefined ? [] : [beginning]
  return new WordFinder({ terms, weights, prefixes, phrases: phrases.map(foundPhrase) }, analyzer)
}

function foundPhrase({ places, slop }: MatchedPhrase) {
  return { words: places.map(surfaces => new Set(surfaces)), slop }
}
