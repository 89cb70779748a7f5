import * as z from 'zod'
import { type DatasetSchema, fieldAt, isNumber } from '../datasets/schema/schema.ts'
import { readDocuments } from '../datasets/stored-documents.ts'
import type { FilterFields } from '../filters/filter-fields.ts'
import { invalid, parseInput, problem } from '../input.ts'
import { knownFields } from '../query/fields.ts'
import { filterFields, filterFor, readCondition } from './condition.ts'
import type { Cursor, Cursors } from './cursors.ts'
import { inOrder } from './in-order.ts'
import { idAt, selectedDocuments } from './match-list.ts'
import type { OrderKey } from './order.ts'
import { Pages } from './pages.ts'
import { queryScores } from './query-scores.ts'
import { type TagOptions, tagMembers } from './read.ts'
import {
  type ResponseFieldOptions,
  refuseUnknownFields,
  responseFieldMembers,
  shown,
} from './response-fields.ts'
import type { Searchable } from './search.ts'

/** A dataset whose lists can be read page by page. */
export interface Listable extends Searchable {
  readonly cursors: Cursors
}

/** What `dataset.filter()` takes, all of it optional. */
export interface ListOptions extends TagOptions, ResponseFieldOptions {
  /** Documents returned at most, up to 10,000. Default 10. */
  limit?: number
  /** Documents skipped before them, up to 1,000,000. Default 0. */
  offset?: number
  /**
   * Fields to order by, as `price:asc` or `released:desc`; `asc` may be left out. The first value of a list counts. Numbers
   * come before texts, which are compared by code units, and documents without a value come last. Default: documents with
   * more and rarer of the filter's words first, else no particular order.
   */
  sort?: readonly string[]
  /** `true`: the answer has a cursor if there is more. A cursor: the next page, as the first was asked for. */
  cursor?: boolean | string
}

/** Documents that match, in order. */
export interface ListAnswer<T> {
  hits: { id: string; document: T }[]
  total: { count: number; exact: true }
  /** Gets the next page; null if there is none, or none was asked for. */
  cursor: string | null
}

const listOptions = z.strictObject({
  ...tagMembers,
  ...responseFieldMembers,
  limit: z.int().min(0).max(10_000).default(10),
  offset: z.int().min(0).max(1_000_000).default(0),
  sort: z.array(z.string()).min(1).max(16).optional(),
  cursor: z.union([z.boolean(), z.string()]).default(false),
})

/** Documents that match a filter, page by page. */
export async function list<T>(
  find: () => Listable,
  given: unknown,
  options: unknown,
): Promise<ListAnswer<T>> {
  const dataset = find()
  const checked = parseInput(listOptions, options, 'options')
  const { limit, offset, sort, cursor, tags, tagsBelow, responseFields } = checked
  if (typeof cursor === 'string') return await nextPage<T>(dataset, cursor)
  const { state, cursors } = dataset
  refuseUnknownFields(responseFields, state, 'options')
  const fields = filterFields(state)
  const keys = orderKeys(sort, fields, state.schema)
  const condition = await readCondition({ filter: given, tags, tagsBelow }, dataset, fields)
  const { segments, page, count, id } = await inOrder(dataset, {
    filters: [filterFor(condition, [], fields, dataset)],
    keys,
    matchesOf(whole, [selection]) {
      const segments = [...whole.state.segments]
      const documents = selectedDocuments(segments, selection)
      const scores =
        keys.length === 0 ? queryScores(condition.query, whole, selection, state.settings) : undefined
      return { segments, documents, scores: scores?.byDocument }
    },
    take({ matches: { segments, documents }, compare, seq }) {
      const pages = new Pages(documents, compare)
      const page = pages.next(offset + limit).slice(offset)
      const isOpen = cursor && page.length > 0 && offset + page.length < documents.length
      // At once: whatever changes from now on is kept for it.
      const id = isOpen ? cursors.open({ segments, pages, limit, responseFields }, seq) : null
      return { segments, page, count: documents.length, id }
    },
  })
  const hits = await presented<T>(dataset, { segments, responseFields }, page, id)
  return { hits, total: { count, exact: true }, cursor: id }
}

async function nextPage<T>(dataset: Listable, id: string): Promise<ListAnswer<T>> {
  const cursor = dataset.cursors.next(id)
  const { pages, limit } = cursor
  const page = pages.next(limit)
  const hits = await presented<T>(dataset, cursor, page, id)
  if (page.length === 0) dataset.cursors.close(id)
  const total = { count: pages.count, exact: true } as const
  return { hits, total, cursor: page.length === 0 ? null : id }
}

/** Those that are gone by now are left out, unless a cursor has kept what they said. */
async function presented<T>(
  dataset: Listable,
  { segments, responseFields }: Pick<Cursor, 'segments' | 'responseFields'>,
  page: readonly number[],
  cursor: string | null,
): Promise<ListAnswer<T>['hits']> {
  const ids = page.map(document => idAt(segments, document))
  const stored = await readDocuments(dataset.documents, ids)
  return ids.flatMap((id, i) => {
    const before = cursor === null ? undefined : dataset.cursors.before(cursor, id)
    const document = before ?? stored[i]
    return document ? [{ id, document: shown<T>(document, responseFields) }] : []
  })
}

/** @throws FindlingError INVALID_ARGUMENT for what is no field, or none with an order */
export function orderKeys(
  sort: readonly string[] | undefined,
  { query, idField }: FilterFields,
  { root }: DatasetSchema,
): OrderKey[] {
  return (sort ?? []).map((text, i) => {
    const [, field = '', direction = 'asc'] = /^(.*?)(?::(asc|desc))?$/s.exec(text) ?? []
    const known = query.find(field)
    const refuse = (expected: string) =>
      invalid('INVALID_ARGUMENT', 'options', [problem(`sort[${i}]`, text, expected)])
    if (!known) throw refuse(`${knownFields(field, query)}, with :asc or :desc behind it`)
    if (known.type === 'object' || known.type === 'file')
      throw refuse('a field of numbers, dates, truths or texts')
    const descending = direction === 'desc'
    if (field !== idField) return { field, descending }
    return { field, descending, id: isNumber(fieldAt(root, field)?.type ?? 'any') ? 'number' : 'text' }
  })
}
