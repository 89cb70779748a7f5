import { createHash } from 'node:crypto'
import * as z from 'zod'
import { readDocuments } from '../datasets/stored-documents.ts'
import type { Facet } from '../facets/facet.ts'
import { type FacetOptions, facetList } from '../facets/facet-options.ts'
import type { IndexState } from '../filters/filter.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { MatchOrder } from '../fulltext/ranking/match-order.ts'
import { MatchSet } from '../fulltext/ranking/match-set.ts'
import type { Selection } from '../fulltext/ranking/selection.ts'
import { parseInput } from '../input.ts'
import type { JsonObject } from '../json.ts'
import type { Condition } from '../query/condition.ts'
import type { Query } from '../query/query.ts'
import { Stretch } from '../stretch.ts'
import { askFiltered, filterFields, filterFor, readCondition } from './condition.ts'
import { countedFacets } from './counted-facets.ts'
import { idAt, indexOrder, ScoreOrder } from './match-list.ts'
import { Ordering, orderKeys } from './order.ts'
import { orderMembers, type TagOptions, tagMembers } from './read.ts'
import type { Searchable } from './search.ts'

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
  /** Fields of which the values of all documents that match are counted, or settings for each. At most 100. */
  facets?: readonly (string | FacetOptions)[]
}

/** Documents that match, in order. */
export interface ListAnswer<T> {
  hits: { id: string; document: T }[]
  total: { count: number; exact: true }
  /** Gets the next page; null if there is none, or none was asked for. */
  cursor: string | null
  /** By field, when asked for; not on the pages of a cursor behind the first. */
  facets?: Record<string, Facet>
}

const listOptions = z.strictObject({
  ...tagMembers,
  limit: z.int().min(0).max(10_000).default(10),
  offset: z.int().min(0).max(1_000_000).default(0),
  ...orderMembers,
  facets: facetList.optional(),
})

/** Documents that match a filter, page by page. */
export async function list<T>(
  find: () => Searchable,
  given: unknown,
  options: unknown,
): Promise<ListAnswer<T>> {
  const dataset = find()
  const checked = parseInput(listOptions, options, 'options')
  const { limit, offset, sort, cursor, tags, tagsBelow } = checked
  if (typeof cursor === 'string') return await nextPage<T>(dataset, cursor)
  const { state, cursors } = dataset
  const fields = filterFields(state)
  const keys = orderKeys(sort, fields)
  const condition = await readCondition({ filter: given, tags, tagsBelow }, dataset, fields)
  const counted = await countedFacets(checked.facets, condition, dataset, fields)
  const text = keys.length > 0 ? '' : [...new Set(wordsIn(condition.query))].join(' ')
  const ordering = new Ordering(keys)
  const found = await askFiltered(
    dataset.index,
    dataset.documents,
    counted.filters,
    (whole, selections) => {
      const segments = [...whole.state.segments]
      const sets = selections.map(selection => MatchSet.selected(segments, selection))
      const matches = sets[0]!
      const order = keys.length > 0 ? ordering.of(segments) : orderFor(text, whole, selections[0])
      const page = order.first(matches, offset + limit).slice(offset)
      return { segments, matches, order, page, facets: counted.count(whole, sets), seq: cursors.seq }
    },
    [...counted.preparations, ordering],
  )
  const { segments, matches, order, page, facets, seq } = found
  const total = { count: matches.size, exact: true } as const
  const isOpen = cursor && page.length > 0 && offset + page.length < total.count
  const kept = { kind: 'list', segments, matches, order, limit, last: page.at(-1) } as const
  const id = isOpen ? cursors.open(kept, seq) : null
  return {
    hits: await presented<T>(dataset, segments, page, id),
    total,
    cursor: id,
    ...(facets && { facets }),
  }
}

async function nextPage<T>(dataset: Searchable, id: string): Promise<ListAnswer<T>> {
  const cursor = dataset.cursors.next(id, 'list')
  const { matches, order, limit, last, segments } = cursor
  const page = order.first(matches, limit, last)
  cursor.last = page.at(-1) ?? last
  const hits = await presented<T>(dataset, segments, page, id)
  if (page.length === 0) dataset.cursors.close(id)
  const total = { count: matches.size, exact: true } as const
  return { hits, total, cursor: page.length === 0 ? null : id }
}

/** Documents with more and rarer of the words first. */
function orderFor(text: string, whole: FulltextIndex, selection: Selection | undefined): MatchOrder {
  if (text === '') return indexOrder
  const scores = new ScoreOrder()
  whole.visit(text, { operator: 'or', typoTolerance: 0, selection }, scores)
  return scores
}

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
  dataset: Searchable,
  segments: IndexState['segments'],
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

/** What `dataset.sample()` takes: how many documents, or how many of a hundred. */
export interface SampleOptions<T = JsonObject> extends TagOptions {
  /** Samples of the same seed are the same as long as the documents are. Default: the empty text. */
  seed?: string
  /** Documents; wins over `percent` when above 0. */
  size?: number
  /** 0 to 100. */
  percent?: number
  /** A query string, an object of conditions, or a list of these, which must all match. */
  filter?: Condition<T>
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
    const matches = MatchSet.selected(segments, selection)
    return Array.from(matches.documents(), document => idAt(segments, document))
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
