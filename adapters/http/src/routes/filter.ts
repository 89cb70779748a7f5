import { askedBy } from '../analytics/asking.ts'
import type { Route } from '../route.ts'
import {
  DocumentFilterSettings,
  DocumentSampleSettings,
  endOfScroll,
  listOrigins,
  listSettings,
  PaginatedList,
  paginatedList,
  sampleOrigins,
  sampleSettings,
} from '../wire/filter.ts'
import { scrollMember } from '../wire/path-members.ts'
import { defineRoute } from './define-route.ts'
import { requireOrder, shownFields } from './listed-fields.ts'

/** Contract, 6.1 to 6.5. */
export const filterRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/Documents/Filter',
    action: 'DocumentsFilter/Post',
    summary: 'Lists the documents that match a query and have one of the given tags',
    dataset: true,
    body: DocumentFilterSettings,
    origins: listOrigins,
    example: {
      body: {
        Pagination: { Limit: 5 },
        Filter: { Query: 'price:[10 TO 100] AND drill' },
        Order: { OrderByField: 'price', OrderDirection: 'Asc' },
        FieldList: ['id', 'title', 'price'],
      },
    },
    responses: {
      200: { when: 'The first page, with the ScrollId for the next one', body: PaginatedList },
      400: { when: 'The body is invalid, the query cannot be parsed, or there is no such field' },
    },
    handle: async ({ engine, dataset, body, caller, headers, deadline }) => {
      const listed = engine.datasets.get<Record<string, unknown>>(dataset)
      const { filter, options } = listSettings(body)
      if (body.Order) requireOrder(listed, body.Order.OrderByField)
      const responseFields = shownFields(listed, body.FieldList)
      const page = await listed.filter(
        filter,
        caller.held({
          ...options,
          ...deadline,
          ...askedBy({ headers, caller }),
          responseFields,
          cursorOwner: caller.id,
        }),
      )
      const isWhole = page.hits.length === page.total.count
      return { status: 200, body: paginatedList(page, isWhole ? null : page.cursor) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/Documents/Filter/{scrollId}',
    action: 'DocumentsFilter/Post',
    summary: 'Returns the next page of a list, as of when the list was requested',
    members: scrollMember,
    dataset: true,
    responses: {
      200: {
        when: 'The next page. Empty after the last one, and if the id is unknown or has expired: 100 seconds after the list was requested, 5 minutes after each page',
        body: PaginatedList,
      },
    },
    handle: async ({ engine, dataset, path, caller, headers, deadline }) => {
      const listed = engine.datasets.get<Record<string, unknown>>(dataset)
      try {
        const page = await listed.filter(
          {},
          caller.held({
            ...deadline,
            ...askedBy({ headers, caller }),
            cursor: path.scrollId,
          }),
        )
        return { status: 200, body: paginatedList(page, page.cursor) }
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'CURSOR_EXPIRED')) throw error
        return { status: 200, body: endOfScroll }
      }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/Documents/Sample',
    action: 'DocumentsSample/Post',
    summary: 'Samples documents by an id: the same id gives the same documents, another id gives others',
    dataset: true,
    body: DocumentSampleSettings,
    origins: sampleOrigins,
    example: { body: { Id: 'first', Size: 5, FieldList: ['id', 'title'] } },
    responses: {
      200: { when: 'The documents', body: PaginatedList },
      400: {
        when: 'The body is invalid, neither Size nor Percent is above 0, or there is no such field',
      },
    },
    handle: async ({ engine, dataset, body, caller, deadline }) => {
      const sampled = engine.datasets.get<Record<string, unknown>>(dataset)
      const responseFields = shownFields(sampled, body.FieldList)
      const sample = await sampled.sample(
        caller.held({ ...sampleSettings(body), ...deadline, responseFields }),
      )
      return { status: 200, body: paginatedList(sample, null) }
    },
  }),
]
