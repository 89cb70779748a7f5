import { shownText } from '../../analysis/shown-text.ts'
import { readDocuments } from '../../datasets/stored-documents.ts'
import type { JsonObject } from '../../json.ts'
import { bothMatch } from '../../query/predicate.ts'
import { atOnce } from '../../scheduling/at-once.ts'
import type { Deadline } from '../../scheduling/deadline.ts'
import { Stretch } from '../../scheduling/stretch.ts'
import { matchingIds } from '../../search/matching-ids.ts'
import { nearestMatching, presented } from '../dataset/nearest-matching.ts'
import { type TagWord, tagWordsIn } from '../model/tag-words.ts'
import type { ActiveSimilar, Compared } from './active-similar.ts'
import { checkedTag, checkFilter, requirePrepared } from './checking.ts'
import { matching, weighing } from './conditions.ts'
import { readTagWords } from './model.ts'
import type { CheckedById, CheckedRecommend } from './settings.ts'
import { StoredLists } from './stored-lists.ts'

/** A similar document. */
export interface RecommendedDocument<T extends object = JsonObject> {
  id: string
  /** Above 0, up to 1; 1 means no difference that counts. */
  score: number
  /** With weights, the value by which hits are ordered: `(1 + score) ^ (1 + weight) - 1`. */
  weighed?: number
  document: T
}

/** With weights, this many times as many hits are sorted, and at least `LEAST_REORDERED`: later ones may move to the front. */
const REORDERED = 10
const LEAST_REORDERED = 100
const MOST_REORDERED = 1000

/** Number of neighbours whose tags vote for the tag of a text. */
const VOTERS = 10

/** INVALID_ARGUMENT, QUERY_INVALID, TAG_EMPTY, SEARCH_TIMEOUT, CANCELLED */
export async function recommend(
  active: ActiveSimilar,
  text: string,
  { limit: count, tag, filter, weights }: CheckedRecommend,
  deadline: Deadline | undefined,
): Promise<RecommendedDocument[]> {
  if (tag !== undefined) checkedTag(tag, active)
  checkFilter(filter, active)
  const { dataset, index } = await active.current()
  deadline?.begin()
  deadline?.check()
  const { documents, state } = dataset
  const stretch = new Stretch(deadline, documents.store.turn)
  const byQuery = await stretch.through(matching(state, { query: filter.query }, 'filter.query'))
  const inOrder = await stretch.through(weighing(state, weights))
  const groups = [tag === undefined ? [] : [tag], filter.tags ?? []].filter(tags => tags.length > 0)
  // The index has the tags, but documents that are shown are checked again, as they may have changed.
  const byTags = groups.map(tags => atOnce(matching(state, { tags }, 'tags')))
  const accepts = (id: string) => {
    const own = groups.length > 0 ? index.tagsOf(id) : []
    return groups.every(tags => tags.some(one => own.includes(one)))
  }
  const most = inOrder ? reordered(count) : count
  const asked = {
    index,
    documents,
    query: asCompared(text, dataset),
    accepts,
    matches: byQuery,
    listing: (limit: number) => matchingIds(dataset, { filter: filter.query }, limit, { deadline }),
    deadline,
    count: most,
    least: 0,
    diversity: 0,
  }
  const near = await nearestMatching(asked)
  const matches = byTags.reduce((all, has) => bothMatch(all, has)!, byQuery)
  const found = await presented(near, { documents, matches, most, deadline })
  return inOrder ? (await stretch.through(inOrder(found))).slice(0, count) : found
}

const reordered = (count: number): number =>
  count === 0 ? 0 : Math.min(MOST_REORDERED, Math.max(LEAST_REORDERED, REORDERED * count))

/**
 * From the stored lists.
 * @param id undefined for one that no document can have
 * @throws FindlingError INVALID_ARGUMENT, QUERY_INVALID, SEARCH_TIMEOUT, CANCELLED
 */
export async function recommendById(
  active: ActiveSimilar,
  id: string | undefined,
  { limit: count, tag, query, filter, weights }: CheckedById,
  deadline: Deadline | undefined,
): Promise<RecommendedDocument[]> {
  if (tag !== undefined) requirePrepared(tag, active)
  checkFilter(filter, active)
  const { dataset } = await active.current()
  deadline?.begin()
  deadline?.check()
  const { documents, state } = dataset
  const stretch = new Stretch(deadline, documents.store.turn)
  const byQuery = await stretch.through(matching(state, { query }, 'query'))
  const byFilter = await stretch.through(matching(state, filter, 'filter.query'))
  const inOrder = await stretch.through(weighing(state, weights))
  const [document] = id === undefined ? [] : await readDocuments(documents, [id])
  if (id === undefined || !document) return []
  const within = tag ?? active.tagsIn(document, dataset)[0]
  if (within === undefined) return []
  const near = await new StoredLists(documents.store, active.stored.prefix).of(within, id)
  const ofTag = atOnce(matching(state, { tags: [within] }, 'tag'))
  const matches = [byQuery, byFilter, ofTag].reduce((all, has) => bothMatch(all, has)!)
  const found = await presented(near, { documents, matches, deadline, most: inOrder ? near.length : count })
  return inOrder ? (await stretch.through(inOrder(found))).slice(0, count) : found
}

/** INVALID_ARGUMENT, TAG_EMPTY, SEARCH_TIMEOUT, CANCELLED */
export async function keywords(
  active: ActiveSimilar,
  text: string,
  { tag, strict }: { readonly tag?: string | undefined; readonly strict: boolean },
  deadline: Deadline | undefined,
): Promise<TagWord[]> {
  if (tag !== undefined) checkedTag(tag, active)
  const current = await active.current()
  deadline?.begin()
  deadline?.check()
  const { turn } = current.dataset.documents.store
  const stretch = new Stretch(deadline, turn)
  const asked = asCompared(text, current.dataset)
  const chosen =
    tag ??
    (await turn.inTurn(
      () => likeliestTag(current, asked),
      () => deadline?.check(),
    ))
  if (chosen === undefined) return []
  const words = await readTagWords(active.placeOf(chosen), active.stored)
  return await stretch.through(tagWordsIn(asked, new Map(words), { strict }))
}

/** Documents are compared without their markup, and so is a text. */
function asCompared(text: string, { state }: Compared['dataset']): string {
  return state.settings.markup ? shownText(text) : text
}

/** The tag of most of the documents nearest to the text, each weighted by its similarity. */
function likeliestTag({ index }: Compared, text: string): string | undefined {
  const scores = new Map<string, number>()
  const accepts = (id: string) => index.tagsOf(id).length > 0
  for (const { id, score } of index.nearest(text, { count: VOTERS, accepts }))
    for (const tag of index.tagsOf(id)) scores.set(tag, (scores.get(tag) ?? 0) + score)
  const [best] = [...scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  return best?.[0]
}
