import { type Answer, answers } from './contestant.ts'
import { type Catalogue, type Query, type QueryKind, queryKinds, words } from './synthetic.ts'

/** Queries of one kind, each with how many documents bear its words exactly, counted by reading them all. */
export interface Exam {
  readonly kind: QueryKind
  readonly questions: readonly { readonly query: Query; readonly bearing: number }[]
}

export function examine(catalogue: Catalogue, documents: number, questionsOfEach: number): Exam[] {
  const exams = queryKinds.map(kind => ({
    kind,
    queries: catalogue.queries(kind, questionsOfEach, documents),
  }))
  const all = exams.flatMap(({ queries }) => queries)
  const bearing = new Map(all.map(query => [query, 0]))
  for (const product of catalogue.products(0, documents)) {
    const borne = new Set(words(`${product.title} ${product.desc}`))
    for (const query of all) if (bears(borne, query)) bearing.set(query, bearing.get(query)! + 1)
  }
  return exams.map(({ kind, queries }) => ({
    kind,
    questions: queries.map(query => ({ query, bearing: bearing.get(query)! })),
  }))
}

export const bears = (
  borne: ReadonlySet<string>,
  { meant, operator }: Pick<Query, 'meant' | 'operator'>,
): boolean =>
  operator === 'and' ? meant.every(word => borne.has(word)) : meant.some(word => borne.has(word))

/**
 * Whether an answer is right. Without a typo: as many hits as bear the words (up to the limit), the first of them
 * bearing them. With one: a document with every word as it was meant is among the first ten.
 */
export function isRight(
  exam: Exam,
  question: Exam['questions'][number],
  hits: readonly Answer[],
  catalogue: Catalogue,
) {
  const { query, bearing } = question
  const texts = hits.map(({ id }) => {
    const { title, desc } = catalogue.product(Number(id.slice(1)))
    return new Set(words(`${title} ${desc}`))
  })
  if (exam.kind === 'typo') return texts.some(borne => query.meant.every(word => borne.has(word)))
  return hits.length >= Math.min(answers, bearing) && texts[0] !== undefined && bears(texts[0], query)
}
