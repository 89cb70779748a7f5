import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type CategoryFacts, Engine } from 'findling'
import { collectionsAt, languageOf } from './answers/catalogues.ts'
import type { CollectionName } from './answers/check.ts'
import { germanShop, germanTags } from './answers/german.ts'
import { type SubjectCheck, subjectChecks } from './answers/subjects.ts'
import { readJudged } from './collections.ts'
import { type Interval, mean, ndcg, pairedBootstrap } from './metrics.ts'
import { progress, short, table } from './report.ts'
import { rested } from './rested.ts'

export interface CategoriesResults {
  readonly collections: readonly CategoriesFigure[]
}

export interface CategoriesFigure {
  readonly collection: string
  readonly documents: number
  readonly facts: CategoryFacts
  /** Seconds of processor time until they were learnt, with the index and its topics. */
  readonly learningCpu: number
  readonly bytes: number
  readonly checks: number
  readonly right: number
  /** Checks that were answered otherwise, with what was told first. */
  readonly wrong: readonly (readonly [query: string, told: string])[]
  /** Processor time of a search of ten ids in microseconds, with categories and without: median of seven turns. */
  readonly search: readonly [withThem: number, without: number]
  /** nDCG@10 of judged queries, with categories and without. */
  readonly judged?: {
    readonly queries: number
    readonly withThem: number
    readonly without: number
    readonly gain: Interval
  }
}

interface Tag {
  readonly id: string
  readonly name: string
  readonly parentId: string | null
}

interface Shop {
  readonly documents: readonly { readonly id: string; readonly title: string; readonly desc: string }[]
  readonly tags: readonly Tag[]
}

const ROUNDS = 7

/** Does a search know what it is about, and does that help the ranking? */
export async function categories(evaluationData: string | undefined): Promise<CategoriesResults> {
  const names = collectionsAt(evaluationData).filter(name => subjectChecks[name])
  const collections: CategoriesFigure[] = []
  for (const name of names) collections.push(await figureOf(name, evaluationData))
  return { collections }
}

async function figureOf(
  collection: CollectionName,
  evaluationData: string | undefined,
): Promise<CategoriesFigure> {
  progress(`categories: ${collection}`)
  const { documents, tags } = shopOf(collection, evaluationData)
  const engine = await Engine.open({ answerCache: 0 })
  const dataset = await engine.datasets.create('products', {
    interpretedFields: ['title', 'desc'],
    language: languageOf(collection),
  })
  await dataset.tags.replaceAll(tags)
  const before = process.cpuUsage()
  await dataset.documents.bulk(documents)
  while (!(await dataset.info()).categories) await pause(50)
  await rested(engine, dataset)
  const { user, system } = process.cpuUsage(before)
  const wrong: [string, string][] = []
  const checks = subjectChecks[collection]!
  for (const { query, about } of checks) {
    const { categories = [] } = await dataset.search(query, { limit: 0 })
    const [first] = categories
    if (!first?.path.includes(about)) wrong.push([query, first?.path.join(' > ') ?? 'nothing'])
  }
  const judged =
    collection === 'esci-us-small' && evaluationData !== undefined
      ? await judge(evaluationData, collection, async (text, categories) => {
          const { hits } = await dataset.search(text, { documents: false, categories })
          return hits.map(({ id }) => id)
        })
      : undefined
  const search = await costOf(checks, (text, categories) =>
    dataset.search(text, { documents: false, categories }),
  )
  const { categories: facts } = await dataset.info()
  const bytes = engine.memory().datasets[0]!.categories
  await engine.close()
  return {
    collection,
    documents: documents.length,
    facts: facts!,
    learningCpu: (user + system) / 1e6,
    bytes,
    checks: checks.length,
    right: checks.length - wrong.length,
    wrong,
    search,
    ...(judged && { judged }),
  }
}

type Search = (text: string, categories: boolean) => Promise<unknown>

/** In turns, so that both meet the same machine. */
async function costOf(
  checks: readonly SubjectCheck[],
  search: Search,
): Promise<[withThem: number, without: number]> {
  const turn = async (categories: boolean) => {
    const before = process.cpuUsage()
    for (let i = 0; i < 20; i++) for (const { query } of checks) await search(query, categories)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / (20 * checks.length)
  }
  const turns: [number, number][] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const pair: [number, number] = [await turn(true), await turn(false)]
    if (round > 0) turns.push(pair)
  }
  const middle = (at: 0 | 1) => turns.map(pair => pair[at]).sort((a, b) => a - b)[ROUNDS >> 1]!
  return [middle(0), middle(1)]
}

async function judge(
  evaluationData: string,
  collection: string,
  idsOf: (text: string, categories: boolean) => Promise<string[]>,
): Promise<NonNullable<CategoriesFigure['judged']>> {
  const { queries } = readJudged(evaluationData, collection)
  const asked = queries.filter(({ grades }) => ndcg([], grades) !== undefined)
  const valuesOf = async (categories: boolean) => {
    const values: number[] = []
    for (const { text, grades } of asked) values.push(ndcg(await idsOf(text, categories), grades)!)
    return values
  }
  const [own, plain] = [await valuesOf(true), await valuesOf(false)]
  return {
    queries: asked.length,
    withThem: mean(own),
    without: mean(plain),
    gain: pairedBootstrap(own, plain),
  }
}

function shopOf(collection: CollectionName, evaluationData: string | undefined): Shop {
  if (collection === 'german') return { documents: germanShop(), tags: germanTags }
  if (collection === 'sample') {
    const at = join(import.meta.dirname, '../test/fixtures/catalogue')
    const documents = lines(join(at, 'products.jsonl')) as (Shop['documents'][number] & {
      description: string
    })[]
    return {
      documents: documents.map(({ description, ...product }) => ({ ...product, desc: description })),
      tags: lines(join(at, 'tags.jsonl')) as Tag[],
    }
  }
  const at = join(evaluationData!, collection)
  const documents = lines(join(at, 'documents.jsonl')) as (Shop['documents'][number] & { tag?: string[] })[]
  const tags = lines(join(at, 'tags.jsonl')) as { Id: string; Name: string; ParentId: string | null }[]
  return {
    documents: documents.map(({ id, title, desc, tag }) => ({
      id,
      title,
      desc,
      ...(tag && { tag: tag.slice(0, 1) }),
    })),
    tags: tags.map(({ Id, Name, ParentId }) => ({ id: Id, name: Name, parentId: ParentId })),
  }
}

const lines = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))

export function categoriesReport({ collections }: CategoriesResults): string {
  const rows = collections.map(figure => [
    figure.collection,
    String(figure.documents),
    String(figure.facts.tags),
    figure.facts.accuracy.toFixed(3),
    figure.facts.calibrationError.toFixed(3),
    figure.facts.weigh ? 'yes' : 'no',
    `${figure.right} of ${figure.checks}`,
    short(figure.learningCpu),
    short(figure.bytes / 1e6),
    figure.search.map(short).join(' / '),
  ])
  const judged = collections.flatMap(({ collection, judged }) =>
    judged
      ? [
          `nDCG@10 of ${collection}, ${judged.queries} queries: ${judged.withThem.toFixed(4)} with categories, ` +
            `${judged.without.toFixed(4)} without (gain ${judged.gain.low.toFixed(4)} to ${judged.gain.high.toFixed(4)}).`,
        ]
      : [],
  )
  const heads = [
    'collection',
    'documents',
    'tags told apart',
    'accuracy',
    'calibration error',
    'in the ranking',
  ]
  const more = ['queries told', 'CPU-s to index and learn', 'MB', 'us a search, with / without']
  return ['### categories: what queries are about', table([...heads, ...more], rows), ...judged].join('\n\n')
}
