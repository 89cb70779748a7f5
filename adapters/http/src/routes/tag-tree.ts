import type { FindlingError, RefusedTag, TagInput, Tags } from 'findling'
import { HttpError } from '../http/errors.ts'
import type { Route } from '../route.ts'
import { BulkResults, refusedTags, stored } from '../wire/bulk.ts'
import { TagList, tagInput } from '../wire/tags.ts'
import { defineRoute } from './define-route.ts'

/** Maximum number of ids named in one answer. */
const MOST_LISTED = 100

const exampleTags = [
  { Id: 'garden', Name: 'Garden', ParentId: null },
  { Id: 'hoses', Name: 'Hoses', ParentId: 'garden' },
]

/** Contract, 4.7 and 4.8: calls on all tags of a dataset at once. */
export const tagTreeRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/Tags/Bulk',
    action: 'TagsBulk/Post',
    summary: 'Replaces the whole tag tree if the given tags form a valid one',
    dataset: true,
    writes: true,
    body: TagList,
    bodySize: 'data',
    rows: 'Tags',
    origins: { tags: { entries: 'Tags' } },
    // Not on the sample dataset, whose tags it would replace.
    example: { dataset: 'first', body: { Tags: exampleTags } },
    responses: {
      200: {
        when: 'Either all tags were stored, or none was and the answer names those that do not fit',
        body: BulkResults,
      },
    },
    handle: async ({ engine, dataset, body }) => {
      const given = body.Tags.filter(tag => tag !== null).map(tagInput)
      const refused = await replaceAll(engine.datasets.get(dataset).tags, given)
      const results =
        refused.length > 0 ? refusedTags(refused) : given.map(({ id }) => stored(String(id).trim()))
      return { status: 200, body: { Results: results } }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/Tags/CleanDocuments',
    action: 'TagsCleanDocuments/Post',
    summary: 'Removes tag ids that do not exist from all documents',
    dataset: true,
    responses: { 200: { when: 'No document has a tag that does not exist' } },
    handle: async ({ engine, dataset }) => {
      await engine.datasets.get(dataset).tags.cleanDocuments().finished
      return { status: 200 }
    },
  }),
]

/** Returns the refused tags. The contract requires one message for each id that is given more than once. */
async function replaceAll(tags: Tags, given: readonly TagInput[]): Promise<readonly RefusedTag[]> {
  try {
    await tags.replaceAll(given)
    return []
  } catch (error) {
    const { refused, repeated } = (error as Partial<FindlingError>).details ?? {}
    // The engine puts only refused tags there.
    if (Array.isArray(refused)) return refused as RefusedTag[]
    if (!Array.isArray(repeated)) throw error
    const texts = repeated
      .slice(0, MOST_LISTED)
      .map(id => `The id ${JSON.stringify(id.slice(0, 60))} is given more than once.`)
    const more = repeated.length - texts.length
    throw new HttpError(400, more > 0 ? [...texts, `${more} more ids are.`] : texts)
  }
}
