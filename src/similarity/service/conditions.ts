import type { DatasetState } from '../../datasets/state.ts'
import type { JsonObject } from '../../json.ts'
import { boundedWeights } from '../../query/bounds.ts'
import { readingQuery } from '../../query/parser.ts'
import { compileQuery, type Predicate, restricted } from '../../query/predicate.ts'
import { everyDocument } from '../dataset/nearest-matching.ts'
import type { NearDocument } from '../model/similarity-index.ts'
import { reweighed, type WeighedHit } from '../model/weighed-hits.ts'
import type { SimilarWeight } from './settings.ts'

/**
 * Accepts documents that match the query, if there is one, and have one of the tags, if there are any; the query is read piece
 * by piece. QUERY_INVALID
 * @param what names the query in errors
 */
export function* matching(
  { queryFields: fields, rules }: DatasetState,
  {
    query,
    tags = [],
  }: { readonly query?: string | undefined; readonly tags?: readonly string[] | undefined },
  what: string,
): Generator<void, Predicate> {
  const isQuery = query !== undefined && query.trim() !== ''
  const matches = isQuery ? compileQuery(yield* readingQuery(query, fields, { what }), fields) : everyDocument
  if (tags.length === 0) return matches
  const wanted = new Set(tags)
  return restricted(document => rules.tagIds(document).some(tag => wanted.has(tag)), matches)
}

/** Orders hits by weights, piece by piece. */
export type HitWeighing = <Hit extends NearDocument & { readonly document: JsonObject }>(
  hits: readonly Hit[],
) => Generator<void, (Hit & WeighedHit)[]>

/** Undefined without weights. The queries of weights are read piece by piece. QUERY_INVALID */
export function* weighing(
  { queryFields: fields }: DatasetState,
  weights: readonly SimilarWeight[],
): Generator<void, HitWeighing | undefined> {
  if (weights.length === 0) return undefined
  const clauses: { readonly matches: Predicate; readonly value: number }[] = []
  const bounds = boundedWeights(fields, 'weights')
  for (const [i, { query, value }] of weights.entries()) {
    const read = yield* readingQuery(query, fields, { what: `weights[${i}].query` })
    bounds.add(read)
    clauses.push({ matches: compileQuery(read, fields), value })
    yield
  }
  return function* (hits) {
    const weightOf = new Map<string, number>()
    for (const { id, document } of hits) {
      let sum = 0
      for (const { matches, value } of clauses) {
        if (yield* matches.deciding(document)) sum += value
        yield
      }
      weightOf.set(id, sum / clauses.length)
    }
    const byId = new Map(hits.map(hit => [hit.id, hit]))
    return reweighed(hits, id => weightOf.get(id)!).map(({ id, weighed }) => ({ ...byId.get(id)!, weighed }))
  }
}
