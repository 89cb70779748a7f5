import {
  findSame,
  groupPairs,
  LIKE_ENOUGH,
  pairsOf,
  type SameDocuments,
} from '../src/similarity/model/duplicates.ts'
import type { SimilarityIndex } from '../src/similarity/model/similarity-index.ts'
import { type JudgedPair, judgedPairs, numberIn, publishedPairs, readMatching } from './matching.ts'
import { progress } from './report.ts'
import { similarityOf } from './similar-contestants.ts'

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
    ...abtBuy(evaluationData),
    published(evaluationData),
    ...judgedOffers(evaluationData),
    ...clusters(evaluationData),
  ]
}

interface Scored {
  readonly score: number
  readonly isSame: boolean
  readonly isForChoosing: boolean
}

/** All pairs of two shops that have a score worth a look. */
function abtBuy(evaluationData: string): DuplicateFigures[] {
  const { stored, asked, expected } = readMatching(evaluationData, 'abt-buy')
  const index = similarityOf([...stored, ...asked])
  const isStored = new Set(stored.map(({ id }) => id))
  const judge: Judge = (a, b) =>
    isStored.has(a) === isStored.has(b)
      ? undefined
      : { isSame: expected.get(a)?.has(b) ?? false, isForChoosing: isOdd(a) }
  const scored = asked.flatMap(({ id }): Scored[] => {
    const near = index.nearest({ id }, { count: 20, accepts: other => isStored.has(other) })
    return near.map(hit => ({ ...judge(id, hit.id)!, score: hit.score }))
  })
  const sizes = countOf(asked.map(({ id }) => [isOdd(id), expected.get(id)!.size]))
  const groups = findSame(index, LIKE_ENOUGH)
  return [figures('abt-buy, all pairs', scored, sizes), grouped('abt-buy', groups, judge, sizes)]
}

function published(evaluationData: string): DuplicateFigures {
  const { documents, pairs } = publishedPairs(evaluationData)
  return judged('abt-buy, published pairs', similarityOf(documents), pairs)
}

function judgedOffers(evaluationData: string): DuplicateFigures[] {
  const pairs = judgedPairs(evaluationData)
  const index = similarityOf(readMatching(evaluationData, 'wdc-products-small').stored)
  const known = new Map(pairs.map(pair => [[...pair.ids].sort().join(' '), pair]))
  const sizes = countOf(pairs.map(({ isForChoosing, isSame }) => [isForChoosing, Number(isSame)]))
  const groups = findSame(index, LIKE_ENOUGH)
  return [
    judged('wdc-products-small, judged pairs', index, pairs),
    grouped('wdc-products-small', groups, (a, b) => known.get(`${a} ${b}`), sizes),
  ]
}

function judged(what: string, index: SimilarityIndex, pairs: readonly JudgedPair[]): DuplicateFigures {
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
  const index = similarityOf(stored)
  const pairs = index.ids().flatMap(id => pairsOf(id, index.allLike(id, LIKE_ENOUGH)))
  const judge: Judge = (a, b) => ({ isSame: expected.get(a)?.has(b) ?? false, isForChoosing: isOdd(a) })
  const sizes = countOf(
    [...expected].map(([id, others]) => [isOdd(id), [...others].filter(other => id < other).length]),
  )
  const scored = pairs.map(({ ids, score }): Scored => ({ ...judge(...ids)!, score }))
  const groups = endOf(groupPairs(pairs))
  return [figures('pricerunner, pairs', scored, sizes), grouped('pricerunner', groups, judge, sizes)]
}

/** What is known of two documents, the smaller id first, if anything is. */
type Judge = (a: string, b: string) => Pick<Scored, 'isSame' | 'isForChoosing'> | undefined

/** Of the pairs within groups at the threshold that `duplicates` has unless told, those of even ids. */
function grouped(
  what: string,
  groups: Iterable<SameDocuments | undefined>,
  judge: Judge,
  { reporting }: Sizes,
): DuplicateFigures {
  const scored: Scored[] = []
  for (const { ids } of [...groups].filter(group => group !== undefined)) {
    for (const [at, a] of ids.entries()) {
      for (const b of ids.slice(at + 1)) {
        const judged = judge(a, b)
        if (judged && !judged.isForChoosing) scored.push({ ...judged, score: LIKE_ENOUGH })
      }
    }
  }
  const quality = qualityAt(scored, LIKE_ENOUGH, reporting)
  return { what: `${what}, groups by default`, threshold: LIKE_ENOUGH, ...quality }
}

const isOdd = (id: string): boolean => numberIn(id) % 2 === 1

function endOf<T>(pieces: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value as T
  }
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
