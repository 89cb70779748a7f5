import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { create, insertMultiple, search as searchOrama } from '@orama/orama'
import { type Dataset, Engine } from 'findling'
import { type HybridScores, hybrid, hybridReport } from './hybrid.ts'
import { isolated } from './isolated.ts'
import { costOf, memory, rateOf } from './measure.ts'
import { newSqlite, type Sqlite } from './peers/fts5.ts'
import { pick, random, randomInteger } from './random.ts'
import { percent, progress, short, table } from './report.ts'
import { inTemporaryFolder } from './temporary.ts'

const DIMENSIONS = 384
const NEAREST = 10
const QUERIES = 50

/** Values of the field that is filtered by: one vector in so many may be found. */
const GROUPS = 20

const kinds = ['nearest', 'filtered', 'with words'] as const
type Kind = (typeof kinds)[number]

export interface VectorFigures {
  readonly name: string
  /** CPU-seconds until the first answer. */
  readonly build: number
  readonly bytesPerVector: number
  readonly residentPerVector: number
  /** Milliseconds of CPU of one query, and the share of the ten that are nearest in truth; by kind. */
  readonly queries: Partial<
    Record<Kind, { readonly cpuMs: number; readonly p95: number; readonly recall?: number }>
  >
}

export interface VectorResults {
  readonly vectors: number
  readonly dimensions: number
  readonly contestants: readonly VectorFigures[]
  readonly missing: readonly string[]
  /** Not without judged collections and scikit-learn. */
  readonly hybrid?: readonly HybridScores[]
}

interface Asked {
  readonly kind: Kind
  readonly value: Float32Array
  readonly group: number
  readonly text: string
}

/** Something that finds the nearest vectors. */
interface VectorIndex {
  /** Own bytes that Node does not count, if it knows them. */
  readonly bytes?: number
  readonly kinds: readonly Kind[]
  add(documents: readonly Embedded[]): Promise<void> | void
  ask(asked: Asked): Promise<readonly string[]> | readonly string[]
}

interface Embedded {
  readonly id: string
  readonly title: string
  readonly group: number
  readonly vector: Float32Array
}

const contestants = { findling, 'plain loop': plainLoop, orama, 'sqlite-vec': sqliteVec }
type Name = keyof typeof contestants

/** How fast are the nearest vectors found, and what do they take? */
export async function vectors(
  count: number,
  seconds: number,
  evaluationData: string | undefined,
): Promise<VectorResults> {
  const measured: VectorFigures[] = []
  const missing: string[] = []
  for (const name of Object.keys(contestants) as Name[]) {
    progress(`vectors: ${name}`)
    const figures = await inTemporaryFolder(folder =>
      isolated(import.meta.url, measureVectors, { name, count, seconds, folder }),
    )
    if (figures) measured.push(figures)
    else missing.push(howToGet)
  }
  const hybridScores = await hybrid(evaluationData)
  return {
    vectors: count,
    dimensions: DIMENSIONS,
    contestants: measured,
    missing,
    ...(hybridScores && { hybrid: hybridScores }),
  }
}

const howToGet =
  'sqlite-vec is not installed; `npm install --no-save better-sqlite3@12.11.1 sqlite-vec@0.1.9` in an empty folder and ' +
  'FINDLING_BENCH_PEERS=<that folder> let it take part'

/** Each in a process of its own. */
export async function measureVectors({
  name,
  count,
  seconds,
  folder,
}: {
  name: Name
  count: number
  seconds: number
  folder: string
}): Promise<VectorFigures | undefined> {
  const space = new Space(1)
  const documents = Array.from({ length: count }, (_, i) => space.document(i))
  const queries = Array.from({ length: QUERIES }, () => space.query())
  const before = memory()
  const index = await contestants[name](folder)
  if (!index) return undefined
  const cost = await costOf(async () => {
    for (let from = 0; from < count; from += 1_000) await index.add(documents.slice(from, from + 1_000))
    await index.ask({ kind: 'nearest', ...queries[0]! })
  })
  const results: VectorFigures['queries'] = {}
  for (const kind of kinds) {
    if (!index.kinds.includes(kind)) continue
    const asked = queries.map(query => ({ kind, ...query }))
    let right = 0
    for (const one of asked) {
      const expected = new Set(nearestOf(documents, one))
      const found = await index.ask(one)
      if (kind !== 'with words') right += found.filter(id => expected.has(id)).length / expected.size
    }
    const { perCpuSecond, p95 } = await rateOf(asked, one => index.ask(one), { seconds })
    results[kind] = {
      cpuMs: 1_000 / perCpuSecond,
      p95,
      ...(kind !== 'with words' && { recall: right / QUERIES }),
    }
  }
  const after = memory()
  return {
    name,
    build: cost.cpuSeconds,
    bytesPerVector: Math.max(after.held - before.held, index.bytes ?? 0) / count,
    residentPerVector: (after.resident - before.resident) / count,
    queries: results,
  }
}

/** By a plain scan in double precision. */
function nearestOf(documents: readonly Embedded[], { kind, value, group }: Asked): string[] {
  const near: { id: string; similarity: number }[] = []
  for (const { id, group: own, vector } of documents) {
    if (kind === 'filtered' && own !== group) continue
    let similarity = 0
    for (let i = 0; i < DIMENSIONS; i++) similarity += vector[i]! * value[i]!
    if (near.length === NEAREST && similarity <= near.at(-1)!.similarity) continue
    near.push({ id, similarity })
    near.sort((a, b) => b.similarity - a.similarity)
    near.length = Math.min(near.length, NEAREST)
  }
  return near.map(({ id }) => id)
}

/** Vectors of length 1 around 500 centres, in some 18 of all directions, as those of texts. */
class Space {
  readonly #next: () => number
  readonly #axes: readonly Float32Array[]
  readonly #centres: readonly (readonly number[])[]

  constructor(seed: number) {
    this.#next = random(seed)
    this.#axes = Array.from({ length: 18 }, () =>
      Float32Array.from({ length: DIMENSIONS }, () => this.#normal()),
    )
    this.#centres = Array.from({ length: 500 }, () => this.#axes.map(() => this.#normal()))
  }

  document(i: number): Embedded {
    const title = `${pick(this.#next, words)} ${pick(this.#next, words)} ${i}`
    return { id: String(i), title, group: randomInteger(this.#next, GROUPS), vector: this.#vector() }
  }

  query(): Omit<Asked, 'kind'> {
    const text = `${pick(this.#next, words)} ${pick(this.#next, words)}`
    return { value: this.#vector(), group: randomInteger(this.#next, GROUPS), text }
  }

  #vector(): Float32Array {
    const centre = pick(this.#next, this.#centres)
    const vector = new Float32Array(DIMENSIONS)
    for (const [axis, direction] of this.#axes.entries()) {
      const along = centre[axis]! + 0.6 * this.#normal()
      for (let i = 0; i < DIMENSIONS; i++) vector[i]! += along * direction[i]!
    }
    for (let i = 0; i < DIMENSIONS; i++) vector[i]! += 0.3 * this.#normal()
    const length = Math.hypot(...vector)
    return vector.map(one => one / length)
  }

  /** Box and Muller (1958). */
  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#next())) * Math.cos(2 * Math.PI * this.#next())
  }
}

const words = Array.from(
  { length: 400 },
  (_, i) => `${'bdfgklmnprst'[i % 12]}${'aeiou'[i % 5]}${'lmnrst'[i % 6]}${'aeio'[i % 4]}${i}`,
)

async function findling(folder: string): Promise<VectorIndex> {
  const engine = await Engine.open({ store: folder, answerCache: 0 })
  const dataset: Dataset = await engine.datasets.create('vectors', {
    interpretedFields: ['title'],
    vectors: { vector: { dimensions: DIMENSIONS } },
    topics: false,
  })
  return {
    kinds,
    get bytes() {
      return engine.memory().total
    },
    async add(documents) {
      await dataset.documents.bulk(
        documents.map(({ vector, ...document }) => ({
          ...document,
          vector: Array.from(vector, value => Number(value.toFixed(6))),
        })),
      )
    },
    async ask({ kind, value, group, text }) {
      const { hits } = await dataset.search(kind === 'with words' ? text : '', {
        vector: { value, nearest: NEAREST },
        ...(kind === 'filtered' && { filter: `group:${group}` }),
        documents: false,
      })
      return hits.map(({ id }) => id)
    },
  }
}

/** What one would write without a library: 32 bits, and the best ten. */
function plainLoop(): VectorIndex {
  const documents: Embedded[] = []
  return {
    kinds: ['nearest', 'filtered'],
    get bytes() {
      return documents.length * DIMENSIONS * Float32Array.BYTES_PER_ELEMENT
    },
    add(more) {
      documents.push(...more)
    },
    ask: asked => nearestOf(documents, asked),
  }
}

function orama(): VectorIndex {
  const index = create({
    schema: { title: 'string', group: 'number', vector: `vector[${DIMENSIONS}]` } as const,
  })
  return {
    kinds,
    async add(documents) {
      await insertMultiple(
        index,
        documents.map(({ vector, ...document }) => ({ ...document, vector: Array.from(vector) })),
        documents.length,
      )
    },
    async ask({ kind, value, group, text }) {
      const vector = { value: Array.from(value), property: 'vector' } as const
      const { hits } = await searchOrama(index, {
        ...(kind === 'with words' ? { mode: 'hybrid', term: text } : { mode: 'vector' }),
        vector,
        similarity: 0,
        limit: NEAREST,
        ...(kind === 'filtered' && { where: { group: { eq: group } } }),
      } as never)
      return hits.map(({ id }) => id)
    },
  }
}

/** In memory, 32 bits, its own columns for the filter. */
async function sqliteVec(): Promise<VectorIndex | undefined> {
  const peers = process.env.FINDLING_BENCH_PEERS
  if (peers === undefined) return undefined
  let database: Sqlite
  try {
    database = await newSqlite(':memory:')
    const { load } = createRequire(pathToFileURL(join(peers, 'package.json')))('sqlite-vec') as {
      load(database: Sqlite): void
    }
    load(database)
  } catch {
    return undefined
  }
  database.exec(
    `create virtual table vectors using vec0(grouped integer, vector float[${DIMENSIONS}] distance_metric=cosine)`,
  )
  const insert = database.prepare('insert into vectors(rowid, grouped, vector) values (?, ?, ?)')
  const add = database.transaction((documents: readonly Embedded[]) => {
    for (const { id, group, vector } of documents) insert.run(BigInt(id), BigInt(group), vector)
  })
  const nearest = database.prepare(
    `select rowid from vectors where vector match ? and k = ${NEAREST} order by distance`,
  )
  const filtered = database.prepare(
    `select rowid from vectors where vector match ? and k = ${NEAREST} and grouped = ? order by distance`,
  )
  return {
    kinds: ['nearest', 'filtered'],
    add,
    ask({ kind, value, group }) {
      const rows = kind === 'filtered' ? filtered.all(value, BigInt(group)) : nearest.all(value)
      return (rows as { rowid: number }[]).map(({ rowid }) => String(rowid))
    },
  }
}

export function vectorsReport({
  vectors,
  dimensions,
  contestants,
  missing,
  hybrid: scores,
}: VectorResults): string {
  const rows = contestants.map(({ name, build, bytesPerVector, residentPerVector, queries }) => [
    name,
    short(vectors / build),
    name === 'sqlite-vec' ? '-' : short(bytesPerVector), // native memory, which Node does not count
    residentPerVector > 0 ? short(residentPerVector) : '-',
    ...kinds.flatMap(kind => {
      const one = queries[kind]
      return one
        ? [short(one.cpuMs), ...(kind === 'with words' ? [] : [percent(one.recall!, 1)])]
        : ['-', ...(kind === 'with words' ? [] : ['-'])]
    }),
  ])
  return [
    `### vectors: the ${NEAREST} nearest of ${short(vectors)}, ${dimensions} dimensions`,
    table(
      [
        '',
        'vectors/CPU-s',
        'bytes/vector',
        'resident/vector',
        'nearest, ms',
        'right',
        `1 of ${GROUPS} allowed, ms`,
        'right',
        'with words, ms',
      ],
      rows,
    ),
    ...missing,
    ...(scores ? [hybridReport(scores)] : []),
  ].join('\n\n')
}
