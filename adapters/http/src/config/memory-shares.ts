import { availableParallelism, totalmem } from 'node:os'

const MEGABYTE = 2 ** 20
/** What an engine needs at least, and what that of the operator gets. */
export const LEAST = 32 * MEGABYTE
/** Each that comes later has this part of what is left. */
const LATER = 8
const MOST_PROCESSES = 2
/** What a process that reads files takes besides them. */
const PROCESS_ITSELF = 64 * MEGABYTE
/** With less, no language is told. */
const LEAST_HEAP = 64 * MEGABYTE
const MOST_HEAP = 256 * MEGABYTE
/** What the process for small files takes at most, which an extractor has beside the others. */
const QUICK = 2 * LEAST_HEAP + PROCESS_ITSELF

/** Processes that read files for all clients, as the options of an extractor. */
export interface ReadingShare {
  readonly processes: number
  readonly memoryLimit: number
}

/** The memory of a server, as it is divided among the engines of its clients. An engine keeps its share until it closes. */
export class MemoryShares {
  /** What reading files may take, of which the engines have nothing. */
  readonly reading: ReadingShare
  #free: number

  /**
   * @param megabytes of all that is here; undefined: half the memory of the machine, or what one client needs
   * @param mostHeap bytes that a process that reads files may have for objects at most
   * @param machine bytes of memory
   */
  constructor(megabytes: number | undefined, mostHeap = MOST_HEAP, machine = machineMemory()) {
    const half = Math.max(Math.floor(machine / 2), leastMegabytes * MEGABYTE)
    const all = megabytes === undefined ? half : megabytes * MEGABYTE
    this.reading = readingShare(all, mostHeap)
    this.#free = all - LEAST - bytesOf(this.reading)
  }

  /**
   * A share for one of so many that a start opens, with as much left over for those that come later.
   * @returns bytes; undefined when not enough is left
   */
  take(count: number): number | undefined {
    return this.#taken(this.#free / (count + 1))
  }

  /**
   * The same for one that comes later, and need not be the last.
   * @param before what it had when it was open before
   */
  takeLater(before?: number): number | undefined {
    return this.#taken(before ?? this.#free / LATER)
  }

  #taken(wanted: number): number | undefined {
    const share = Math.min(this.#free, Math.max(LEAST, Math.floor(wanted)))
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

/** A quarter, for one process beside that for small files where that is little. */
function readingShare(all: number, mostHeap = MOST_HEAP): ReadingShare {
  const quarter = Math.floor(all / 4)
  const processes = quarter < 3 * mostHeap ? 1 : Math.min(MOST_PROCESSES, availableParallelism())
  const heap = Math.floor(((quarter - QUICK) / processes - PROCESS_ITSELF) / 2)
  return { processes, memoryLimit: Math.min(mostHeap, Math.max(LEAST_HEAP, heap)) }
}

/** Buffers lie outside of what a heap is limited to: a process may have twice as much, and what it takes itself. */
function bytesOf({ processes, memoryLimit }: ReadingShare): number {
  return processes * (2 * memoryLimit + PROCESS_ITSELF) + QUICK
}

/** Containers have less than the machine. */
function machineMemory(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}
