/** A repeatable stream of numbers in [0, 1): Mulberry32 (T. Ettinger, 2017), good enough to make data with. */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A whole number from 0 to `below` - 1. */
export const randomInteger = (next: () => number, below: number): number => Math.floor(next() * below)

export function pick<Item>(next: () => number, items: ArrayLike<Item>): Item {
  return items[randomInteger(next, items.length)]!
}
