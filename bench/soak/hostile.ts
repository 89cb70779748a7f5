import { sample } from '../../test/hostile/attack.ts'
import { attacks } from '../../test/hostile/attacks.ts'
import { Target } from '../../test/hostile/target.ts'
import type { Caller } from './caller.ts'
import { Shop } from './shop.ts'

/** Documents of the dataset that is attacked. */
const DOCUMENTS = 2_400

/** A client of the server whose callers are hostile: one attack after the other, all of them on each such client. */
export class HostileLane {
  readonly #add: (id: string) => Promise<unknown>
  readonly #remove: (id: string) => Promise<unknown>
  readonly #operator: Caller
  #target: Target | undefined

  /**
   * @param add makes a client; `remove` takes it away
   */
  constructor(options: {
    readonly add: (id: string) => Promise<unknown>
    readonly remove: (id: string) => Promise<unknown>
    readonly operator: Caller
  }) {
    this.#add = options.add
    this.#remove = options.remove
    this.#operator = options.operator
  }

  async attack(at: number): Promise<void> {
    const id = (cycle: number) => `hostile-${cycle}`
    const [cycle, number] = [Math.floor(at / attacks.length), at % attacks.length]
    if (number === 0) {
      if (cycle > 0) await this.#remove(id(cycle - 1))
      await this.#add(id(cycle))
      this.#target = await this.#opened(id(cycle))
    }
    const { name, run } = attacks[number]!
    try {
      await run(this.#target!)
    } catch (error) {
      this.#operator.wrongly(`${name}: ${error instanceof Error ? error.message : error}`)
    }
  }

  async #opened(id: string): Promise<Target> {
    const caller = this.#operator.below(id)
    await caller.untilKnown()
    await new Shop(DOCUMENTS).open(caller, sample)
    return new Target(caller.address, caller.secret)
  }
}
