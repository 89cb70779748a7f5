import { type DuplicateFigures, measureDuplicates } from './duplicate-scores.ts'
import { isolated } from './isolated.ts'
import { type MatchingSet, matchingSetsIn } from './matching.ts'
import { similarContestants } from './similar-contestants.ts'
import {
  type FinderFigures,
  measureFinder,
  measureNeighbours,
  measureSplit,
  type NeighbourFigures,
  type SplitFigures,
} from './similar-scores.ts'

export interface SimilarResults {
  readonly sets: readonly {
    readonly set: MatchingSet
    readonly figures: readonly ({ readonly name: string } & FinderFigures)[]
  }[]
  readonly split: readonly { readonly set: MatchingSet; readonly figures: readonly SplitFigures[] }[]
  readonly duplicates: readonly DuplicateFigures[]
  readonly neighbours: readonly NeighbourFigures[]
  readonly settings: readonly (readonly [string, string])[]
}

const module = import.meta.resolve('./similar-scores.ts')
const duplicatesModule = import.meta.resolve('./duplicate-scores.ts')

const sizes = [10_000, 20_000, 35_311]

/** How well are documents found that belong to one, which are the same twice, and what does it cost? */
export async function similar(evaluationData: string | undefined): Promise<SimilarResults | undefined> {
  const there = matchingSetsIn(evaluationData)
  if (evaluationData === undefined || there.length === 0) return undefined
  const sets: SimilarResults['sets'][number][] = []
  for (const set of there) {
    const figures: SimilarResults['sets'][number]['figures'][number][] = []
    for (const { name } of similarContestants.filter(one => takesPart(one.name, set))) {
      const measured = await isolated(module, measureFinder, { evaluationData, set, contestant: name })
      figures.push({ name, ...measured })
    }
    sets.push({ set, figures })
  }
  const split: SimilarResults['split'][number][] = []
  for (const set of there)
    split.push({ set, figures: await isolated(module, measureSplit, { evaluationData, set }) })
  const has = (...names: MatchingSet[]) => names.every(name => there.includes(name))
  const duplicates = has('abt-buy', 'wdc-products-small', 'pricerunner')
    ? await isolated(duplicatesModule, measureDuplicates, { evaluationData })
    : []
  const neighbours: NeighbourFigures[] = []
  for (const documents of has('pricerunner') ? sizes : [])
    neighbours.push(await isolated(module, measureNeighbours, { evaluationData, documents }))
  return {
    sets,
    split,
    duplicates,
    neighbours,
    settings: similarContestants.map(({ name, settings }) => [name, settings]),
  }
}

/** Two shops have no tags in common, and only where there are two can both be stored. */
function takesPart(name: string, set: MatchingSet): boolean {
  const { needsTags = false, needsTwoShops = false } = similarContestants.find(one => one.name === name)!
  return set === 'abt-buy' ? !needsTags : !needsTwoShops
}
