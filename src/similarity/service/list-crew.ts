import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { WorkerPool } from '../../jobs/pool.ts'
import type { SavedSimilarity } from '../model/saved-similarity.ts'
import type { ComparisonTasks, FoundLists, ListsPart } from '../tasks.ts'

interface CrewTask {
  readonly saved: SavedSimilarity
  readonly groups: readonly Uint32Array[]
  readonly parts: readonly ListsPart[]
}

/** Has parts of lists made in several threads; tells each as it comes, and hands out no more than are taken. */
export async function* madeByCrew(
  pool: WorkerPool<ComparisonTasks>,
  { saved, groups, parts }: CrewTask,
  { parallel, signal }: { readonly parallel: number; readonly signal: AbortSignal },
): AsyncGenerator<FoundLists, void> {
  const end = new AbortController()
  const options = AbortSignal.any([signal, end.signal])
  const shared = inSharedMemory(saved)
  const waiting = parts.values()
  const come: { readonly found: FoundLists; readonly from: MessagePort }[] = []
  let failure: { readonly reason: unknown } | undefined
  let wake = () => {}
  const hand = (port: MessagePort) => {
    const { done, value } = waiting.next()
    port.postMessage(done ? null : value)
  }
  const start = (): { readonly port: MessagePort; readonly task: Promise<void> } => {
    const { port1: port, port2: theirs } = new MessageChannel()
    // Every second message says that the next part is being waited for.
    port.on('message', (message: FoundLists | true) => {
      if (message === true) return
      come.push({ found: message, from: port })
      wake()
    })
    const input = { saved: shared, groups, port: theirs }
    const task = pool.run('listNeighbours', input, { signal: options, transfer: [theirs] })
    task.catch(reason => {
      failure ??= { reason }
      wake()
    })
    hand(port)
    return { port, task }
  }
  const crew = Array.from({ length: Math.min(parallel, parts.length) }, start)
  try {
    for (let left = parts.length; left > 0; left--) {
      while (come.length === 0 && !failure) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
      if (failure) throw failure.reason
      const { found, from } = come.shift()!
      yield found
      hand(from)
    }
    await Promise.all(crew.map(({ task }) => task))
  } finally {
    // Who waits for more than there will be would keep its thread for ever.
    end.abort()
    await Promise.allSettled(crew.map(({ task }) => task))
    for (const { port } of crew) port.close()
  }
}

/** Once for all threads. */
function inSharedMemory({ contents, blobs }: SavedSimilarity): SavedSimilarity {
  const shared = new Map<string, Uint8Array>()
  for (const [name, bytes] of blobs) {
    const copy = new Uint8Array(new SharedArrayBuffer(bytes.byteLength))
    copy.set(bytes)
    shared.set(name, copy)
  }
  return { contents, blobs: shared }
}
