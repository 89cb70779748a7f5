import { sorting } from '../arrays/sorting.ts'
import { fieldPicker } from '../datasets/field-list.ts'
import { visibleFieldsOf } from '../datasets/visible-fields.ts'
import { invalid, parseInput, problem } from '../input.ts'
import type { JsonObject } from '../json.ts'
import type { bothMatch } from '../query/predicate.ts'
import { Deadline } from '../scheduling/deadline.ts'
import { Stretch } from '../scheduling/stretch.ts'
import { filterFor, readCondition } from '../search/condition.ts'
import { matchingIds } from '../search/matching-ids.ts'
import { namedFields, type Searchable } from '../search/search.ts'
import { stillMeant } from '../search/still-meant.ts'
import { readVisible } from '../search/visible.ts'
import { Baskets, type InBaskets } from './baskets.ts'
import {
  boughtTogetherOptions,
  type CheckedTogether,
  excludedIds,
  readAskedIds,
  trendingOptions,
} from './options.ts'

/** A document that baskets recommend. */
export interface BasketHit<T extends object = JsonObject> {
  id: string
  /**
   * Above 0. The root of the log-likelihood ratio of the document and the baskets: chance alone rarely gives more than 3. For
   * several documents, the sum. Of what is trending by `count`, the same as `times`.
   */
  score: number
  /**
   * In how many baskets it was: of what is bought together, those that also have one of the given documents, where a basket with
   * two of them counts twice.
   */
  times: number
  document: T
}

/** A dataset, and how others are found. */
export interface Recommendable extends Searchable {
  /** DATASET_NOT_FOUND. @param field the member that has the name */
  other(name: string, field: string): Searchable
}

/** Documents that are read at a time. */
const READ_AT_ONCE = 64
/** Documents that are read beyond those that are wanted, as some may be gone. */
const SPARE = 4

/** If more documents match than this, those recommended are read to see whether they do. */
const MOST_LISTED = 4096

/**
 * The documents that are in the same baskets as others, more often than in all baskets; for several others, by the sum of the
 * scores (item-based collaborative filtering: Sarwar et al. 2001, section 3; the score is of Dunning 1993).
 * @throws FindlingError INVALID_ARGUMENT, QUERY_INVALID, DATASET_NOT_FOUND, SEARCH_TIMEOUT, CANCELLED
 */
export async function boughtTogether<T extends object>(
  dataset: Recommendable,
  ids: unknown,
  options: unknown,
): Promise<BasketHit<T>[]> {
  const asked = readAskedIds(ids)
  const checked = parseInput(boughtTogetherOptions, options, 'options')
  const baskets = basketsOf(dataset)
  const chosen = await choosing(dataset, checked)
  const there = await chosen.there(asked)
  // For several ids, once with each of two may be enough.
  const { days, least } = checked
  const range = { days, least: there.length > 1 ? 1 : least, deadline: chosen.deadline }
  const sums = new Map<string, InBaskets>()
  for (const id of there)
    for (const one of await baskets.with(id, range)) {
      const { times = 0, score = 0 } = sums.get(one.id) ?? {}
      sums.set(one.id, { id: one.id, times: times + one.times, score: score + one.score })
    }
  return await chosen.shown<T>([...sums.values()], asked)
}

/**
 * The documents that are in many baskets of the last days.
 * @throws FindlingError INVALID_ARGUMENT, QUERY_INVALID, DATASET_NOT_FOUND, SEARCH_TIMEOUT, CANCELLED
 */
export async function trending<T extends object>(
  dataset: Recommendable,
  options: unknown,
): Promise<BasketHit<T>[]> {
  const { by, days, ...checked } = parseInput(trendingOptions, options, 'options')
  const baskets = basketsOf(dataset)
  const chosen = await choosing(dataset, checked)
  const isCounted = by === 'count'
  const range = { days, least: checked.least, deadline: chosen.deadline }
  const found = await baskets.lately(isCounted ? 'count' : 'significance', range)
  return await chosen.shown<T>(isCounted ? found.map(one => ({ ...one, score: one.times })) : found, [])
}

/** @throws FindlingError INVALID_ARGUMENT, DATASET_NOT_FOUND */
function basketsOf({ state: { settings }, other }: Recommendable): Baskets {
  const { baskets } = settings
  if (!baskets)
    throw invalid('INVALID_ARGUMENT', 'settings', [
      problem('baskets', undefined, 'the dataset and the field in which baskets name documents'),
    ])
  return new Baskets(other(baskets.dataset, 'baskets.dataset'), baskets)
}

const bestFirst = (one: InBaskets, other: InBaskets): number =>
  other.score - one.score || other.times - one.times || (one.id < other.id ? -1 : 1)

/** Which of the documents that baskets have are shown, and how. */
async function choosing(dataset: Recommendable, checked: Omit<CheckedTogether, 'days'>) {
  const { state, documents } = dataset
  const { filter, tags, tagsBelow, limit, least } = checked
  const given = { filter, tags, tagsBelow }
  const deadline = Deadline.of(checked)
  deadline?.begin()
  const visibleFields = visibleFieldsOf(checked.visibleFields, state.settings)
  const fields = namedFields({ visibleFields }, state)
  const condition = filterFor(await readCondition(given, dataset, fields, { deadline }), fields, dataset)
  const visible = await readVisible(checked.visible, dataset, deadline)
  const shown = visibleFields?.shown(undefined)
  const show = shown ? fieldPicker(shown) : (document: JsonObject) => document
  const stretch = new Stretch(deadline, documents.store.turn)
  const left = excludedIds(checked.exclude)
  const stored = (ids: readonly string[], matches?: ReturnType<typeof bothMatch>) =>
    stillMeant(documents, ids, { matches, ...(visible && { visible }) }, stretch)
  return {
    deadline,
    /** Those of the ids that are visible documents. */
    there: async (ids: readonly string[]): Promise<string[]> => {
      const found = await stored(ids)
      return ids.filter((_, i) => found[i])
    },
    shown: async <T extends object>(
      found: readonly InBaskets[],
      asked: readonly string[],
    ): Promise<BasketHit<T>[]> => {
      const hidden = new Set([...asked, ...left])
      const listed =
        limit > 0 && condition
          ? await matchingIds(dataset, given, MOST_LISTED, { visible: checked.visible, deadline })
          : undefined
      const allowed = found.filter(
        ({ id, times }) => times >= least && !hidden.has(id) && (!listed || listed.has(id)),
      )
      const wanted = await stretch.through(sorting(allowed, bestFirst))
      const hits: BasketHit<T>[] = []
      for (let at = 0; at < wanted.length && hits.length < limit; ) {
        const some = wanted.slice(at, at + Math.min(READ_AT_ONCE, limit - hits.length + SPARE))
        at += some.length
        const ids = some.map(({ id }) => id)
        // What is stored has passed the dataset's rules.
        for (const [i, document] of (await stored(ids, condition?.matches)).entries())
          if (document && hits.length < limit) hits.push({ ...some[i]!, document: show(document) as T })
      }
      return hits
    },
  }
}
