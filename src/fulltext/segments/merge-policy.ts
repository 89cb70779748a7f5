/** Number of words in a typical document: longer ones count as several where it is about the time that work takes. */
const TYPICAL_TOKENS = 32

/** Bytes of columns that take about as long as a typical document. */
const TYPICAL_COLUMNS = 256

/** Merges of up to this many typical documents happen immediately; larger ones are left to compaction. */
export const MAX_IMMEDIATE_MERGE = 4096

/**
 * The number of typical documents that amount to the same work.
 * @param columns bytes of their columns, where these are read or written
 */
export function workOf(documents: number, tokens: number, columns = 0): number {
  return Math.max(documents, Math.ceil(tokens / TYPICAL_TOKENS), Math.ceil(columns / TYPICAL_COLUMNS))
}

const FAN_IN = 4

/** Number of segments that are compacted together; fewer if they make a large one. */
const COMPACTION_FAN_IN = 12

/** A segment with this share of the maximum number of documents is large: there is little left to merge it with. */
const LARGE = 0.75

/**
 * How many of the newest segments to merge now, 0 for none: merges once there are four whose sizes do not exceed the newest
 * one's power of four (tiered merging: a document is merged log4(4,096) = 6 times).
 */
export function immediateMerge(sizes: readonly number[]): number {
  const tier = tierOf(sizes.at(-1) ?? 0)
  let count = 0
  let documents = 0
  for (let i = sizes.length - 1; i >= 0 && tierOf(sizes[i]!) <= tier; i--) {
    documents += sizes[i]!
    count++
  }
  return count >= FAN_IN && documents <= MAX_IMMEDIATE_MERGE ? count : 0
}

function tierOf(size: number): number {
  return Math.floor(Math.log2(Math.max(1, size)) / 2)
}

export interface SegmentSize {
  readonly live: number
  readonly removed: number
  /** Work of merging it, in typical documents. */
  readonly work: number
  /** Number of searches that have read it. */
  readonly looks: number
}

/** The cost of merging a typical document, in searches of one more segment, about a microsecond each. */
const LOOKS_PER_DOCUMENT = 3

/** The cost of a merge besides that: at once, and in a worker thread, to which the segments are sent as a job. */
const [LOOKS_AT_ONCE, LOOKS_OF_JOB] = [30, 1_500]

/** Merging up to this many typical documents at once takes less time than sending them to a worker, once the code is compiled. */
const MOST_PAID_AT_ONCE = 256

/**
 * The adjacent segments, from..to, that compaction should merge: many, or enough for a large one, none of them larger than
 * all others together, so that the segment of every document at least doubles; or one that is mostly dead; or those
 * whose merge searches have paid for. Otherwise the newest segments are left to `immediateMerge` and `paidAtOnce`.
 */
export function compactionRange(
  sizes: readonly SegmentSize[],
  most: number,
): { from: number; to: number } | undefined {
  const settled = sizes.slice(0, settledSegments(sizes))
  for (let from = 0; from < sizes.length; from++) {
    const { live, removed, work } = sizes[from]!
    if (removed > live && work > MAX_IMMEDIATE_MERGE) return { from, to: from + 1 }
    const to = worthwhileEnd(settled, from, most)
    if (to > from) return { from, to }
  }
  return paidRange(sizes, LOOKS_OF_JOB, ({ documents }) => documents <= most)
}

/** The newest segments, from..to, whose merge searches have paid for and is too little work for a task. */
export function paidAtOnce(sizes: readonly SegmentSize[]): { from: number; to: number } | undefined {
  return paidRange(sizes, LOOKS_AT_ONCE, ({ work }) => work <= MOST_PAID_AT_ONCE)
}

/** The first adjacent segments that fit into one, so that in the end there are few. */
export function joinableRange(
  sizes: readonly SegmentSize[],
  most: number,
): { from: number; to: number } | undefined {
  for (let from = 0; from < sizes.length - 1; from++) {
    let to = from
    for (let documents = 0; to < sizes.length; to++) {
      documents += sizes[to]!.live
      if (documents > most) break
    }
    if (to > from + 1) return { from, to }
  }
  return undefined
}

/**
 * The newest segments, as many as possible, on which searches have spent as much time as merging them takes: like a skier who
 * buys once the rent has reached the price, this spends at most twice the minimum (Karlin et al.,
 * "Competitive snoopy caching", 1988). If nothing is searched between writes, nothing is merged for it.
 */
function paidRange(
  sizes: readonly SegmentSize[],
  fixedLooks: number,
  fits: (sum: { readonly documents: number; readonly work: number }) => boolean,
): { from: number; to: number } | undefined {
  const to = sizes.length
  let [documents, work, looks] = [0, 0, 0]
  let paid: { from: number; to: number } | undefined
  for (let from = to - 1; from >= 0; from--) {
    const size = sizes[from]!
    documents += size.live
    work += size.work
    if (!fits({ documents, work })) break
    const price = fixedLooks + work * LOOKS_PER_DOCUMENT
    if (from < to - 1 && looks >= price) paid = { from, to }
    // Searches that read the others no longer read this one.
    looks += size.looks
  }
  return paid
}

/** How many of the oldest segments are too much work for an immediate merge of all from there on. */
function settledSegments(sizes: readonly SegmentSize[]): number {
  let work = 0
  let settled = sizes.length
  while (settled > 0 && work < MAX_IMMEDIATE_MERGE) work += sizes[--settled]!.work
  return work < MAX_IMMEDIATE_MERGE ? 0 : settled + 1
}

function worthwhileEnd(sizes: readonly SegmentSize[], from: number, most: number): number {
  let documents = 0
  let work = 0
  let largest = 0
  let end = from
  for (let to = from; to < sizes.length; to++) {
    documents += sizes[to]!.live
    work += sizes[to]!.work
    largest = Math.max(largest, sizes[to]!.live)
    if (documents > most) break
    const isGood = to - from + 1 >= COMPACTION_FAN_IN || documents >= most * LARGE
    if (isGood && work > MAX_IMMEDIATE_MERGE && largest * 2 <= documents) end = to + 1
  }
  return end
}
