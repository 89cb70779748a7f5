import { readDocuments } from '../datasets/stored-documents.ts'
import type { DocumentsContext } from '../datasets/writes.ts'
import type { JsonObject } from '../json.ts'
import type { Predicate } from '../query/predicate.ts'
import type { Stretch } from '../scheduling/stretch.ts'
import type { VisibleCondition } from './cursors.ts'
import { isThere } from './visible.ts'

/** Whether a document may still be shown: it may have changed since it was found. */
export interface Meant {
  readonly matches?: Predicate | undefined
  /** What a document said before it changed, where it has and that still counts. */
  readonly before?: ((id: string) => JsonObject | undefined) | undefined
  /** Which documents there are by now. */
  readonly visible?: VisibleCondition | undefined
}

/**
 * Documents by ids, in their order. Undefined is what is gone by now, or does not match any more, unless it is known what
 * it said before; what is hidden by now always is.
 */
export async function stillMeant(
  documents: DocumentsContext,
  ids: readonly string[],
  { matches, before, visible }: Meant,
  stretch: Stretch,
): Promise<(JsonObject | undefined)[]> {
  const stored = await readDocuments(documents, ids)
  if (before) await documents.store.heard()
  const meant: (JsonObject | undefined)[] = []
  for (const [i, id] of ids.entries()) {
    if (stretch.isOver) await stretch.pause()
    const earlier = before?.(id)
    const document = earlier ?? stored[i]
    const isMeant =
      document &&
      (!visible || isThere(stored[i], visible)) &&
      (earlier || !matches || (await stretch.through(matches.deciding(document))))
    meant.push(isMeant ? document : undefined)
  }
  return meant
}
