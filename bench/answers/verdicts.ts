import { type Check, type CollectionName, isAccepted, type Shown } from './check.ts'
import { type CheckClass, checkClasses, checksByClass } from './checks.ts'
import type { Ask } from './ours.ts'

export interface Verdict {
  readonly checkClass: CheckClass
  readonly check: Check
  readonly accepted: boolean
  readonly hits: readonly Shown[]
}

export const checksOf = (collection: CollectionName): { checkClass: CheckClass; check: Check }[] =>
  checkClasses.flatMap(checkClass => {
    const checks: readonly Check[] = checksByClass[checkClass]
    return checks.filter(check => check.collection === collection).map(check => ({ checkClass, check }))
  })

/** Asks everything that there is to ask about a collection. */
export async function judge(collection: CollectionName, ask: Ask): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const { checkClass, check } of checksOf(collection)) {
    const { accepted, typing } = check
    const hits = await ask(check)
    const others = accepted.kind === 'same' ? await ask({ query: accepted.as, typing }) : []
    verdicts.push({ checkClass, check, hits, accepted: isAccepted(accepted, hits, others) })
  }
  return verdicts
}

/** Accepted answers by class, in the order of the classes. */
export const acceptedByClass = (verdicts: readonly Verdict[]): number[] =>
  checkClasses.map(
    name => verdicts.filter(({ checkClass, accepted }) => checkClass === name && accepted).length,
  )
