import { Engine } from 'findling'
import MiniSearch from 'minisearch'
import { loadAnalyzer } from '../src/analysis/analyzer.ts'
import { fold } from '../src/analysis/fold.ts'
import {
  CompoundCatalogue,
  type CompoundProduct,
  type CompoundQuery,
  type CompoundQueryKind,
} from './compounds/catalogue.ts'
import { type CompoundLanguage, compoundLanguages } from './compounds/languages.ts'
import { mean, percentile } from './metrics.ts'
import { lucene } from './peers/lucene.ts'
import { progress } from './report.ts'
import { rested } from './rested.ts'

export interface CompoundFigures {
  readonly language: CompoundLanguage
  readonly kind: CompoundQueryKind
  readonly queries: number
  /** Ours first. */
  readonly contestants: readonly (readonly [name: string, found: FoundShares])[]
  /** Milliseconds until our first ten are there, each query asked for the first time. */
  readonly p95: number
}

interface FoundShares {
  /** Of the documents that are right, those found at all. */
  readonly recall: number
  /** Of the first ten, as far as there are so many right ones. */
  readonly precision: number
}

export interface CompoundResults {
  readonly documents: number
  readonly figures: readonly CompoundFigures[]
  /** Why who takes no part does not. */
  readonly skipped: readonly (readonly [name: string, reason: string])[]
}

interface CompoundContestant {
  readonly name: string
  /** Ids, the best first. */
  ask(text: string, limit: number): Promise<readonly string[]>
}

const kinds: readonly CompoundQueryKind[] = ['head', 'beginning', 'apart', 'typo']
const all = 5_000

/** How well do words find others that are written as one with them? */
export async function compounds(documents: number, mostQueries = 50): Promise<CompoundResults> {
  const figures: CompoundFigures[] = []
  const reason = await lucene.missing()
  for (const language of compoundLanguages) {
    progress(`compounds: ${language}`)
    const { stem } = await loadAnalyzer(language)
    const catalogue = new CompoundCatalogue(language, word => stem(fold(word)))
    const products = [...catalogue.products(documents)]
    const queries = catalogue.queries(mostQueries).filter(({ isMadeOf }) => products.some(isMadeOf))
    const engine = await Engine.open()
    try {
      const contestants = [await oursOf(products, language, engine), minisearchOf(products)]
      if (reason === undefined) contestants.push(await luceneOf(products, language, queries))
      for (const kind of kinds) {
        const asked = queries.filter(query => query.kind === kind)
        const took = await timesOf(asked, contestants[0]!)
        const found: [string, FoundShares][] = []
        for (const one of contestants) found.push([one.name, await foundShares(asked, products, one)])
        figures.push({
          language,
          kind,
          queries: asked.length,
          contestants: found,
          p95: percentile(took, 0.95),
        })
      }
    } finally {
      await engine.close()
    }
  }
  return { documents, figures, skipped: reason === undefined ? [] : [[lucene.name, reason]] }
}

async function oursOf(
  products: readonly CompoundProduct[],
  language: CompoundLanguage,
  engine: Engine,
): Promise<CompoundContestant> {
  const dataset = await engine.datasets.create<{ id: string; title: string; desc: string }>('products', {
    interpretedFields: ['title', 'desc'],
    language,
  })
  await dataset.documents.bulk(products.map(({ id, title, desc }) => ({ id, title, desc })))
  await rested(engine, dataset)
  const ask: CompoundContestant['ask'] = async (text, limit) => {
    const { hits } = await dataset.search(text, { documents: false, limit })
    return hits.map(({ id }) => id)
  }
  return { name: 'findling', ask }
}

function minisearchOf(products: readonly CompoundProduct[]): CompoundContestant {
  const index = new MiniSearch<CompoundProduct>({
    fields: ['title', 'desc'],
    searchOptions: { boost: { title: 2 }, fuzzy: 0.2, prefix: true },
  })
  index.addAll(products)
  return {
    name: 'minisearch',
    async ask(text, limit) {
      return index
        .search(text)
        .slice(0, limit)
        .map(({ id }) => id)
    },
  }
}

async function luceneOf(
  products: readonly CompoundProduct[],
  language: CompoundLanguage,
  queries: readonly CompoundQuery[],
): Promise<CompoundContestant> {
  progress(`compounds: ${language}, lucene`)
  const texts = queries.map(({ text }) => text)
  const answers = await lucene.answerAll({ language, products, queries: texts, limit: all })
  return { name: lucene.name, ask: async (text, limit) => answers.get(text)!.slice(0, limit) }
}

async function timesOf(
  queries: readonly CompoundQuery[],
  { ask }: CompoundContestant,
): Promise<Float64Array> {
  const took = new Float64Array(queries.length)
  for (const [i, { text }] of queries.entries()) {
    const began = performance.now()
    await ask(text, 10)
    took[i] = performance.now() - began
  }
  return took.sort()
}

async function foundShares(
  queries: readonly CompoundQuery[],
  products: readonly CompoundProduct[],
  { ask }: CompoundContestant,
): Promise<FoundShares> {
  const byId = new Map(products.map(product => [product.id, product]))
  const recalls: number[] = []
  const precisions: number[] = []
  for (const { text, isMadeOf, isRight } of queries) {
    const right = products.filter(isMadeOf).length
    const found = (await ask(text, all)).map(id => byId.get(id)!)
    recalls.push(found.filter(isMadeOf).length / right)
    precisions.push(found.slice(0, 10).filter(isRight).length / Math.min(10, right))
  }
  return { recall: mean(recalls), precision: mean(precisions) }
}
