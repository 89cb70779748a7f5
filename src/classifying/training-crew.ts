import type { MessagePort } from 'node:worker_threads'
import { pack, type Shipment } from '../generations/shipment.ts'
import { WorkerStream } from '../generations/worker-stream.ts'
import type { Progress } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { ClassWeights } from '../learning/linear-svm.ts'
import type { Problem } from '../learning/problem.ts'
import type { LearningTasks } from './training-tasks.ts'

type Batches = AsyncIterable<[id: string, payload: Buffer][]>

/** Shares of the classes for each thread: the more, the sooner progress is told and the less a thread waits at the end. */
const SHARES = 16

/**
 * Has a task in a worker thread read documents: this thread only hands stored bytes on. Works with every database, also
 * one that a second thread could not open.
 */
export async function* withDocuments<Result>(
  documents: Batches,
  { total, phase, signal }: { total: number; phase: string; signal: AbortSignal },
  start: (port: MessagePort, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Progress, Result> {
  let wake = () => {}
  let failure: { reason: unknown } | undefined
  const end = new AbortController()
  const stream = new WorkerStream<Shipment>(() => wake())
  const result = start(stream.port, AbortSignal.any([signal, end.signal]))
  result.catch(reason => {
    failure = { reason }
    wake()
  })
  const taken = async () => {
    while (!failure && stream.waiting > 0) {
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
    if (failure) throw failure.reason
  }
  try {
    let done = 0
    for await (const batch of documents) {
      if (batch.length === 0) continue
      await taken()
      const shipment = pack(batch)
      stream.send(shipment, [shipment.bytes.buffer])
      done += batch.length
      yield { done, total: Math.max(done, total), phase: 'reading' }
    }
    await taken()
    stream.end()
    yield { done, total: done, phase }
    return await result
  } finally {
    // A task that waits for more than there will be would keep its thread for ever.
    end.abort()
    stream.close()
  }
}

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
