import fc from 'fast-check'
import { type Database, FindlingError } from 'findling'
import { describe, expect, it } from 'vitest'
import { ClusterNode, type Log, MemoryLog } from '../../adapters/cluster/src/index.ts'
import { waitingDatabase } from '../engine/engines.ts'
import { givenIn } from '../operations/given.ts'
import { operation } from '../operations/replicas.ts'

/** More are run by hand. */
const SEEDS = Number(process.env.FINDLING_REPLAY_SEEDS ?? 200)

/** What goes wrong next, by chance: one number decides each. */
class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  is(probability: number): boolean {
    return this.next() < probability
  }
}

/** A log whose answers are late, are lost, or come although nothing was appended; in a process that can end. */
function unreliable(log: MemoryLog, chance: Chance, isHealed: () => boolean): Log {
  const own = new MemoryLog(log)
  const away = () => new FindlingError('LOG_AWAY', 'The answer was lost.')
  return new Proxy(own, {
    get(of, name) {
      const member = Reflect.get(of, name)
      if (typeof member !== 'function') return member
      if (name !== 'append' && name !== 'read') return member.bind(of)
      return async (...given: unknown[]) => {
        if (isHealed()) return await member.apply(of, given)
        for (let turns = Math.floor(4 * chance.next()); turns > 0; turns--) await new Promise(setImmediate)
        if (chance.is(0.05)) throw away()
        const answer = await member.apply(of, given)
        if (chance.is(0.05)) throw away()
        return answer
      }
    },
  })
}

/** A machine: its store outlives its processes, which end in the middle of a batch, before it is written or behind it. */
class Machine {
  readonly #log: MemoryLog
  readonly #chance: Chance
  readonly #store: Database
  #isHealed = false
  #isDown = false
  #node: ClusterNode | undefined
  #beginning: Promise<ClusterNode> | undefined
  kills = 0

  constructor(log: MemoryLog, chance: Chance) {
    this.#log = log
    this.#chance = chance
    const mayEnd = async () => {
      if (this.#isDown || (!this.#isHealed && chance.is(0.04))) {
        this.#isDown = true
        throw new Error('the process has ended')
      }
    }
    this.#store = waitingDatabase({ batch: mayEnd, written: mayEnd })
  }

  /** The node that runs on it, begun again where it has ended. */
  up(): Promise<ClusterNode> {
    this.#beginning ??= this.#begin().finally(() => {
      this.#beginning = undefined
    })
    return this.#beginning
  }

  async #begin(): Promise<ClusterNode> {
    // A store that has failed behind the node's back is noticed by the next entry alone.
    while (!this.#node || this.#node.status.failure || this.#isDown) {
      const before = this.#node
      this.#node = undefined
      await before?.close().catch(() => {})
      if (before) this.kills++
      this.#isDown = false
      const log = unreliable(this.#log, this.#chance, () => this.#isHealed)
      this.#node = await ClusterNode.open({ log, store: this.#store, patience: 2000, retryAfter: 1 }).catch(
        () => undefined,
      )
    }
    return this.#node
  }

  heal(): void {
    this.#isHealed = true
  }

  async end(): Promise<void> {
    await this.#node?.close().catch(() => {})
  }
}

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
