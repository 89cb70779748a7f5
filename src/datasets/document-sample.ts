import type { Store } from '../store/store.ts'
import type { DatasetState } from './state.ts'
import { allDocuments } from './stored-documents.ts'

/**
 * Stored documents at equal distances, by id, in batches that may be empty.
 * @param most maximum number of documents
 */
export async function* sampledDocuments(
  place: { readonly store: Store; readonly state: DatasetState },
  most: number,
  signal: AbortSignal,
): AsyncGenerator<[id: string, payload: Buffer][]> {
  const { documents } = place.store.counts(place.state.dataset)
  const distance = Math.max(1, documents / most)
  let number = 0
  let taken = 0
  for await (const batch of allDocuments(place, { signal })) {
    yield batch.filter(() => {
      const isTaken = number++ >= taken * distance && taken < most
      if (isTaken) taken++
      return isTaken
    })
  }
}
