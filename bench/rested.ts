import { setTimeout as pause } from 'node:timers/promises'
import type { Engine } from 'findling'

const patience = 1_800_000
const quiet = 1_000

/**
 * Resolves once nothing has been at work in the background for a second: merges are over, and what documents and
 * queries are about is known. Before that, hits are in another order, so that the same question asked early and late would be
 * measured on two rankings.
 */
export async function rested(
  engine: Engine,
  dataset: { search(query: string): Promise<unknown> },
): Promise<void> {
  const until = Date.now() + patience
  // Only an index that somebody asks is there to be worked at.
  await dataset.search('')
  for (let since = Date.now(); Date.now() - since < quiet; await pause(10)) {
    if (engine.jobs().some(({ endedAt }) => endedAt === null)) since = Date.now()
    if (Date.now() > until) throw new Error(`still at work after ${patience / 60_000} minutes`)
  }
}
