import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import { inStretches } from '../scheduling/stretch.ts'
import type { IndexTasks } from './index-builder.ts'

/** Computes all impacts from the given constants, before the index is shared. */
export async function takeGiven(index: FulltextIndex, pool: WorkerPool<IndexTasks>): Promise<void> {
  await inStretches(index.settling())
  while (!index.isAsGiven) {
    const task = index.planCompaction()
    if (task) index.adopt(await pool.run('compact', task))
    await inStretches(index.settling())
  }
}
