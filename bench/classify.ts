import { type BoostFigure, categoryBoost } from './category-boost.ts'
import { natural } from './classifiers/natural.ts'
import { collectionsIn } from './classify-collections.ts'
import {
  type ClassifyFigures,
  classifierNames,
  growing,
  measureClassifier,
  missing,
} from './classify-contest.ts'
import { isolated } from './isolated.ts'
import { type Interval, mean, pairedBootstrap } from './metrics.ts'

export interface ClassifierFigures extends Omit<ClassifyFigures, 'right'> {
  readonly name: string
  readonly accuracy: number
  readonly weLeadBy: Interval
}

export interface ClassifiedCollection {
  readonly collection: string
  readonly tests: number
  /** Ours first. */
  readonly figures: readonly ClassifierFigures[]
  /** Those that would have taken too long. */
  readonly tooSlow: readonly string[]
}

export interface ClassifyResults {
  readonly collections: readonly ClassifiedCollection[]
  /** Ours alone on made catalogues of as many documents. */
  readonly growth: readonly ({ readonly documents: number } & Omit<ClassifierFigures, 'name' | 'weLeadBy'>)[]
  /** What a search gains that knows what its query is about; undefined where there are no judged queries. */
  readonly boost?: readonly BoostFigure[]
  readonly leftOut: readonly (readonly [string, string])[]
}

const boosted = 'esci-us-small'
const boostModule = import.meta.resolve('./category-boost.ts')
const module = import.meta.resolve('./classify-contest.ts')
const sizes = [10_000, 30_000, 100_000]

/** How often is the right tag recommended, and what does it cost? */
export async function classify(
  evaluationData: string | undefined,
  { quick = false } = {},
): Promise<ClassifyResults> {
  const leftOut: [string, string][] = []
  const names: string[] = []
  for (const name of classifierNames) {
    const reason = await missing(name)
    if (reason === undefined) names.push(name)
    else leftOut.push([name, reason])
  }
  const collections: ClassifiedCollection[] = []
  for (const collection of collectionsIn(evaluationData)) {
    collections.push(await contest(collection, names, evaluationData))
  }
  const growth: ClassifyResults['growth'][number][] = []
  for (const documents of quick ? [2_000] : sizes) {
    const task = { name: growing, collection: `made ${documents}`, evaluationData }
    const { right, ...figures } = (await isolated(module, measureClassifier, task))!
    growth.push({ documents, accuracy: mean(right), ...figures })
  }
  const boost =
    evaluationData !== undefined && collections.some(({ collection }) => collection.startsWith(boosted))
      ? await isolated(boostModule, categoryBoost, { evaluationData, collection: boosted })
      : undefined
  return { collections, growth, ...(boost && { boost }), leftOut }
}

async function contest(
  collection: string,
  names: readonly string[],
  evaluationData: string | undefined,
): Promise<ClassifiedCollection> {
  const figures: ClassifierFigures[] = []
  const tooSlow: string[] = []
  let ours: readonly number[] = []
  for (const name of names) {
    const measured = await isolated(module, measureClassifier, { name, collection, evaluationData })
    if (measured === undefined) {
      tooSlow.push(name)
      continue
    }
    const { right, ...others } = measured
    if (figures.length === 0) ours = right
    const accuracy = mean(right)
    // natural's figure is its own: see its settings. fastText has .024 of the leaves, with four documents for each.
    if (accuracy < 0.02 && name !== natural.name)
      throw new Error(`${name} is set up wrongly: ${accuracy} of ${collection} right`)
    figures.push({ name, accuracy, weLeadBy: pairedBootstrap(ours, right), ...others })
  }
  return { collection, tests: ours.length, figures, tooSlow }
}
