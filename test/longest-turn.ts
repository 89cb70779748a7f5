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
