import { MessageChannel } from 'node:worker_threads'
import type { WorkerPool } from '../jobs/pool.ts'
import type { IndexSnapshot } from './generation.ts'
import type { AnalyzedShipment, IndexedForm, IndexTasks, Shipment } from './index-builder.ts'

/** Shipments that may wait at the one that indexes before no more are analyzed for it. */
const MOST_WAITING = 4

/**
 * The workers of one build: one indexes, and while threads are free, up to `parallel` - 1 others analyze for it.
 * Nobody waits for them, so that builds that have a thread each come to an end.
 */
export class BuildCrew {
  readonly built: Promise<IndexSnapshot>
  readonly #pool: WorkerPool<IndexTasks>
  readonly #form: IndexedForm
  readonly #analysts: number
  readonly #channel = new MessageChannel()
  readonly #end = new AbortController()
  readonly #signal: AbortSignal
  /** Shipments that the one that indexes has not taken in. */
  #waiting = 0
  #analyzing = 0
  #failure: { reason: unknown } | undefined
  #wake = () => {}

  constructor(pool: WorkerPool<IndexTasks>, form: IndexedForm, parallel: number, signal: AbortSignal) {
    const { port1, port2 } = this.#channel
    this.#pool = pool
    this.#form = form
    this.#analysts = parallel - 1
    this.#signal = AbortSignal.any([signal, this.#end.signal])
    this.built = pool.run('buildIndex', { ...form, port: port2 }, { signal: this.#signal, transfer: [port2] })
    this.built.catch(this.#fail)
    port1.on('message', () => {
      this.#waiting--
      this.#wake()
    })
  }

  /** Resolves when somebody works on the shipment. */
  async take(shipment: Shipment): Promise<void> {
    for (;;) {
      if (this.#failure) throw this.#failure.reason
      if (this.#mayAnalyze) return this.#analyze(shipment)
      if (this.#waiting === 0) return this.#send(shipment, [shipment.bytes.buffer])
      await this.#change()
    }
  }

  /** Tells that there are no more; resolves when all have been taken in. */
  async finish(): Promise<void> {
    while (!this.#failure && this.#waiting + this.#analyzing > 0) await this.#change()
    if (this.#failure) throw this.#failure.reason
    this.#channel.port1.postMessage(null)
  }

  /** A worker that waits for more than there will be would keep its thread for ever. */
  dismiss(): void {
    this.#end.abort()
    this.#channel.port1.close()
  }

  get #mayAnalyze(): boolean {
    return this.#analyzing < this.#analysts && this.#waiting < MOST_WAITING && this.#pool.isFree
  }

  #analyze(shipment: Shipment): void {
    this.#analyzing++
    const options = { signal: this.#signal, transfer: [shipment.bytes.buffer] }
    this.#pool.run('analyzeShipment', { ...this.#form, shipment }, options).then(analyzed => {
      this.#analyzing--
      this.#send(analyzed, buffersOf(analyzed))
      this.#wake()
    }, this.#fail)
  }

  #send(shipment: Shipment | AnalyzedShipment, transfer: ArrayBuffer[]): void {
    this.#waiting++
    this.#channel.port1.postMessage(shipment, transfer)
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

function buffersOf({ texts, signals }: AnalyzedShipment): ArrayBuffer[] {
  const arrays = [texts.units, texts.starts, texts.words, texts.lengths, signals]
  // What comes from a worker as a message of its own shares its memory with nobody.
  return arrays.map(({ buffer }) => buffer as ArrayBuffer)
}
