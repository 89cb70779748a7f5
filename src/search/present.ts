import type { Analyzer } from '../analysis/analyzer.ts'
import type { DatasetSettings } from '../datasets/schema/dataset-settings.ts'
import type { FieldSchema } from '../datasets/schema/schema.ts'
import type { DocumentsContext } from '../datasets/writes.ts'
import type { ScoredId } from '../fulltext/reordering/hit-list.ts'
import type { MatchedPhrase, QueryAnswer } from '../fulltext/searching/text-query.ts'
import { highlightDocument } from '../highlighting/document-highlights.ts'
import { WordFinder } from '../highlighting/word-finder.ts'
import type { JsonObject } from '../json.ts'
import type { Deadline } from '../scheduling/deadline.ts'
import { Stretch } from '../scheduling/stretch.ts'
import type { BareHit, PresentedAnswer } from './answer.ts'
import type { DistanceOf } from './distances.ts'
import { explanationOf } from './explanation.ts'
import type { SearchRequest } from './read.ts'
import { type Meant, stillMeant } from './still-meant.ts'

type Found = Pick<QueryAnswer, 'hits' | 'words' | 'phrases' | 'beginning' | 'relaxed'>

interface Presented extends Meant {
  readonly documents: DocumentsContext
  readonly settings: DatasetSettings
  /** The dataset's schema of its fields. */
  readonly root: FieldSchema
  readonly deadline?: Deadline | undefined
  /** If they are ordered by distance. */
  readonly distanceOf?: DistanceOf | undefined
  /** Default: all, in the order found. */
  readonly choose?: Choose | undefined
}

/** Ids, scores and explanations, which need no documents to be read. */
export const presentScores = <T>({ hits }: Found, settings: DatasetSettings): BareHit<T>[] =>
  // Plain hits were made for this answer alone.
  hits.map(hit => (isPlain(hit) ? (hit as Pick<ScoredId, 'id' | 'score'>) : bareHit(hit, settings)))

/** A document that was found and may be shown. */
export interface FoundHit extends ScoredId {
  readonly document: JsonObject
}

/** Chooses which of the documents that were found are shown, in which order and with which scores. */
export type Choose = (hits: readonly FoundHit[]) => Promise<readonly FoundHit[]>

/**
 * The same with documents, highlights or both, as requested. Documents that are gone or no longer match are left out;
 * only what is shown is highlighted.
 */
export async function presentDocuments<T extends object>(
  found: Found,
  {
    documents: withDocuments,
    highlights: scope,
    show,
  }: Pick<SearchRequest, 'documents' | 'highlights' | 'show'>,
  { documents, settings, root, distanceOf, choose, deadline, ...meant }: Presented,
): Promise<PresentedAnswer<T>['hits']> {
  const stretch = new Stretch(deadline, documents.store.turn)
  const ids = found.hits.map(({ id }) => id)
  const there = await stillMeant(documents, ids, meant, stretch)
  const hits: FoundHit[] = []
  for (const [i, hit] of found.hits.entries()) {
    const document = there[i]
    if (document) hits.push(isPlain(hit) ? { id: hit.id, score: hit.score, document } : { ...hit, document })
  }
  const finder = scope && finderOf(found, documents.state.queryFields.analyzer)
  const presented: PresentedAnswer<T>['hits'] = []
  for (const hit of choose ? await choose(hits) : hits) {
    if (stretch.isOver) await stretch.pause()
    const { document } = hit
    const marked =
      scope && finder && highlightDocument(document, finder, scope, { root, markup: settings.markup })
    // What is stored has passed the dataset's rules.
    const shown: PresentedAnswer<T>['hits'][number] = bareHit<T>(hit, settings)
    if (withDocuments) shown.document = (show ? show(document) : document) as T
    if (marked) shown.highlights = marked
    const distance = distanceOf?.(document)
    if (distance !== undefined) shown.distance = distance
    presented.push(shown)
  }
  return presented
}

/** Most hits are plain, and copying with a rest pattern takes several times as long. */
const isPlain = ({ explanation, group, pinned, similarity }: ScoredId): boolean =>
  !explanation && !group && !pinned && similarity === undefined

function bareHit<T>(found: ScoredId | FoundHit, settings: DatasetSettings): BareHit<T> {
  if (isPlain(found)) return { id: found.id, score: found.score }
  const { explanation, document: _, ...hit } = { document: undefined, ...found }
  return explanation ? { ...hit, explanation: explanationOf(explanation, settings) } : hit
}

/** Finds in texts the words that the search matched. */
function finderOf({ words, phrases, beginning, relaxed }: Found, analyzer: Analyzer): WordFinder {
  const wanted = words.filter(({ word }) => !relaxed.includes(word))
  const weights = new Map(wanted.flatMap(({ surfaces, idf }) => surfaces.map(surface => [surface, idf])))
  const terms = new Set(weights.keys())
  const parts = partsOf(wanted)
  const prefixes = beginning === undefined ? [] : [beginning]
  return new WordFinder({ terms, parts, weights, prefixes, phrases: phrases.map(foundPhrase) }, analyzer)
}

/** Parts of compounds to highlight, without compounds that another word of the query matches as a whole. */
function partsOf(words: Found['words']): Map<string, { from: number; to: number }> | undefined {
  if (!words.some(({ parts }) => parts)) return undefined
  const found = new Map(words.flatMap(({ parts = [] }) => parts.map(part => [part.surface, part] as const)))
  for (const { surfaces, parts = [] } of words) {
    const own = new Set(parts.map(({ surface }) => surface))
    for (const surface of surfaces) if (!own.has(surface)) found.delete(surface)
  }
  return found
}

function foundPhrase({ places, slop }: MatchedPhrase) {
  return { words: places.map(surfaces => new Set(surfaces)), slop }
}
