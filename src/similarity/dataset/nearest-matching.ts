import { readDocuments } from '../../datasets/stored-documents.ts'
import type { DocumentsContext } from '../../datasets/writes.ts'
import type { JsonObject } from '../../json.ts'
import type { Predicate } from '../../query/predicate.ts'
import type { Deadline } from '../../scheduling/deadline.ts'
import { Stretch } from '../../scheduling/stretch.ts'
import type {
  NearDocument,
  NearestOptions,
  SimilarityIndex,
  SimilarQuery,
} from '../model/similarity-index.ts'

export const everyDocument: Predicate = Object.assign(() => true, {
  // biome-ignore lint/correctness/useYield: there is nothing to wait for
  *deciding() {
    return true
  },
})

/**
 * Ids of the documents that match, as far as an index tells. Undefined if there are more than `most` of these, or more than
 * `most` would have to be read.
 */
export type Listing = (most: number) => Promise<ReadonlySet<string> | undefined>

/** A question to an index, and to the documents that it finds. */
export interface NearestRequest extends Required<NearestOptions> {
  readonly index: SimilarityIndex
  readonly documents: DocumentsContext
  readonly query: SimilarQuery
  readonly matches: Predicate
  /** Lists the documents that match, where not all do. */
  readonly listing: Listing
  readonly deadline?: Deadline | undefined
}

/**
 * Where more documents than the last number match, this many nearest ones are read and checked against the filter first, then
 * four times as many, up to that number. If too few of them match, all documents are checked.
 */
const FIRST_LOOKED_AT = 64
const GROWTH = 4
const LAST_LOOKED_AT = 1024
/** With diversity, this many times as many documents must pass the filter before some are chosen. */
const POOL = 4
/** Number of documents read at once. */
const READ_TOGETHER = 64

/** The nearest of the documents that match. */
export async function nearestMatching(asked: NearestRequest): Promise<NearDocument[]> {
  const { matches, accepts, listing, deadline, count, least, diversity } = asked
  if (count === 0) return []
  deadline?.begin()
  deadline?.check()
  const options = { count, least, diversity }
  if (matches === everyDocument) return await nearestInTurn(asked, { ...options, accepts })
  const passed = (await listing(LAST_LOOKED_AT)) ?? (await passing(asked))
  return await nearestInTurn(asked, { ...options, accepts: id => passed.has(id) && accepts(id) })
}

/** Many callers at once share the turns of the event loop. */
const nearestInTurn = (
  { index, query, documents, deadline }: NearestRequest,
  options: NearestOptions,
): Promise<NearDocument[]> =>
  documents.store.turn.inTurn(
    () => index.nearest(query, options),
    () => deadline?.check(),
  )

/** Documents that match, among them as many of the nearest as are needed. */
async function passing(asked: NearestRequest): Promise<ReadonlySet<string>> {
  const { least, accepts, matches, documents, deadline, count: most, diversity } = asked
  const wanted = diversity > 0 ? POOL * most : most
  const passed = new Set<string>()
  const seen = new Set<string>()
  const stretch = new Stretch(deadline, documents.store.turn)
  for (let count = Math.max(FIRST_LOOKED_AT, wanted); count <= LAST_LOOKED_AT; count *= GROWTH) {
    const near = await nearestInTurn(asked, { count, least, accepts: id => !seen.has(id) && accepts(id) })
    for (let at = 0; at < near.length; at += READ_TOGETHER) {
      const ids = near.slice(at, at + READ_TOGETHER).map(({ id }) => id)
      for (const [i, document] of (await readDocuments(documents, ids)).entries()) {
        if (stretch.isOver) await stretch.pause()
        seen.add(ids[i]!)
        if (document && (await stretch.through(matches.deciding(document)))) passed.add(ids[i]!)
      }
      if (passed.size >= wanted) return passed
    }
    if (near.length < count) return passed
  }
  return (await asked.listing(Number.POSITIVE_INFINITY))!
}

/** The first few with their documents. Those that have been deleted or no longer match are left out. */
export async function presented<Near extends NearDocument>(
  found: readonly Near[],
  {
    documents,
    matches,
    deadline,
    most,
  }: Pick<NearestRequest, 'documents' | 'matches' | 'deadline'> & { readonly most: number },
): Promise<(Near & { readonly document: JsonObject })[]> {
  const hits: (Near & { readonly document: JsonObject })[] = []
  const stretch = new Stretch(deadline, documents.store.turn)
  for (let at = 0; at < found.length && hits.length < most; at += READ_TOGETHER) {
    const some = found.slice(at, at + READ_TOGETHER)
    const ids = some.map(({ id }) => id)
    for (const [i, document] of (await readDocuments(documents, ids)).entries()) {
      if (stretch.isOver) await stretch.pause()
      if (!document || hits.length === most) continue
      if (await stretch.through(matches.deciding(document))) hits.push({ ...some[i]!, document })
    }
  }
  return hits
}
