import { availableParallelism } from 'node:os'
import type { TransferListItem, Worker } from 'node:worker_threads'
import type { Piscina } from 'piscina'
import { FindlingError } from '../errors.ts'
import type { Outcome, TaskCall, TaskTable } from './dispatch.ts'
import { type Owner, Turns } from './turns.ts'
import { workerUrl } from './worker-url.ts'

type Input<Task extends (input: never) => unknown> = Parameters<Task>[0]
type Result<Task extends (input: never) => unknown> = Awaited<ReturnType<Task>>

export interface RunOptions {
  /** Ends the task with CANCELLED, even in the middle of its work. */
  readonly signal?: AbortSignal | undefined
  /** Ports and buffers of the input that move to the worker instead of being copied. */
  readonly transfer?: readonly TransferListItem[]
  /** Called when a thread is free and the task begins. */
  readonly onBegin?: () => void
  /** Owners of waiting tasks take turns in getting a thread. Default: all tasks have the same owner. */
  readonly owner?: Owner
}

export interface PoolOptions {
  /** The built worker, which exports `perform`. */
  readonly url: URL
  /** Tasks that run at the same time; by default one for each processor. */
  readonly threads?: number
  /** Maximum heap size of a thread in bytes; a thread that exceeds it ends with its task. Default: what V8 allows. */
  readonly maxHeapBytes?: number
}

const idleMs = 10_000

/** Worker threads that start when there is work, do not keep the process alive, and go when idle. */
export class WorkerPool<Tasks extends TaskTable> {
  readonly #url: URL
  readonly #threads: number
  readonly #maxHeapBytes: number | undefined
  /** One for each running or waiting task; aborting it ends the task with the given reason. */
  readonly #tasks = new Set<AbortController>()
  readonly #turns: Turns
  #workers: Piscina | undefined
  #closed = false

  constructor({ url, threads = availableParallelism(), maxHeapBytes }: PoolOptions) {
    this.#url = url
    this.#maxHeapBytes = maxHeapBytes
    this.#threads = threads
    this.#turns = new Turns(threads)
  }

  /** Whether a task would begin at once. */
  get isFree(): boolean {
    return this.#turns.isFree
  }

  /**
   * Performs one task in a worker. Shared memory in the input is shared, the rest copied; buffers of the
   * result are moved. Coded errors keep their code; any other, and a worker that dies, is WORKER_FAILED.
   */
  async run<K extends keyof Tasks & string>(
    task: K,
    input: Input<Tasks[K]>,
    options: RunOptions = {},
  ): Promise<Result<Tasks[K]>> {
    if (this.#closed) throw closedError()
    const end = new AbortController()
    const stopListening = endWith(end, options.signal)
    this.#tasks.add(end)
    try {
      const outcome = await this.#inTurn(end.signal, { task, input }, options)
      if ('failure' in outcome) throw recreated(outcome.failure)
      // The dispatcher ran the function of this name.
      return outcome.value as Result<Tasks[K]>
    } finally {
      this.#tasks.delete(end)
      stopListening()
    }
  }

  /** Ends every task with CLOSED and waits until the threads are gone. */
  async close(): Promise<void> {
    this.#closed = true
    for (const task of this.#tasks) task.abort(closedError())
    await this.#workers?.destroy()
  }

  /**
   * Tasks wait here and not in the library's own queue, which does not start the next task after a worker was ended or died.
   */
  async #inTurn(
    signal: AbortSignal,
    call: TaskCall,
    { transfer = [], onBegin, owner }: RunOptions,
  ): Promise<Outcome> {
    await this.#turns.take(owner, signal)
    let threads: readonly Worker[] = []
    try {
      onBegin?.()
      const workers = await this.#start()
      const running = workers.run(call, { signal, transferList: [...transfer] })
      threads = workers.threads
      const outcome = await running
      this.#turns.give()
      return outcome
    } catch (error) {
      void this.#giveOnWithout(threads)
      if (signal.aborted) throw signal.reason
      throw workerError(error)
    }
  }

  /** Passes the turn on when the thread of the task is gone: until then it keeps its memory. */
  async #giveOnWithout(threads: readonly Worker[]): Promise<void> {
    const left = new Set(this.#workers?.threads)
    // Already told to end; this waits for it.
    await Promise.allSettled(threads.filter(thread => !left.has(thread)).map(thread => thread.terminate()))
    this.#turns.give()
  }

  async #start(): Promise<Piscina> {
    if (this.#closed) throw closedError()
    if (this.#workers) return this.#workers
    // Most programs that only read need no threads.
    const { Piscina } = await import('piscina')
    // Meanwhile, the pool may have been closed, or another task may have started it.
    if (this.#closed) throw closedError()
    if (this.#workers) return this.#workers
    const workers = new Piscina({
      filename: this.#url.href,
      name: 'perform',
      minThreads: 0,
      maxThreads: this.#threads,
      idleTimeout: idleMs,
      atomics: 'disabled',
      ...(this.#maxHeapBytes === undefined ? {} : { resourceLimits: heapLimit(this.#maxHeapBytes) }),
    })
    // Happens when a worker cannot even start; its task would wait for ever.
    workers.on('error', error => {
      this.#workers = undefined
      for (const task of this.#tasks) task.abort(workerError(error))
      void workers.destroy()
    })
    this.#workers = workers
    return workers
  }
}

interface SharedPool {
  readonly pool: WorkerPool<never>
  users: number
}

/**
 * One pool serves all engines of a process, including those of a second copy of the package. Besides the registry of open
 * folders, this is the only state shared by engines. The number is raised when tasks change their input or result.
 */
const sharedPool = Symbol.for('findling.worker-pool.1')

/** The pool of this process; it closes when everyone who acquired it has released it. */
export function acquirePool<Tasks extends TaskTable>(): {
  readonly pool: WorkerPool<Tasks>
  release(): Promise<void>
} {
  // Nobody else uses this symbol.
  const place = globalThis as { [sharedPool]?: SharedPool }
  place[sharedPool] ??= { pool: new WorkerPool({ url: workerUrl }), users: 0 }
  const shared = place[sharedPool]
  shared.users++
  let released = false
  return {
    // There is one worker file, and Tasks is its table.
    pool: shared.pool as WorkerPool<Tasks>,
    async release() {
      if (released) return
      released = true
      if (--shared.users > 0) return
      delete place[sharedPool]
      await shared.pool.close()
    },
  }
}

const heapLimit = (bytes: number) => ({ maxOldGenerationSizeMb: Math.ceil(bytes / 2 ** 20) })

function endWith(end: AbortController, signal: AbortSignal | undefined): () => void {
  const stop = () => end.abort(cancelledError(signal?.reason))
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop)
  return () => signal?.removeEventListener('abort', stop)
}

function recreated(failure: {
  code: FindlingError['code']
  message: string
  details: FindlingError['details']
}) {
  return new FindlingError(failure.code, failure.message, failure.details)
}

function workerError(cause: unknown): FindlingError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new FindlingError('WORKER_FAILED', `a worker thread failed: ${reason}`, {}, cause)
}

function cancelledError(cause?: unknown): FindlingError {
  return new FindlingError('CANCELLED', 'the task was cancelled', {}, cause)
}

function closedError(): FindlingError {
  return new FindlingError('CLOSED', 'the worker pool is closed')
}
