import type { Progress } from '../../jobs/job.ts'
import type { WorkerPool } from '../../jobs/pool.ts'
import type { ClassWeights } from '../model/linear-svm.ts'
import type { Problem } from '../model/problem.ts'
import type { LearningTasks } from '../tasks.ts'

/** Shares of the classes for each thread: the more, the sooner progress is told and the less a thread waits at the end. */
const SHARES = 16

/** Learns classes in several threads. What is learnt does not depend on how many they are. */
export async function* learnInWorkers(
  pool: WorkerPool<LearningTasks>,
  problem: Problem,
  classes: number,
  { parallel, signal }: { parallel: number; signal: AbortSignal },
): AsyncGenerator<Progress, ClassWeights[]> {
  const end = new AbortController()
  const options = { signal: AbortSignal.any([signal, end.signal]) }
  const size = Math.max(1, Math.ceil(classes / (parallel * SHARES)))
  const learnt: ClassWeights[] = []
  const running = new Set<Promise<void>>()
  let next = 0
  const begin = () => {
    const [from, to] = [next, Math.min(classes, next + size)]
    next = to
    const share = pool.run('learnClasses', { problem, from, to }, options).then(weights => {
      learnt.push(...weights)
      running.delete(share)
    })
    running.add(share)
  }
  try {
    while (next < classes || running.size > 0) {
      while (next < classes && running.size < parallel) begin()
      await Promise.race(running)
      yield { done: learnt.length, total: classes, phase: 'learning' }
    }
    return learnt
  } finally {
    end.abort()
    await Promise.allSettled(running)
  }
}
