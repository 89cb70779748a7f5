import type { Dataset } from 'findling'
import { HttpError } from '../transport/errors.ts'

/** As much of a message as somebody reads. */
const MOST_LISTED = 20

/** 400 that names the tags that a dataset does not have. */
export async function requireTags({ tags }: Dataset, ids: readonly string[]): Promise<void> {
  const known = new Set((await tags.list()).map(({ id }) => id))
  const unknown = ids.filter(id => !known.has(id))
  if (unknown.length === 0) return
  const named = unknown.slice(0, MOST_LISTED).map(id => JSON.stringify(id.slice(0, 60)))
  const more = unknown.length > MOST_LISTED ? ` and ${unknown.length - MOST_LISTED} more` : ''
  throw new HttpError(400, `There are no such tags in the dataset: ${named.join(', ')}${more}.`)
}
