import { type Answer, answers, type QueryKind, words } from './contestant.ts'
import type { Catalogue, Product, Query } from './synthetic.ts'

/** Queries of one kind, each with how many documents bear what it asks for, counted by reading them all. */
export interface Exam {
  readonly kind: QueryKind
  readonly questions: readonly { readonly query: Query; readonly bearing: number }[]
}

export interface ExamOptions {
  readonly documents: number
  readonly questionsOfEach: number
  readonly kinds: readonly QueryKind[]
}

export function examine(catalogue: Catalogue, { documents, questionsOfEach, kinds }: ExamOptions): Exam[] {
  const exams = kinds.map(kind => ({
    kind,
    queries: catalogue.queries(kind, questionsOfEach, documents),
  }))
  const bearing = countBearing(
    catalogue,
    documents,
    exams.flatMap(({ queries }) => queries),
  )
  return exams.map(({ kind, queries }) => ({
    kind,
    questions: queries.map(query => ({ query, bearing: bearing.get(query)! })),
  }))
}

/** A document as a reader sees it. */
export interface Read {
  readonly fields: readonly (readonly string[])[]
  readonly words: ReadonlySet<string>
}

export function read({ title, desc }: Pick<Product, 'title' | 'desc'>): Read {
  const fields = [words(title), words(desc)]
  return { fields, words: new Set(fields.flat()) }
}

export function bears(document: Read, { kind, meant }: Pick<Query, 'kind' | 'meant'>): boolean {
  if (kind === 'phrase') return document.fields.some(field => stands(meant, field))
  if (kind === 'and') return meant.every(word => document.words.has(word))
  if (kind !== 'prefix') return meant.some(word => document.words.has(word))
  const beginning = meant.at(-1)!
  const whole = meant.slice(0, -1)
  return (
    whole.every(word => document.words.has(word)) &&
    [...document.words].some(word => word.startsWith(beginning))
  )
}

const stands = (phrase: readonly string[], field: readonly string[]): boolean =>
  field.some((_, at) => phrase.every((word, place) => field[at + place] === word))

/** Every document is held against the queries of which it has a sign, which spares most comparisons. */
function countBearing(
  catalogue: Catalogue,
  documents: number,
  queries: readonly Query[],
): Map<Query, number> {
  const bearing = new Map(queries.map(query => [query, 0]))
  const bySign = new Map<string, Query[]>()
  for (const query of queries) {
    for (const sign of signs(query)) bySign.set(sign, [...(bySign.get(sign) ?? []), query])
  }
  for (const product of catalogue.products(0, documents)) {
    const document = read(product)
    const candidates = new Set<Query>()
    for (const sign of signsOf(document)) {
      for (const query of bySign.get(sign) ?? []) candidates.add(query)
    }
    for (const query of candidates) if (bears(document, query)) bearing.set(query, bearing.get(query)! + 1)
  }
  return bearing
}

/** No document bears the query without one of these: words, or the beginning of one. */
function signs({ kind, meant }: Query): string[] {
  if (kind === 'prefix') return [meant.length === 1 ? `${meant[0]}*` : meant[0]!]
  return kind === 'and' || kind === 'phrase' ? [longest(meant)] : [...meant]
}

const longest = (some: readonly string[]): string => some.reduce((a, b) => (b.length > a.length ? b : a))

const longestBeginning = 5

function* signsOf(document: Read): Generator<string> {
  for (const word of document.words) {
    yield word
    for (let length = 1; length <= Math.min(word.length, longestBeginning); length++)
      yield `${word.slice(0, length)}*`
  }
}

/**
 * Whether an answer is right. Without a typo: as many hits as bear the words (up to the limit), the first of them
 * bearing them. With one: a document with every word as it was meant is among the first ten.
 */
export function isRight(
  { query, bearing }: Exam['questions'][number],
  hits: readonly Answer[],
  catalogue: Catalogue,
): boolean {
  const documents = hits.map(({ id }) => read(catalogue.product(Number(id.slice(1)))))
  if (query.kind === 'typo')
    return documents.some(document => bears(document, { kind: 'and', meant: query.meant }))
  return hits.length >= Math.min(answers, bearing) && documents[0] !== undefined && bears(documents[0], query)
}
