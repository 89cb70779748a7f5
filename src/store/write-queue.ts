import { getSystemErrorMap } from 'node:util'
import { FindlingError } from '../errors.ts'
import { inStretches } from '../scheduling/stretch.ts'
import type { Counts } from './counts.ts'
import type { DatasetNumber } from './dataset-number.ts'
import type { Manifest } from './manifest.ts'
import { type Change, type Commit, type Mutation, Transaction } from './transaction.ts'

interface QueueOptions {
  maxBytes: number
  state(): { seq: number; manifest: Manifest; counts: ReadonlyMap<DatasetNumber, Counts> }
  read(keys: string[]): Promise<(Uint8Array | undefined)[]>
  /** @param takeEffect called in the turn in which the commit can be read */
  persist(commit: Commit, takeEffect: () => void): Promise<void>
  /** Returns, by dataset, what writers of its documents have to wait for. */
  committed(changes: readonly Change[]): ReadonlyMap<DatasetNumber, Promise<void>>
}

interface Waiting {
  mutation: Mutation<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

interface Decided {
  waiting: Waiting
  result: unknown
  /** Index of its first change among those of the group. */
  from: number
  to: number
}

const GROUP_BYTES = 4 * 2 ** 20
const GROUP_READS = 4096

/**
 * Turns concurrent writes into one batch with one sync: while a group is being written, the next one is collected
 * (group commit; Gray & Reuter, Transaction Processing, section 9.4.7).
 */
export class WriteQueue {
  readonly #options: QueueOptions
  #waiting: Waiting[] = []
  #bytes = 0
  #running: Promise<void> | undefined
  /** The group that is being written, until the followers of its datasets have received it. */
  #writing: Promise<void> | undefined
  /** What writers of decided and durable writes wait for. */
  readonly #unanswered = new Set<Promise<void>>()
  /** Writers of many rows that wait for room, in order of arrival. */
  readonly #patient: { bytes: number; enter(): void }[] = []
  #closed = false
  /** Set when a batch failed: what is on disk is then unknown, so nothing more is written. */
  failure: FindlingError | undefined

  constructor(options: QueueOptions) {
    this.#options = options
  }

  add<T>(mutation: Mutation<T>): Promise<T> {
    const { maxBytes } = this.#options
    if (mutation.bytes > maxBytes) return Promise.reject(tooLarge(mutation.bytes, maxBytes))
    if (this.#bytes + mutation.bytes > maxBytes) return Promise.reject(queueFull(this.#bytes, maxBytes))
    return this.#enter(mutation)
  }

  /**
   * Like add(), but waits instead of refusing, and leaves half of the queue to writers that do not wait. A mutation larger than
   * the queue goes through alone.
   */
  addWhenRoom<T>(mutation: Mutation<T>): Promise<T> {
    const { bytes } = mutation
    if (this.#patient.length === 0 && this.#hasRoom(bytes)) return this.#enter(mutation)
    return new Promise(resolve => this.#patient.push({ bytes, enter: () => resolve(this.#enter(mutation)) }))
  }

  #enter<T>(mutation: Mutation<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new FindlingError('CLOSED', 'The engine is closing.'))
    if (this.failure) return Promise.reject(this.failure)
    this.#bytes += mutation.bytes
    return new Promise<T>((resolve, reject) => {
      // resolve is only ever called with what this mutation's own apply() returned.
      this.#waiting.push({ mutation, resolve: resolve as (value: unknown) => void, reject })
      this.#running ??= this.#run()
    })
  }

  /** Resolves when everything added so far has been answered. */
  async idle(): Promise<void> {
    while (this.#running || this.#unanswered.size > 0) {
      await this.#running
      await Promise.all(this.#unanswered)
    }
  }

  /** Resolves when the followers have received everything that can be read by now. */
  async heard(): Promise<void> {
    await this.#writing
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.idle()
  }

  #hasRoom(bytes: number): boolean {
    const { maxBytes } = this.#options
    return this.#bytes === 0 || (this.#bytes <= maxBytes / 2 && this.#bytes + bytes <= maxBytes)
  }

  #letIn(): void {
    while (this.#patient.length > 0 && this.#hasRoom(this.#patient[0]!.bytes)) this.#patient.shift()!.enter()
  }

  async #run(): Promise<void> {
    // Writes from one synchronous stretch of the caller's code become one group.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup()
      this.#writing = this.#write(group)
      await this.#writing
      this.#writing = undefined
      for (const { mutation } of group) this.#bytes -= mutation.bytes
      this.#letIn()
    }
    this.#running = undefined
  }

  #takeGroup(): Waiting[] {
    let bytes = 0
    let reads = 0
    let length = 0
    for (const { mutation } of this.#waiting) {
      if (length > 0 && (bytes + mutation.bytes > GROUP_BYTES || reads + mutation.reads.length > GROUP_READS))
        break
      bytes += mutation.bytes
      reads += mutation.reads.length
      length++
    }
    return this.#waiting.splice(0, length)
  }

  async #write(group: Waiting[]): Promise<void> {
    try {
      if (this.failure) throw this.failure
      const transaction = await this.#begin(group)
      const decided = await inStretches(deciding(group, transaction))
      await this.#persist(transaction)
      this.#acknowledge(decided, transaction.changes)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  async #begin(group: Waiting[]): Promise<Transaction> {
    const keys = new Set<string>()
    for (const { mutation } of group) for (const key of mutation.reads) keys.add(key)
    const list = [...keys]
    const values = list.length > 0 ? await this.#options.read(list) : []
    const read = new Map<string, Uint8Array | undefined>()
    for (let i = 0; i < list.length; i++) read.set(list[i]!, values[i])
    const { seq, manifest, counts } = this.#options.state()
    return new Transaction(read, seq, manifest, counts)
  }

  async #persist(transaction: Transaction): Promise<void> {
    const commit = transaction.commit()
    if (!commit) return
    try {
      await this.#options.persist(commit, () => transaction.takeEffect())
    } catch (error) {
      this.failure = new FindlingError(
        'STORE_FAILED',
        `The store could not write${reasonOf(error)}, so it accepts nothing more. Close the engine and open it again: everything that was acknowledged is recovered.`,
        {},
        error,
      )
      throw this.failure
    }
  }

  /** Each writer waits for the followers of the datasets that it changed, while the next group is being written. */
  #acknowledge(decided: readonly Decided[], changes: readonly Change[]): void {
    const waits = changes.length > 0 ? this.#options.committed(changes) : NO_WAITS
    for (const { waiting, result, from, to } of decided) {
      const answer = () => waiting.resolve(result)
      const own = waits.size > 0 ? waitsOf(waits, changes, from, to) : []
      if (own.length === 0) answer()
      else this.#answerAfter(Promise.all(own), answer)
    }
  }

  #answerAfter(taken: Promise<unknown>, answer: () => void): void {
    const answered = taken.then(answer, answer).finally(() => this.#unanswered.delete(answered))
    this.#unanswered.add(answered)
  }
}

/** Why a write failed, without paths: users of a server need not know its folders. LevelDB names the file before the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const [, known] = ('errno' in error && getSystemErrorMap().get(Number(error.errno))) || []
  const reason = known ?? error.message.split(': ').at(-1)
  return reason && !hasPath.test(reason) ? ` (${reason.slice(0, 100)})` : ''
}

/** Not `Input/output error`. */
const hasPath = /(?<![\p{L}\p{N}])\/|\\/u

function* deciding(group: readonly Waiting[], transaction: Transaction): Generator<void, Decided[]> {
  const decided: Decided[] = []
  for (const waiting of group) {
    const from = transaction.changes.length
    try {
      const result = yield* transaction.run(waiting.mutation)
      decided.push({ waiting, result, from, to: transaction.changes.length })
    } catch (error) {
      waiting.reject(error)
    }
    yield
  }
  return decided
}

const NO_WAITS: ReadonlyMap<DatasetNumber, Promise<void>> = new Map()

function waitsOf(
  waits: ReadonlyMap<DatasetNumber, Promise<void>>,
  changes: readonly Change[],
  from: number,
  to: number,
): Promise<void>[] {
  const datasets = new Set<DatasetNumber>()
  for (let i = from; i < to; i++) datasets.add(changes[i]!.dataset)
  return [...datasets].flatMap(dataset => waits.get(dataset) ?? [])
}

function tooLarge(bytes: number, limit: number): FindlingError {
  return new FindlingError(
    'TOO_LARGE',
    `One write has ${bytes} bytes; at most ${limit} are allowed. Split it, or raise memoryBudget.`,
    { received: `${bytes} bytes`, expected: `at most ${limit}` },
  )
}

function queueFull(bytes: number, limit: number): FindlingError {
  return new FindlingError(
    'WRITE_QUEUE_FULL',
    `Too much is waiting to be written: ${bytes} bytes, and at most ${limit} are allowed. Await earlier writes, use bulk() or import(), or raise memoryBudget.`,
    { received: `${bytes} bytes waiting`, expected: `at most ${limit}` },
  )
}
