import { type Index, words } from './contestant.ts'
import { type Cost, type Rate, rateOf, Stopwatch } from './measure.ts'
import { assertFinds, type Newcomers } from './newcomers.ts'
import type { Catalogue } from './synthetic.ts'

export interface ChangeFigures {
  /** One new document added and then found by its new word, as one call. */
  readonly visibility?: Rate
  readonly removal?: Cost & { readonly documents: number }
}

interface Task {
  readonly documents: number
  readonly seconds: number
}

/** What a change costs an index that is full; nothing where it cannot change. */
export async function measureChanges(
  index: Index,
  catalogue: Catalogue,
  newcomers: Newcomers,
  task: Task,
): Promise<ChangeFigures> {
  if (!index.remove) return {}
  const addAndFind = async () => {
    const newcomer = newcomers.next()
    await index.add([newcomer])
    await assertFinds(index, newcomer)
  }
  const visibility = await rateOf([undefined], addAndFind, { seconds: task.seconds })
  return { visibility, removal: await measureRemoval(index, catalogue, task) }
}

const together = 10

/** A twentieth of the documents, or as many as can be taken out in this time. */
async function measureRemoval(
  index: Index,
  catalogue: Catalogue,
  { documents, seconds }: Task,
): Promise<Cost & { documents: number }> {
  const watch = new Stopwatch()
  let removed = 0
  while (removed < documents / 20 && watch.cost.seconds < seconds) {
    const ids = Array.from({ length: together }, (_, at) => `p${removed + at}`)
    await watch.time(() => index.remove!(ids))
    removed += together
  }
  const { id, title } = catalogue.product(removed - 1)
  const hits = await index.search({ kind: 'and', text: words(title).join(' '), documents: false })
  if (hits.some(hit => hit.id === id)) throw new Error(`${id} was taken out and is found`)
  return { ...watch.cost, documents: removed }
}
