import { describe, expect, it } from 'vitest'
import { confirmed, guardedJob, guardReport } from '../../bench/compare/guard.ts'
import { readResults } from '../../bench/report.ts'
import { git, linesChangedSince, measuredCommit } from '../../bench/sources.ts'

/** Lines of the sources that may come and go before speed has to be measured again. */
const MOST_CHANGED = 1_500

const isRepository = await git('rev-parse', 'HEAD').then(
  () => true,
  () => false,
)

describe('published speed', () => {
  it.for(['search-10k', 'search-100k', 'search-1m'])(
    '%s is of sources that have hardly changed since',
    async (question, { skip }) => {
      const { commit } = readResults(question) ?? {}
      if (commit === undefined) return skip(`${question}.json names no commit`)
      const lines = await linesChangedSince(commit)
      if (lines === undefined) return skip(`${commit} is not in the history at hand`)
      expect(lines, `measure it again: npm run bench -- search --size ${question.slice(7)}`).toBeLessThan(
        MOST_CHANGED,
      )
    },
  )

  it.runIf(isRepository)('names the commit that was measured, where there is one', async () => {
    const commit = await measuredCommit()
    if (commit !== undefined) expect(commit).toMatch(/^[0-9a-f]{40}$/)
    expect(await linesChangedSince('HEAD')).toBeGreaterThanOrEqual(0)
    expect(await linesChangedSince('0'.repeat(40))).toBeUndefined()
  })
})

describe('guard', () => {
  const job = (speed: number) => {
    const figures = { cpu: 10, p50: 0.01, p95: 0.02 }
    // How many times as fast the other one is.
    const other = { ...figures, speed: 1 / speed }
    return guardedJob({ job: 'term', figures: [{ ...figures, speed: 1 }, other] })
  }

  it('takes less than .8 of the published speed for a loss', () => {
    expect([0.5, 0.79, 0.8, 1, 2].map(speed => job(speed).isLost)).toEqual([true, true, false, false, false])
  })

  it('measures again, in more processes, only what looks lost', async () => {
    const asked: string[][] = []
    const again = async (jobs: readonly string[]) => {
      asked.push([...jobs])
      return [{ ...job(0.95) }]
    }
    const and = { ...job(1.1), job: 'and' as const }
    const kept = await confirmed([job(0.7), and], again)
    expect(kept).toEqual([job(0.95), and])
    expect(await confirmed([job(0.9), and], again)).toEqual([job(0.9), and])
    expect(asked).toEqual([['term']])
  })

  it('tells which jobs are slower', () => {
    const report = guardReport({ commit: 'abcdef0123', jobs: [job(0.5), job(2)] })
    expect(report).toContain('abcdef0')
    expect(report).toMatch(/term.*0\.50x.*slower/)
    expect(report).toMatch(/term.*2\.00x.*ok/)
  })
})
