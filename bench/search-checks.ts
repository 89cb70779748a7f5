import { type Exam, isRight } from './answer-key.ts'
import { type Index, isOurs, type QueryKind } from './contestant.ts'
import type { Catalogue } from './synthetic.ts'

/**
 * The share of answers that are right. Fails where that is too few to measure anything: ours have to be right, a
 * peer below a third has been set up wrongly, and what lies between stands in the table.
 */
export async function checkAnswers(
  contestant: string,
  index: Index,
  catalogue: Catalogue,
  exam: Exam,
): Promise<number> {
  const share = await shareRight(index, catalogue, exam)
  const least = isOurs(contestant) ? (leastOfOurs[exam.kind] ?? 0.98) : 0.3
  if (share >= least) return share
  throw new Error(`${contestant} answers ${Math.round(share * 100)} % of ${exam.kind} queries rightly`)
}

/** Not every misspelling can be seen through, and a beginning stands for no more than its most frequent words. */
const leastOfOurs: Partial<Record<QueryKind, number>> = { typo: 0.8, prefix: 0.9 }

/** Slow contestants answer a part of the questions: two seconds, never fewer than five. */
async function shareRight(index: Index, catalogue: Catalogue, { kind, questions }: Exam): Promise<number> {
  const end = performance.now() + 2_000
  let asked = 0
  let right = 0
  for (const question of questions) {
    if (asked >= 5 && performance.now() > end) break
    const hits = await index.search({ kind, text: question.query.text, documents: false })
    asked++
    if (isRight(question, hits, catalogue)) right++
  }
  return right / asked
}

export async function assertWhole(
  index: Index,
  catalogue: Catalogue,
  { kind, questions }: Exam,
): Promise<void> {
  const { text } = questions[0]!.query
  for (const { id, document } of await index.search({ kind, text, documents: true })) {
    if (!id.startsWith('p')) continue // a newcomer, whose text has been changed
    const { title, price } = catalogue.product(Number(id.slice(1)))
    const { title: gotTitle, price: gotPrice } = { title: '', price: 0, ...document }
    if (gotTitle !== title || gotPrice !== price) throw new Error(`${id} is returned without its content`)
  }
}
