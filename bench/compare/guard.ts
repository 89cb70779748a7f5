import { readResults, table, times } from '../report.ts'
import { compare, type JobComparison } from './compare.ts'
import { guarded, type Job } from './jobs.ts'

/** Published figures are of this question. */
const published = 'search-100k'

/** A job that takes less than this share of the published speed is a loss. */
const LEAST = 0.8

/** Fewer than what is published, so that it takes some minutes. */
const DOCUMENTS = 30_000

/** Processes for a job that looks lost: one word takes a third more in some processes than in others of the same build. */
const MORE_SITTINGS = 8

export interface Guarded {
  readonly commit: string
  readonly jobs: readonly GuardedJob[]
}

export interface GuardedJob {
  readonly job: Job
  /** How many times as fast this checkout is as the published commit. */
  readonly speed: number
  readonly isLost: boolean
}

/** Whether this checkout is still as fast as the commit of the published figures. */
export async function guard(evaluationData: string | undefined): Promise<Guarded> {
  const commit = readResults(published)?.commit
  if (commit === undefined)
    throw new TypeError(
      `bench/results/${published}.json names no commit: npm run bench -- search --size 100k`,
    )
  const measured = async (jobs: readonly Job[], sittings?: number): Promise<GuardedJob[]> => {
    const asked = { others: [commit], documents: DOCUMENTS, jobs, evaluationData }
    return (await compare(sittings ? { ...asked, sittings } : asked)).jobs.map(guardedJob)
  }
  return { commit, jobs: await confirmed(await measured(guarded), jobs => measured(jobs, MORE_SITTINGS)) }
}

/** Measures again what looks lost. */
export async function confirmed(
  first: readonly GuardedJob[],
  again: (jobs: readonly Job[]) => Promise<GuardedJob[]>,
): Promise<GuardedJob[]> {
  const doubtful = first.filter(({ isLost }) => isLost).map(({ job }) => job)
  if (doubtful.length === 0) return [...first]
  const surer = new Map((await again(doubtful)).map(one => [one.job, one]))
  return first.map(one => surer.get(one.job) ?? one)
}

export function guardedJob({ job, figures }: JobComparison): GuardedJob {
  const speed = 1 / figures[1]!.speed
  return { job, speed, isLost: speed < LEAST }
}

export function guardReport({ commit, jobs }: Guarded): string {
  const heading = `This checkout beside ${commit.slice(0, 7)}, of which the published figures are (at least ${times(LEAST)}):`
  const rows = jobs.map(({ job, speed, isLost }) => [job, times(speed), isLost ? 'slower' : 'ok'])
  return `${heading}\n\n${table(['', 'speed', ''], rows)}`
}
