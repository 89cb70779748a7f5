import type { Progress } from './job.ts'

/**
 * Passes items to a consumer one by one, as it takes them. It ends when the consumer has ended; an abort makes the next item
 * fail.
 */
export async function* handingOver<T>(
  things: AsyncIterable<T>,
  take: (things: AsyncIterable<T>) => Promise<unknown>,
  { total, phase, signal }: { total: number | undefined; phase: string; signal: AbortSignal },
): AsyncGenerator<Progress, void> {
  let done = 0
  let isOver = false
  let wake = () => {}
  const counted = async function* () {
    for await (const thing of things) {
      signal.throwIfAborted()
      yield thing
      done++
      wake()
    }
  }
  const taking = (async () => await take(counted()))().finally(() => {
    isOver = true
    wake()
  })
  taking.catch(() => undefined)
  const stop = () => wake()
  signal.addEventListener('abort', stop)
  try {
    while (!isOver && !signal.aborted) {
      const woken = new Promise<void>(resolve => {
        wake = resolve
      })
      yield { done, total, phase }
      if (!isOver && !signal.aborted) await woken
    }
    await taking
  } finally {
    signal.removeEventListener('abort', stop)
    await taking.catch(() => undefined)
  }
}
