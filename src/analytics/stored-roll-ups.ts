import type { Stretch } from '../scheduling/stretch.ts'
import { rollUpKey } from '../store/keyspace.ts'
import { type CallLogContext, storedText } from './call-log-context.ts'
import { DAY, HOUR } from './model/hours-and-days.ts'
import { RollUp, type Section, sections } from './model/roll-up.ts'

/** An hour or day for which there are counts. */
export interface Bucket {
  readonly per: 'hour' | 'day'
  readonly start: number
}

/** The bytes of a roll-up, by its name, and whether its texts were dropped. */
export type RollUpSize = readonly [name: string, bytes: number, isTextless?: boolean]

/** Roll-ups in memory. */
const MOST_OPEN = 8

/** The roll-ups of one dataset in the store, a few of them in memory. They are named by their hours and days. */
export class StoredRollUps {
  readonly #context: CallLogContext
  /** Bytes in the store. */
  readonly #sizes = new Map<string, number>()
  readonly #open = new Map<string, RollUp>()
  /** Hours and days whose texts were dropped, until more is counted in them. */
  readonly textless = new Set<string>()

  constructor(context: CallLogContext) {
    this.#context = context
  }

  restore(sizes: readonly RollUpSize[]): void {
    for (const [name, size, isTextless] of sizes) {
      this.#sizes.set(name, size)
      if (isTextless) this.textless.add(name)
    }
  }

  get sizes(): RollUpSize[] {
    return [...this.#sizes].map(([name, size]) =>
      this.textless.has(name) ? [name, size, true] : [name, size],
    )
  }

  get bytes(): number {
    let bytes = 0
    for (const size of this.#sizes.values()) bytes += size
    return bytes
  }

  /** Hours and days with counts, oldest first. */
  get names(): string[] {
    const names = [...new Set([...this.#sizes.keys(), ...this.#open.keys()])]
    return names.sort((a, b) => bucketOf(a).start - bucketOf(b).start)
  }

  has(name: string): boolean {
    return this.#sizes.has(name) || this.#open.has(name)
  }

  /** The name of the hour, or of the day into which it was merged. */
  nameFor(at: number): string {
    const { calendar } = this.#context
    const hour = `h${calendar.hourOf(at)}`
    if (this.has(hour)) return hour
    const day = `d${calendar.dayOf(at)}`
    return this.has(day) ? day : hour
  }

  endOf(name: string): number {
    const { per, start } = bucketOf(name)
    // No day has more than 25 hours.
    return per === 'hour' ? start + HOUR : this.#context.calendar.dayOf(start + DAY + 2 * HOUR)
  }

  hasRoomFor(count: number): boolean {
    return this.#open.size + count <= MOST_OPEN
  }

  /** Loads them, so that entries can be counted in all of them at once. */
  async open(names: readonly string[]): Promise<void> {
    for (const name of names) if (!this.#open.has(name)) this.#open.set(name, await this.read(name))
  }

  /** One that is in memory. */
  get(name: string): RollUp {
    return this.#open.get(name)!
  }

  /** Keeps a roll-up in memory as the one with this name. */
  hold(name: string, rollUp: RollUp): void {
    this.#open.set(name, rollUp)
    this.textless.delete(name)
  }

  /** Unloads all, once they are stored. */
  unload(): void {
    this.#open.clear()
  }

  async read(name: string, wanted: readonly Section[] = sections): Promise<RollUp> {
    const open = this.#open.get(name)
    if (open) return open
    if (!this.#sizes.has(name)) return new RollUp()
    const texts: Partial<Record<Section, string>> = {}
    // Rows are counted under the kinds of calls.
    for (const section of new Set<Section>(['calls', ...wanted])) {
      const text = await storedText(this.#context, this.#keyOf(name, section))
      if (text !== undefined) texts[section] = text
    }
    return texts.calls === undefined ? new RollUp() : RollUp.of(texts)
  }

  /**
   * Passes on what has to be stored of those in memory.
   * @param put returns the size of what is stored
   */
  async store(
    put: (key: string, text: string) => number,
    remove: (key: string) => void,
    stretch: Stretch,
  ): Promise<void> {
    for (const [name, rollUp] of this.#open) {
      if (rollUp.changed.size === 0) continue
      let size = 0
      for (const section of sections) {
        const key = this.#keyOf(name, section)
        if (section !== 'calls' && rollUp.table(section).size === 0) remove(key)
        else size += put(key, rollUp.stored(section))
        if (stretch.isOver) await stretch.pause()
      }
      this.#sizes.set(name, size)
    }
  }

  /** Called when everything in memory is stored. */
  stored(): void {
    for (const rollUp of this.#open.values()) rollUp.changed.clear()
  }

  /** @returns the keys to delete */
  drop(names: readonly string[]): string[] {
    for (const name of names) {
      this.#sizes.delete(name)
      this.#open.delete(name)
      this.textless.delete(name)
    }
    return names.flatMap(name => sections.map(section => this.#keyOf(name, section)))
  }

  #keyOf(name: string, section: Section): string {
    return rollUpKey(this.#context.dataset, name[0] as 'h' | 'd', Number(name.slice(1)), section)
  }
}

export function bucketOf(name: string): Bucket {
  return { per: name[0] === 'h' ? 'hour' : 'day', start: Number(name.slice(1)) }
}
