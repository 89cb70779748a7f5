import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { acquirePool, WorkerPool } from '../../src/jobs/pool.ts'
import type { TestTasks } from './test-tasks.ts'

const built = new URL('../../node_modules/.cache/findling-test/test-tasks.cjs', import.meta.url)

const shared = () => new Int32Array(new SharedArrayBuffer(8))
const open: WorkerPool<TestTasks>[] = []

function poolOf(threads: number, url = built): WorkerPool<TestTasks> {
  const pool = new WorkerPool<TestTasks>({ url, threads })
  open.push(pool)
  return pool
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5)
}

beforeAll(() =>
  build({
    entry: [fileURLToPath(new URL('./test-tasks.ts', import.meta.url))],
    outDir: fileURLToPath(new URL('.', built)),
    // As the package's own: see src/worker.cts.
    format: 'cjs',
    config: false,
    silent: true,
  }),
)

afterEach(async () => {
  await Promise.all(open.splice(0).map(pool => pool.close()))
})

describe('run', () => {
  it('returns what the task returns', async () => {
    expect(await poolOf(1).run('sum', Float64Array.of(1, 2, 3.5))).toBe(6.5)
  })

  it('shares shared memory and leaves other input with the caller', async () => {
    const pool = poolOf(1)
    const room = shared()
    const numbers = Float64Array.of(1, 2)
    await pool.run('count', room)
    await pool.run('count', room)
    await pool.run('sum', numbers)
    expect(room[0]).toBe(2)
    expect(numbers.length).toBe(2)
  })

  it('starts no more threads than there may be, for tasks that begin together and for later ones', async () => {
    const pool = poolOf(2)
    const threads = await Promise.all(Array.from({ length: 4 }, () => pool.run('thread', null)))
    for (let i = 0; i < 4; i++) threads.push(await pool.run('thread', null))
    expect(new Set(threads).size).toBeLessThanOrEqual(2)
  })

  it('moves what is to be transferred', async () => {
    const numbers = Float64Array.of(1, 2)
    expect(await poolOf(1).run('sum', numbers, { transfer: [numbers.buffer] })).toBe(3)
    expect(numbers.length).toBe(0)
  })

  it('brings back buffers inside objects, lists and maps', async () => {
    const { postings, lists } = await poolOf(1).run('buffers', 100_000)
    expect(postings.every(value => value === 7)).toBe(true)
    expect(postings.length).toBe(100_000)
    expect(lists).toEqual([new Map([['a', new Uint8Array(3)]])])
  })

  it('runs as many tasks at a time as there are threads', async () => {
    const pool = poolOf(2)
    const meeting = { shared: shared(), parties: 2 }
    expect(await Promise.all([pool.run('meet', meeting), pool.run('meet', meeting)])).toEqual([2, 2])
  })

  it('lets further tasks wait for their turn', async () => {
    const pool = poolOf(1)
    const room = shared()
    const seen = await Promise.all(Array.from({ length: 5 }, () => pool.run('crowd', room)))
    expect(seen).toEqual([1, 1, 1, 1, 1])
  })

  it('keeps code, message and details of a coded error', async () => {
    await expect(poolOf(1).run('refuse', 'shoes')).rejects.toMatchObject({
      name: 'FindlingError',
      code: 'DATASET_NOT_FOUND',
      message: 'no dataset shoes',
      details: { field: 'name', received: 'shoes' },
    })
  })

  it('reports any other error as WORKER_FAILED with its cause', async () => {
    const error = {
      code: 'WORKER_FAILED',
      cause: expect.objectContaining({ message: 'index out of bounds' }),
    }
    await expect(poolOf(1).run('stumble', undefined as never)).rejects.toMatchObject(error)
  })

  it('reports a worker that dies as WORKER_FAILED and goes on with the next task', async () => {
    const pool = poolOf(1)
    const dying = pool.run('exit', 3)
    const waiting = pool.run('sum', Float64Array.of(4))
    await expect(dying).rejects.toMatchObject({ code: 'WORKER_FAILED' })
    expect(await waiting).toBe(4)
  })

  it('reports a worker that cannot start as WORKER_FAILED', async () => {
    const pool = poolOf(1, new URL('./missing.js', built))
    await expect(pool.run('sum', Float64Array.of(1))).rejects.toMatchObject({ code: 'WORKER_FAILED' })
    await expect(pool.run('sum', Float64Array.of(1))).rejects.toMatchObject({ code: 'WORKER_FAILED' })
  })
})

describe('signal', () => {
  it('ends a task in the middle of its work, and the waiting one gets its turn', async () => {
    const pool = poolOf(1)
    const room = shared()
    const abort = new AbortController()
    const spinning = pool.run('spin', room, { signal: abort.signal })
    const waiting = pool.run('sum', Float64Array.of(5))
    await until(() => room[0] === 1)
    abort.abort()
    await expect(spinning).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(await waiting).toBe(5)
  })

  it('takes a waiting task out of the queue', async () => {
    const pool = poolOf(1)
    const room = shared()
    const [first, second] = [new AbortController(), new AbortController()]
    const spinning = pool.run('spin', room, { signal: first.signal })
    const waiting = pool.run('spin', room, { signal: second.signal })
    second.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
    first.abort()
    await expect(spinning).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(await pool.run('sum', Float64Array.of(6))).toBe(6)
  })

  it('refuses to start when it was aborted before', async () => {
    const call = poolOf(1).run('count', shared(), { signal: AbortSignal.abort() })
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})

describe('close', () => {
  it('ends running and waiting tasks with CLOSED and refuses new ones', async () => {
    const pool = poolOf(1)
    const room = shared()
    const tasks = [pool.run('spin', room), pool.run('spin', room)]
    const outcomes = Promise.allSettled(tasks)
    await until(() => room[0] === 1)
    await pool.close()
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'CLOSED' } })
    await expect(pool.run('spin', room)).rejects.toMatchObject({ code: 'CLOSED' })
  })
})

describe('acquirePool', () => {
  it('gives everyone the same pool until the last one has released it', async () => {
    const first = acquirePool<TestTasks>()
    const second = acquirePool<TestTasks>()
    expect(second.pool).toBe(first.pool)
    await first.release()
    await first.release()
    const third = acquirePool<TestTasks>()
    expect(third.pool).toBe(second.pool)
    await Promise.all([second.release(), third.release()])
    const later = acquirePool<TestTasks>()
    expect(later.pool).not.toBe(first.pool)
    await later.release()
  })
})
