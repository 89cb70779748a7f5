/**
 * Where a file is read: in one of the processes for any file, or in the one for small files of owners with no other file being
 * read, so that they need not wait for the files of others.
 */
export type Lane = 'main' | 'quick'

/** The owner of a file, and the owner's group: the owners of a group share its turns. */
export interface Turn {
  readonly group: object
  readonly owner: string
}

interface Waiting extends Turn {
  readonly isSmall: boolean
  readonly go: (lane: Lane) => void
}

/** Waiting files by group and owner, in the order of their next turns. */
type Queue = Map<object, Map<string, Set<Waiting>>>

/**
 * Decides whose file is read next: that of the group whose last turn is longest ago and, within it, of the owner whose last turn
 * is longest ago, regardless of how many files each has sent.
 */
export class ReadingOrder {
  readonly #free: Record<Lane, number>
  readonly #queue: Queue = new Map()
  /** Number of files being read, by group and owner. */
  readonly #underWay = new Map<object, Map<string, number>>()

  constructor(places: Readonly<Record<Lane, number>>) {
    this.#free = { ...places }
  }

  /**
   * Resolves with a lane when it is this file's turn; rejects with the reason of the signal, and then gives up its place.
   * @param isSmall whether the file may use the quick lane
   * @param isAgain whether the file goes before all others of its owner
   */
  async take(turn: Turn, isSmall: boolean, signal: AbortSignal, isAgain = false): Promise<Lane> {
    signal.throwIfAborted()
    return await new Promise((resolve, reject) => {
      const leave = () => {
        this.#remove(waiting)
        reject(signal.reason)
      }
      const go = (lane: Lane) => {
        signal.removeEventListener('abort', leave)
        resolve(lane)
      }
      const waiting: Waiting = { ...turn, isSmall, go }
      signal.addEventListener('abort', leave)
      this.#add(waiting, isAgain)
      this.#fill()
    })
  }

  /** Whether only small files can be started now. */
  get isFull(): boolean {
    return this.#free.main === 0
  }

  /** Releases a place that was taken. */
  give(lane: Lane, turn: Turn): void {
    this.#free[lane]++
    this.#count(turn, -1)
    this.#fill()
  }

  #fill(): void {
    while (this.#free.main > 0 && this.#begin('main', () => true));
    const isQuick = (one: Waiting) => one.isSmall && this.#count(one, 0) === 0
    while (this.#free.quick > 0 && this.#begin('quick', isQuick));
  }

  /** Gives a place to the next waiting file that fits, if there is one. */
  #begin(lane: Lane, fits: (one: Waiting) => boolean): boolean {
    for (const [group, owners] of this.#queue)
      for (const [owner, files] of owners)
        for (const one of files) {
          if (!fits(one)) continue
          this.#remove(one)
          // The owner goes to the end of the queue, with the remaining files.
          if (owners.delete(owner) && files.size > 0) owners.set(owner, files)
          if (this.#queue.delete(group) && owners.size > 0) this.#queue.set(group, owners)
          this.#free[lane]--
          this.#count(one, 1)
          one.go(lane)
          return true
        }
    return false
  }

  #add(one: Waiting, isFirst: boolean): void {
    const owners = this.#queue.get(one.group) ?? new Map<string, Set<Waiting>>()
    const files = owners.get(one.owner) ?? new Set()
    this.#queue.set(one.group, owners.set(one.owner, isFirst ? new Set([one, ...files]) : files.add(one)))
  }

  #remove(one: Waiting): void {
    const owners = this.#queue.get(one.group)
    const files = owners?.get(one.owner)
    files?.delete(one)
    if (files?.size === 0) owners!.delete(one.owner)
    if (owners?.size === 0) this.#queue.delete(one.group)
  }

  /** Changes the number of an owner's files being read, and returns it. */
  #count({ group, owner }: Turn, more: number): number {
    const owners = this.#underWay.get(group) ?? new Map<string, number>()
    const count = (owners.get(owner) ?? 0) + more
    if (count > 0) this.#underWay.set(group, owners.set(owner, count))
    else if (owners.delete(owner) && owners.size === 0) this.#underWay.delete(group)
    return count
  }
}
