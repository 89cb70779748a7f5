import type { ClusterNode } from '@findling/cluster'
import type { Logger } from '../request/log.ts'

const LOOK_EVERY_MS = 100
const TELL_EVERY_MS = 5000

/**
 * Resolves when a node has applied the log up to a position. While the log is unreachable it waits, because the node cannot learn
 * what it lacks. Rejects with the error that made the node stop, or with the signal's reason.
 */
export async function caughtUp(
  node: Pick<ClusterNode, 'status'>,
  head: number,
  { logger, signal }: { logger: Logger; signal?: AbortSignal | undefined },
): Promise<void> {
  let told = performance.now()
  let wasAway = false
  for (;;) {
    const { position, failure, isAway } = node.status
    if (failure) throw failure
    if (position >= head) return
    const waitsFor = isAway ? 'the database, which does not answer' : 'the log to be applied'
    if (signal?.aborted) {
      logger.info({ position, head }, `stopped before answering any call, while waiting for ${waitsFor}`)
      throw signal.reason
    }
    if (isAway !== wasAway || performance.now() - told > TELL_EVERY_MS) {
      logger.info({ position, head }, `not answering calls yet: waiting for ${waitsFor}`)
      told = performance.now()
      wasAway = isAway
    }
    await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
