import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { IndexState } from '../filters/filter.ts'
import { MatchSet } from '../fulltext/matching/match-set.ts'
import { parseInput } from '../input.ts'
import { deadlineMembers } from '../jobs/watching.ts'
import type { JsonObject } from '../json.ts'
import type { Condition, VisibilityOptions } from '../query/condition-query.ts'
import { Deadline, type DeadlineOptions } from '../scheduling/deadline.ts'
import { inStretches, Stretch } from '../scheduling/stretch.ts'
import { askFiltered, filterFields, filterFor, readCondition } from './condition.ts'
import { type ListAnswer, meantHits } from './list.ts'
import { idAt } from './match-list.ts'
import { type TagOptions, tagMembers, visibilityMembers } from './read.ts'
import {
  checkResponseFields,
  type ResponseFieldOptions,
  responseFieldMembers,
  showing,
} from './response-fields.ts'
import type { Searchable } from './search.ts'
import { readVisible } from './visible.ts'

/** Maximum number of documents returned. */
const MOST = 100_000

/** What `dataset.sample()` takes: a number of documents, or a percentage. */
export interface SampleOptions<T = JsonObject>
  extends TagOptions,
    ResponseFieldOptions,
    VisibilityOptions<T>,
    DeadlineOptions {
  /** Samples with the same seed are the same as long as the documents are. Default: the empty text. */
  seed?: string
  /** Number of documents, up to 100,000; takes precedence over `percent` when above 0. */
  size?: number
  /** Percentage of the documents, 0 to 100; at most 100,000 documents. */
  percent?: number
  /** A query string, an object of conditions, or a list of these, all of which must match. */
  filter?: Condition<T>
}

const sampleOptions = z
  .strictObject({
    ...tagMembers,
    ...visibilityMembers,
    ...responseFieldMembers,
    ...deadlineMembers,
    seed: z.string().default(''),
    size: z.int().min(0).max(MOST).default(0),
    percent: z.number().min(0).max(100).default(0),
    filter: z.unknown().optional(),
  })
  .refine(({ size, percent }) => size > 0 || percent > 0, {
    path: ['size'],
    error: 'a size or a percent above 0',
  })

/** Documents chosen by a hash of the seed and their id, the highest hash first. */
export async function sample<T>(
  find: () => Searchable,
  options: unknown,
): Promise<Omit<ListAnswer<T>, 'cursor'>> {
  const dataset = find()
  const checked = parseInput(sampleOptions, options, 'options')
  const { seed, size, percent, tags, tagsBelow, responseFields } = checked
  const { state, documents, index } = dataset
  const deadline = Deadline.of(checked)
  checkResponseFields(responseFields, state, 'options')
  const show = showing(responseFields)
  const fields = filterFields(state)
  const condition = await readCondition({ filter: checked.filter, tags, tagsBelow }, dataset, fields, {
    deadline,
  })
  const filter = filterFor(condition, fields, dataset)
  const visible = await readVisible(checked.visible, dataset, deadline)
  const { segments, matches } = await askFiltered(
    { index, documents, deadline },
    [filter],
    (whole, [selection]) => {
      const segments = [...whole.state.segments]
      return { segments, matches: MatchSet.selected(segments, selection) }
    },
    [],
    visible,
  )
  const wanted = size > 0 ? size : Math.min(MOST, halfToEven((matches.size * percent) / 100))
  const { turn } = documents.store
  const picked = await inStretches(
    highest(idsOf(segments, matches), matches.size, seed, wanted),
    deadline,
    turn,
  )
  const hits = await meantHits<T>(documents, picked, { visible, show }, new Stretch(deadline, turn))
  return { hits, total: { count: matches.size, exact: true } }
}

function* idsOf(segments: IndexState['segments'], matches: MatchSet): Generator<string> {
  for (const document of matches.documents()) yield idAt(segments, document)
}

/** The ids with the highest scores, highest first, piece by piece: sorted in groups, as scores are spread evenly. */
function* highest(
  ids: Iterable<string>,
  count: number,
  seed: string,
  wanted: number,
): Generator<void, string[]> {
  const groups = Array.from({ length: Math.ceil(count / GROUPED) }, (): Scored[] => [])
  let taken = 0
  for (const id of ids) {
    if (taken++ % GROUPED === 0) yield
    const score = scoreOf(seed, id)
    groups[Math.floor((score / SCORES) * groups.length)]!.push({ id, score })
  }
  const picked: string[] = []
  for (let group = groups.pop(); group && picked.length < wanted; group = groups.pop()) {
    group.sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
    for (const { id } of group) if (picked.length < wanted) picked.push(id)
    yield
  }
  return picked
}

interface Scored {
  readonly id: string
  readonly score: number
}

/** Number of ids sorted at a time, roughly. */
const GROUPED = 256

/** Upper bound of scores, exclusive. */
const SCORES = 2 ** 48

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
