import type { MessagePort } from 'node:worker_threads'
import type { Progress } from '../../jobs/job.ts'
import { pack, type Shipment } from './shipment.ts'
import { WorkerStream } from './worker-stream.ts'

type Batches = AsyncIterable<[id: string, payload: Buffer][]>

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
