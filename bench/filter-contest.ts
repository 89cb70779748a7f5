import type { FilterAnswer, FilterKind, FilterQuestion } from './filter-questions.ts'
import type { Cost, Rate } from './measure.ts'

/** What one contestant is asked to do. */
export interface FilterTask {
  readonly contestant: string
  readonly documents: number
  readonly seconds: number
  readonly evaluationData: string | undefined
  readonly exam: readonly (readonly [FilterQuestion, FilterAnswer])[]
}

export interface FilterFigures {
  readonly contestant: string
  readonly settings: string
  /** Until a question is answered; the time to make the documents does not count. */
  readonly build: Cost
  /** Behind the last question; without `held` where Node cannot count it. */
  readonly memory: { readonly held?: number; readonly resident: number }
  readonly rates: Readonly<Record<FilterKind, Rate>>
  /** Bytes of the index before the first filter and behind the last question, where it says so. */
  readonly bytes?: { readonly before: number; readonly after: number }
}

/** Milliseconds: who takes longer for the questions of a kind is not asked all of them twice, and with one no other. */
export const mostChecked = 5_000

export function assertRight(
  name: string,
  question: FilterQuestion,
  answer: FilterAnswer,
  expected: FilterAnswer,
): void {
  const [given, right] = [JSON.stringify(inOrder(answer)), JSON.stringify(inOrder(expected))]
  if (given !== right)
    throw new Error(`${name} answers ${JSON.stringify(question)} with ${given}, not ${right}`)
}

const inOrder = ({ total, values, prices }: FilterAnswer) => [total, values, prices]
