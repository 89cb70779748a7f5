import { grown } from '../../arrays/grow.ts'

/**
 * Lists of integers, themselves numbered from 0, within one array. The capacity of a list is a power of two; space that a list
 * has moved out of is reused by others.
 */
export class IntegerLists {
  /** The numbers of list `n` are `items[start(n)..start(n) + length(n))`. */
  items = new Uint32Array(1 << 12)
  #starts = new Uint32Array(1 << 10)
  #lengths = new Uint32Array(1 << 10)
  #rooms = new Uint32Array(1 << 10)
  /** By list: how many of its numbers are dead. */
  #dead = new Uint32Array(0)
  #end = 0
  /** Positions of free space, by the logarithm of its size. */
  readonly #free: number[][] = []

  start(list: number): number {
    return this.#starts[list]!
  }

  /** The length of a list; 0 for one that has never been used. */
  length(list: number): number {
    return this.#lengths[list] ?? 0
  }

  push(list: number, value: number): void {
    const length = this.length(list)
    if (length === (this.#rooms[list] ?? 0)) this.#move(list, Math.max(1, 2 * length))
    this.items[this.#starts[list]! + length] = value
    this.#lengths[list] = length + 1
  }

  /**
   * Reports that one more number of the list is dead, without searching for it, which would take linear time. Once a quarter of
   * the numbers are dead, the list drops those for which `drop`, called once per number, returns true: all dead ones.
   */
  bury(list: number, drop: (value: number) => boolean): void {
    this.#dead = grown(this.#dead, list + 1)
    if (++this.#dead[list]! * 4 >= this.length(list)) this.#sweep(list, drop)
  }

  clear(list: number): void {
    this.#lengths[list] = 0
    this.#dead[list] = 0
    this.#move(list, 0)
  }

  get bytes(): number {
    const free = this.#free.reduce((sum, starts) => sum + starts.length, 0)
    return this.items.byteLength + 3 * this.#starts.byteLength + this.#dead.byteLength + 8 * free
  }

  #sweep(list: number, drop: (value: number) => boolean): void {
    const start = this.#starts[list]!
    const end = start + this.#lengths[list]!
    let kept = start
    for (let i = start; i < end; i++) {
      const value = this.items[i]!
      if (!drop(value)) this.items[kept++] = value
    }
    const length = kept - start
    this.#lengths[list] = length
    this.#dead[list] = 0
    // At least twice the space needed, so that a list that grows again does not have to move at once.
    const room = length === 0 ? 0 : 1 << (32 - Math.clz32(2 * length - 1))
    if (room < this.#rooms[list]!) this.#move(list, room)
  }

  #move(list: number, room: number): void {
    this.#starts = grown(this.#starts, list + 1)
    this.#lengths = grown(this.#lengths, list + 1)
    this.#rooms = grown(this.#rooms, list + 1)
    const from = this.#starts[list]!
    const before = this.#rooms[list]!
    if (room > 0) {
      this.#starts[list] = this.#take(room)
      this.items.copyWithin(this.#starts[list], from, from + Math.min(before, room))
    }
    this.#rooms[list] = room
    if (before > 0) this.#freeOf(before).push(from)
  }

  #take(room: number): number {
    const free = this.#freeOf(room).pop()
    if (free !== undefined) return free
    const start = this.#end
    this.#end += room
    this.items = grown(this.items, this.#end)
    return start
  }

  #freeOf(room: number): number[] {
    const size = 31 - Math.clz32(room)
    while (this.#free.length <= size) this.#free.push([])
    return this.#free[size]!
  }
}
