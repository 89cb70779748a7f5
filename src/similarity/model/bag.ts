import type { Features } from './text-features.ts'

/** Maximum number of occurrences counted for a feature of one text. */
export const MOST_OCCURRENCES = 32

/** The different features of one text in ascending order, with the number of occurrences of each. */
export interface Bag {
  readonly hashes: Int32Array
  /** 1 to `MOST_OCCURRENCES`. */
  readonly occurrences: Uint8Array
}

/** @param most maximum number of occurrences counted for each */
export function bagOf({ hashes: all, count }: Features, most: number): Bag {
  const hashes = all.slice(0, count).sort()
  const occurrences = new Uint8Array(count)
  let last = -1
  for (const hash of hashes) {
    if (last < 0 || hashes[last] !== hash) {
      hashes[++last] = hash
      occurrences[last] = 1
    } else if (occurrences[last]! < most) {
      occurrences[last] = occurrences[last]! + 1
    }
  }
  return { hashes: hashes.slice(0, last + 1), occurrences: occurrences.slice(0, last + 1) }
}
