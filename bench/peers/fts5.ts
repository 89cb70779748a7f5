import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type Answer,
  type Ask,
  type Contestant,
  type Index,
  type Indexable,
  type OpenOptions,
  requestedTitleWeight,
  words,
} from '../contestant.ts'
import { isolated } from '../isolated.ts'

/** What is used of better-sqlite3, which brings no types. */
export interface Sqlite {
  prepare(sql: string): { all(...values: unknown[]): unknown[]; run(...values: unknown[]): unknown }
  exec(sql: string): void
  transaction<Values extends unknown[]>(work: (...values: Values) => void): (...values: Values) => void
  close(): void
}

export const howToGetSqlite =
  'better-sqlite3 is not installed; `npm install --no-save better-sqlite3@12.11.1` in an empty folder and ' +
  'FINDLING_BENCH_PEERS=<that folder> let it take part'

export const fts5: Contestant = {
  name: 'fts5',
  settings:
    'SQLite through better-sqlite3, in a file (WAL); bm25 with the title weighted 8 (best of 1, 2, 3, 5, 8 on the odd queries); tokenizer unicode61, porter where ' +
    'the language is English; an index of prefixes of two and three letters; documents lie in a table beside it',
  kinds: ['term', 'or', 'and', 'phrase', 'prefix', 'boosts'],
  typoTolerance: 'never',
  documents: 'disk',
  native: true,
  // In a process of its own: a binary made for another Node ends the process that loads it.
  missing: () =>
    isolated(import.meta.url, loadsSqlite, undefined).then(
      loads => (loads ? undefined : howToGetSqlite),
      () => howToGetSqlite,
    ),
  open: async (folder, options) => new Fts5Index(await openSqlite(folder), options, true),
  reopening: {
    how: 'opened from its file',
    open: async (folder, options) => new Fts5Index(await openSqlite(folder), options, false),
  },
}

export async function loadsSqlite(): Promise<boolean> {
  const sqlite = await newSqlite(':memory:').catch(() => undefined)
  sqlite?.close()
  return sqlite !== undefined
}

const openSqlite = (folder: string): Promise<Sqlite> => newSqlite(join(folder, 'products.sqlite'))

export async function newSqlite(path: string): Promise<Sqlite> {
  const peers = process.env.FINDLING_BENCH_PEERS
  const base = peers === undefined ? import.meta.url : pathToFileURL(join(peers, 'package.json'))
  const { default: Database }: { default: new (path: string) => Sqlite } = await import(
    pathToFileURL(createRequire(base).resolve('better-sqlite3')).href
  )
  return new Database(path)
}

const tables = (tokenizer: string): string => `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE products (number INTEGER PRIMARY KEY, id TEXT UNIQUE, document TEXT);
  CREATE VIRTUAL TABLE words USING fts5 (
    title, desc, content = '', contentless_delete = 1, tokenize = '${tokenizer}', prefix = '2 3'
  );`

class Fts5Index implements Index {
  readonly #add: (documents: readonly Indexable[]) => void
  readonly #remove: (ids: readonly string[]) => void
  readonly #found: (ask: Ask) => unknown[]

  constructor(
    private readonly sqlite: Sqlite,
    { language, limit }: OpenOptions,
    isNew: boolean,
  ) {
    if (isNew) sqlite.exec(tables(language === 'english' ? 'porter unicode61' : 'unicode61'))
    this.#add = adding(sqlite)
    this.#remove = removing(sqlite)
    this.#found = finding(sqlite, limit)
  }

  add(documents: readonly Indexable[]): void {
    this.#add(documents)
  }

  remove(ids: readonly string[]): void {
    this.#remove(ids)
  }

  search(ask: Ask): Answer[] {
    return this.#found(ask).map(row => {
      const { id, score, document } = row as { id: string; score: number; document?: string } // finding() selects them
      return { id, score, ...(document === undefined ? {} : { document: JSON.parse(document) }) }
    })
  }

  async close(): Promise<void> {
    this.sqlite.close()
  }
}

function adding(sqlite: Sqlite): (documents: readonly Indexable[]) => void {
  const product = sqlite.prepare('INSERT INTO products (id, document) VALUES (?, ?) RETURNING number')
  const text = sqlite.prepare('INSERT INTO words (rowid, title, desc) VALUES (?, ?, ?)')
  return sqlite.transaction((documents: readonly Indexable[]) => {
    for (const document of documents) {
      const [row] = product.all(document.id, JSON.stringify(document)) as { number: number }[] // RETURNING names it
      text.run(row!.number, document.title, document.desc)
    }
  })
}

function removing(sqlite: Sqlite): (ids: readonly string[]) => void {
  const text = sqlite.prepare('DELETE FROM words WHERE rowid = (SELECT number FROM products WHERE id = ?)')
  const product = sqlite.prepare('DELETE FROM products WHERE id = ?')
  return sqlite.transaction((ids: readonly string[]) => {
    for (const id of ids) {
      text.run(id)
      product.run(id)
    }
  })
}

/** The ten rows are chosen by rank before the table of products is touched. */
function finding(sqlite: Sqlite, limit: number): (ask: Ask) => unknown[] {
  const select = (columns: string) =>
    sqlite.prepare(
      `SELECT ${columns}, -score AS score FROM (
         SELECT rowid, rank AS score FROM words WHERE words MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ${limit}
       ) JOIN products ON number = rowid ORDER BY score DESC`,
    )
  const ids = select('id')
  const whole = select('id, document')
  return ({ kind, text, documents }) => {
    if (words(text).length === 0) return [] // an empty expression is an error
    const weight = kind === 'boosts' ? requestedTitleWeight : 8
    return (documents ? whole : ids).all(expression(kind, text), `bm25(${weight}, 1)`)
  }
}

/** The query in the language of FTS5, every word quoted. */
function expression(kind: Ask['kind'], text: string): string {
  const terms = words(text)
  if (kind === 'phrase') return `"${terms.join(' ')}"`
  const joined = terms.map(term => `"${term}"`).join(kind === 'and' || kind === 'prefix' ? ' AND ' : ' OR ')
  return kind === 'prefix' ? `${joined} *` : joined
}
