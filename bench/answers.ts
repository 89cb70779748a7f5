import { asked } from './answers/asked.ts'
import { collectionsAt, readCollection } from './answers/catalogues.ts'
import type { CollectionName } from './answers/check.ts'
import { checkClasses } from './answers/checks.ts'
import type { Asked } from './answers/ours.ts'
import { PlainScan } from './answers/passable.ts'
import { acceptedByClass, checksOf, judge, type Verdict } from './answers/verdicts.ts'
import { isolated } from './isolated.ts'
import { progress } from './report.ts'

export interface AnswersResults {
  readonly collections: readonly CollectionName[]
  /** Classes of checks, with how many there are. */
  readonly classes: readonly (readonly [string, number])[]
  /** Ours first. */
  readonly figures: readonly {
    readonly name: string
    readonly right: number
    readonly ofClass: readonly number[]
  }[]
  readonly leftOut: readonly (readonly [string, string])[]
}

/** How many of the things that shoppers type are answered as a shopper would accept it? */
export async function answers(
  evaluationData: string | undefined,
): Promise<{ results: AnswersResults; failures: readonly Verdict[] }> {
  const collections = collectionsAt(evaluationData)
  assertPassable(collections, evaluationData)
  const leftOut: [string, string][] = []
  const figures: AnswersResults['figures'][number][] = []
  let failures: readonly Verdict[] | undefined
  for (const { name, missing } of asked) {
    const reason = await missing?.()
    if (reason !== undefined) {
      leftOut.push([name, reason])
      continue
    }
    const verdicts = await isolated(import.meta.url, verdictsOf, { name, collections, evaluationData })
    const ofClass = acceptedByClass(verdicts)
    figures.push({ name, right: ofClass.reduce((sum, count) => sum + count), ofClass })
    failures ??= verdicts.filter(({ accepted }) => !accepted)
  }
  const all = collections.flatMap(checksOf)
  const classes = checkClasses.map(
    name => [name, all.filter(({ checkClass }) => checkClass === name).length] as const,
  )
  return { results: { collections, classes, figures, leftOut }, failures: failures ?? [] }
}

interface Task {
  readonly name: Asked['name']
  readonly collections: readonly CollectionName[]
  readonly evaluationData: string | undefined
}

export async function verdictsOf({ name, collections, evaluationData }: Task): Promise<Verdict[]> {
  const { withShop } = asked.find(one => one.name === name)!
  const verdicts: Verdict[] = []
  for (const collection of collections) {
    progress(`answers: ${collection}, ${name}`)
    const documents = readCollection(collection, evaluationData)
    verdicts.push(...(await withShop({ collection, documents }, ask => judge(collection, ask))))
  }
  return verdicts
}

/** A check that nobody can pass says nothing. */
function assertPassable(collections: readonly CollectionName[], evaluationData: string | undefined): void {
  for (const collection of collections) {
    const scan = new PlainScan(readCollection(collection, evaluationData))
    for (const { checkClass, check } of checksOf(collection)) {
      const problem = scan.problemOf(check, checkClass)
      if (problem !== undefined)
        throw new Error(`${collection}, "${check.query}" (${checkClass}): ${problem}`)
    }
  }
}
