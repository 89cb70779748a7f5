import type { Dataset } from 'findling'
import { HttpError, isEngineError } from '../http/errors.ts'
import { Stretch } from '../http/stretch.ts'

/** Maximum number of tags named in a message. */
const MOST_LISTED = 20

/** HttpError 400 that names the tags of a TagIdList that the dataset does not have. */
export async function requireTags({ tags }: Dataset, ids: readonly string[]): Promise<void> {
  const stretch = new Stretch()
  const unknown: [place: number, id: string][] = []
  for (const [place, id] of ids.entries()) {
    if (!(await isKnown(tags, id))) unknown.push([place, id])
    if (stretch.isOver) await stretch.pause()
  }
  if (unknown.length === 0) return
  const texts = unknown.slice(0, MOST_LISTED).map(([place, id]) => {
    return `TagIdList[${place}] is ${JSON.stringify(id.slice(0, 60))}; expected the id of a tag of the dataset`
  })
  const more = unknown.length - texts.length
  throw new HttpError(400, more > 0 ? [...texts, `${more} more are not listed.`] : texts)
}

/** What cannot be an id is none of a tag either. */
async function isKnown(tags: Dataset['tags'], id: string): Promise<boolean> {
  try {
    return (await tags.get(id)) !== undefined
  } catch (error) {
    if (isEngineError(error) && error.code === 'INVALID_ARGUMENT') return false
    throw error
  }
}
