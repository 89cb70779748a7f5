/** A reproducible stream of numbers in [0, 1): Mulberry32 (T. Ettinger, 2017). Each `number` gives a stream of its own. */
export function randomStream(seed: number, number = 0): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca77)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** In place (Fisher and Yates). */
export function shuffle(items: Uint32Array, next: () => number): void {
  for (let i = items.length - 1; i > 0; i--) {
    const other = Math.floor(next() * (i + 1))
    const item = items[i]!
    items[i] = items[other]!
    items[other] = item
  }
}
