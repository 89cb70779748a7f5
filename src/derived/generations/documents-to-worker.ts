import type { MessagePort } from 'node:worker_threads'
import type { DatasetState } from '../../datasets/state.ts'
import { allDocuments } from '../../datasets/stored-documents.ts'
import { Crew } from '../../jobs/crew.ts'
import type { PhaseProgress } from '../../jobs/job.ts'
import type { RunOptions } from '../../jobs/pool.ts'
import type { Store } from '../../store/store.ts'
import { pack, type Shipment } from './shipment.ts'
import { WorkerStream } from './worker-stream.ts'

/** Maximum number of shipments that may wait at the reading worker. */
const MOST_WAITING = 4

/** Workers that prepare shipments for the reading worker. */
interface Helpers {
  /** Whether one more may start beside this many workers. */
  mayBegin(beside: number): boolean
  prepare(shipment: Shipment, how: RunOptions): Promise<{ sent: unknown; transfer: readonly ArrayBuffer[] }>
}

interface Reading {
  /** Default: all of the dataset. */
  readonly documents?: AsyncIterable<[id: string, payload: Buffer][]> | undefined
  /** Names of the phases while documents are read, and afterwards. */
  readonly reading?: string
  readonly phase: string
  readonly share?: PhaseProgress['share']
  readonly signal: AbortSignal
  readonly helpers?: Helpers
}

/**
 * Lets a task in a worker thread read documents: this thread only passes on stored bytes, and some are read while the next are
 * fetched. It works with every database, even one that a second thread could not open. A task that has seen enough may end
 * early.
 */
export async function* withDocuments<Result>(
  place: { readonly store: Store; readonly state: Pick<DatasetState, 'dataset'> },
  start: (port: MessagePort, how: RunOptions) => Promise<Result>,
  {
    signal,
    documents = allDocuments(place, { signal }),
    reading = 'reading',
    phase,
    share,
    helpers,
  }: Reading,
): AsyncGenerator<PhaseProgress, Result> {
  const { documents: total } = place.store.counts(place.state.dataset)
  const crew = new Crew(signal)
  const stream = new WorkerStream<unknown>(() => crew.wake())
  const { port } = stream
  let hasEnded = false
  const result = crew.add(start(port, { signal: crew.signal, transfer: [port] }), () => {
    hasEnded = true
  })
  const mayHelp = () => stream.waiting < MOST_WAITING && helpers?.mayBegin(crew.size) === true
  try {
    let done = 0
    for await (const batch of documents) {
      if (batch.length === 0) continue
      const shipment = pack(batch)
      const transfer = [shipment.bytes.buffer]
      await crew.until(() => hasEnded || stream.waiting === 0 || mayHelp())
      if (hasEnded) break
      if (mayHelp()) {
        const prepared = helpers!.prepare(shipment, { signal: crew.signal, transfer })
        crew.add(prepared, ({ sent, transfer }) => stream.send(sent, transfer))
      } else stream.send(shipment, transfer)
      done += batch.length
      yield { done, total: Math.max(done, total), phase: reading, share }
    }
    await crew.until(() => hasEnded || (stream.waiting === 0 && crew.size <= 1))
    stream.end()
    yield { done, total: done, phase, share }
    return await result
  } finally {
    stream.close()
    await crew.dismiss()
  }
}
