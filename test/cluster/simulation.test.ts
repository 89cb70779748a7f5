import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MemoryLog } from '../../adapters/cluster/src/index.ts'
import { givenIn } from '../operations/given.ts'
import { operation } from '../operations/replicas.ts'
import { Chance, Machine } from './machines.ts'

/** More are run by hand. */
const SEEDS = Number(process.env.FINDLING_REPLAY_SEEDS ?? 200)

describe('nodes whose processes end, and whose log loses answers', () => {
  it('become the same, and have everything that was acknowledged', async () => {
    let kills = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 20 }),
        fc.nat(),
        async (writes, seed) => {
          const chance = new Chance(seed)
          const log = new MemoryLog({ clock: () => 1_800_000_000_000 })
          const machines = [new Machine(log, chance), new Machine(log, chance), new Machine(log, chance)]
          /** What was acknowledged, by a name of its own. */
          const acknowledged = new Map<string, number>()
          const write = async (operations: (typeof writes)[number], i: number) => {
            const node = await machines[Math.floor(3 * chance.next())]!.up()
            const note = { type: 'put', namespace: 'acknowledged', key: `w${i}`, value: i } as const
            const done = await node.write([...operations, note], { each: true }).catch(() => undefined)
            if (done) acknowledged.set(note.key, done.position)
          }
          const all: Promise<void>[] = []
          await write([{ type: 'createDataset', dataset: 'one' }], -1)
          for (const [i, operations] of writes.entries()) {
            const writing = write(operations, i)
            all.push(writing)
            // Some are made at the same time.
            if (chance.is(0.6)) await writing
          }
          await Promise.all(all)
          for (const machine of machines) machine.heal()
          // What a process had on its way to the log when it ended may still come.
          for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
          const { position } = await log.head()
          const states = []
          for (const machine of machines) {
            const node = await machine.up()
            await node.reach(position)
            states.push(await givenIn(node.engine))
            for (const [key, at] of acknowledged) {
              expect(at).toBeLessThanOrEqual(position)
              expect(await node.engine.namespace('acknowledged').get(key)).toBeDefined()
            }
            kills += machine.kills
          }
          expect(states[1]).toEqual(states[0])
          expect(states[2]).toEqual(states[0])
          for (const machine of machines) await machine.end()
        },
      ),
      { numRuns: SEEDS },
    )
    expect(kills).toBeGreaterThan(SEEDS / 2)
  })
})
