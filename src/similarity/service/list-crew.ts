import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { Crew } from '../../jobs/crew.ts'
import type { WorkerPool } from '../../jobs/pool.ts'
import type { SavedSimilarity } from '../model/saved-similarity.ts'
import type { ComparisonTasks, FoundLists, ListsPart } from '../tasks.ts'

interface CrewTask {
  readonly saved: SavedSimilarity
  readonly groups: readonly Uint32Array[]
  readonly parts: readonly ListsPart[]
}

/** Makes parts of lists in several threads; yields each part as it is done, and hands out work only as parts are taken. */
export async function* madeByCrew(
  pool: WorkerPool<ComparisonTasks>,
  { saved, groups, parts }: CrewTask,
  { parallel, signal }: { readonly parallel: number; readonly signal: AbortSignal },
): AsyncGenerator<FoundLists, void> {
  const crew = new Crew(signal)
  const shared = inSharedMemory(saved)
  const waiting = parts.values()
  const come: { readonly found: FoundLists; readonly from: MessagePort }[] = []
  const hand = (port: MessagePort) => {
    const { done, value } = waiting.next()
    port.postMessage(done ? null : value)
  }
  const start = (): MessagePort => {
    const { port1: from, port2: port } = new MessageChannel()
    // Every second message says that the thread waits for the next part.
    from.on('message', (found: FoundLists | true) => {
      if (found === true) return
      come.push({ found, from })
      crew.wake()
    })
    const how = { signal: crew.signal, transfer: [port] }
    crew.add(pool.run('listNeighbours', { saved: shared, groups, port }, how))
    hand(from)
    return from
  }
  const ports = Array.from({ length: Math.min(parallel, parts.length) }, start)
  try {
    for (let left = parts.length; left > 0; left--) {
      await crew.until(() => come.length > 0)
      const { found, from } = come.shift()!
      yield found
      hand(from)
    }
    await crew.until(() => crew.size === 0)
  } finally {
    await crew.dismiss()
    for (const port of ports) port.close()
  }
}

/** One copy for all threads. */
function inSharedMemory({ contents, blobs }: SavedSimilarity): SavedSimilarity {
  const shared = new Map<string, Uint8Array>()
  for (const [name, bytes] of blobs) {
    const copy = new Uint8Array(new SharedArrayBuffer(bytes.byteLength))
    copy.set(bytes)
    shared.set(name, copy)
  }
  return { contents, blobs: shared }
}
