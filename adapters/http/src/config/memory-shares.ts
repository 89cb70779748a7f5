import { availableParallelism, totalmem } from 'node:os'

const MEGABYTE = 2 ** 20
/** Minimum share of an engine, which is also the operator's. */
export const LEAST = 32 * MEGABYTE
/** Each client added later gets one part in this many of what is left. */
const LATER = 8
const MOST_PROCESSES = 2
/** Memory that a process takes itself, besides the files that it reads. */
const PROCESS_ITSELF = 64 * MEGABYTE
/** With less, languages cannot be detected. */
const LEAST_HEAP = 64 * MEGABYTE
const MOST_HEAP = 256 * MEGABYTE
/** Maximum memory of the process for small files, which an extractor runs in addition to the others. */
const QUICK = 2 * LEAST_HEAP + PROCESS_ITSELF

/** Processes that read files for all clients, as the options of an extractor. */
export interface ReadingShare {
  readonly processes: number
  readonly memoryLimit: number
}

/** Divides the memory of a server among the engines of its clients. An engine keeps its share until it closes. */
export class MemoryShares {
  /** Memory reserved for reading files. */
  readonly reading: ReadingShare
  #free: number

  /**
   * @param megabytes the total; undefined: half the memory of the machine, or what one client needs
   * @param mostHeap maximum heap of a process that reads files, in bytes
   * @param machine memory of the machine, in bytes
   */
  constructor(megabytes: number | undefined, mostHeap = MOST_HEAP, machine = machineMemory()) {
    const half = Math.max(Math.floor(machine / 2), leastMegabytes * MEGABYTE)
    const all = megabytes === undefined ? half : megabytes * MEGABYTE
    this.reading = readingShare(all, mostHeap)
    this.#free = all - LEAST - bytesOf(this.reading)
  }

  /**
   * A share for one of the `count` clients still to be opened at the start, leaving an equal share for clients added later.
   * @returns bytes; undefined if not enough is left
   */
  take(count: number): number | undefined {
    return this.#taken(this.#free / (count + 1))
  }

  /**
   * The same for a client added later, after which more may come.
   * @param before its share when it was last open
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

/** A quarter of the memory; if that is little, for only one process besides the one for small files. */
function readingShare(all: number, mostHeap = MOST_HEAP): ReadingShare {
  const quarter = Math.floor(all / 4)
  const processes = quarter < 3 * mostHeap ? 1 : Math.min(MOST_PROCESSES, availableParallelism())
  const heap = Math.floor(((quarter - QUICK) / processes - PROCESS_ITSELF) / 2)
  return { processes, memoryLimit: Math.min(mostHeap, Math.max(LEAST_HEAP, heap)) }
}

/** Buffers are outside the heap, so a process may take twice its heap limit, plus what it takes itself. */
function bytesOf({ processes, memoryLimit }: ReadingShare): number {
  return processes * (2 * memoryLimit + PROCESS_ITSELF) + QUICK
}

/** Memory available to this process: containers have less than the machine. */
function machineMemory(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}
