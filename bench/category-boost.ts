import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Engine } from 'findling'
import { readJudged } from './collections.ts'
import { type Interval, mean, ndcg, pairedBootstrap } from './metrics.ts'
import { progress } from './report.ts'
import { rested } from './rested.ts'

/** A search whose first hits score more, the likelier their category is for the query. */
export interface BoostFigure {
  /** Whether the search brings documents forward that are about what the best hits are about. */
  readonly topics: boolean
  /** By which category of a document: its own, or the root above it. */
  readonly level: 'leaf' | 'root'
  /** What a category that is certain adds, as a share of the score. */
  readonly strength: number
  readonly odd: BoostGain
  readonly even: BoostGain
}

export interface BoostGain {
  /** Mean nDCG@10 with the boost. */
  readonly value: number
  /** What the boost makes of the search without. */
  readonly gain: Interval
}

export interface BoostTask {
  readonly evaluationData: string
  readonly collection: string
}

const strengths = [0.1, 0.25, 0.5, 1, 2]
/** Only the first hits are looked at, as topic feedback does. */
const depth = 100

interface Product {
  readonly id: string
  readonly title: string
  readonly desc: string
  readonly tag?: string[]
  readonly path?: string[]
}

/** One query: its hits, by category how likely it is, and what the documents are worth. */
interface Asked {
  readonly id: number
  readonly grades: ReadonlyMap<string, number>
  readonly hits: readonly { readonly id: string; readonly score: number }[]
  readonly likely: Record<BoostFigure['level'], ReadonlyMap<string, number>>
}

/** Does a search rank better that knows which categories its query is about? */
export async function categoryBoost({ evaluationData, collection }: BoostTask): Promise<BoostFigure[]> {
  const { queries } = readJudged(evaluationData, collection)
  const judged = queries.filter(({ grades }) => ndcg([], grades) !== undefined)
  const lines = readFileSync(join(evaluationData, collection, 'documents.jsonl'), 'utf8').split('\n')
  const products = lines.filter(Boolean).map((line): Product => JSON.parse(line))
  const category = {
    leaf: new Map(products.map(({ id, tag }) => [id, tag?.[0]])),
    root: new Map(products.map(({ id, path }) => [id, path?.[0]])),
  }
  const rootOf = new Map(products.map(({ tag, path }) => [tag?.[0] ?? '', path?.[0]]))
  const figures: BoostFigure[] = []
  for (const topics of [true, false]) {
    progress(`classify: category boost, ${topics ? 'with' : 'without'} topic feedback`)
    const engine = await Engine.open()
    const dataset = await engine.datasets.create<Product>('products', {
      interpretedFields: ['title', 'desc'],
      language: 'english',
      topics,
    })
    await dataset.documents.bulk(
      products.map(({ id, title, desc, tag }) => ({ id, title, desc, ...(tag && { tag: tag.slice(0, 1) }) })),
    )
    await rested(engine, engine.datasets.get('products'))
    await dataset.classifier()
    const asked: Asked[] = []
    for (const { id, text, grades } of judged) {
      const { hits } = await dataset.search(text, { limit: depth, documents: false })
      const leaf = new Map((await dataset.classify(text, { limit: 0 })).map(one => [one.tagId, one.score]))
      const likely = { leaf, root: sumsOf(leaf, rootOf) }
      asked.push({ id, grades, hits: hits.map(({ id, score }) => ({ id, score })), likely })
    }
    await engine.close()
    for (const level of ['leaf', 'root'] as const) {
      for (const strength of strengths) {
        const of = (parity: number) => gainOf(asked, parity, level, strength, category[level])
        figures.push({ topics, level, strength, odd: of(1), even: of(0) })
      }
    }
  }
  return figures
}

/** How likely roots are: as likely as all that is below them. */
function sumsOf(
  leaves: ReadonlyMap<string, number>,
  rootOf: ReadonlyMap<string, string | undefined>,
): Map<string, number> {
  const roots = new Map<string, number>()
  for (const [leaf, score] of leaves) {
    const root = rootOf.get(leaf)
    if (root !== undefined) roots.set(root, (roots.get(root) ?? 0) + score)
  }
  return roots
}

function gainOf(
  asked: readonly Asked[],
  parity: number,
  level: BoostFigure['level'],
  strength: number,
  categoryOf: ReadonlyMap<string, string | undefined>,
): BoostGain {
  const own = asked.filter(({ id }) => id % 2 === parity)
  const ranked = (query: Asked, strength: number) => {
    const boosted = query.hits.map(({ id, score }) => {
      const category = categoryOf.get(id)
      const likely = category === undefined ? 0 : (query.likely[level].get(category) ?? 0)
      return { id, score: score * (1 + strength * likely) }
    })
    const ids = boosted.sort((a, b) => b.score - a.score).map(({ id }) => id)
    return ndcg(ids, query.grades)!
  }
  const [boosted, plain] = [strength, 0].map(strength => own.map(query => ranked(query, strength)))
  return { value: mean(boosted!), gain: pairedBootstrap(boosted!, plain!) }
}
