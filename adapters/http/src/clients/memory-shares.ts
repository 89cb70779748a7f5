import { availableParallelism, totalmem } from 'node:os'

const MEGABYTE = 2 ** 20
/** What an engine needs at least, and what that of the operator gets. */
export const LEAST = 32 * MEGABYTE
const MOST_THREADS = 2
/** What a thread takes besides files. */
const THREAD_ITSELF = 64 * MEGABYTE
/** With less, no language is told. */
const LEAST_HEAP = 64 * MEGABYTE
const MOST_HEAP = 256 * MEGABYTE

/** Threads that read files for all clients, as the options of an extractor. */
export interface ReadingShare {
  readonly threads: number
  readonly memoryLimit: number
}

/** The memory of a server, as it is divided among the engines of its clients. An engine keeps its share until it closes. */
export class MemoryShares {
  /** What reading files may take, of which the engines have nothing. */
  readonly reading: ReadingShare
  #free: number

  /**
   * @param megabytes of all that is here; undefined: half the memory of the machine, or what one client needs
   * @param machine bytes of memory
   */
  constructor(megabytes: number | undefined, machine = machineMemory()) {
    const half = Math.max(Math.floor(machine / 2), leastMegabytes * MEGABYTE)
    const all = megabytes === undefined ? half : megabytes * MEGABYTE
    this.reading = readingShare(all)
    this.#free = all - LEAST - bytesOf(this.reading)
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

/** Megabytes below which no client can be served. */
export const leastMegabytes = (2 * LEAST + bytesOf(readingShare(0))) / MEGABYTE

/** A quarter, for one thread where that is little. */
function readingShare(all: number): ReadingShare {
  const quarter = Math.floor(all / 4)
  const threads = quarter < 2 * MOST_HEAP ? 1 : Math.min(MOST_THREADS, availableParallelism())
  const heap = Math.floor((quarter / threads - THREAD_ITSELF) / 2)
  return { threads, memoryLimit: Math.min(MOST_HEAP, Math.max(LEAST_HEAP, heap)) }
}

/** Buffers lie outside of what a thread's limit counts: an extractor lets the process grow by twice as much for each. */
function bytesOf({ threads, memoryLimit }: ReadingShare): number {
  return threads * (2 * memoryLimit + THREAD_ITSELF)
}

/** Containers have less than the machine. */
function machineMemory(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}
