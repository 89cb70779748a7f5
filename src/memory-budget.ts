const MEGABYTE = 2 ** 20

export const LEAST_BUDGET = 32 * MEGABYTE
const DEFAULT_BUDGET = 256 * MEGABYTE
const LEAST_CACHE = 8 * MEGABYTE

/** The shares of an engine's memory budget, in bytes. */
export interface MemoryShares {
  /** All indexes, completions and models together; no limit without a budget. */
  readonly derived: number
  /** Pending writes with their data. */
  readonly writes: number
  /** The cache of the database. */
  readonly cache: number
}

/** @param budget bytes; without it the store gets its shares of 256 MB */
export function memoryShares(budget?: number): MemoryShares {
  const given = budget ?? DEFAULT_BUDGET
  return {
    derived: budget === undefined ? Infinity : Math.floor((budget * 5) / 8),
    writes: Math.floor((given * 2) / 8),
    cache: Math.max(LEAST_CACHE, Math.floor(given / 8)),
  }
}
