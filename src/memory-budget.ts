const MEGABYTE = 2 ** 20

export const LEAST_BUDGET = 32 * MEGABYTE
const DEFAULT_BUDGET = 256 * MEGABYTE
const LEAST_CACHE = 8 * MEGABYTE

/** What may take how much of an engine's memory budget, in bytes. */
export interface MemoryShares {
  /** All indexes, completions and models together; no limit where no budget was given. */
  readonly derived: number
  /** Writes that wait, and what they wait with. */
  readonly writes: number
  /** The cache of the database. */
  readonly cache: number
}

/** @param budget bytes; without it the store still has a share of 256 MB */
export function memoryShares(budget?: number): MemoryShares {
  const given = budget ?? DEFAULT_BUDGET
  return {
    derived: budget === undefined ? Infinity : Math.floor((budget * 5) / 8),
    writes: Math.floor((given * 2) / 8),
    cache: Math.max(LEAST_CACHE, Math.floor(given / 8)),
  }
}
