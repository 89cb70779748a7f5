import { sampledDocuments } from '../../datasets/document-sample.ts'
import type { DatasetState } from '../../datasets/state.ts'
import { withDocuments } from '../../derived/generations/documents-to-worker.ts'
import { parseInput } from '../../input.ts'
import type { Job, JobBody } from '../../jobs/job.ts'
import type { WorkerPool } from '../../jobs/pool.ts'
import type { JobRunner } from '../../jobs/runner.ts'
import type { Store } from '../../store/store.ts'
import type { DatasetMap } from '../model/dataset-map.ts'
import { mapJobOptions } from '../options.ts'
import type { MappingTasks } from '../tasks.ts'

export interface MappingContext {
  readonly store: Store
  readonly state: DatasetState
  readonly jobs: JobRunner
  readonly pool: WorkerPool<MappingTasks>
  readonly clock: () => number
}

/** Reads some documents and computes their positions in a worker thread. */
export function mapping(context: MappingContext, given: unknown): Job<DatasetMap> {
  const { of, sample, seed, signal, onProgress } = parseInput(mapJobOptions, given, 'options')
  const { state, jobs, clock, pool } = context
  state.assertThere()
  const body: JobBody<DatasetMap> = async function* ({ signal }) {
    const at = clock()
    const { settings } = state
    const { root } = state.schema
    const found = yield* withDocuments(
      context,
      (port, how) => pool.run('mapDocuments', { settings, root, port, of, seed }, how),
      { documents: sampledDocuments(context, sample, signal), phase: 'finding places', signal },
    )
    return { dataset: state.name, at, of, ...found }
  }
  return jobs.start('map', `Mapping the ${of} of ${state.name}`, body, {
    signal,
    onProgress,
    datasets: [state.name],
  })
}
