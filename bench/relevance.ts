import { judgedCollections } from './collections.ts'
import { isolated } from './isolated.ts'
import { type Interval, pairedBootstrap, type Spelling, type Subset } from './metrics.ts'
import { type Scores, scoreCatalogue, scoreJudged, variants } from './relevance-scores.ts'

/** Of one contestant on the same queries as ours. */
export interface RelevanceFigure {
  /** Mean nDCG@10 with its interval. */
  readonly value: Interval
  readonly weLeadBy: Interval
}

export type RelevanceFigures = { readonly name: string } & Record<Subset, Record<Spelling, RelevanceFigure>>

export interface JudgedResults {
  readonly collection: string
  readonly queries: Record<Subset, number>
  /** Ours first. */
  readonly figures: readonly RelevanceFigures[]
  /** Of each the mean reciprocal rank of known items; not of several collections together. */
  readonly known?: readonly Record<Spelling, number>[]
}

export interface RelevanceResults {
  readonly judged: readonly JudgedResults[]
  /** The queries of all collections together. */
  readonly pooled?: JudgedResults
  readonly catalogue: CatalogueResults
  readonly leftOut: readonly (readonly [string, string])[]
}

export interface CatalogueResults {
  /** Kinds of queries, with how many there are. */
  readonly asked: readonly (readonly [string, number])[]
  readonly figures: readonly {
    readonly name: string
    readonly right: number
    readonly rightAt1: number
    readonly ofKind: readonly number[]
  }[]
}

const module = import.meta.resolve('./relevance-scores.ts')

/** How good are the first ten answers, and how good do they stay when a query is misspelt? */
export async function relevance(evaluationData: string | undefined): Promise<RelevanceResults> {
  const { names, leftOut } = await whoIsThere()
  const collections = judgedCollections(evaluationData)
  const scores: Scores[][] = []
  for (const collection of collections) {
    const task = (variant: string) => ({ variant, evaluationData: evaluationData!, collection })
    scores.push(await inTwoLanes(names, variant => isolated(module, scoreJudged, task(variant))))
  }
  const judged = scores.map((ofAll, at) => ({
    ...compareAll(collections[at]!, names, ofAll),
    known: ofAll.map(({ known }) => known),
  }))
  const together = names.map((_, at) => join(scores.map(ofAll => ofAll[at]!)))
  return {
    judged,
    ...(judged.length > 1 ? { pooled: compareAll(collections.join(' and '), names, together) } : {}),
    catalogue: await checkCatalogue(names),
    leftOut,
  }
}

async function whoIsThere(): Promise<{ names: string[]; leftOut: [string, string][] }> {
  const names: string[] = []
  const leftOut: [string, string][] = []
  for (const { name, contestant } of variants) {
    const reason = await contestant.missing?.()
    if (reason === undefined) names.push(name)
    else leftOut.push([name, reason])
  }
  return { names, leftOut }
}

const join = (scores: readonly Scores[]): Rankings => ({
  even: scores.flatMap(({ even }) => even),
  clean: scores.flatMap(({ clean }) => clean),
  typo: scores.flatMap(({ typo }) => typo),
})

function compareAll(
  collection: string,
  names: readonly string[],
  scores: readonly Rankings[],
): JudgedResults {
  const ours = scores[0]!
  const figures = names.map((name, at) => {
    const { all, even } = chosen(ours.even)
    return { name, all: compare(ours, scores[at]!, all), even: compare(ours, scores[at]!, even) }
  })
  return { collection, queries: { all: ours.even.length, even: ours.even.filter(Boolean).length }, figures }
}

/** One value per query. */
type Rankings = Omit<Scores, 'known'>

type Choose = (values: readonly number[]) => number[]

const chosen = (even: readonly boolean[]): Record<Subset, Choose> => ({
  all: values => [...values],
  even: values => values.filter((_, query) => even[query]),
})

const compare = (ours: Rankings, theirs: Rankings, choose: Choose) => ({
  clean: figureOf(choose(ours.clean), choose(theirs.clean)),
  typo: figureOf(choose(ours.typo), choose(theirs.typo)),
})

const figureOf = (ours: readonly number[], theirs: readonly number[]): RelevanceFigure => ({
  value: pairedBootstrap(
    theirs,
    theirs.map(() => 0),
  ),
  weLeadBy: pairedBootstrap(ours, theirs),
})

async function checkCatalogue(names: readonly string[]): Promise<CatalogueResults> {
  const verdicts = await inTwoLanes(names, variant => isolated(module, scoreCatalogue, { variant }))
  const kinds = [...new Set(verdicts[0]!.map(({ kind }) => kind))]
  return {
    asked: kinds.map(kind => [kind, verdicts[0]!.filter(verdict => verdict.kind === kind).length]),
    figures: verdicts.map((given, at) => ({
      name: names[at]!,
      right: given.filter(({ right }) => right).length,
      rightAt1: given.filter(({ rightAt1 }) => rightAt1).length,
      ofKind: kinds.map(kind => given.filter(verdict => verdict.kind === kind && verdict.right).length),
    })),
  }
}

/** Nothing is timed here, so two contestants may run beside each other. Results in the order of the items. */
async function inTwoLanes<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  const lane = async () => {
    for (const [at, item] of queue) results[at] = await work(item)
  }
  await Promise.all([lane(), lane()])
  return results
}
