import { type Database, FindlingError } from 'findling'
import { ClusterNode, type Log, MemoryLog } from '../../adapters/cluster/src/index.ts'
import { waitingDatabase } from '../engine/engines.ts'

/** What goes wrong next, by chance: one number decides each. */
export class Chance {
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
export class Machine {
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
