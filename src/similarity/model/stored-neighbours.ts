import * as z from 'zod'
import { FindlingError } from '../../errors.ts'
import { SCORE_PARTS } from './comparison.ts'
import type { NeighbourList } from './neighbours.ts'

/** For each list: its document, that document's fingerprint, its neighbours, and their scores as integers. */
const schema = z.array(z.tuple([z.string(), z.int(), z.array(z.string()), z.array(z.int().nonnegative())]))

/** A list, with the fingerprint of its document. */
export interface StoredList extends NeighbourList {
  /** `SimilarityIndex.fingerprint` when the list was made. */
  readonly print: number
}

export function writeLists(lists: Iterable<StoredList>): Uint8Array<ArrayBuffer> {
  const rows = Array.from(lists, ({ id, print, ids, scores }) => [
    id,
    print,
    ids,
    Array.from(scores, score => Math.round(score * SCORE_PARTS)),
  ])
  return new TextEncoder().encode(JSON.stringify(rows))
}

/** STORE_CORRUPT */
export function readLists(bytes: Uint8Array): StoredList[] {
  const { data } = schema.safeParse(JSON.parse(Buffer.from(bytes).toString()))
  if (!data) throw new FindlingError('STORE_CORRUPT', 'Stored lists of similar documents cannot be read.')
  return data.map(([id, print, ids, scores]) => ({
    id,
    print,
    ids,
    scores: Float32Array.from(scores, score => score / SCORE_PARTS),
  }))
}
