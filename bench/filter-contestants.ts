import { type AnyOrama, create, insertMultiple, search } from '@orama/orama'
import { Engine } from 'findling'
import type { FilterFigures, FilterTask } from './filter-contest.ts'
import {
  type FilterAnswer,
  type FilteredProduct,
  type FilterQuestion,
  mostFrequent,
  mostShown,
} from './filter-questions.ts'
import { isolated } from './isolated.ts'
import { howToGetSqlite, loadsSqlite, newSqlite, type Sqlite } from './peers/fts5.ts'
import { xapianFilters } from './peers/xapian-filters.ts'
import { rested } from './rested.ts'

/** A library that filters, counts and orders. */
export type FilterContestant = FilterEntrant & (InNode | InItsOwn)

interface FilterEntrant {
  readonly name: string
  readonly settings: string
  /** More it is not asked to hold. */
  readonly mostDocuments?: { readonly count: number; readonly reason: string }
  /** Why it cannot take part here and how it could; undefined when it can. Without it, it always can. */
  missing?(): Promise<string | undefined>
}

interface InNode {
  /** Native code keeps its memory where Node cannot count it. */
  readonly native?: boolean
  open(): Promise<FilterIndex>
}

/** It measures itself, as a program that is no Node process. */
interface InItsOwn {
  measure(task: FilterTask): Promise<FilterFigures>
}

export interface FilterIndex {
  add(documents: readonly FilteredProduct[]): Promise<void> | void
  /** Ten hits, and what else is asked; the total only where it is wanted. */
  ask(question: FilterQuestion, withTotal: boolean): Promise<FilterAnswer> | FilterAnswer
  /** Resolves once what it does in the background is done; without it there is no such thing. */
  rested?(): Promise<void>
  /** Bytes that it says it holds. */
  bytes?(): number
  close(): Promise<void> | void
}

const findling: FilterEntrant & InNode = {
  name: 'findling',
  settings: 'in memory, no schema, language none, no typos; columns and what is made of them on demand',
  async open() {
    const engine = await Engine.open({ answerCache: 0 })
    const dataset = await engine.datasets.create<FilteredProduct>('products', {
      interpretedFields: ['title', 'desc'],
      language: 'none',
    })
    return {
      add: async documents => void (await dataset.documents.bulk(documents)),
      async ask({ word, price, brand, tag, facet, byPrice }, withTotal) {
        const options = {
          ...(tag !== undefined && { tags: [tag] }),
          ...(facet && { facets: [facet] }),
          ...(byPrice && { sort: ['price:asc'] }),
          limit: mostShown,
        }
        const filter = {
          ...(brand !== undefined && { brand }),
          ...(price && { price: { gte: price[0], lte: price[1] } }),
        }
        const { hits, total, facets } =
          word === undefined
            ? await dataset.filter(filter, options)
            : await dataset.search(word, {
                ...options,
                ...((brand !== undefined || price) && { filter }),
                typoTolerance: 0,
                documents: byPrice === true,
                ...(withTotal && { total: 'exact' }),
              })
        return {
          total: total.count,
          ...(facet && {
            values: facets![facet]!.values.map(({ value, count }): [string, number] => [
              String(value),
              count,
            ]),
          }),
          ...(byPrice && { prices: hits.map(({ document }) => document.price) }),
        }
      },
      rested: () => rested(engine, dataset),
      bytes: () => engine.memory().total,
      close: () => engine.close(),
    }
  },
}

const orama: FilterEntrant & InNode = {
  name: 'orama',
  settings:
    'in memory; brand, colour, maker and tag as enums, exact words alone by threshold 0 of words that begin no other',
  mostDocuments: {
    count: 200_000,
    reason: 'with 9 KB a document, more do not fit into the heap it has here',
  },
  async open() {
    const [text, number, oneOf] = ['string', 'number', 'enum'] as const
    const schema = {
      title: text,
      desc: text,
      price: number,
      brand: oneOf,
      color: oneOf,
      maker: oneOf,
      tag: oneOf,
    }
    const index: AnyOrama = create({ schema })
    return {
      add: async documents => void (await insertMultiple(index, [...documents], documents.length)),
      async ask({ word = '', price, brand, tag, facet, byPrice }) {
        const where = {
          ...(price && { price: { between: [price[0], price[1]] as [number, number] } }),
          ...(brand !== undefined && { brand: { eq: brand } }),
          ...(tag !== undefined && { tag: { eq: tag } }),
        }
        const { hits, count, facets } = await search(index, {
          term: word,
          properties: ['title', 'desc'],
          threshold: 0,
          limit: mostShown,
          ...(Object.keys(where).length > 0 && { where }),
          ...(facet && { facets: { [facet]: {} } }),
          ...(byPrice && { sortBy: { property: 'price', order: 'ASC' as const } }),
        })
        return {
          total: count,
          ...(facet && { values: mostFrequent(Object.entries(facets![facet]!.values)) }),
          ...(byPrice && { prices: hits.map(({ document }) => document.price) }),
        }
      },
      close: () => {},
    }
  },
}

const sqlite: FilterEntrant & InNode = {
  name: 'sqlite',
  settings:
    'better-sqlite3 in memory: a table with an index of each column, joined with FTS5 (unicode61) by row; ten hits by bm25 or price',
  native: true,
  missing: () =>
    isolated(new URL('./peers/fts5.ts', import.meta.url).href, loadsSqlite, undefined).then(
      loads => (loads ? undefined : howToGetSqlite),
      () => howToGetSqlite,
    ),
  async open() {
    const database = await newSqlite(':memory:')
    database.exec(tables)
    const add = adding(database)
    return {
      add,
      ask: (question, withTotal) => asked(database, question, withTotal),
      close: () => database.close(),
    }
  },
}

export const filterContestants: readonly FilterContestant[] = [findling, sqlite, xapianFilters, orama]

const columns = ['brand', 'price', 'color', 'maker', 'tag'] as const

const tables = `
  CREATE TABLE products (number INTEGER PRIMARY KEY, id TEXT, brand TEXT, price REAL, color TEXT, maker TEXT, tag TEXT);
  ${columns.map(name => `CREATE INDEX by_${name} ON products (${name});`).join('\n')}
  CREATE VIRTUAL TABLE words USING fts5 (title, desc, content = '', tokenize = 'unicode61');`

function adding(database: Sqlite): (documents: readonly FilteredProduct[]) => void {
  const product = database.prepare(
    'INSERT INTO products (id, brand, price, color, maker, tag) VALUES (?, ?, ?, ?, ?, ?) RETURNING number',
  )
  const text = database.prepare('INSERT INTO words (rowid, title, desc) VALUES (?, ?, ?)')
  return database.transaction((documents: readonly FilteredProduct[]) => {
    for (const { id, title, desc, ...one } of documents) {
      const [row] = product.all(id, ...columns.map(name => one[name])) as { number: number }[] // RETURNING names it
      text.run(row!.number, title, desc)
    }
  })
}

function asked(
  database: Sqlite,
  { word, price, brand, tag, facet, byPrice }: FilterQuestion,
  withTotal: boolean,
): FilterAnswer {
  const conditions: string[] = []
  const values: unknown[] = []
  const need = (condition: string, ...of: readonly unknown[]) => {
    conditions.push(condition)
    values.push(...of)
  }
  if (word !== undefined) need('words MATCH ?', `"${word}"`)
  if (price) need('price BETWEEN ? AND ?', ...price)
  if (brand !== undefined) need('brand = ?', brand)
  if (tag !== undefined) need('tag = ?', tag)
  const from = word === undefined ? 'products' : 'words JOIN products ON number = words.rowid'
  const where = `FROM ${from} ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}`
  const rows = <Row>(sql: string) => database.prepare(sql).all(...values) as Row[] // as its columns say
  const order = byPrice ? 'ORDER BY price' : word === undefined ? '' : 'ORDER BY rank'
  const hits = rows<{ id: string; price: number }>(`SELECT id, price ${where} ${order} LIMIT ${mostShown}`)
  const counted = facet
    ? rows<{ value: string; count: number }>(
        `SELECT ${facet} AS value, count(*) AS count ${where} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${mostShown}`,
      )
    : []
  return {
    total: withTotal ? rows<{ total: number }>(`SELECT count(*) AS total ${where}`)[0]!.total : hits.length,
    ...(facet && { values: counted.map(({ value, count }): [string, number] => [value, count]) }),
    ...(byPrice && { prices: hits.map(({ price }) => price) }),
  }
}
