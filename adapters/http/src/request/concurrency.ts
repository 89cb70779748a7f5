import { HttpError } from '../http/errors.ts'
import type { Stage } from '../stage.ts'

/**
 * Refuses calls beyond a maximum number of concurrent ones, counted until their answers begin: they would only make the queue
 * longer, and take memory while they wait.
 * @param most 0: no limit
 */
export function limitConcurrency(most: number): Stage {
  let running = 0
  return async (_, next) => {
    if (most > 0 && running >= most) {
      throw new HttpError(503, `The server is already working on ${most} calls. Try again later.`, {
        'Retry-After': '1',
      })
    }
    running++
    try {
      await next()
    } finally {
      running--
    }
  }
}
