import type { Definition } from '../datasets/state.ts'
import type { Snapshot } from '../derived/generations/generation.ts'
import { pack, type Shipment } from '../derived/generations/shipment.ts'
import { WorkerStream } from '../derived/generations/worker-stream.ts'
import type { Progress } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { AnalyzedShipment, IndexedForm, IndexTasks } from './index-builder.ts'

/** Shipments that may wait at the one that indexes before no more are analyzed for it. */
const MOST_WAITING = 4

interface BuildOptions {
  /** Documents there are, as far as is known. */
  total: number
  /** Worker threads at the same time, at most. */
  parallel: number
  signal: AbortSignal
}

/**
 * Builds an index of documents in worker threads: this thread only hands stored bytes on, some being indexed while
 * the next are read. Works with every database, also one that a second thread could not open.
 */
export async function* buildInWorkers(
  pool: WorkerPool<IndexTasks>,
  { settings, schema: { root } }: Definition,
  documents: AsyncIterable<[id: string, payload: Buffer][]>,
  { total, parallel, signal }: BuildOptions,
): AsyncGenerator<Progress, Snapshot> {
  const crew = new BuildCrew(pool, { settings, root }, parallel, signal)
  try {
    let done = 0
    for await (const batch of documents) {
      if (batch.length === 0) continue
      await crew.take(pack(batch))
      done += batch.length
      yield { done, total: Math.max(done, total), phase: 'indexing' }
    }
    await crew.finish()
    yield { done, total: done, phase: 'merging' }
    return await crew.built
  } finally {
    crew.dismiss()
  }
}

/**
 * The workers of one build: one indexes, and while threads are free, up to `parallel` - 1 others analyze for it.
 * Nobody waits for them, so that builds that have a thread each come to an end.
 */
class BuildCrew {
  readonly built: Promise<Snapshot>
  readonly #pool: WorkerPool<IndexTasks>
  readonly #form: IndexedForm
  readonly #analysts: number
  readonly #stream = new WorkerStream<Shipment | AnalyzedShipment>(() => this.#wake())
  readonly #end = new AbortController()
  readonly #signal: AbortSignal
  #analyzing = 0
  #failure: { reason: unknown } | undefined
  #wake = () => {}

  constructor(pool: WorkerPool<IndexTasks>, form: IndexedForm, parallel: number, signal: AbortSignal) {
    const { port } = this.#stream
    this.#pool = pool
    this.#form = form
    this.#analysts = parallel - 1
    this.#signal = AbortSignal.any([signal, this.#end.signal])
    this.built = pool.run('buildIndex', { ...form, port }, { signal: this.#signal, transfer: [port] })
    this.built.catch(this.#fail)
  }

  /** Resolves when somebody works on the shipment. */
  async take(shipment: Shipment): Promise<void> {
    for (;;) {
      if (this.#failure) throw this.#failure.reason
      if (this.#mayAnalyze) return this.#analyze(shipment)
      if (this.#stream.waiting === 0) return this.#stream.send(shipment, [shipment.bytes.buffer])
      await this.#change()
    }
  }

  /** Tells that there are no more; resolves when all have been taken in. */
  async finish(): Promise<void> {
    while (!this.#failure && this.#stream.waiting + this.#analyzing > 0) await this.#change()
    if (this.#failure) throw this.#failure.reason
    this.#stream.end()
  }

  /** A worker that waits for more than there will be would keep its thread for ever. */
  dismiss(): void {
    this.#end.abort()
    this.#stream.close()
  }

  get #mayAnalyze(): boolean {
    return this.#analyzing < this.#analysts && this.#stream.waiting < MOST_WAITING && this.#pool.isFree
  }

  #analyze(shipment: Shipment): void {
    this.#analyzing++
    const options = { signal: this.#signal, transfer: [shipment.bytes.buffer] }
    this.#pool.run('analyzeShipment', { ...this.#form, shipment }, options).then(analyzed => {
      this.#analyzing--
      this.#stream.send(analyzed, buffersOf(analyzed))
      this.#wake()
    }, this.#fail)
  }

  #change(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  readonly #fail = (reason: unknown): void => {
    this.#failure ??= { reason }
    this.#wake()
  }
}

/** Columns lie in shared memory. */
function buffersOf({ texts }: AnalyzedShipment): ArrayBuffer[] {
  const arrays = [texts.units, texts.starts, texts.words, texts.lengths]
  // What comes from a worker as a message of its own shares its memory with nobody.
  return arrays.map(({ buffer }) => buffer as ArrayBuffer)
}
