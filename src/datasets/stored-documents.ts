import type { JsonObject } from '../json.ts'
import { documentKey, documentPrefix, within } from '../store/keyspace.ts'
import type { Store } from '../store/store.ts'
import { documentIn, modifiedAtIn, seqIn } from './record.ts'
import type { DatasetState } from './state.ts'

/** A document with what the store knows of it. */
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

/** Documents by ids that the store itself has given, in the order asked for; undefined where there is none. */
export async function readDocuments(
  place: Place,
  ids: readonly string[],
): Promise<(JsonObject | undefined)[]> {
  const values = await readSealed(place, ids)
  return values.map(value => value && documentIn(value))
}

export async function readRecords(
  place: Place,
  ids: readonly string[],
): Promise<(DocumentRecord<JsonObject> | undefined)[]> {
  const values = await readSealed(place, ids)
  return values.map(
    (value, i) =>
      value && {
        id: ids[i]!,
        seq: seqIn(value),
        modifiedAt: modifiedAtIn(value),
        document: documentIn(value),
      },
  )
}

function readSealed({ store, state }: Place, ids: readonly string[]): Promise<(Uint8Array | undefined)[]> {
  state.assertThere()
  return store.getMany(ids.map(id => documentKey(state.dataset, id)))
}

interface WalkOptions {
  signal?: AbortSignal | undefined
  /** Hears the keys of damaged documents, which are left out; without it they are STORE_CORRUPT. */
  onDamage?: ((key: string) => void) | undefined
}

/** All documents by id in byte order, as they were when the first was asked for, in batches. */
export async function* allDocuments(
  { store, state: { dataset } }: { store: Store; state: Pick<DatasetState, 'dataset'> },
  options: WalkOptions = {},
): AsyncGenerator<[id: string, payload: Buffer][]> {
  const prefix = documentPrefix(dataset)
  for await (const batch of store.entries(within(prefix), options))
    yield batch.map(([key, payload]) => [key.slice(prefix.length), payload])
}
