import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Dataset, Engine, type SearchOptions } from 'findling'
import { type Judged, judgedCollections, readJudged } from './collections.ts'
import { type Interval, mean, ndcg, pairedBootstrap } from './metrics.ts'
import { progress, table } from './report.ts'
import { rested } from './rested.ts'
import { inTemporaryFolder } from './temporary.ts'

const ways = ['vector alone', 'ratio .1', 'ratio .3', 'ratio .5', 'ratio .3, half without a vector'] as const
type Way = (typeof ways)[number]

/** nDCG@10 of words and vectors together on one collection. */
export interface HybridScores {
  readonly collection: string
  readonly text: number
  readonly ways: Record<Way, { readonly ndcg: number; readonly ahead: Interval }>
}

/** Do answers become better or worse when vectors are added? Undefined without judged collections or scikit-learn. */
export async function hybrid(evaluationData: string | undefined): Promise<HybridScores[] | undefined> {
  const scores: HybridScores[] = []
  for (const collection of judgedCollections(evaluationData)) {
    progress(`vectors: ${collection}, with words`)
    const judged = readJudged(evaluationData!, collection)
    const vectors = await embedded(judged)
    if (!vectors) return undefined
    scores.push({ collection, ...(await scored(judged, vectors)) })
  }
  return scores.length > 0 ? scores : undefined
}

interface Vectors {
  readonly documents: readonly (readonly number[])[]
  readonly queries: readonly (readonly number[])[]
}

/** Vectors that can be made here: latent semantic analysis, with what scikit-learn has for it. */
const script = `
import json, sys
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize
given = json.load(open(sys.argv[1]))
words = TfidfVectorizer(sublinear_tf=True, stop_words='english')
documents = words.fit_transform(given['documents'])
space = TruncatedSVD(200, random_state=1)
rounded = lambda vectors: normalize(vectors).round(6).tolist()
made = {'documents': rounded(space.fit_transform(documents)), 'queries': rounded(space.transform(words.transform(given['queries'])))}
json.dump(made, open(sys.argv[2], 'w'))
`

async function embedded({ documents, queries }: Judged): Promise<Vectors | undefined> {
  return await inTemporaryFolder(async folder => {
    const [given, made] = [join(folder, 'texts.json'), join(folder, 'vectors.json')]
    const texts = documents.map(({ title, desc }) => `${title} ${desc}`)
    await writeFile(given, JSON.stringify({ documents: texts, queries: queries.map(({ text }) => text) }))
    try {
      execFileSync('/usr/bin/python3', ['-c', script, given, made], { stdio: ['ignore', 'ignore', 'pipe'] })
    } catch {
      return undefined
    }
    return JSON.parse(readFileSync(made, 'utf8')) as Vectors
  })
}

async function scored(
  { documents, queries }: Judged,
  vectors: Vectors,
): Promise<Omit<HybridScores, 'collection'>> {
  const engine = await Engine.open()
  const settings = { interpretedFields: ['title', 'desc'], vectors: { vector: { dimensions: 200 } } }
  const isZero = (vector: readonly number[]) => vector.every(value => value === 0)
  const opened = async (name: string, has: (i: number) => boolean) => {
    const dataset = await engine.datasets.create(name, settings)
    const stored = documents.map((document, i) => {
      const vector = vectors.documents[i]!
      return { ...document, ...(has(i) && !isZero(vector) && { vector: [...vector] }) }
    })
    await dataset.documents.bulk(stored)
    await rested(engine, dataset)
    return dataset
  }
  const all = await opened('all', () => true)
  const half = await opened('half', i => i % 2 === 0)
  const score = async (
    dataset: Dataset,
    ofQuery: (vector: readonly number[]) => SearchOptions,
    isTextual = true,
  ) => {
    const scores: number[] = []
    for (const [i, { text, grades }] of queries.entries()) {
      if (ndcg([], grades) === undefined) continue
      const vector = vectors.queries[i]!
      const options = isZero(vector) ? {} : ofQuery(vector)
      const { hits } = await dataset.search(isTextual ? text : '', {
        limit: 11,
        documents: false,
        ...options,
      })
      scores.push(
        ndcg(
          hits.map(({ id }) => id),
          grades,
        )!,
      )
    }
    return scores
  }
  const text = await score(all, () => ({}))
  const at = (ratio: number) => (value: readonly number[]) => ({ vector: { value, ratio } })
  const found: Record<Way, number[]> = {
    'vector alone': await score(all, value => ({ vector: { value } }), false),
    'ratio .1': await score(all, at(0.1)),
    'ratio .3': await score(all, at(0.3)),
    'ratio .5': await score(all, at(0.5)),
    'ratio .3, half without a vector': await score(half, at(0.3)),
  }
  await engine.close()
  const judged = Object.entries(found).map(([way, scores]) => {
    return [way, { ndcg: mean(scores), ahead: pairedBootstrap(scores, text) }] as const
  })
  return { text: mean(text), ways: Object.fromEntries(judged) as HybridScores['ways'] }
}

export function hybridReport(scores: readonly HybridScores[]): string {
  const signed = (value: number) => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`
  const rows = [
    ['words alone', ...scores.map(({ text }) => text.toFixed(3))],
    ...ways.map(way => [
      way,
      ...scores.map(({ ways: { [way]: one } }) => {
        const { difference, low, high } = one.ahead
        return `${one.ndcg.toFixed(3)} (${signed(difference)} [${signed(low)}, ${signed(high)}])`
      }),
    ]),
  ]
  return table(['nDCG@10', ...scores.map(({ collection }) => collection)], rows)
}
