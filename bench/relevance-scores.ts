import { type Expected, expectedCatalogue, type Judged, readJudged } from './collections.ts'
import { answers, type Contestant } from './contestant.ts'
import { hitAt, mean, ndcg } from './metrics.ts'
import { findling } from './ours.ts'
import { relevancePeers } from './peers.ts'
import { random } from './random.ts'
import { percent, progress } from './report.ts'
import { inTemporaryFolder } from './temporary.ts'
import { withTypo } from './typos.ts'

/** A contestant with its typo tolerance switched on or off, where it has a switch. */
export interface Variant {
  readonly name: string
  readonly contestant: Contestant
  readonly typos: boolean
}

/** Ours first. */
export const variants: readonly Variant[] = [findling, ...relevancePeers].flatMap(contestant => {
  const plain = { name: contestant.name, contestant, typos: false }
  const tolerant = { name: `${contestant.name}, typos asked`, contestant, typos: true }
  return contestant.typoTolerance === 'asked' ? [plain, tolerant] : [plain]
})

const variantOf = (name: string): Variant => variants.find(variant => variant.name === name)!

/** One value per query, in the order of the queries; of misspelt queries the mean over the seeds. */
export interface Scores {
  /** Settings are tuned on queries of odd ids: the others tell how well they do on what nobody has seen. */
  readonly even: readonly boolean[]
  readonly clean: readonly number[]
  readonly typo: readonly number[]
}

export interface ScoreTask {
  readonly variant: string
  readonly evaluationData: string
  readonly collection: string
}

const typoSeeds = [1, 2, 3, 4, 5]

/** nDCG@10 of one variant for every query that has a relevant document. */
export async function scoreJudged({ variant, evaluationData, collection }: ScoreTask): Promise<Scores> {
  progress(`relevance: ${collection}, ${variant}`)
  const { documents, queries } = readJudged(evaluationData, collection)
  const judged = queries.filter(({ grades }) => ndcg([], grades) !== undefined)
  return withIndex(variantOf(variant), documents, async rank => {
    const score = async ({ text, grades }: Pick<Judged['queries'][number], 'text' | 'grades'>) =>
      ndcg(await rank(text), grades)!
    const bySeed = await inTurn(typoSeeds, seed => {
      const next = random(seed)
      return inTurn(judged, ({ text, grades }) => score({ text: withTypo(text, next), grades }))
    })
    const typo = judged.map((_, query) => mean(bySeed.map(values => values[query]!)))
    return { even: judged.map(({ id }) => id % 2 === 0), clean: await inTurn(judged, score), typo }
  })
}

/** Of each query of the catalogue: whether it is answered as expected, and whether already by the first hit. */
export type Verdicts = readonly {
  readonly kind: string
  readonly right: boolean
  readonly rightAt1: boolean
}[]

/** One variant on the catalogue of this repository. */
export async function scoreCatalogue({ variant }: { variant: string }): Promise<Verdicts> {
  progress(`relevance: the catalogue of this repository, ${variant}`)
  const { documents, queries } = expectedCatalogue()
  return withIndex(variantOf(variant), documents, rank =>
    inTurn(queries, async ({ kind, text, within, expected }) => {
      const ranking = await rank(text)
      const right = (depth: number) =>
        expected.size === 0 ? ranking.length === 0 : hitAt(ranking, expected, depth)
      return { kind, right: right(within), rightAt1: right(1) }
    }),
  )
}

type Rank = (query: string) => Promise<string[]>

/** Eleven answers: the one document a judged query may take out of a ranking must not cost the tenth place. */
const limit = answers + 1

async function withIndex<Result>(
  { contestant, typos }: Variant,
  documents: Expected['documents'],
  work: (rank: Rank) => Promise<Result>,
): Promise<Result> {
  return inTemporaryFolder(async folder => {
    const index = await contestant.open(folder, { documents: false, language: 'english', limit })
    await index.add(documents)
    await index.rested?.()
    const rank: Rank = async query => {
      const hits = await index.search({ kind: typos ? 'typo' : 'or', text: query, documents: false })
      return hits.map(({ id }) => id)
    }
    await assertFindsTitles(rank, documents, contestant)
    const result = await work(rank)
    await index.close()
    return result
  })
}

/** Guards against a contestant set up wrongly: most titles, given as queries, find their own document. */
async function assertFindsTitles(
  rank: Rank,
  documents: Expected['documents'],
  { name }: Contestant,
): Promise<void> {
  const titled = documents.filter(({ title }) => title !== '')
  const sample = titled.filter((_, at) => at % Math.ceil(titled.length / 50) === 0)
  const found = await inTurn(sample, async ({ id, title }) => (await rank(title)).includes(id))
  const share = found.filter(Boolean).length / sample.length
  if (share < 0.5) throw new Error(`${name} finds ${percent(share)} of documents by their whole title`)
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) results.push(await work(item))
  return results
}
