import { MatchSet } from '../fulltext/matching/match-set.ts'
import type { LiveIndex } from '../live/live-index.ts'
import type { Deadline } from '../scheduling/deadline.ts'
import { Stretch } from '../scheduling/stretch.ts'
import {
  askReadingFew,
  type ConditionContext,
  filterFields,
  filterFor,
  type GivenCondition,
  readCondition,
} from './condition.ts'
import { idAt } from './match-list.ts'
import { readVisible } from './visible.ts'

/**
 * Ids of the documents that match a condition; undefined if there are more than `most` of these, or more than `most`
 * would have to be read.
 */
export async function matchingIds(
  dataset: ConditionContext & { readonly index: LiveIndex },
  given: GivenCondition,
  most: number,
  { visible: visibleTo, deadline }: { readonly visible?: unknown; readonly deadline?: Deadline | undefined },
): Promise<ReadonlySet<string> | undefined> {
  const { index, documents, state } = dataset
  const fields = filterFields(state)
  const visible = await readVisible(visibleTo, dataset, deadline)
  const condition = await readCondition(given, dataset, fields, { deadline })
  const filter = filterFor(condition, fields, dataset)
  const found = await askReadingFew(
    { index, documents, deadline },
    [filter],
    (whole, [selection]) => {
      const segments = [...whole.state.segments]
      const matches = MatchSet.selected(segments, selection)
      return matches.size > most ? undefined : { segments, matches }
    },
    [],
    most,
    visible,
  )
  if (!found?.answer) return undefined
  const { segments, matches } = found.answer
  const ids = new Set<string>()
  const stretch = new Stretch(deadline, documents.store.turn)
  for (const document of matches.documents()) {
    ids.add(idAt(segments, document))
    if (ids.size % LOOKED_AT === 0 && stretch.isOver) await stretch.pause()
  }
  return ids
}

/** Number of ids between two looks at the clock. */
const LOOKED_AT = 256
