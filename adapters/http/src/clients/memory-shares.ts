import { totalmem } from 'node:os'

const MEGABYTE = 2 ** 20
/** What an engine needs at least, and what that of the operator gets. */
export const LEAST = 32 * MEGABYTE

/** The memory of a server, as it is divided among the engines of its clients. An engine keeps its share until it closes. */
export class MemoryShares {
  #free: number

  /** @param megabytes of all engines together; undefined: half the memory of the machine */
  constructor(megabytes: number | undefined) {
    const all = megabytes === undefined ? Math.floor(machineMemory() / 2) : megabytes * MEGABYTE
    this.#free = all - LEAST
  }

  /**
   * A share for one of so many that are to be opened, with as much left over for one that may come later.
   * @returns bytes; undefined when not enough is left
   */
  take(count: number): number | undefined {
    const share = Math.min(this.#free, Math.max(LEAST, Math.floor(this.#free / (count + 1))))
    if (share < LEAST) return undefined
    this.#free -= share
    return share
  }

  give(share: number): void {
    this.#free += share
  }
}

/** Containers have less than the machine. */
function machineMemory(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}
