import type { JsonObject } from '../json.ts'
import { Stretch } from '../scheduling/stretch.ts'
import { documentKey, documentPrefix, keysWithin } from '../store/keyspace.ts'
import type { Store } from '../store/store.ts'
import { documentIn, modifiedAtIn, seqIn } from './record.ts'
import type { DatasetState } from './state.ts'

/** A document with its metadata. */
export interface DocumentRecord<T> {
  id: string
  /** Number of its last change. */
  seq: number
  /** Milliseconds since 1970. */
  modifiedAt: number
  document: T
}

interface Place {
  readonly store: Store
  readonly state: DatasetState
}

/** Documents by ids from the store itself, in the order of the ids; undefined for a missing one. */
export async function readDocuments(
  place: Place,
  ids: readonly string[],
): Promise<(JsonObject | undefined)[]> {
  return await read(place, ids, documentIn)
}

export async function readRecords(
  place: Place,
  ids: readonly string[],
): Promise<(DocumentRecord<JsonObject> | undefined)[]> {
  return await read(place, ids, (value, id) => ({
    id,
    seq: seqIn(value),
    modifiedAt: modifiedAtIn(value),
    document: documentIn(value),
  }))
}

/** Reads all values at one moment, and parses them into documents in short stretches. */
async function read<T>(
  { store, state }: Place,
  ids: readonly string[],
  decode: (value: Uint8Array, id: string) => T,
): Promise<(T | undefined)[]> {
  state.assertThere()
  const values = await store.getMany(ids.map(id => documentKey(state.dataset, id)))
  const stretch = new Stretch(undefined, store.turn)
  const decoded: (T | undefined)[] = []
  for (const [i, value] of values.entries()) {
    if (stretch.isOver) await stretch.pause()
    decoded.push(value && decode(value, ids[i]!))
  }
  return decoded
}

interface WalkOptions {
  signal?: AbortSignal | undefined
  /** Receives the keys of damaged documents, which are left out; without it they are STORE_CORRUPT. */
  onDamage?: ((key: string) => void) | undefined
  /** Selects documents by their size in bytes. */
  wants?: ((bytes: number) => boolean) | undefined
  /** For callers that others wait for: while documents are written, every batch waits for its turn. */
  largeBatches?: boolean
}

/** All documents in batches, ordered by the bytes of their ids, as of the moment when the first is requested. */
export async function* allDocuments(
  { store, state: { dataset } }: { store: Store; state: Pick<DatasetState, 'dataset'> },
  options: WalkOptions = {},
): AsyncGenerator<[id: string, payload: Buffer][]> {
  const prefix = documentPrefix(dataset)
  for await (const batch of store.entries(keysWithin(prefix), options))
    yield batch.map(([key, payload]) => [key.slice(prefix.length), payload])
}
