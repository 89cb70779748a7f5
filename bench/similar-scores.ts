import { findPairs, groupPairs, type SimilarPair } from '../src/similarity/duplicates.ts'
import { findNeighbours } from '../src/similarity/neighbours.ts'
import { SimilarityIndex } from '../src/similarity/similarity-index.ts'
import {
  type JudgedPair,
  judgedPairs,
  type Listing,
  type Matching,
  type MatchingSet,
  publishedPairs,
  readMatching,
} from './matching.ts'
import { type Cost, costOf, memory } from './measure.ts'
import { mean, percentile } from './metrics.ts'
import { progress } from './report.ts'
import { similarContestants } from './similar-contestants.ts'

/** How deep answers are looked at. */
const DEPTH = 10

export interface FinderTask {
  readonly evaluationData: string
  readonly set: MatchingSet
  readonly contestant: string
}

/** Means over what was asked. */
export interface Found {
  readonly hitAt1: number
  readonly hitAt10: number
  readonly reciprocalRank: number
}

export interface FinderFigures {
  readonly all: Found
  /** Of even ids alone. */
  readonly even: Found
  /** Of building, milliseconds of CPU per document. */
  readonly buildMs: number
  readonly bytesPerDocument: number
  /** Milliseconds of CPU, and the median of single queries. */
  readonly queryMs: number
  readonly p50: number
}

/** How well and how fast one contestant finds what belongs to a document. */
export async function measureFinder({ evaluationData, set, contestant }: FinderTask): Promise<FinderFigures> {
  progress(`similar: ${set}, ${contestant}`)
  const { build } = similarContestants.find(({ name }) => name === contestant)!
  const matching = readMatching(evaluationData, set)
  const before = memory()
  let finder: Awaited<ReturnType<typeof build>> | undefined
  const building = await costOf(async () => {
    finder = await build(matching.stored, matching.isOneCatalogue ? [] : matching.asked)
  })
  const held = memory().held - before.held
  const places: number[] = []
  const latencies: number[] = []
  const asking = await costOf(async () => {
    for (const document of matching.asked) {
      const start = performance.now()
      const ids = await finder!.nearest(document, DEPTH + 1)
      latencies.push(performance.now() - start)
      places.push(placeOf(ids, document, matching))
    }
  })
  await finder!.close?.()
  const even = places.filter((_, at) => numberIn(matching.asked[at]!.id) % 2 === 0)
  return {
    all: found(places),
    even: found(even),
    buildMs: (building.cpuSeconds * 1_000) / matching.stored.length,
    bytesPerDocument: held / matching.stored.length,
    queryMs: (asking.cpuSeconds * 1_000) / matching.asked.length,
    p50: percentile(Float64Array.from(latencies).sort(), 0.5),
  }
}

/** Of the first document that was to be found, 0 where none is among the ten. */
function placeOf(ids: readonly string[], { id }: Listing, { expected }: Matching): number {
  const others = ids.filter(other => other !== id).slice(0, DEPTH)
  return 1 + others.findIndex(other => expected.get(id)!.has(other))
}

const found = (places: readonly number[]): Found => ({
  hitAt1: mean(places.map(place => Number(place === 1))),
  hitAt10: mean(places.map(place => Number(place > 0))),
  reciprocalRank: mean(places.map(place => (place === 0 ? 0 : 1 / place))),
})

const numberIn = (id: string): number => Number(id.replace(/\D/g, ''))

export interface DuplicateFigures {
  readonly what: string
  readonly threshold: number
  readonly precision: number
  readonly recall: number
  readonly f1: number
}

/** How well a threshold, chosen on one half of the pairs, tells the same from the like in the other half. */
export async function measureDuplicates({
  evaluationData,
}: {
  evaluationData: string
}): Promise<DuplicateFigures[]> {
  progress('similar: duplicates')
  return [
    abtBuy(evaluationData),
    published(evaluationData),
    judged(
      'wdc-products-small, judged pairs',
      readMatching(evaluationData, 'wdc-products-small').stored,
      judgedPairs(evaluationData),
    ),
    ...clusters(evaluationData),
  ]
}

interface Scored {
  readonly score: number
  readonly isSame: boolean
  readonly isForChoosing: boolean
}

/** All pairs of two shops that have a score worth a look. */
function abtBuy(evaluationData: string): DuplicateFigures {
  const { stored, asked, expected } = readMatching(evaluationData, 'abt-buy')
  const index = indexOf([...stored, ...asked])
  const isStored = new Set(stored.map(({ id }) => id))
  const scored = asked.flatMap(({ id }): Scored[] => {
    const near = index.nearest({ id }, { count: 20, accepts: other => isStored.has(other) })
    return near.map(hit => ({
      score: hit.score,
      isSame: expected.get(id)!.has(hit.id),
      isForChoosing: numberIn(id) % 2 === 1,
    }))
  })
  const sizes = countOf(asked.map(({ id }) => [numberIn(id) % 2 === 1, expected.get(id)!.size]))
  return figures('abt-buy, all pairs', scored, sizes)
}

function published(evaluationData: string): DuplicateFigures {
  const { documents, pairs } = publishedPairs(evaluationData)
  return judged('abt-buy, published pairs', documents, pairs)
}

function judged(what: string, documents: readonly Listing[], pairs: readonly JudgedPair[]): DuplicateFigures {
  const index = indexOf(documents)
  const byFirst = new Map<string, JudgedPair[]>()
  for (const pair of pairs) byFirst.set(pair.ids[0], [...(byFirst.get(pair.ids[0]) ?? []), pair])
  const scored = [...byFirst].flatMap(([id, ofFirst]) => {
    const scores = index.scores(
      { id },
      ofFirst.map(({ ids }) => ids[1]),
    )
    return ofFirst.map((pair, at): Scored => ({ ...pair, score: scores[at]! }))
  })
  const sizes = countOf(pairs.map(({ isForChoosing, isSame }) => [isForChoosing, Number(isSame)]))
  return figures(what, scored, sizes)
}

/** Offers of the same product: pairs as they are, and those within groups. */
function clusters(evaluationData: string): DuplicateFigures[] {
  const { stored, expected } = readMatching(evaluationData, 'pricerunner')
  const index = indexOf(stored)
  const pairs = [...findPairs(index, LOWEST)].flat()
  const isForChoosing = (id: string) => numberIn(id) % 2 === 1
  const isSame = ([a, b]: readonly [string, string]) => expected.get(a)?.has(b) ?? false
  const sizes = countOf(
    [...expected].map(([id, others]) => [isForChoosing(id), [...others].filter(other => id < other).length]),
  )
  const scoredOf = (some: readonly SimilarPair[]) =>
    some.map(
      ({ ids, score }): Scored => ({ score, isSame: isSame(ids), isForChoosing: isForChoosing(ids[0]) }),
    )
  const alone = figures('pricerunner, pairs', scoredOf(pairs), sizes)
  const candidates = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75].map(threshold => {
    const groups = endOf(groupPairs(pairs.filter(({ score }) => score >= threshold)))
    const within = groups.flatMap(({ ids }) =>
      ids.flatMap((a, at) => ids.slice(at + 1).map((b): SimilarPair => ({ ids: [a, b], score: threshold }))),
    )
    return { threshold, scored: scoredOf(within) }
  })
  const f1 = ({ threshold, scored }: (typeof candidates)[number]) =>
    qualityAt(
      scored.filter(one => one.isForChoosing),
      threshold,
      sizes.choosing,
    ).f1
  const chosen = candidates.reduce((a, b) => (f1(b) > f1(a) ? b : a))
  const rest = chosen.scored.filter(one => !one.isForChoosing)
  const grouped = {
    what: 'pricerunner, groups',
    threshold: chosen.threshold,
    ...qualityAt(rest, chosen.threshold, sizes.reporting),
  }
  return [alone, grouped]
}

function endOf<T>(pieces: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value as T
  }
}

/** No threshold below is tried where all pairs of a catalogue have to be found. */
const LOWEST = 0.5

function indexOf(documents: readonly Listing[]): SimilarityIndex {
  const index = new SimilarityIndex()
  for (const { id, title, desc } of documents) index.add(id, { title, body: desc })
  for (const _ of index.refresh());
  return index
}

/** How many pairs there are to be found. */
interface Sizes {
  readonly choosing: number
  readonly reporting: number
}

function countOf(counts: readonly (readonly [isForChoosing: boolean, count: number])[]): Sizes {
  const sum = (half: boolean) => counts.reduce((all, [of, count]) => all + (of === half ? count : 0), 0)
  return { choosing: sum(true), reporting: sum(false) }
}

function figures(what: string, scored: readonly Scored[], sizes: Sizes): DuplicateFigures {
  const choosing = scored.filter(({ isForChoosing }) => isForChoosing)
  const threshold = bestThreshold(choosing, sizes.choosing)
  const reporting = scored.filter(({ isForChoosing }) => !isForChoosing)
  return { what, threshold, ...qualityAt(reporting, threshold, sizes.reporting) }
}

/** Of the highest F1. */
function bestThreshold(scored: readonly Scored[], toFind: number): number {
  let [best, threshold, hits] = [0, 1, 0]
  for (const [at, { score, isSame }] of [...scored].sort((a, b) => b.score - a.score).entries()) {
    hits += Number(isSame)
    const f1 = (2 * hits) / (at + 1 + toFind)
    if (f1 > best) [best, threshold] = [f1, score]
  }
  return threshold
}

function qualityAt(scored: readonly Scored[], threshold: number, toFind: number) {
  const told = scored.filter(({ score }) => score >= threshold)
  const hits = told.filter(({ isSame }) => isSame).length
  const [precision, recall] = [hits / Math.max(1, told.length), hits / toFind]
  return { precision, recall, f1: (2 * hits) / (told.length + toFind) }
}

export interface NeighbourFigures {
  readonly documents: number
  readonly build: Cost
  /** Of the lists of 100 neighbours of all documents. */
  readonly lists: Cost
  /** Bytes per document of the index, and of the whole process with all lists. */
  readonly indexBytes: number
  readonly resident: number
  /** Milliseconds of one document's ten neighbours. */
  readonly p50: number
  readonly p95: number
}

/** What the whole index of neighbours of so many offers costs. */
export async function measureNeighbours({
  evaluationData,
  documents,
}: {
  evaluationData: string
  documents: number
}): Promise<NeighbourFigures> {
  progress(`similar: neighbours of ${documents} offers`)
  const stored = readMatching(evaluationData, 'pricerunner').stored.slice(0, documents)
  let index = new SimilarityIndex()
  const build = await costOf(() => {
    index = indexOf(stored)
  })
  const ids = index.ids()
  const latencies = new Float64Array(2_000)
  for (let at = -500; at < latencies.length; at++) {
    const id = ids[((at + 500) * 7) % ids.length]!
    const start = performance.now()
    index.nearest({ id }, { count: DEPTH })
    if (at >= 0) latencies[at] = performance.now() - start
  }
  latencies.sort()
  const lists: unknown[] = []
  const cost = await costOf(() => {
    for (const list of findNeighbours(index, new Set(ids))) lists.push(list)
  })
  if (lists.length !== stored.length) throw new Error(`${lists.length} lists of ${stored.length} documents`)
  return {
    documents: stored.length,
    build,
    lists: cost,
    indexBytes: index.bytes / stored.length,
    resident: memory().resident,
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
  }
}
