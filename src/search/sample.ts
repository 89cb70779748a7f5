import { createHash } from 'node:crypto'
import * as z from 'zod'
import { readDocuments } from '../datasets/stored-documents.ts'
import { firstOf } from '../fulltext/ranking/first-of.ts'
import { MatchSet } from '../fulltext/ranking/match-set.ts'
import { parseInput } from '../input.ts'
import type { JsonObject } from '../json.ts'
import type { Condition } from '../query/condition.ts'
import { Stretch } from '../stretch.ts'
import { askFiltered, filterFields, filterFor, readCondition } from './condition.ts'
import type { ListAnswer } from './list.ts'
import { idAt } from './match-list.ts'
import { type TagOptions, tagMembers } from './read.ts'
import {
  type ResponseFieldOptions,
  refuseUnknownFields,
  responseFieldMembers,
  shown,
} from './response-fields.ts'
import type { Searchable } from './search.ts'

/** Documents that are handed over at once. */
const MOST = 100_000

/** What `dataset.sample()` takes: how many documents, or how many of a hundred. */
export interface SampleOptions<T = JsonObject> extends TagOptions, ResponseFieldOptions {
  /** Samples of the same seed are the same as long as the documents are. Default: the empty text. */
  seed?: string
  /** Documents; wins over `percent` when above 0. */
  size?: number
  /** 0 to 100, and at most 100,000 documents. */
  percent?: number
  /** A query string, an object of conditions, or a list of these, which must all match. */
  filter?: Condition<T>
}

const sampleOptions = z
  .strictObject({
    ...tagMembers,
    ...responseFieldMembers,
    seed: z.string().default(''),
    size: z.int().min(0).max(MOST).default(0),
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
  const checked = parseInput(sampleOptions, options, 'options')
  const { seed, size, percent, tags, tagsBelow, responseFields } = checked
  const { state, documents, index } = dataset
  refuseUnknownFields(responseFields, state, 'options')
  const fields = filterFields(state)
  const condition = await readCondition({ filter: checked.filter, tags, tagsBelow }, dataset, fields)
  const filter = filterFor(condition, [], fields, dataset)
  const ids = await askFiltered(index, documents, [filter], (whole, [selection]) => {
    const { segments } = whole.state
    const matches = MatchSet.selected(segments, selection)
    return Array.from(matches.documents(), document => idAt(segments, document))
  })
  const wanted = size > 0 ? size : Math.min(MOST, halfToEven((ids.length * percent) / 100))
  const scores = new Float64Array(ids.length)
  const stretch = new Stretch()
  for (const [i, id] of ids.entries()) {
    if (i % 1024 === 0 && stretch.isOver) await stretch.pause()
    scores[i] = scoreOf(seed, id)
  }
  const compare = (one: number, other: number) =>
    scores[other]! - scores[one]! || (ids[one]! < ids[other]! ? -1 : 1)
  const picked = firstOf(Uint32Array.from(ids.keys()), Math.min(wanted, ids.length), compare).map(
    i => ids[i]!,
  )
  const stored = await readDocuments(documents, picked)
  const hits = picked.flatMap((id, i) => {
    const document = stored[i]
    return document ? [{ id, document: shown<T>(document, responseFields) }] : []
  })
  return { hits, total: { count: ids.length, exact: true } }
}

const scoreOf = (seed: string, id: string): number =>
  createHash('sha1')
    .update(JSON.stringify([seed, id]))
    .digest()
    .readUIntBE(0, 6)

function halfToEven(number: number): number {
  const below = Math.floor(number)
  const isHalf = number - below === 0.5
  return isHalf ? below + (below % 2) : Math.round(number)
}
