import type { Dataset, JsonObject } from 'findling'
import type { Caller } from '../access/caller.ts'
import { HttpError } from '../http/errors.ts'
import type { Route } from '../route.ts'
import { sampleProduct } from '../sample/example.ts'
import { BulkResults, documentResults } from '../wire/bulk.ts'
import { DocumentList } from '../wire/documents.ts'
import { documentMember } from '../wire/path-members.ts'
import { content } from '../wire/rules.ts'
import { defineRoute } from './define-route.ts'
import { refusedAs } from './refusals.ts'

const noDocument = { when: 'There is no such document' }

/** Contract, 5. Documents are received and returned unchanged. */
export const documentRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/Documents',
    action: 'Documents/Post',
    summary: 'Stores a new document',
    dataset: true,
    writes: true,
    body: content,
    bodySize: 'data',
    example: { body: { ...sampleProduct, id: 'my-1' } },
    responses: {
      201: { when: 'The document is stored' },
      400: { when: 'The document breaks a rule of the dataset, or X-DataSet names no dataset' },
      409: { when: 'The id is taken' },
    },
    handle: async ({ engine, dataset, body, caller }) => {
      const { documents } = engine.datasets.get<object>(dataset)
      const taken = `The dataset ${dataset} already has a document with this id. PUT changes it, Bulk replaces it.`
      await refusedAs('DOCUMENT_EXISTS', 409, () => documents.insert(body, { owner: caller.id }), taken)
      return { status: 201 }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/Documents/{id}',
    action: 'Documents/Get',
    summary: 'Reads a document',
    dataset: true,
    members: documentMember,
    example: { path: { id: 'p-000002' } },
    responses: { 200: { when: 'The document as it is stored', body: content }, 404: noDocument },
    handle: async ({ engine, dataset, path, caller }) => {
      const own = engine.datasets.get(dataset)
      const document = caller.hasFilter
        ? await findFor(caller, own, path.id)
        : await known(dataset, path.id, () => own.documents.get(path.id))
      if (!document) throw notFound(dataset, path.id)
      return { status: 200, body: document }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/Documents/{id}',
    action: 'Documents/Put',
    summary: 'Changes the given fields of a document; if a new id is given, the document moves to it',
    dataset: true,
    writes: true,
    body: content,
    bodySize: 'data',
    members: documentMember,
    example: { path: { id: 'my-1' }, body: { price: 69.95 } },
    responses: {
      200: {
        when: 'The whole document after the change; an empty body if the key may not read',
        body: content.optional(),
      },
      400: { when: 'A field breaks a rule of the dataset, or X-DataSet names no dataset' },
      404: noDocument,
      409: { when: 'The new id is taken' },
    },
    handle: async ({ engine, dataset, path, body, caller }) => {
      const { documents } = engine.datasets.get<Record<string, unknown>>(dataset)
      // A missing document is reported before any problem with its fields (contract, 5.2).
      const record = await known(dataset, path.id, () => documents.record(path.id))
      if (!record) throw notFound(dataset, path.id)
      const { document } = await documents.update(path.id, body, { owner: caller.id })
      return { status: 200, body: caller.has('Read') ? document : undefined }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/Documents/{id}',
    action: 'Documents/Delete',
    summary: 'Removes a document',
    dataset: true,
    members: documentMember,
    example: { path: { id: 'my-1' } },
    responses: { 200: { when: 'The document is removed' }, 404: noDocument },
    handle: async ({ engine, dataset, path }) => {
      const { documents } = engine.datasets.get(dataset)
      const isRemoved = await known(dataset, path.id, () => documents.delete(path.id))
      if (!isRemoved) throw notFound(dataset, path.id)
      return { status: 200 }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/Documents/Bulk',
    action: 'DocumentsBulk/Post',
    summary: 'Stores many documents and reports the result for each',
    dataset: true,
    writes: true,
    body: DocumentList,
    bodySize: 'data',
    rows: 'Documents',
    example: { body: { Documents: ['my-2', 'my-3'].map(id => ({ ...sampleProduct, id })) } },
    responses: { 200: { when: 'The result for each document, rejected ones first', body: BulkResults } },
    handle: async ({ engine, dataset, body, caller }) => {
      // The dataset refuses entries that are no objects, each as one of the results.
      const rows = body.Documents as object[]
      const { documents } = engine.datasets.get<object>(dataset)
      const results = await documents.bulk(rows, { owner: caller.id })
      return { status: 200, body: { Results: await documentResults(results) } }
    },
  }),
]

/** The document with an id, if the caller may see it. Ids are stored as text or as numbers. */
async function findFor(caller: Caller, dataset: Dataset, id: string): Promise<JsonObject | undefined> {
  const ids = [id, Number(id)].filter(one => String(one) === id)
  const { hits } = await dataset.filter(
    { [dataset.settings.idField]: { in: ids } },
    caller.held({ limit: 1 }),
  )
  return hits[0]?.document
}

/** An id that no document can have is as unknown as one that none has (contract, 5.2). */
function known<T>(dataset: string, id: string, work: () => Promise<T>): Promise<T> {
  return refusedAs('INVALID_ARGUMENT', 404, work, notFound(dataset, id).message)
}

function notFound(dataset: string, id: string): HttpError {
  return new HttpError(404, `The dataset ${dataset} has no document ${JSON.stringify(id.slice(0, 60))}.`)
}
