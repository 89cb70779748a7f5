import { recordIn } from '../datasets/record.ts'
import { allDocuments, readDocuments } from '../datasets/stored-documents.ts'
import { type DocumentsContext, notFound } from '../datasets/writes.ts'
import type { JsonObject } from '../json.ts'
import { compileCondition } from '../query/condition.ts'
import type { SharedFeature } from '../similarity/explanation.ts'
import type { SimilarHit as Near, SimilarQuery } from '../similarity/similarity-index.ts'
import { Stretch } from '../stretch.ts'
import type { DatasetLikeness } from './dataset-likeness.ts'
import type { LiveLikeness } from './live-likeness.ts'
import { type CheckedSimilarTo, readSimilarOptions, readSimilarTo } from './similar-options.ts'

/** A document that is like what was asked. */
export interface SimilarHit<T extends object = JsonObject> {
  id: string
  /** Above 0, up to 1: nothing differs that counts. */
  score: number
  document: T
  /** With `explain`: what both have, and what each of these adds to the score, most first. */
  shared?: readonly SharedFeature[]
}

/** What of a dataset is needed to compare its documents. */
export interface Comparable {
  readonly documents: DocumentsContext
  readonly likeness: LiveLikeness
}

/**
 * The nearest so many are held against a filter first, then four times as many, up to the last number: where too few of
 * them match, all documents are.
 */
const FIRST_LOOKED_AT = 64
const GROWTH = 4
const LAST_LOOKED_AT = 1024
/** Of documents that shall differ, so many times as many pass the filter before they are chosen. */
const POOL = 4
/** Documents that are read at once. */
const READ_TOGETHER = 64

type Matches = (document: JsonObject) => boolean

/**
 * The documents that are most like what is asked, best first.
 * @throws FindlingError INVALID_ARGUMENT, QUERY_INVALID, DOCUMENT_NOT_FOUND
 */
export async function similarDocuments<T extends object>(
  { documents, likeness: live }: Comparable,
  to: unknown,
  options: unknown,
): Promise<SimilarHit<T>[]> {
  const asked = readSimilarTo(to)
  const checked = readSimilarOptions(options, asked)
  const { count, least, diversity, exclude } = checked
  const matches =
    checked.filter === undefined ? everything : compileCondition(checked.filter, documents.state.queryFields)
  return await live.use(async likeness => {
    const source = await sourceOf(asked, documents)
    if (count === 0) return []
    const query = typeof asked === 'object' && 'id' in asked ? asked : queryOf(source, likeness)
    let accepts = (id: string) => !exclude.has(id)
    if (matches !== everything) {
      const wanted = diversity > 0 ? POOL * count : count
      const passed = await passing({ likeness, query, least, accepts, wanted, matches, documents })
      accepts = id => passed.has(id)
    }
    const found = likeness.index.nearest(query, { count, least, diversity, accepts })
    const explained = checked.explain && typeof source === 'object' ? source : undefined
    return await presented<T>(found, { documents, matches, likeness, explained })
  })
}

/** What others are compared with: a text, or a document as it is stored. */
async function sourceOf(asked: CheckedSimilarTo, documents: DocumentsContext): Promise<string | JsonObject> {
  if (typeof asked === 'string') return asked
  if ('document' in asked) return asked.document
  const [stored] = await readDocuments(documents, [asked.id])
  if (!stored) throw notFound(documents.state, asked.id)
  return stored
}

const queryOf = (source: string | JsonObject, likeness: DatasetLikeness): SimilarQuery =>
  typeof source === 'string' ? source : likeness.comparable(source)

interface Passing {
  readonly likeness: DatasetLikeness
  readonly query: SimilarQuery
  readonly least: number
  readonly accepts: (id: string) => boolean
  readonly wanted: number
  readonly matches: Matches
  readonly documents: DocumentsContext
}

/** Documents that match, the nearest as many as wanted among them. */
async function passing(asked: Passing): Promise<ReadonlySet<string>> {
  const { likeness, query, least, accepts, wanted, matches, documents } = asked
  const passed = new Set<string>()
  const seen = new Set<string>()
  const stretch = new Stretch()
  for (let count = Math.max(FIRST_LOOKED_AT, wanted); count <= LAST_LOOKED_AT; count *= GROWTH) {
    const near = likeness.index.nearest(query, { count, least, accepts: id => !seen.has(id) && accepts(id) })
    for (let at = 0; at < near.length; at += READ_TOGETHER) {
      const ids = near.slice(at, at + READ_TOGETHER).map(({ id }) => id)
      for (const [i, document] of (await readDocuments(documents, ids)).entries()) {
        if (stretch.isOver) await stretch.pause()
        seen.add(ids[i]!)
        if (document && matches(document)) passed.add(ids[i]!)
      }
      if (passed.size >= wanted) return passed
    }
    if (near.length < count) return passed
  }
  return await allPassing(asked)
}

async function allPassing({ accepts, matches, documents }: Passing): Promise<ReadonlySet<string>> {
  const passed = new Set<string>()
  const stretch = new Stretch()
  // What cannot be read is not in the index either.
  for await (const batch of allDocuments(documents, { onDamage: () => undefined })) {
    for (const [id, payload] of batch) {
      if (stretch.isOver) await stretch.pause()
      if (accepts(id) && matches(recordIn(payload).document)) passed.add(id)
    }
  }
  return passed
}

interface Presented {
  readonly documents: DocumentsContext
  readonly matches: Matches
  readonly likeness: DatasetLikeness
  /** The document that each is explained beside. */
  readonly explained: JsonObject | undefined
}

/** With their documents. What is gone by now, or does not match any more, is left out. */
async function presented<T extends object>(
  found: readonly Near[],
  { documents, matches, likeness, explained }: Presented,
): Promise<SimilarHit<T>[]> {
  const { index } = likeness
  const asked = explained && likeness.comparable(explained)
  const ids = found.map(({ id }) => id)
  const hits: SimilarHit<T>[] = []
  const stretch = new Stretch()
  for (const [i, document] of (await readDocuments(documents, ids)).entries()) {
    if (stretch.isOver) await stretch.pause()
    if (!document || !matches(document)) continue
    hits.push({
      ...found[i]!,
      // What is stored has passed the dataset's rules.
      document: document as T,
      ...(asked ? { shared: index.explain(asked, likeness.comparable(document)).features } : {}),
    })
  }
  return hits
}

const everything: Matches = () => true
