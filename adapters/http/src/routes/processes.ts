import type { Engine, JobState } from 'findling'
import * as z from 'zod'
import type { Caller } from '../access/caller.ts'
import { HttpError } from '../http/errors.ts'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { processMember } from '../wire/path-members.ts'
import { Process, ProcessesQuery, processStatus } from '../wire/processes.ts'
import { defineRoute } from './define-route.ts'

const noProcess = { when: 'There is no such process' }
const DAY_MS = 24 * 60 * 60 * 1000
const DAYS_LISTED = 30

/** Contract, 11. */
export function processRoutes(processes: Processes): Route[] {
  /** To a key, processes of datasets that it is not for do not exist. */
  const existing = ({ engine, path: { id }, caller }: Asked): JobState => {
    const job = processes.find(engine, id)
    if (!job || !datasetsOf(engine, job).every(name => caller.isFor(name)))
      throw new HttpError(404, `There is no process ${JSON.stringify(id.slice(0, 60))}.`)
    return job
  }
  return [
    defineRoute({
      method: 'GET',
      path: '/api/Processes',
      action: 'Processes/Get',
      summary: 'Lists the processes of the last 30 days that are in progress, newest first',
      query: ProcessesQuery,
      example: { query: { allStatus: true, extensions: true } },
      responses: { 200: { when: 'The processes', body: z.array(Process) } },
      handle: async ({ engine, query: { allStatus, allTime, extensions }, base }) => {
        const jobs = engine.jobs({
          ...(!allStatus && { status: ['running'] }),
          ...(!allTime && { since: Date.now() - DAYS_LISTED * DAY_MS }),
        })
        return { status: 200, body: await processes.list(engine, jobs, { base, extensions }) }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/Processes/{id}',
      action: 'Processes/Get',
      summary: 'Reads a process',
      members: processMember,
      responses: { 200: { when: 'The process', body: Process }, 404: noProcess },
      handle: async call => ({
        status: 200,
        body: await processes.model(call.engine, existing(call), call.base),
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Processes/{id}/Cancel',
      action: 'Processes/Cancel',
      summary: 'Asks a process to stop',
      members: processMember,
      responses: {
        202: { when: 'The process will stop; its status shows when it has' },
        400: { when: 'The process is not in progress' },
        404: noProcess,
      },
      handle: async call => {
        const job = existing(call)
        if (job.status !== 'running')
          throw new HttpError(400, `The process ${job.id} cannot be cancelled: it is ${processStatus(job)}.`)
        call.engine.cancelJob(job.id)
        return { status: 202 }
      },
    }),
  ]
}

interface Asked {
  readonly engine: Engine
  readonly path: { readonly id: string }
  readonly caller: Caller
}

/** Datasets that a job works on. If there are none, or they are no longer known: an empty name, which no restricted key matches. */
function datasetsOf({ services }: Engine, { datasets, service }: JobState): readonly string[] {
  if (datasets) return datasets
  const of = service !== undefined && services.has(service) && services.get(service).info().dataset
  return [of || '']
}
