import fc from 'fast-check'
import { Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { expectHealthy, temporaryFolder } from '../engine/engines.ts'
import { answersOf, givenIn } from './given.ts'
import {
  adopt,
  alike,
  apply,
  failingDatabase,
  follow,
  followWithKills,
  log,
  makeArtifacts,
} from './replicas.ts'

/** More are run by hand. */
const SEEDS = Number(process.env.FINDLING_REPLAY_SEEDS ?? 200)

async function stateOf(engine: Engine): Promise<unknown> {
  // Numbers that an engine takes for itself are its own.
  const { seq: _, ...digest } = await engine.digest()
  return { digest, given: await givenIn(engine), answers: await answersOf(engine) }
}

describe('a log of writes', () => {
  it('makes the same engine again: replayed, with its process ending all the time, restored half way', async () => {
    const folder = await temporaryFolder()
    let [runs, kills] = [0, 0]
    const artifacts = await makeArtifacts()
    /** How often what was adopted, or why not. */
    const adoptions = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(
        log,
        fc.integer({ min: 2, max: 9 }),
        fc.constantFrom('before' as const, 'after' as const),
        fc.nat(),
        async (entries, every, when, half) => {
          const run = `${folder}/${runs++}`
          await using first = await Engine.open(alike)
          const outcomes = []
          for (const entry of entries) {
            const adopted = await adopt(first, entry, artifacts)
            if (adopted) adoptions.set(adopted, (adoptions.get(adopted) ?? 0) + 1)
            outcomes.push(adopted)
            outcomes.push((await apply(first, entry)).map(({ error, ...same }) => error?.code ?? same))
            // What an engine does for itself takes numbers, too.
            for (const { name } of first.datasets.list()) await first.datasets.get(name).search('green lamp')
            if (entry.position % 3 === 0) await first.namespace('own').put('count', entry.position)
            if (entry.position === 1 + (half % entries.length) && runs % 8 === 0)
              await first.backup(`${run}-backup`, { note: String(entry.position) })
          }
          const expected = await stateOf(first)

          await using second = await Engine.open(alike)
          const again = []
          for (const entry of entries) {
            again.push(await adopt(second, entry, artifacts))
            again.push((await apply(second, entry)).map(({ error, ...same }) => error?.code ?? same))
          }
          expect(again).toEqual(outcomes)
          expect(await stateOf(second)).toEqual(expected)

          // Opening an engine again and again takes most of the time.
          if (runs % 2 === 0) {
            const { store, heal } = failingDatabase(every, when)
            kills += await followWithKills(store, entries, artifacts)
            heal()
            await using third = await Engine.open({ ...alike, store })
            expect(await stateOf(third)).toEqual(expected)
          }

          const facts = await Engine.describeBackup(`${run}-backup`)
          if (!facts) return
          await Engine.restore(`${run}-backup`, run)
          await using fourth = await Engine.open({ ...alike, store: run })
          expect(await fourth.namespace('log').get('position')).toBe(Number(facts.note))
          await follow(fourth, entries, artifacts)
          expect(await stateOf(fourth)).toEqual(expected)
          await expectHealthy(fourth)
        },
      ),
      { numRuns: SEEDS },
    )
    expect(kills).toBeGreaterThan(SEEDS)
    expect(adoptions.get('adopted')).toBeGreaterThan(SEEDS / 2)
    expect(adoptions.get('ARTIFACT_MISMATCH')).toBeGreaterThan(0)
  })
})
