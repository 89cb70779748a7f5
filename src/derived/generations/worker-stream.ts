import { once } from 'node:events'
import { MessageChannel, type MessagePort } from 'node:worker_threads'

/** Passes items on to a task in a worker thread, which reports when it has received one. */
export class WorkerStream<T> {
  /** To be transferred to the task, which reads it with `received`. */
  readonly port: MessagePort
  readonly #port: MessagePort
  #waiting = 0

  /** @param taken called whenever fewer are waiting */
  constructor(taken: () => void) {
    const { port1, port2 } = new MessageChannel()
    this.port = port2
    this.#port = port1
    port1.on('message', () => {
      this.#waiting--
      taken()
    })
  }

  /** Number of items that the task has not received. */
  get waiting(): number {
    return this.#waiting
  }

  send(thing: T, transfer: readonly ArrayBuffer[]): void {
    this.#waiting++
    this.#port.postMessage(thing, transfer)
  }

  /** Tells the task that there are no more. */
  end(): void {
    this.#port.postMessage(null)
  }

  /** A task that waits for more items has to be stopped by its signal. */
  close(): void {
    this.#port.close()
  }
}

/** In the worker: the items until the end. The next one is requested when the current one has been processed. */
export async function* received<T>(port: MessagePort): AsyncGenerator<T, void> {
  for (;;) {
    const [thing] = (await once(port, 'message')) as [T | null]
    if (thing === null) return
    yield thing
    port.postMessage(true)
  }
}
