import type { DatasetState } from '../../datasets/state.ts'
import type { StoredTagTree } from '../../datasets/tags/stored-tag-tree.ts'
import { withDocuments } from '../../derived/generations/documents-to-worker.ts'
import { parseInput } from '../../input.ts'
import type { Job, JobBody } from '../../jobs/job.ts'
import type { WorkerPool } from '../../jobs/pool.ts'
import type { JobRunner } from '../../jobs/runner.ts'
import type { Store } from '../../store/store.ts'
import type { DatasetProfile } from '../model/profile.ts'
import { profileOptions } from '../options.ts'
import type { ProfileTasks } from '../tasks.ts'

export interface ProfileContext {
  readonly store: Store
  readonly state: DatasetState
  readonly tags: StoredTagTree
  readonly jobs: JobRunner
  readonly pool: WorkerPool<ProfileTasks>
  readonly clock: () => number
}

/** Reads all documents in a worker thread, and those with unusual numbers a second time. */
export function profiling(context: ProfileContext, given: unknown): Job<DatasetProfile> {
  const { crossTables, signal, onProgress } = parseInput(profileOptions, given, 'options')
  const { state, jobs, clock, pool } = context
  state.assertThere()
  const body: JobBody<DatasetProfile> = async function* ({ signal }) {
    const at = clock()
    const { settings } = state
    const tree = await context.tags.current()
    const tags = tree.list().map(({ id, name, parentId }) => ({ id, name, parentId }))
    const { profiled, usual } = yield* withDocuments(
      context,
      (port, how) => pool.run('profileDocuments', { settings, port, tags, crossTables }, how),
      { phase: 'profiling', signal },
    )
    const hasRanges = [...usual.values()].some(ranges => ranges.size > 0)
    const unusual = hasRanges
      ? yield* withDocuments(
          context,
          (port, how) => pool.run('findUnusual', { settings, port, usual }, how),
          {
            reading: 'looking for unusual numbers',
            phase: 'looking for unusual numbers',
            signal,
          },
        )
      : []
    return { dataset: state.name, at, ...profiled, unusual }
  }
  return jobs.start('profile', `Profiling ${state.name}`, body, {
    signal,
    onProgress,
    datasets: [state.name],
  })
}
