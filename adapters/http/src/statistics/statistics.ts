import type { Namespace } from 'findling'

/** Contract, 12. */
export interface StatisticsModel {
  Sum: number
  Statistics: Record<string, { Actions: { Name: string; Count: number }[]; Sum: number }>
}

export interface StatisticsOptions {
  /** Called if a batch could not be written; its counts are written with the next one. */
  onFailure?(error: unknown): void
}

/** A crash loses at most what was counted since the last batch. */
const BATCH_MS = 500

/** Requests per month and action, written in batches. */
export class Statistics {
  readonly #namespace: Namespace
  readonly #onFailure: (error: unknown) => void
  /** Counts by action, by month as `2026-08`. */
  readonly #months = new Map<string, Map<string, number>>()
  readonly #changed = new Set<string>()
  readonly #loaded: Promise<void>
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  /** @param namespace used for nothing else; its earlier counts are loaded immediately */
  constructor(namespace: Namespace, { onFailure = () => {} }: StatisticsOptions = {}) {
    this.#namespace = namespace
    this.#onFailure = onFailure
    this.#loaded = this.#load()
    this.#loaded.catch(() => {}) // reported to the next read or write
  }

  /** @param at milliseconds since 1970; the month is that of UTC */
  count(action: string, at: number): void {
    const month = new Date(at).toISOString().slice(0, 7)
    this.#add(month, action, 1)
    this.#changed.add(month)
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS).unref()
  }

  /** Counts of one year, one month or all time. The outer sum always covers all time. */
  async read(year?: number, month?: number): Promise<StatisticsModel> {
    await this.#loaded
    const model: StatisticsModel = { Sum: 0, Statistics: {} }
    for (const [name, counts] of [...this.#months].sort(byName)) {
      const sum = [...counts.values()].reduce((total, count) => total + count, 0)
      model.Sum += sum
      if (!isWithin(name, year, month)) continue
      const actions = [...counts].sort(byName).map(([Name, Count]) => ({ Name, Count }))
      model.Statistics[name] = { Actions: actions, Sum: sum }
    }
    return model
  }

  /** Writes what has not been written yet. */
  async close(): Promise<void> {
    this.#flush()
    await this.#writing
  }

  async #load(): Promise<void> {
    for await (const { key, value } of this.#namespace.entries()) {
      // Only #write writes entries to this namespace.
      for (const [action, count] of value as [string, number][]) this.#add(key, action, count)
    }
  }

  #add(month: string, action: string, count: number): void {
    const counts = this.#months.get(month) ?? new Map<string, number>()
    counts.set(action, (counts.get(action) ?? 0) + count)
    this.#months.set(month, counts)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write())
  }

  async #write(): Promise<void> {
    const changed = [...this.#changed]
    if (changed.length === 0) return
    this.#changed.clear()
    try {
      await this.#loaded
      await this.#namespace.write(changed.map(key => ({ key, value: [...this.#months.get(key)!] })))
    } catch (error) {
      for (const month of changed) this.#changed.add(month)
      this.#onFailure(error)
    }
  }
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1
}

function isWithin(name: string, year?: number, month?: number): boolean {
  const [ofYear, ofMonth] = name.split('-').map(Number)
  return (year === undefined || year === ofYear) && (month === undefined || month === ofMonth)
}
