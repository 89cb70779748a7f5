import { randomUUID } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { FindlingError } from '../../src/errors.ts'
import type { JobBody, JobState, Progress } from '../../src/jobs/job.ts'
import { jobIds } from '../../src/jobs/job-ids.ts'
import { JobRunner, type JobStore, keptJobs } from '../../src/jobs/runner.ts'
import { gate } from '../services/engines.ts'

class Shelf implements JobStore {
  readonly states = new Map<string, string>()
  readonly writes: JobState[] = []

  async put(state: JobState) {
    this.writes.push(state)
    this.states.set(state.id, JSON.stringify(state))
  }

  async list() {
    return [...this.states.values()].map(text => JSON.parse(text) as JobState)
  }

  async remove(ids: string[]) {
    for (const id of ids) this.states.delete(id)
  }
}

let shelf: Shelf
let runner: JobRunner
let now: number
let steps: string[]
let unheard: string[]

function newRunner(): JobRunner {
  const clock = () => now
  return new JobRunner({
    store: shelf,
    clock,
    newId: jobIds(clock, randomUUID),
    unheard: ({ kind }, error) => unheard.push(`${kind}: ${error}`),
  })
}

beforeEach(() => {
  shelf = new Shelf()
  now = 1000
  steps = []
  unheard = []
  runner = newRunner()
})

const units = (total: number): JobBody<number> =>
  async function* () {
    for (let done = 1; done <= total; done++) yield { done, total, phase: 'counting' }
    return total
  }

/** Never ends by itself; notes when it is cleaned up. */
const endless: JobBody<void> = async function* ({ signal }) {
  try {
    for (let done = 1; ; done++) {
      if (signal.aborted) steps.push('pulled after cancel')
      yield { done, total: undefined, phase: 'waiting' }
    }
  } finally {
    steps.push('cleaned up')
  }
}

const failing = (error: unknown): JobBody<void> =>
  async function* () {
    yield { done: 1, total: 2, phase: 'trying' }
    throw error
  }

describe('start', () => {
  it('gives the result of the body and ends finished at 100 percent', async () => {
    const job = runner.start('count', 'Counting to three', units(3))
    expect(job.state).toMatchObject({
      status: 'running',
      startedAt: 1000,
      endedAt: null,
      percent: 0,
      result: null,
    })
    now = 1500
    expect(await job.finished).toBe(3)
    expect(job.state).toEqual({
      id: job.id,
      kind: 'count',
      description: 'Counting to three',
      status: 'finished',
      startedAt: 1000,
      endedAt: 1500,
      progress: { done: 3, total: 3, phase: 'counting' },
      percent: 100,
      error: null,
      result: 3,
    })
  })

  it('reports every unit with its percentage', async () => {
    const seen: (Progress & { percent: number })[] = []
    await runner.start('count', '', units(3), { onProgress: p => seen.push(p) }).finished
    expect(seen.map(p => p.percent)).toEqual([33.33, 66.67, 100])
    expect(seen[0]).toEqual({ done: 1, total: 3, phase: 'counting', percent: 33.33 })
  })

  it('knows no percentage without a total and stays within 0 to 100', async () => {
    const seen: number[] = []
    const body: JobBody<void> = async function* () {
      for (const total of [undefined, 0, 2, -1]) yield { done: 5, total, phase: '' }
    }
    await runner.start('odd', '', body, { onProgress: p => seen.push(p.percent) }).finished
    expect(seen).toEqual([0, 0, 100, 100])
  })

  it('never takes a percentage back, where a phase begins anew or no longer knows its total', async () => {
    const seen: number[] = []
    const body: JobBody<void> = async function* () {
      yield { done: 2, total: 4, phase: 'reading' }
      yield { done: 0, total: 4, phase: 'learning' }
      yield { done: 3, total: 4, phase: 'learning' }
      yield { done: 9, total: undefined, phase: 'storing' }
    }
    await runner.start('phases', '', body, { onProgress: p => seen.push(p.percent) }).finished
    expect(seen).toEqual([50, 50, 75, 75])
  })

  it('counts a phase as the share of the job that it is', async () => {
    const seen: number[] = []
    const body: JobBody<void> = async function* () {
      yield { done: 1, total: 2, phase: 'reading', share: [0, 0.4] }
      yield { done: 2, total: 2, phase: 'reading', share: [0, 0.4] }
      yield { done: 0, total: undefined, phase: 'learning', share: [0.4, 1] }
      yield { done: 1, total: 2, phase: 'learning', share: [0.4, 1] }
    }
    const job = runner.start('phases', '', body, { onProgress: p => seen.push(p.percent) })
    await job.finished
    expect(seen).toEqual([20, 40, 40, 70])
    expect(job.state.progress).toEqual({ done: 1, total: 2, phase: 'learning' })
  })

  it('lets other work run between two units', async () => {
    let turns = 0
    let over = false
    const job = runner.start('count', '', units(50)).finished.then(() => {
      over = true
    })
    while (!over) {
      await breathe()
      turns++
    }
    await job
    expect(turns).toBeGreaterThanOrEqual(50)
  })

  it('hands the body its id', async () => {
    const body: JobBody<string> = async function* ({ id }) {
      yield { done: 1, total: 1, phase: '' }
      return id
    }
    const job = runner.start('id', '', body)
    expect(await job.finished).toBe(job.id)
  })
})

describe('a body that throws', () => {
  it('fails the job with the code and message of the error', async () => {
    const error = new FindlingError('STORE_FAILED', 'the disk is full')
    const job = runner.start('try', '', failing(error))
    await expect(job.finished).rejects.toBe(error)
    expect(job.state).toMatchObject({
      status: 'failed',
      error: { code: 'STORE_FAILED', message: 'the disk is full' },
      result: null,
    })
  })

  it.each([
    [new TypeError('x is undefined'), { code: 'JOB_FAILED', message: 'x is undefined' }],
    ['plain text', { code: 'JOB_FAILED', message: 'plain text' }],
    [Object.assign(new Error('no space'), { code: 'ENOSPC' }), { code: 'ENOSPC', message: 'no space' }],
  ])('tells %s as %o', async (error, shown) => {
    const job = runner.start('try', '', failing(error))
    await expect(job.finished).rejects.toBe(error)
    expect(job.state.error).toEqual(shown)
  })

  it('is told of when nobody asked how it ended, and is no unhandled rejection', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    await runner.start('try', '', failing(new Error('unheard'))).ended
    await breathe()
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
    expect(unheard).toEqual(['try: Error: unheard'])
  })

  it('is told of where only its end was waited for, and not where somebody hears of it', async () => {
    const fails = (kind: string) => runner.start(kind, '', failing(new Error('no')))
    await fails('ended').ended
    const heard: string[] = []
    await fails('catch').catch(() => heard.push('catch'))
    await fails('then').then(undefined, () => heard.push('then'))
    await fails('finished').finished.catch(() => heard.push('finished'))
    await fails('finally')
      .finally(() => heard.push('finally'))
      .catch(() => undefined)
    await breathe()
    expect(heard).toEqual(['catch', 'then', 'finished', 'finally'])
    expect(unheard).toEqual(['ended: Error: no'])
  })

  it('is not told of when it was cancelled', async () => {
    const job = runner.start('wait', '', endless)
    job.cancel()
    await job.ended
    await breathe()
    expect([job.state.status, unheard]).toEqual(['cancelled', []])
  })

  it('rejects where the job itself is awaited', async () => {
    const error = new Error('no')
    const awaited = (async () => await runner.start('try', '', failing(error)))()
    await expect(awaited).rejects.toBe(error)
    expect(await runner.start('count', '', units(3))).toBe(3)
  })

  it('is cleaned up when the listener to its progress throws', async () => {
    const onProgress = () => {
      throw new RangeError('listener')
    }
    const job = runner.start('try', '', endless, { onProgress })
    await expect(job.finished).rejects.toThrow('listener')
    expect(steps).toEqual(['cleaned up'])
  })
})

describe('cancel', () => {
  it('stops the body between two units and runs its finally blocks', async () => {
    const job = runner.start('wait', '', endless)
    await breathe()
    job.cancel()
    expect(job.state.status).toBe('cancelling')
    await expect(job.finished).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(job.state).toMatchObject({ status: 'cancelled', error: null, endedAt: 1000 })
    expect(steps).toEqual(['cleaned up'])
  })

  it('reaches what the body waits for through the signal', async () => {
    const body: JobBody<void> = async function* ({ signal }) {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const job = runner.start('wait', '', body)
    await breathe()
    runner.cancel(job.id)
    await expect(job.finished).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(runner.get(job.id)?.status).toBe('cancelled')
  })

  it('comes too late for a body that finishes all the same', async () => {
    let release = () => {}
    const body: JobBody<string> = async function* () {
      yield { done: 0, total: 1, phase: '' }
      await new Promise<void>(resolve => {
        release = resolve
      })
      return 'done'
    }
    const job = runner.start('late', '', body)
    while (job.state.progress.phase === 'starting') await breathe()
    await breathe()
    job.cancel()
    release()
    expect(await job.finished).toBe('done')
    expect(job.state.status).toBe('finished')
  })

  it('does not hide an error of the clean-up', async () => {
    const body: JobBody<void> = async function* () {
      try {
        for (;;) yield { done: 1, total: undefined, phase: '' }
      } finally {
        steps.push('cleaning')
        await Promise.reject(new FindlingError('STORE_FAILED', 'cannot sweep'))
      }
    }
    const job = runner.start('dirty', '', body)
    while (job.state.progress.done === 0) await breathe()
    job.cancel()
    await expect(job.finished).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect(job.state.status).toBe('failed')
  })

  it('does nothing when the job is over or was cancelled before, and is refused for one that does not exist', async () => {
    const job = runner.start('wait', '', endless)
    job.cancel()
    const cause = new Error('the second time')
    job.cancel(cause)
    runner.cancel(job.id)
    const reason = await job.catch(error => error)
    expect(reason).toMatchObject({ code: 'CANCELLED' })
    expect(reason).not.toHaveProperty('cause')
    const over = runner.start('count', '', units(1))
    expect(await over).toBe(1)
    over.cancel()
    runner.cancel(over.id)
    expect([job.state.status, over.state.status]).toEqual(['cancelled', 'finished'])
    expect(() => runner.cancel('__proto__')).toThrow(expect.objectContaining({ code: 'JOB_NOT_FOUND' }))
  })

  it('is over for those who look at its state when it is for those who await it, not while its end is being stored', async () => {
    const job = runner.start('wait', '', endless)
    const { opened, open } = gate()
    shelf.put = async () => await opened
    job.cancel()
    let isOver = false
    job.ended.then(() => {
      isOver = true
    })
    for (let turn = 0; turn < 10; turn++) await breathe()
    expect([job.state.status, isOver]).toEqual(['cancelling', false])
    open()
    while (runner.get(job.id)?.status === 'cancelling') await breathe()
    expect([job.state.status, isOver]).toEqual(['cancelled', true])
  })

  it('follows the signal of the caller, before the start and after', async () => {
    const abort = new AbortController()
    const cause = new Error('the user left')
    const job = runner.start('wait', '', endless, { signal: abort.signal })
    await breathe()
    abort.abort(cause)
    await expect(job.finished).rejects.toMatchObject({ code: 'CANCELLED', cause })
    const late = runner.start('wait', '', units(3), { signal: abort.signal })
    await expect(late.finished).rejects.toMatchObject({ code: 'CANCELLED', cause })
    expect(late.state.progress.done).toBe(0)
  })
})

describe('records', () => {
  it('are stored at the start, at the end, and at most once a second between', async () => {
    const body: JobBody<void> = async function* () {
      for (let done = 1; done <= 30; done++) {
        now += 100
        yield { done, total: 30, phase: 'counting' }
      }
    }
    await runner.start('count', '', body).finished
    expect(shelf.writes.map(state => [state.status, state.progress.done])).toEqual([
      ['running', 0],
      ['running', 10],
      ['running', 20],
      ['running', 30],
      ['finished', 30],
    ])
  })

  it('survive into the next life', async () => {
    await runner.start('count', 'A', units(2)).finished
    const job = runner.start('try', 'B', failing(new Error('no')))
    await expect(job.finished).rejects.toThrow()
    const before = runner.list()
    runner = newRunner()
    await runner.recover()
    expect(runner.list()).toEqual(before)
  })

  it('of jobs that were under way become failed', async () => {
    const job = runner.start('wait', '', endless)
    await breathe()
    now = 9000
    const next = newRunner()
    await next.recover()
    const interrupted = { status: 'failed', endedAt: 9000, error: { code: 'JOB_INTERRUPTED' } }
    expect(next.get(job.id)).toMatchObject(interrupted)
    expect(await shelf.list()).toMatchObject([interrupted])
    await runner.close()
  })

  it(`are kept of the newest ${keptJobs} jobs that are over`, async () => {
    const first = runner.start('count', '', units(1))
    await first.finished
    for (let i = 0; i < keptJobs; i++) await runner.start('count', '', units(0)).finished
    expect(runner.list()).toHaveLength(keptJobs)
    expect(shelf.states.size).toBe(keptJobs)
    expect(runner.get(first.id)).toBeUndefined()
  })

  it('are not kept of jobs that do not persist, which are listed while they run', async () => {
    const job = runner.start('merge', '', endless, { persist: false })
    expect(runner.list().map(state => state.id)).toEqual([job.id])
    job.cancel()
    await expect(job.finished).rejects.toThrow()
    expect(runner.list()).toEqual([])
    expect(shelf.writes).toEqual([])
    expect(job.state.status).toBe('cancelled')
  })

  it('that cannot be stored fail the job', async () => {
    shelf.put = async () => {
      throw new FindlingError('STORE_FAILED', 'gone')
    }
    const job = runner.start('count', '', units(1))
    await expect(job.finished).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect(runner.get(job.id)).toMatchObject({ status: 'failed', error: { code: 'STORE_FAILED' } })
  })
})

describe('list', () => {
  it('shows the newest first and filters by state and start', async () => {
    await runner.start('count', '', units(1)).finished
    now = 2000
    const failed = runner.start('try', '', failing(new Error('no')))
    await expect(failed.finished).rejects.toThrow()
    now = 3000
    const running = runner.start('wait', '', endless)
    const started = (filter = {}) => runner.list(filter).map(state => state.startedAt)
    expect(started()).toEqual([3000, 2000, 1000])
    expect(started({ status: ['running'] })).toEqual([3000])
    expect(started({ status: ['failed', 'finished'] })).toEqual([2000, 1000])
    expect(started({ since: 2000 })).toEqual([3000, 2000])
    expect(started({ since: 2001, status: ['failed'] })).toEqual([])
    running.cancel()
  })

  it('keeps jobs of one millisecond in the order in which they began, whichever ends first, also in the next life', async () => {
    const endings = Array.from({ length: 20 }, gate)
    const jobs = endings.map(({ opened }, at) =>
      runner.start('wait', `number ${at}`, async function* () {
        yield { done: 0, total: 1, phase: 'waiting' }
        await opened
      }),
    )
    const begun = jobs.map(({ id }) => id).reverse()
    for (const [at, job] of [...jobs.entries()].reverse()) {
      endings[at]!.open()
      await job
    }
    expect(runner.list().map(({ id }) => id)).toEqual(begun)
    const next = newRunner()
    await next.recover()
    expect(next.list().map(({ id }) => id)).toEqual(begun)
  })
})

describe('close', () => {
  it('cancels what runs, waits for its clean-up and starts nothing any more', async () => {
    const jobs = [runner.start('wait', '', endless), runner.start('wait', '', endless)]
    while (jobs.some(job => job.state.progress.done === 0)) await breathe()
    jobs[0]?.cancel()
    await runner.close()
    expect(jobs.map(job => job.state.status)).toEqual(['cancelled', 'cancelled'])
    const [asked, interrupted] = jobs.map(job => job.state.error)
    expect(asked).toBeNull()
    expect(interrupted).toEqual({
      code: 'JOB_INTERRUPTED',
      message: `interrupted at ${jobs[1]?.state.percent} % when the engine was closed`,
    })
    expect(steps).toEqual(['cleaned up', 'cleaned up'])
    expect(() => runner.start('count', '', units(1))).toThrow(expect.objectContaining({ code: 'CLOSED' }))
  })
})
