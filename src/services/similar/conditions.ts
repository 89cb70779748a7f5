import type { DatasetState } from '../../datasets/state.ts'
import type { JsonObject } from '../../json.ts'
import { everything } from '../../likeness/nearest-matching.ts'
import { parseQuery } from '../../query/parser.ts'
import { compileQuery, type Predicate } from '../../query/predicate.ts'
import { reweighed, type WeighedHit } from '../../similarity/reweighing.ts'
import type { SimilarHit } from '../../similarity/similarity-index.ts'
import type { SimilarWeight } from './settings.ts'

/**
 * Documents that match a query, if there is one, and have one of the tags, if there are some. QUERY_INVALID
 * @param what names the query in errors
 */
export function matching(
  { queryFields: fields, rules }: DatasetState,
  {
    query,
    tags = [],
  }: { readonly query?: string | undefined; readonly tags?: readonly string[] | undefined },
  what: string,
): Predicate {
  const isQuery = query !== undefined && query.trim() !== ''
  const matches = isQuery ? compileQuery(parseQuery(query, fields, { what }), fields) : everything
  if (tags.length === 0) return matches
  const wanted = new Set(tags)
  const isTagged = (document: JsonObject) => rules.tagIds(document).some(tag => wanted.has(tag))
  return Object.assign((document: JsonObject) => isTagged(document) && matches(document), {
    *deciding(document: JsonObject) {
      return isTagged(document) && (yield* matches.deciding(document))
    },
  })
}

/** Puts what was found in the order of the weights; undefined without any. QUERY_INVALID */
export function weighing(
  { queryFields: fields }: DatasetState,
  weights: readonly SimilarWeight[],
):
  | (<Hit extends SimilarHit & { readonly document: JsonObject }>(
      hits: readonly Hit[],
    ) => (Hit & WeighedHit)[])
  | undefined {
  if (weights.length === 0) return undefined
  const clauses = weights.map(({ query, value }, i) => ({
    matches: compileQuery(parseQuery(query, fields, { what: `weights[${i}].query` }), fields),
    value,
  }))
  return hits => {
    const weightOf = (document: JsonObject) =>
      clauses.reduce((sum, { matches, value }) => sum + (matches(document) ? value : 0), 0) / clauses.length
    const byId = new Map(hits.map(hit => [hit.id, hit]))
    return reweighed(hits, id => weightOf(byId.get(id)!.document)).map(({ id, weighed }) => ({
      ...byId.get(id)!,
      weighed,
    }))
  }
}
