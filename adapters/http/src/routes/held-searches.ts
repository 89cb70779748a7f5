import type { Dataset, Engine } from 'findling'
import type * as z from 'zod'
import { beyond, type Caller } from '../access/caller.ts'
import { isWithin } from '../access/grant.ts'
import { HttpError } from '../http/errors.ts'
import type { SearchRequest } from '../wire/search-request.ts'
import type { SearchResult } from '../wire/search-result.ts'

/** Limits for public keys: no page needs more. */
const mostOfPublic = { offset: 1000, values: 100, searches: 10, patterns: 20, rules: 100 }

type Asked = Omit<z.output<typeof SearchRequest>, 'Text'>

/** HttpError 403 if a search asks for more than its key allows. @param place prefix of the names of its members */
export function requireAllowed(asked: Asked, caller: Caller, place = ''): void {
  const { key } = caller
  caller.refuseNumbers(asked.Explain, `${place}Explain`)
  caller.refuseBeyondLimit(asked.Limit, `${place}Limit`)
  if (!key?.isPublic) return
  if (asked.Cursor !== false && !key.allowCursor)
    throw new HttpError(
      403,
      `${place}Cursor is not allowed with this key, which is public and has no AllowCursor.`,
    )
  const { offset, values } = mostOfPublic
  if (asked.Offset > offset) throw beyond(`${place}Offset`, asked.Offset, offset)
  for (const [i, facet] of (asked.Facets ?? []).entries()) {
    if (typeof facet === 'object' && facet.Limit > values)
      throw beyond(`${place}Facets[${i}].Limit`, facet.Limit, values)
  }
  requireFewPatterns(asked.Filter, caller, place)
  for (const name of ['Synonyms', 'StopWords'] as const) {
    const { length = 0 } = Array.isArray(asked[name]) ? asked[name] : []
    if (length > mostOfPublic.rules) throw tooMany(`${place}${name}`, `${length} entries`, mostOfPublic.rules)
  }
}

/** HttpError 403 if a filter has more patterns than a page needs, because each is matched against all words. */
export function requireFewPatterns(filter: Asked['Filter'], { key }: Caller, place = ''): void {
  if (!key?.isPublic) return
  const query = (typeof filter === 'string' ? filter : filter?.Query) ?? ''
  let patterns = query.split('CONTAINS').length + query.split('STARTS').length - 2
  for (const sign of query) if (sign === '*' || sign === '?' || sign === '~') patterns++
  const { patterns: most } = mostOfPublic
  if (patterns > most)
    throw tooMany(`${place}Filter`, `${patterns} patterns (*, ?, ~, CONTAINS, STARTS WITH)`, most)
}

const tooMany = (member: string, has: string, most: number): HttpError =>
  new HttpError(403, `${member} has ${has}; expected at most ${most} with this key.`)

/** HttpError 403 if a request has more searches than its key may make at once. */
export function requireFew(searches: readonly unknown[], { key }: Caller): void {
  const { searches: most } = mostOfPublic
  if (key?.isPublic && searches.length > most) throw beyond('the number of Searches', searches.length, most)
}

/** A searched field that the key does not see. */
export const hiddenSearched = (
  { settings }: Pick<Dataset, 'settings'>,
  fields: readonly string[],
): string | undefined =>
  settings.interpretedFields.find(field => field !== settings.idField && !isWithin(field, fields))

/** Restricts a search to the fields of its key. HttpError 403 if the dataset searches other fields, whose words any search would reveal. */
export function heldFields(
  { datasets }: Engine,
  name: string,
  { fields, key }: Caller,
): { visibleFields?: readonly string[] } {
  if (!fields || !key) return {}
  // A missing dataset is reported by the search itself.
  const hidden = datasets.has(name) ? hiddenSearched(datasets.get(name), fields) : undefined
  if (hidden === undefined) return { visibleFields: fields }
  const why = `is for some fields only, and ${name} searches other fields`
  throw new HttpError(403, `The key ${JSON.stringify(key.name)} ${why}.`)
}

/** Scores depend on signals: if a signal's field is hidden from the key, scores show only the rank. */
export function withoutHiddenScores<Result extends Pick<z.output<typeof SearchResult>, 'Hits'>>(
  result: Result,
  { settings }: Pick<Dataset, 'settings'>,
  caller: Caller,
): Result {
  if (Object.keys(settings.signals).every(field => caller.sees(field))) return result
  return { ...result, Hits: result.Hits.map((hit, place) => ({ ...hit, Score: 1 / (place + 1) })) }
}
