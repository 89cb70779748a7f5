import { readFileSync } from 'node:fs'

/** Milliseconds that this thread has computed, whatever else the machine does; where nobody tells, those that went by. */
function computed(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
  } catch {
    return performance.now()
  }
}

/**
 * Does work, and tells how many milliseconds the longest turn computed that the event loop had meanwhile. It looks every
 * millisecond, which a turn may count too many: in each turn it would keep a processor busy while the work waits.
 */
export async function longestTurn(work: () => PromiseLike<unknown>): Promise<number> {
  let longest = 0
  let isOver = false
  let last = computed()
  const turn = () => {
    const now = computed()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setTimeout(turn, 1)
  }
  turn()
  await work()
  isOver = true
  return Math.max(longest, computed() - last)
}

/**
 * The least of three times that the same work is done, or the first below the bound: what else the machine does makes turns
 * longer, never shorter. A turn above the bound is measured in what this machine can do just then.
 */
export async function leastLongestTurn(bound: number, work: () => PromiseLike<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let times = 0; times < 3 && least >= bound; times++) {
    const turn = await longestTurn(work)
    least = Math.min(least, turn < bound ? turn : turn / slowness())
  }
  return least
}

/** Milliseconds that `someWork` computes on the machine by which the bounds were chosen. */
const USUAL = 35

/** How many times longer than there the same work takes here and now; at least 1. */
function slowness(): number {
  const times = Array.from({ length: 7 }, () => {
    const start = computed()
    someWork()
    return computed() - start
  })
  return Math.max(1, times.sort((one, other) => one - other)[3]! / USUAL)
}

/** Objects, texts and a sort: of each what turns of the loop are made of. */
function someWork(): number {
  const all = Array.from({ length: 20_000 }, (_, i) => ({ id: `d${(i * 7919) % 20_000}`, text: `lamp ${i}` }))
  const read: typeof all = JSON.parse(JSON.stringify(all))
  return read.sort((one, other) => (one.id < other.id ? -1 : 1)).length
}
