import { comparedTexts } from '../src/similarity/model/compared-texts.ts'
import { findNeighbours } from '../src/similarity/model/neighbours.ts'
import { SimilarityIndex } from '../src/similarity/model/similarity-index.ts'
import { type Listing, type Matching, type MatchingSet, numberIn, readMatching } from './matching.ts'
import { type Cost, costOf, memory } from './measure.ts'
import { mean, percentile } from './metrics.ts'
import { progress } from './report.ts'
import { similarContestants, similarityOf } from './similar-contestants.ts'
import { type SplitForm, splitForms, splitListings } from './split-fields.ts'

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

export interface SplitFigures extends Found {
  readonly form: SplitForm
  readonly bytesPerDocument: number
  /** Milliseconds of CPU. */
  readonly queryMs: number
}

/** What is found where brand and model number stand in fields of their own. */
export async function measureSplit({
  evaluationData,
  set,
}: Omit<FinderTask, 'contestant'>): Promise<SplitFigures[]> {
  progress(`similar: ${set}, fields split off`)
  const matching = readMatching(evaluationData, set)
  const stored = new Set(matching.stored.map(({ id }) => id))
  const figures: SplitFigures[] = []
  for (const form of splitForms) {
    const index = new SimilarityIndex()
    for (const [id, { title, others }] of splitListings(matching, form))
      index.add(id, comparedTexts(title, others))
    for (const _ of index.refresh());
    const places: number[] = []
    const asking = await costOf(() => {
      for (const document of matching.asked) {
        const near = index.nearest({ id: document.id }, { count: DEPTH, accepts: id => stored.has(id) })
        const ids = near.map(({ id }) => id)
        places.push(placeOf(ids, document, matching))
      }
    })
    figures.push({
      form,
      ...found(places),
      bytesPerDocument: index.bytes / index.size,
      queryMs: (asking.cpuSeconds * 1_000) / matching.asked.length,
    })
  }
  return figures
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
    index = similarityOf(stored)
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
