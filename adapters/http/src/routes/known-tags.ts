import type { Dataset } from 'findling'
import { HttpError } from '../http/errors.ts'

/** Maximum number of tags named in a message. */
const MOST_LISTED = 20

/** HttpError 400 that names the tags of a TagIdList that the dataset does not have. */
export async function requireTags({ tags }: Dataset, ids: readonly string[]): Promise<void> {
  const known = new Set((await tags.list()).map(({ id }) => id))
  const unknown = [...ids.entries()].filter(([, id]) => !known.has(id))
  if (unknown.length === 0) return
  const texts = unknown.slice(0, MOST_LISTED).map(([place, id]) => {
    return `TagIdList[${place}] is ${JSON.stringify(id.slice(0, 60))}; expected the id of a tag of the dataset`
  })
  const more = unknown.length - texts.length
  throw new HttpError(400, more > 0 ? [...texts, `${more} more are not listed.`] : texts)
}
