import { documentsOf } from '../matching/hidden-documents.ts'
import { isSelected, type Selection } from '../matching/selection.ts'
import type { Total } from '../matching/total.ts'
import type { HitList, ScoredId } from '../reordering/hit-list.ts'
import type { MatchOrder } from '../reordering/match-order.ts'
import { merged, othersOn, pinnedPlaces } from '../reordering/pinned-places.ts'
import type { Segment } from '../segments/segment.ts'
import type { SegmentList } from '../segments/segment-list.ts'
import type { GroupPlan, QueryRun } from './query-run.ts'

/** Which hits to return, and what they contain. */
export interface PageOptions {
  /** Maximum number of hits. */
  readonly limit: number
  /** Maximum number of hits kept for later pages. Default none. Not with `explain`. */
  readonly keeps?: number | undefined
  /** Number of hits to skip. Default 0. */
  readonly offset?: number
  /** Whether matches are counted, for which all are read, or estimated. Default false. */
  readonly count?: boolean
  /** Whether hits explain their scores. Default false. */
  readonly explain?: boolean
  /** Order of the hits that are not pinned. Default: best first. */
  readonly order?: MatchOrder | undefined
}

/** A document that is pinned to a position, from 1, whether it matches or not. */
export interface PinnedId {
  readonly id: string
  readonly position: number
}

/** A document of the index at a position from 1. */
interface Pin {
  readonly document: number
  readonly position: number
}

/** A page of hits. */
export interface Page {
  readonly hits: HitList
  /** All documents found, beyond the page too. */
  readonly total: Total
  /** Number of hits on the page that were ranked, not pinned. */
  readonly ranked: number
}

/** A page of ranked hits, and the groups of documents. */
interface RankedPage extends Page {
  readonly groupOf: (document: number) => ScoredId['group']
}

interface Arrangement {
  readonly options: PageOptions
  /** By position. */
  readonly pins: readonly Pin[]
  readonly groups: GroupPlan | undefined
  /** Runs the query on all documents but these. */
  readonly run: (without: readonly number[]) => QueryRun
}

/** Which of the hits are wanted. */
interface HitRange {
  readonly offset: number
  readonly limit: number
}

/** A page of hits in order: pinned ones at their positions, the others by rank, of each group the best. */
export function arrange({ options, pins, groups, run }: Arrangement): Page {
  const { offset = 0, explain = false } = options
  const limit = options.keeps ?? options.limit
  if (pins.length === 0) return pageOf(run([]), options, { offset, limit }, groups)
  const documents = pins.map(({ document }) => document)
  const positions = pins.map(({ position }) => position)
  const pinned = run([]).scored(documents, { explain, keeps: false }).slice(0, documents.length)
  const matching = new Map(documents.map((document, i) => [document, pinned[i]!.score > 0]))
  const others = run(documents)
  const ranked = (part: HitRange) => pageOf(others, options, part, groups, matching)
  let places = pinnedPlaces(positions)
  const wanted = othersOn(places, offset, limit)
  let found = ranked(wanted)
  // A page of pinned hits only does not tell whether there are enough others before it.
  if (found.ranked < wanted.limit || (wanted.limit === 0 && wanted.offset > 0)) {
    places = pinnedPlaces(positions, found.total.exact ? found.total.count : others.count())
    found = ranked(othersOn(places, offset, limit))
  }
  const { count, exact } = found.total
  const shown = pinned.map((hit, i): ScoredId => {
    const group = found.groupOf(documents[i]!)
    return group ? { ...hit, group, pinned: true } : { ...hit, pinned: true }
  })
  return {
    hits: withPins(shown, places, found.hits, { offset, limit }),
    total: { count: count + pins.length, exact },
    ranked: found.ranked,
  }
}

/** For kept hits, the ones between pinned hits are also made page by page. */
function withPins(
  pinned: readonly ScoredId[],
  places: readonly number[],
  others: HitList,
  { offset, limit }: HitRange,
): HitList {
  const first = othersOn(places, offset, limit).offset
  const pins = places.filter(place => place >= offset && place < offset + limit).length
  const slice = (from: number, to: number) => {
    const on = othersOn(places, offset + from, to - from)
    const at = on.offset - first
    return merged(pinned, places, others.slice(at, at + on.limit), offset + from, to - from)
  }
  return { length: others.length + pins, slice }
}

/** The pins of documents that are in the index, selected and not hidden, by position; of several for one document the first. */
export function pinsOf(
  pinned: readonly PinnedId[] = [],
  hidden: ReadonlySet<number>,
  list: SegmentList<Segment>,
  selection: Selection | undefined,
): Pin[] {
  if (pinned.length === 0) return []
  const pins = new Map<number, number>()
  for (const { id, position } of pinned)
    for (const document of documentsOf([id], list))
      if (!hidden.has(document) && isSelected(document, selection) && !pins.has(document))
        pins.set(document, position)
  const all = [...pins].map(([document, position]) => ({ document, position }))
  return all.sort((a, b) => a.position - b.position)
}

function pageOf(
  run: QueryRun,
  { explain = false, keeps, order, count: isCounted = false }: PageOptions,
  range: HitRange,
  groups: GroupPlan | undefined,
  pinned?: ReadonlyMap<number, boolean>,
): RankedPage {
  const { offset, limit } = range
  const form = { explain, keeps: keeps !== undefined }
  if (!groups) {
    const hits = order ? run.hitsBy(order, offset, limit, form) : run.hits(offset, limit, form)
    const total = totalOf(run, range, hits.length, isCounted)
    return { hits, total, ranked: hits.length, groupOf: ungrouped }
  }
  const grouped = { offset, limit, ...form, groups, pinned: pinned ?? new Map() }
  const { hits, count, groupOf } = order ? run.groupedHitsBy(order, grouped) : run.groupedHits(grouped)
  return { hits, total: { count, exact: true }, ranked: hits.length, groupOf }
}

const ungrouped = (): undefined => undefined

/** If there are fewer hits than requested, or none was skipped, they are all. */
function totalOf(run: QueryRun, { offset, limit }: HitRange, hits: number, isCounted: boolean): Total {
  if (hits < limit && (hits > 0 || offset === 0)) return { count: offset + hits, exact: true }
  if (isCounted) return { count: run.count(), exact: true }
  return run.total(hits > 0 ? offset + hits : 0, hits < limit ? offset : Number.POSITIVE_INFINITY)
}
