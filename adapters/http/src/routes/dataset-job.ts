import type { Dataset, Job } from 'findling'
import type * as z from 'zod'
import type { Processes } from '../processes/processes.ts'
import { workerThreads } from '../request/parallel.ts'
import type { Call, Route } from '../route.ts'
import { sampleDataset } from '../sample/example.ts'
import { dataSetMember } from '../wire/path-members.ts'
import { Process } from '../wire/processes.ts'
import { defineRoute } from './define-route.ts'

export const noDataSet = { when: 'There is no such dataset' }

interface DatasetJob<Body> extends Pick<Route, 'path' | 'action' | 'summary' | 'origins' | 'bodySize'> {
  readonly body?: z.ZodType<Body>
  readonly example?: unknown
  /** Description of the process in the answer. Default: the process that does it. */
  readonly answer?: string
  /** When the answer is 400; `conflict`: when it is 409. */
  readonly refused: string
  readonly conflict: string
  /** Returns the job in an object: a bare job would be awaited. */
  start(
    dataset: Dataset,
    body: Body,
    call: Pick<Call, 'engine' | 'caller'> & { readonly parallel: number },
  ): Promise<{ job: Job<unknown> }>
}

/** A route that starts a job on the dataset in its path. */
export function datasetJobRoute<Body>(
  processes: Processes,
  { start, example, answer, refused, conflict, ...about }: DatasetJob<Body>,
): Route {
  return defineRoute({
    ...about,
    method: 'POST',
    extension: true,
    writes: true,
    members: dataSetMember,
    example: { path: { name: sampleDataset }, ...(example !== undefined && { body: example }) },
    responses: {
      202: { when: answer ?? 'The started process', body: Process },
      400: { when: refused },
      404: noDataSet,
      409: { when: conflict },
    },
    handle: async ({ path, body, ...call }) => {
      const { engine, caller, parallel } = call
      const { job } = await start(engine.datasets.get(path.name), body, {
        engine,
        caller,
        parallel: workerThreads(parallel),
      })
      return await processes.started(job, call)
    },
  })
}
