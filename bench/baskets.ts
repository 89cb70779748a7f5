import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Engine } from 'findling'
import { isolated } from './isolated.ts'
import { costOf, rateOf } from './measure.ts'
import { hitAt, mean, ndcg } from './metrics.ts'
import { howToGetSqlite, newSqlite } from './peers/fts5.ts'
import { pick, random, randomInteger } from './random.ts'
import { percent, progress, short, table } from './report.ts'
import { inTemporaryFolder } from './temporary.ts'

const DEPTH = 10
const TESTS = 1500
/** Words of a title that are given at most. */
const GIVEN = 5

/** Titles as baskets of words: nobody has published orders that may be shipped, and these go together for real. */
const titleSets = ['pricerunner', 'esci-us-small'] as const
type TitleSet = (typeof titleSets)[number]

export interface BasketScores {
  readonly name: string
  /** With one word given, and with up to five. */
  readonly one: { readonly hit: number; readonly ndcg: number }
  readonly several: { readonly hit: number; readonly ndcg: number }
}

export interface BasketCost {
  readonly name: string
  readonly basketsPerCpuSecond: number
  readonly queries: readonly { readonly kind: string; readonly cpuMs: number; readonly p95: number }[]
}

export interface BasketResults {
  readonly quality: readonly {
    readonly set: TitleSet
    readonly baskets: number
    readonly tests: number
    readonly scores: readonly BasketScores[]
  }[]
  readonly baskets: number
  readonly products: number
  readonly costs: readonly BasketCost[]
  readonly missing: readonly string[]
}

/** Do baskets recommend what belongs to them, and what does it cost? */
export async function baskets(
  count: number,
  seconds: number,
  evaluationData: string | undefined,
): Promise<BasketResults> {
  const quality: BasketResults['quality'][number][] = []
  for (const set of evaluationData === undefined ? [] : titleSets) {
    progress(`baskets: titles of ${set}`)
    quality.push(await isolated(import.meta.url, measureQuality, { evaluationData: evaluationData!, set }))
  }
  const costs: BasketCost[] = []
  const missing: string[] = []
  for (const name of Object.keys(shops) as (keyof typeof shops)[]) {
    progress(`baskets: ${name}`)
    const cost = await inTemporaryFolder(folder =>
      isolated(import.meta.url, measureCost, { name, count, seconds, folder }),
    ).catch(() => undefined)
    if (cost) costs.push(cost)
    else missing.push(howToGetSqlite)
  }
  return { quality, baskets: count, products: productsOf(count), costs, missing }
}

type Basket = string[]

/** Baskets that have an item, and how often each item is in all of them. */
class Occurrences {
  readonly baskets: readonly Basket[]
  readonly #by = new Map<string, Basket[]>()

  constructor(baskets: readonly Basket[]) {
    this.baskets = baskets
    for (const basket of baskets)
      for (const item of basket) {
        const own = this.#by.get(item)
        if (own) own.push(basket)
        else this.#by.set(item, [basket])
      }
  }

  of(item: string): number {
    return this.#by.get(item)?.length ?? 0
  }

  with(item: string): Map<string, number> {
    const counts = new Map<string, number>()
    for (const basket of this.#by.get(item) ?? [])
      for (const other of basket) counts.set(other, (counts.get(other) ?? 0) + 1)
    return counts
  }
}

/** Score of an item that is in `both` of the baskets with another: `one` have that, `other` have the item. */
type Formula = (both: number, one: number, other: number, all: number) => number

/** What is usual, summed over what is given. */
const formulas: Readonly<Record<string, Formula>> = {
  'baskets in common': both => both,
  'cosine (item to item)': (both, one, other) => both / Math.sqrt(one * other),
  Jaccard: (both, one, other) => both / (one + other - both),
  'lift, from 2 baskets on': (both, one, other, all) => (both < 2 ? 0 : (both * all) / (one * other)),
  'most popular': (_both, _one, other) => other,
}

function rankingBy(formula: Formula, known: Occurrences, given: readonly string[]): string[] {
  const scores = new Map<string, number>()
  for (const item of given)
    for (const [other, both] of known.with(item)) {
      const score = formula(both, known.of(item), known.of(other), known.baskets.length)
      scores.set(other, (scores.get(other) ?? 0) + score)
    }
  for (const item of given) scores.delete(item)
  return [...scores]
    .filter(([, score]) => score > 0)
    .sort(([one, s], [other, t]) => t - s || (one < other ? -1 : 1))
    .slice(0, DEPTH)
    .map(([item]) => item)
}

interface Test {
  readonly hidden: string
  readonly one: readonly string[]
  readonly several: readonly string[]
}

export async function measureQuality({
  evaluationData,
  set,
}: {
  evaluationData: string
  set: TitleSet
}): Promise<BasketResults['quality'][number]> {
  const next = random(7)
  const lines = readFileSync(join(evaluationData, set, 'documents.jsonl'), 'utf8')
    .trim()
    .split('\n')
  const all = lines
    .map(line => [...new Set(wordsOf(String(JSON.parse(line).title)))])
    .filter(words => words.length > 1)
  const isTest = all.map(() => next() < 0.1)
  const known = new Occurrences(all.filter((_, i) => !isTest[i]))
  const tests = all
    .filter((_, i) => isTest[i])
    .slice(0, TESTS)
    .flatMap((basket): Test[] => {
      const hidden = pick(next, basket)
      const several = basket.filter(word => word !== hidden && known.of(word) > 0).slice(0, GIVEN)
      return several.length > 0 ? [{ hidden, one: [pick(next, several)], several }] : []
    })
  const engine = await Engine.open()
  const words = await engine.datasets.create('words', {
    interpretedFields: ['word'],
    baskets: { dataset: 'titles', field: 'words' },
  })
  const titles = await engine.datasets.create('titles')
  const vocabulary = new Set(known.baskets.flat())
  await words.documents.bulk([...vocabulary].map(word => ({ id: word, word })))
  await titles.documents.bulk(known.baskets.map((words, id) => ({ id, words })))
  const ours = async (given: readonly string[]) =>
    (await words.boughtTogether(given, { least: 1, limit: DEPTH })).map(({ id }) => id)
  const contestants: [string, (given: readonly string[]) => Promise<string[]> | string[]][] = [
    ['findling', ours],
    ...Object.entries(formulas).map(([name, formula]): [string, (given: readonly string[]) => string[]] => [
      name,
      given => rankingBy(formula, known, given),
    ]),
  ]
  const scores: BasketScores[] = []
  for (const [name, ask] of contestants) {
    const figures = { one: [] as number[][], several: [] as number[][] }
    for (const test of tests)
      for (const kind of ['one', 'several'] as const) {
        const ranking = await ask(test[kind])
        const hit = hitAt(ranking, new Set([test.hidden]), DEPTH) ? 1 : 0
        figures[kind].push([hit, ndcg(ranking, new Map([[test.hidden, 1]]), DEPTH)!])
      }
    const meanOf = (rows: readonly number[][]) => ({
      hit: mean(rows.map(([hit]) => hit!)),
      ndcg: mean(rows.map(([, gain]) => gain!)),
    })
    scores.push({ name, one: meanOf(figures.one), several: meanOf(figures.several) })
  }
  await engine.close()
  return { set, baskets: known.baskets.length, tests: tests.length, scores }
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word.length > 1)

const productsOf = (baskets: number): number => baskets / 5

interface Order {
  readonly id: string
  readonly at: number
  readonly items: Basket
}

const DAY = 86_400_000
const DAYS = 365

/** A few products are in many orders, and each has three others that it is often bought with. */
function madeOrders(count: number): Order[] {
  const next = random(3)
  const products = productsOf(count)
  const popular = () => Math.floor(products * next() ** 3)
  return Array.from({ length: count }, (_, number) => {
    const first = popular()
    const items = new Set([first])
    const others = randomInteger(next, 5)
    for (let i = 0; i < others; i++)
      items.add(next() < 0.5 ? (first * 7 + 1 + randomInteger(next, 3)) % products : popular())
    return { id: String(number), at: Date.now() - next() * DAYS * DAY, items: [...items].map(String) }
  })
}

const kinds = ['one product', 'a cart of 5', 'bestsellers of a week'] as const
type Kind = (typeof kinds)[number]

interface Shop {
  readonly kinds: readonly Kind[]
  add(orders: readonly Order[]): Promise<void> | void
  ask(kind: Kind, ids: readonly string[]): Promise<unknown> | unknown
}

const shops = {
  findling: async (folder: string, products: number): Promise<Shop> => {
    const engine = await Engine.open({ store: folder })
    const orders = await engine.datasets.create('orders')
    const catalogue = await engine.datasets.create('products', {
      interpretedFields: ['title'],
      baskets: { dataset: 'orders', field: 'items', time: 'at' },
    })
    await catalogue.documents.bulk(
      Array.from({ length: products }, (_, i) => ({ id: String(i), title: `Product ${i}` })),
    )
    return {
      kinds,
      add: async some => {
        await orders.documents.bulk(some.map(order => ({ ...order })))
      },
      ask: (kind, ids) =>
        kind === 'bestsellers of a week'
          ? catalogue.trending({ by: 'count', limit: DEPTH })
          : catalogue.boughtTogether(ids, { limit: DEPTH }),
    }
  },
  /** What one would write: how often others are in the same orders, with indexes of both columns. */
  SQLite: async (folder: string): Promise<Shop> => {
    const database = await newSqlite(join(folder, 'orders.sqlite'))
    database.exec(
      'pragma journal_mode = wal; create table lines (basket integer, product text, at real);' +
        'create index by_product on lines (product, basket); create index by_basket on lines (basket, product);' +
        'create index by_time on lines (at, product)',
    )
    const insert = database.prepare('insert into lines values (?, ?, ?)')
    const insertAll = database.transaction((some: readonly Order[]) => {
      for (const { id, at, items } of some) for (const item of items) insert.run(Number(id), item, at)
    })
    const together = (count: number) => {
      const given = Array(count).fill('?').join(', ')
      return database.prepare(
        `select other.product, count(*) as times from lines own join lines other on other.basket = own.basket
         where own.product in (${given}) and other.product not in (${given})
         group by other.product order by times desc limit ${DEPTH}`,
      )
    }
    const statements = new Map([1, GIVEN].map(count => [count, together(count)]))
    const best = database.prepare(
      `select product, count(*) as times from lines where at >= ? group by product order by times desc limit ${DEPTH}`,
    )
    return {
      kinds,
      add: insertAll,
      ask: (kind, ids) =>
        kind === 'bestsellers of a week'
          ? best.all(Date.now() - 7 * DAY)
          : statements.get(ids.length)!.all(...ids, ...ids),
    }
  },
}

export async function measureCost({
  name,
  count,
  seconds,
  folder,
}: {
  name: keyof typeof shops
  count: number
  seconds: number
  folder: string
}): Promise<BasketCost> {
  const orders = madeOrders(count)
  const shop = await shops[name](folder, productsOf(count))
  const built = await costOf(async () => {
    for (let from = 0; from < count; from += 1000) await shop.add(orders.slice(from, from + 1000))
    await shop.ask('one product', [orders[0]!.items[0]!])
  })
  const next = random(11)
  const asked = Array.from({ length: 400 }, () => pick(next, pick(next, orders).items))
  const carts = Array.from({ length: 100 }, () => asked.slice(0, 0))
  for (const cart of carts) {
    const own = new Set<string>()
    while (own.size < GIVEN) own.add(pick(next, asked))
    cart.push(...own)
  }
  const inputs: Record<Kind, readonly (readonly string[])[]> = {
    'one product': asked.map(id => [id]),
    'a cart of 5': carts,
    'bestsellers of a week': [[]],
  }
  const queries: BasketCost['queries'][number][] = []
  for (const kind of shop.kinds) {
    const { perCpuSecond, p95 } = await rateOf(inputs[kind], ids => shop.ask(kind, ids), { seconds })
    queries.push({ kind, cpuMs: 1000 / perCpuSecond, p95 })
  }
  return { name, basketsPerCpuSecond: count / built.cpuSeconds, queries }
}

export function basketsReport({ quality, baskets, products, costs, missing }: BasketResults): string {
  const scored = quality.map(({ set, baskets, tests, scores }) =>
    [
      `### baskets: the hidden word of ${tests} titles of ${set}, from ${short(baskets)} others`,
      table(
        ['', 'one given: hit@10', 'nDCG@10', 'up to 5 given: hit@10', 'nDCG@10'],
        scores.map(({ name, one, several }) => [
          name,
          percent(one.hit, 1),
          one.ndcg.toFixed(3),
          percent(several.hit, 1),
          several.ndcg.toFixed(3),
        ]),
      ),
    ].join('\n\n'),
  )
  const cost = [
    `### baskets: ${short(baskets)} orders of ${short(products)} products`,
    table(
      ['', 'orders/CPU-s', ...kinds.flatMap(kind => [`${kind}, ms`, 'p95'])],
      costs.map(({ name, basketsPerCpuSecond, queries }) => [
        name,
        short(basketsPerCpuSecond),
        ...queries.flatMap(({ cpuMs, p95 }) => [short(cpuMs), short(p95)]),
      ]),
    ),
  ].join('\n\n')
  return [...scored, cost, ...missing].join('\n\n')
}
