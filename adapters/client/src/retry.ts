import type { Operation } from './operation.ts'
import type { Result } from './result.ts'

const firstPause = 200
const longestPause = 5000

/** Error code of a search that timed out: it would again, and cost the server the same work once more. */
const tooLong = 'SEARCH_TIMEOUT'

/**
 * Milliseconds to wait before a call is repeated; undefined if that could do harm or would not help. A server that says when
 * to come back has not executed the call; after other failures, that is unknown.
 */
export function pauseBeforeRetry(
  result: Result<unknown>,
  { repeatable }: Operation<unknown, unknown>,
  { attempt, longestWait }: { readonly attempt: number; readonly longestWait: number },
): number | undefined {
  if (result.isSuccessful) return undefined
  const { httpStatusCode, failure, retryAfter, errorCode } = result
  if (errorCode === tooLong) return undefined
  const isRefused = httpStatusCode === 429 || (httpStatusCode === 503 && retryAfter !== undefined)
  const isLost = failure === 'offline' || (httpStatusCode >= 502 && httpStatusCode <= 504)
  if (!isRefused && !(isLost && repeatable)) return undefined
  const least = Math.min(firstPause * 2 ** attempt, longestPause)
  // Clients that were refused at the same time must not come back at the same time.
  const spread = Math.random() * least
  if (retryAfter === undefined) return Math.min(least / 2 + spread / 2, longestWait)
  const asked = retryAfter * 1000
  return asked > longestWait ? undefined : Math.min(asked + spread, longestWait)
}

/** False if the signal has ended the pause. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise(resolve => {
    if (signal?.aborted) return resolve(false)
    const end = (isOver: boolean) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve(isOver)
    }
    const stop = () => end(false)
    const timer = setTimeout(() => end(true), ms)
    signal?.addEventListener('abort', stop)
  })
}
