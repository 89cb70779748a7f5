import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { analyzerFor } from '../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../src/fulltext/fulltext-index.ts'
import { compact } from '../../src/fulltext/segments/compaction.ts'
import { acquirePool } from '../../src/jobs/pool.ts'
import type { WorkerTasks } from '../../src/worker.ts'

const words = ['red', 'blue', 'lamp', 'chair', 'desk', 'oak', 'steel', 'large', 'small', 'garden']

/** Writes and searches in turn, which leaves many small segments. */
function fragmentedIndex(): FulltextIndex {
  const index = new FulltextIndex({ analyzer: analyzerFor('english'), fields: [{ weight: 3, b: 0.5 }] })
  for (let i = 0; index.planCompaction() === undefined; i++) {
    for (let j = 0; j < 20; j++)
      index.add(`d${i}-${j}`, [`${words[i % 10]} ${words[j % 10]} ${words[(i * j) % 7]}`])
    index.remove(`d${i}-3`)
    index.search('red', { limit: 1, operator: 'or', typoTolerance: 0 })
  }
  return index
}

let shared: ReturnType<typeof acquirePool<WorkerTasks>>

beforeAll(() => {
  shared = acquirePool<WorkerTasks>()
})

afterAll(() => shared.release())

describe('the built worker', () => {
  it('compacts segments as this thread does', async () => {
    const index = fragmentedIndex()
    const task = index.planCompaction()!
    expect(await shared.pool.run('compact', task)).toEqual(compact(task))
  })

  it('compacts for an index that is searched on', async () => {
    const index = fragmentedIndex()
    const search = () => index.search('small red lamp', { limit: 50, operator: 'or', typoTolerance: 0 })
    const before = search()
    const result = await shared.pool.run('compact', index.planCompaction()!)
    expect(search()).toEqual(before)
    expect(index.adopt(result)).toBe(true)
    expect(search()).toEqual(before)
  })

  it('tells a task that it cannot do', async () => {
    const wrong = { kind: 'merge', pin: 1, segments: [null] } as never
    await expect(shared.pool.run('compact', wrong)).rejects.toMatchObject({ code: 'WORKER_FAILED' })
  })
})
