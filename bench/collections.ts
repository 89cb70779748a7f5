import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Indexable } from './contestant.ts'
import type { Grades } from './metrics.ts'

/** Documents and queries with human judgements. */
export interface Judged {
  readonly documents: readonly Indexable[]
  readonly queries: readonly { readonly id: number; readonly text: string; readonly grades: Grades }[]
}

/** Sets of product search and of text retrieval: one that ranks well in one alone is tuned to it. */
const judgedSets = ['esci-us-small', 'cranfield'] as const

/** The names of the judged sets that lie in this folder. */
export function judgedCollections(evaluationData: string | undefined): string[] {
  if (evaluationData === undefined) return []
  return judgedSets.filter(name => existsSync(join(evaluationData, name)))
}

export function readJudged(evaluationData: string, name: string): Judged {
  const path = (file: string) => join(evaluationData, name, file)
  const grades = new Map<string, Map<string, number>>()
  for (const [query, document, grade] of rows(path('qrels.tsv'))) {
    if (!grades.has(query!)) grades.set(query!, new Map())
    grades.get(query!)!.set(document!, Number(grade))
  }
  const queries = rows(path('queries.tsv')).map(([id, text]) => ({
    id: Number(id),
    text: text!,
    grades: grades.get(id!) ?? new Map<string, number>(),
  }))
  return { documents: readDocuments(path('documents.jsonl')), queries }
}

/** The documents of the catalogue in this repository, and queries with what they should find. */
export interface Expected {
  readonly documents: readonly Indexable[]
  readonly queries: readonly ExpectedQuery[]
}

export interface ExpectedQuery {
  readonly kind: string
  readonly text: string
  /** One of the expected documents should stand among so many. */
  readonly within: number
  /** Nothing where the query should find nothing. */
  readonly expected: ReadonlySet<string>
}

/** Fields that nobody indexes here are left out: stored documents do not matter to relevance. */
export function readDocuments(path: string): Indexable[] {
  return lines(path).map(line => {
    const { id, title, desc }: Indexable = JSON.parse(line)
    return { id, title, desc }
  })
}

export const rows = (path: string): string[][] => lines(path).map(line => line.split('\t'))

const lines = (path: string): string[] => readFileSync(path, 'utf8').split('\n').filter(Boolean)

const catalogue = fileURLToPath(new URL('../test/fixtures/catalogue/', import.meta.url))

interface CatalogueProduct {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly tag: readonly string[]
}

export function expectedCatalogue(): Expected {
  const products = lines(join(catalogue, 'products.jsonl')).map((line): CatalogueProduct => JSON.parse(line))
  const [, ...queries] = rows(join(catalogue, 'queries.tsv'))
  return {
    documents: products.map(({ id, title, description }) => ({ id, title, desc: description })),
    queries: queries.map(([kind, text, within, expected]) => ({
      kind: kind!,
      text: text!,
      within: Number(within),
      expected: new Set(meant(expected!, products)),
    })),
  }
}

/** `tag:pens` means any product of that tag, `p-000360,p-000541` these, `none` nothing. */
function meant(expected: string, products: readonly CatalogueProduct[]): string[] {
  if (expected === 'none') return []
  if (!expected.startsWith('tag:')) return expected.split(',')
  const wanted = expected.slice('tag:'.length)
  return products.filter(({ tag }) => tag.includes(wanted)).map(({ id }) => id)
}
