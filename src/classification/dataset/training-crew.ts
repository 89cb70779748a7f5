import { Crew } from '../../jobs/crew.ts'
import type { PhaseProgress } from '../../jobs/job.ts'
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
): AsyncGenerator<PhaseProgress, ClassWeights[]> {
  const crew = new Crew(signal)
  const size = Math.max(1, Math.ceil(classes / (parallel * SHARES)))
  const learnt: ClassWeights[] = []
  let next = 0
  const begin = () => {
    const [from, to] = [next, Math.min(classes, next + size)]
    next = to
    crew.add(pool.run('learnClasses', { problem, from, to }, { signal: crew.signal }), weights =>
      learnt.push(...weights),
    )
  }
  try {
    while (next < classes || crew.size > 0) {
      while (next < classes && crew.size < parallel) begin()
      const { size } = crew
      await crew.until(() => crew.size < size)
      yield { done: learnt.length, total: classes, phase: 'learning', share: [0.5, 1] }
    }
    return learnt
  } finally {
    await crew.dismiss()
  }
}
