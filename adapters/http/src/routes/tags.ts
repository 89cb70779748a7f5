import * as z from 'zod'
import { HttpError } from '../http/errors.ts'
import { pathSegment } from '../http/path.ts'
import type { Route } from '../route.ts'
import { tagMember } from '../wire/path-members.ts'
import { Tag, TagModelInput, tagInput, tagModel } from '../wire/tags.ts'
import { defineRoute } from './define-route.ts'
import { refusedAs } from './refusals.ts'

const DetailsQuery = z.object({
  withDetails: z
    .boolean()
    .default(false)
    .describe('true: also counts documents and words, which takes longer'),
})

const RemovalQuery = z.object({
  force: z.boolean().default(false).describe('true: also removes all tags below it'),
  cleanDocuments: z.boolean().default(false).describe('true: also removes the tags from the documents'),
})

const noTag = { when: 'There is no such tag' }

/** Contract, 4.2 to 4.6. */
export const tagRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/Tags',
    action: 'Tags/Get',
    summary: 'Lists the tags of a dataset',
    dataset: true,
    query: DetailsQuery,
    responses: { 200: { when: 'All tags', body: z.array(Tag) } },
    handle: async ({ engine, dataset, query, signal }) => {
      const { tags } = engine.datasets.get(dataset)
      const counts = query.withDetails ? await tags.counts({ signal }) : undefined
      return { status: 200, body: (await tags.list()).map(tag => tagModel(tag, counts?.get(tag.id))) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/Tags/{id}',
    action: 'Tags/Get',
    summary: 'Reads a tag',
    dataset: true,
    members: tagMember,
    example: { path: { id: 'drills' } },
    query: DetailsQuery,
    responses: { 200: { when: 'The tag', body: Tag }, 404: noTag },
    handle: async ({ engine, dataset, path, query, signal }) => {
      const { tags } = engine.datasets.get(dataset)
      const tag = await known(dataset, path.id, () => tags.get(path.id))
      if (!tag) throw new HttpError(404, noTagText(dataset, path.id))
      const counts = query.withDetails ? await tags.counts({ signal }) : undefined
      return { status: 200, body: tagModel(tag, counts?.get(tag.id)) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/Tags',
    action: 'Tags/Post',
    summary: 'Creates a tag',
    dataset: true,
    writes: true,
    body: TagModelInput,
    example: { body: { Id: 'gifts', Name: 'Gifts', ParentId: null } },
    responses: {
      201: { when: 'The tag is created; the Location header has its address', body: Tag },
      406: { when: 'The parent does not exist' },
      409: { when: 'The id is taken' },
    },
    handle: async ({ engine, dataset, body, base }) => {
      const tag = await engine.datasets.get(dataset).tags.create(tagInput(body))
      const location = `${base}/api/tags/${pathSegment(tag.id)}`
      return { status: 201, body: tagModel(tag), headers: { Location: location } }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/Tags/{id}',
    action: 'Tags/Put',
    summary: 'Changes the name, parent and id of a tag; its children stay below it if the id changes',
    dataset: true,
    writes: true,
    body: TagModelInput,
    members: tagMember,
    example: { path: { id: 'gifts' }, body: { Id: 'gifts', Name: 'Gift ideas', ParentId: 'tools' } },
    responses: {
      200: { when: 'The tag is changed' },
      404: noTag,
      406: { when: 'The new id is taken, or the parent does not exist or is below the tag' },
    },
    handle: async ({ engine, dataset, path, body }) => {
      const { tags } = engine.datasets.get(dataset)
      await known(dataset, path.id, () => tags.get(path.id))
      await refusedAs('TAG_EXISTS', 406, () => tags.update(path.id, tagInput(body)))
      return { status: 200 }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/Tags/{id}',
    action: 'Tags/Delete',
    summary: 'Removes a tag',
    dataset: true,
    members: tagMember,
    example: { path: { id: 'gifts' } },
    query: RemovalQuery,
    responses: {
      200: { when: 'The tag is removed; with cleanDocuments, also from the documents' },
      404: noTag,
      409: { when: 'The tag has children, and force is not set' },
    },
    handle: async ({ engine, dataset, path, query }) => {
      const { tags } = engine.datasets.get(dataset)
      const { cleaning } = await known(dataset, path.id, () => tags.remove(path.id, query))
      await cleaning?.finished
      return { status: 200 }
    },
  }),
]

/** An id that no tag can have is as unknown as one that none has (contract, 4.3). */
function known<T>(dataset: string, id: string, work: () => Promise<T>): Promise<T> {
  return refusedAs('INVALID_ARGUMENT', 404, work, noTagText(dataset, id))
}

function noTagText(dataset: string, id: string): string {
  return `The dataset ${dataset} has no tag ${JSON.stringify(id.slice(0, 60))}.`
}
