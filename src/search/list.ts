import { createHash } from 'node:crypto'
import * as z from 'zod'
import { readDocuments } from '../datasets/stored-documents.ts'
import type { Filter } from '../filters/filter.ts'
import type { FilterFields } from '../filters/filter-fields.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { Selection } from '../fulltext/ranking/selection.ts'
import { invalid, parseInput, problem } from '../input.ts'
import { type JsonObject, valuesAt } from '../json.ts'
import { knownFields } from '../query/fields.ts'
import type { Query } from '../query/query.ts'
import type { Where } from '../query/where.ts'
import { Stretch } from '../stretch.ts'
import { askFiltered, filterFields, filterFor, readCondition } from './condition.ts'
import type { Cursor, Cursors } from './cursors.ts'
import { idAt, type MatchList, Scores, selectedDocuments } from './match-list.ts'
import { firstOf, longTexts, Order, type OrderKey } from './order.ts'
import { type TagOptions, tagMembers } from './read.ts'
import type { Searchable } from './search.ts'

/** A dataset whose lists can be read page by page. */
export interface Listable extends Searchable {
  readonly cursors: Cursors
}

/** What `dataset.filter()` takes, all of it optional. */
export interface ListOptions extends TagOptions {
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
  /** `true`: the answer has a cursor if there is more. A cursor: the next page, whatever else is asked. */
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
  const { limit, offset, sort, cursor, tags, tagsBelow } = parseInput(listOptions, options, 'options')
  if (typeof cursor === 'string') return await nextPage<T>(dataset, cursor)
  const { state, cursors } = dataset
  const fields = filterFields(state)
  const keys = orderKeys(sort, fields)
  const condition = await readCondition({ filter: given, tags, tagsBelow }, dataset, fields)
  const filter = filterFor(condition, [], fields, dataset)
  const text = keys.length > 0 ? '' : [...new Set(wordsIn(condition.query))].join(' ')
  const { matches, compare, seq } = await ordered(dataset, filter, keys, text)
  const ranked = firstOf(matches.documents, matches.documents.length, offset + limit, compare)
  const page = ranked.slice(offset)
  const total = { count: matches.documents.length, exact: true } as const
  const isOpen = cursor && page.length > 0 && offset + page.length < total.count
  const id = isOpen ? cursors.open({ ...matches, compare, limit, last: page.at(-1) }, seq) : null
  return { hits: await presented<T>(dataset, matches, page, id), total, cursor: id }
}

async function nextPage<T>(dataset: Listable, id: string): Promise<ListAnswer<T>> {
  const cursor: Cursor = dataset.cursors.next(id)
  const { documents, compare, limit, last } = cursor
  const page = firstOf(documents, documents.length, limit, compare, last)
  cursor.last = page.at(-1) ?? last
  const hits = await presented<T>(dataset, cursor, page, id)
  if (page.length === 0) dataset.cursors.close(id)
  const total = { count: documents.length, exact: true } as const
  return { hits, total, cursor: page.length === 0 ? null : id }
}

/** The matches of one moment, and their order. */
async function ordered(
  dataset: Listable,
  filter: Filter | undefined,
  keys: readonly OrderKey[],
  text: string,
) {
  const { index, documents } = dataset
  /** By key and id: what columns do not have. */
  const texts = keys.map(() => new Map<string, string | undefined>())
  for (;;) {
    const answer = await askFiltered(index, documents, [filter], (whole, [selection]) => {
      const matches = matchesOf(whole, selection, text)
      const long = keys.map(() => new Map<number, string>())
      const missing: string[] = []
      for (const [k, { field }] of keys.entries()) {
        for (const document of longTexts(matches, field)) {
          const id = idAt(matches.segments, document)
          const known = texts[k]!
          if (!known.has(id)) missing.push(id)
          else if (known.get(id) !== undefined) long[k]!.set(document, known.get(id)!)
        }
      }
      const compare =
        keys.length > 0 ? new Order(keys, matches.segments, long).compare : byScore(matches.scores)
      return { matches, compare, missing, seq: dataset.cursors.seq }
    })
    if (answer.missing.length === 0) return answer
    const stored = await readDocuments(documents, answer.missing)
    for (const [i, id] of answer.missing.entries())
      for (const [k, { field }] of keys.entries()) texts[k]!.set(id, firstText(stored[i], field))
  }
}

function firstText(document: JsonObject | undefined, field: string): string | undefined {
  const values = document ? valuesAt(document, field).flat() : []
  return values.find(value => typeof value === 'string')
}

function matchesOf(whole: FulltextIndex, selection: Selection | undefined, text: string): MatchList {
  const segments = [...whole.state.segments]
  const documents = selectedDocuments(segments, selection)
  if (text === '') return { segments, documents, scores: undefined }
  const scores = new Scores()
  whole.visit(text, { operator: 'or', typoTolerance: 0, selection }, scores)
  return { segments, documents, scores: scores.byDocument }
}

const byScore =
  (scores: ReadonlyMap<number, number> | undefined) =>
  (one: number, other: number): number =>
    (scores ? (scores.get(other) ?? 0) - (scores.get(one) ?? 0) : 0) || one - other

/** Words that a document is the better for. */
function wordsIn(query: Query): string[] {
  switch (query.kind) {
    case 'every':
    case 'any':
      return query.of.flatMap(wordsIn)
    case 'boosted':
      return wordsIn(query.of)
    case 'word':
      return [query.word]
    case 'words':
      return [...query.words]
    default:
      return []
  }
}

/** Those that are gone by now are left out, unless a cursor has kept what they said. */
async function presented<T>(
  dataset: Listable,
  { segments }: Pick<MatchList, 'segments'>,
  page: readonly number[],
  cursor: string | null,
): Promise<ListAnswer<T>['hits']> {
  const ids = page.map(document => idAt(segments, document))
  const stored = await readDocuments(dataset.documents, ids)
  return ids.flatMap((id, i) => {
    const before = cursor === null ? undefined : dataset.cursors.before(cursor, id)
    const document = before ?? stored[i]
    // What is stored has passed the dataset's rules.
    return document ? [{ id, document: document as T }] : []
  })
}

/** @throws FindlingError INVALID_ARGUMENT for what is no field, or none with an order */
export function orderKeys(sort: readonly string[] | undefined, { query }: FilterFields): OrderKey[] {
  return (sort ?? []).map((text, i) => {
    const [, field = '', direction = 'asc'] = /^(.*?)(?::(asc|desc))?$/s.exec(text) ?? []
    const known = query.find(field)
    const refuse = (expected: string) =>
      invalid('INVALID_ARGUMENT', 'options', [problem(`sort[${i}]`, text, expected)])
    if (!known) throw refuse(`${knownFields(field, query)}, with :asc or :desc behind it`)
    if (known.type === 'object' || known.type === 'file')
      throw refuse('a field of numbers, dates, truths or texts')
    return { field, descending: direction === 'desc' }
  })
}

/** What `dataset.sample()` takes: how many documents, or how many of a hundred. */
export interface SampleOptions<T = JsonObject> extends TagOptions {
  /** Samples of the same seed are the same as long as the documents are. Default: the empty text. */
  seed?: string
  /** Documents; wins over `percent` when above 0. */
  size?: number
  /** 0 to 100. */
  percent?: number
  /** A query string or an object of conditions. */
  filter?: Where<T> | string
}

const sampleOptions = z
  .strictObject({
    ...tagMembers,
    seed: z.string().default(''),
    size: z.int().min(0).max(100_000).default(0),
    percent: z.number().min(0).max(100).default(0),
    filter: z.unknown().optional(),
  })
  .refine(({ size, percent }) => size > 0 || percent > 0, {
    path: ['size'],
    error: 'a size or a percent above 0',
  })

/** Documents that a hash of the seed and their id picks, the highest first. */
export async function sample<T>(
  find: () => Searchable,
  options: unknown,
): Promise<Omit<ListAnswer<T>, 'cursor'>> {
  const dataset = find()
  const {
    seed,
    size,
    percent,
    filter: given,
    tags,
    tagsBelow,
  } = parseInput(sampleOptions, options, 'options')
  const { state, documents, index } = dataset
  const fields = filterFields(state)
  const condition = await readCondition({ filter: given, tags, tagsBelow }, dataset, fields)
  const filter = filterFor(condition, [], fields, dataset)
  const ids = await askFiltered(index, documents, [filter], (whole, [selection]) => {
    const { segments } = whole.state
    return Array.from(selectedDocuments(segments, selection), document => idAt(segments, document))
  })
  const wanted = Math.min(ids.length, size > 0 ? size : halfToEven((ids.length * percent) / 100))
  const stretch = new Stretch()
  const scored: { id: string; score: string }[] = []
  for (const [i, id] of ids.entries()) {
    if (i % 1024 === 0 && stretch.isOver) await stretch.pause()
    scored.push({ id, score: hashOf(seed, id) })
  }
  const picked = scored.sort((a, b) => (a.score > b.score ? -1 : 1)).slice(0, wanted)
  const stored = await readDocuments(
    documents,
    picked.map(({ id }) => id),
  )
  const hits = picked.flatMap(({ id }, i) => (stored[i] ? [{ id, document: stored[i] as T }] : []))
  return { hits, total: { count: ids.length, exact: true } }
}

const hashOf = (seed: string, id: string): string =>
  createHash('sha1')
    .update(JSON.stringify([seed, id]))
    .digest('base64')

function halfToEven(number: number): number {
  const below = Math.floor(number)
  const isHalf = number - below === 0.5
  return isHalf ? below + (below % 2) : Math.round(number)
}
