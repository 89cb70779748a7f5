import { readDocuments } from '../datasets/stored-documents.ts'
import type { DocumentsContext } from '../datasets/writes.ts'
import type { JsonObject } from '../json.ts'
import type { Predicate } from '../query/predicate.ts'
import type { Stretch } from '../scheduling/stretch.ts'
import type { VisibleCondition } from './cursors.ts'
import { isThere } from './visible.ts'

/** Whether a document that was found may still be shown: it may have changed since. */
export interface Meant {
  readonly matches?: Predicate | undefined
  /** The contents of a document before it changed, where it has and these still count. */
  readonly before?: ((id: string) => JsonObject | undefined) | undefined
  /** The documents that are visible by now. */
  readonly visible?: VisibleCondition | undefined
}

/**
 * Documents by ids, in their order. Undefined for those that are gone or no longer match, unless their earlier contents are
 * known, and always for those that are hidden by now.
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
