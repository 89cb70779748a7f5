import { readFileSync } from 'node:fs'

/** Milliseconds that this thread has computed, whatever else the machine does; where nobody tells, those that went by. */
function computed(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
  } catch {
    return performance.now()
  }
}

/** Does work, and tells how many milliseconds the longest turn computed that the event loop had meanwhile. */
export async function longestTurn(work: () => PromiseLike<unknown>): Promise<number> {
  let longest = 0
  let isOver = false
  let last = computed()
  const turn = () => {
    const now = computed()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(turn)
  }
  turn()
  await work()
  isOver = true
  return Math.max(longest, computed() - last)
}

/**
 * The least of three times that the same work is done, or the first below the bound: what else the machine does makes turns
 * longer, never shorter.
 */
export async function leastLongestTurn(bound: number, work: () => PromiseLike<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let times = 0; times < 3 && least >= bound; times++) least = Math.min(least, await longestTurn(work))
  return least
}
