import { randomUUID } from 'node:crypto'
import {
  type Adoption,
  Engine,
  type EngineOptions,
  FindlingError,
  type Logger,
  type SingleOperation,
  type WriteOperation,
  type WriteOutcome,
  type WriteResult,
} from 'findling'
import { Beside, type BesideOptions, besideSettings } from './beside.ts'
import {
  type Command,
  decodeEntry,
  encodeAdoption,
  encodeCommand,
  encodeEntry,
  refuseMalformed,
  singles,
} from './commands.ts'
import { defaultLimit, type Entry, type Log } from './log.ts'
import { cut } from './memory-log.ts'
import { adoptHanded, announceHanded, noteHanded } from './models.ts'
import type { Peer } from './presence.ts'
import type { Shared, SharedBlob } from './shared.ts'
import type { ListedSnapshot, Snapshot } from './snapshot-list.ts'
import type { SnapshotOptions } from './snapshots.ts'

/** What a node is opened with: as an engine, and the log that it follows, which you close yourself. */
export interface NodeOptions extends Omit<EngineOptions, 'writeThrough'> {
  log: Log
  /** Milliseconds that a write or a read waits for the node to catch up before it is BEHIND. Default 10,000. */
  patience?: number
  /** Milliseconds between two attempts to reach a log that is away. Default 200. */
  retryAfter?: number
  /** What nodes share besides the log; you close it yourself. */
  shared?: Shared
  /** With `shared`: the node takes snapshots in turn with others, and joins from them where it has no store that can follow. */
  snapshots?: SnapshotOptions
  /** By which other nodes know it, with `shared`: one of its own for each. Default: the name of the host. */
  name?: string
}

/** The result of a write: where in the log it is, and what became of its operations. */
export interface Written<Results> {
  /** Reads that ask for this position see it, on any node. */
  position: number
  results: Results
}

export interface NodeStatus {
  /** Of the newest entry that the node has applied. */
  position: number
  /** Of the newest entry of the log, as far as the node has heard. */
  head: number
  /** Milliseconds since it had all that the log has, as far as it has heard; 0 while it has. */
  lag: number
  /** Whether it has caught up with the log since it was opened, and follows it: not while the log is away. */
  isReady: boolean
  /** What made it stop following. */
  failure: FindlingError | null
}

/** Commands of one entry, together at most; one that is larger has an entry of its own. */
const MOST_COMMANDS = 1000
const MOST_BYTES = 4 * 2 ** 20
/** Bytes of commands that wait to be appended. */
const MOST_WAITING = 64 * 2 ** 20
/** How far the numbers of two entries are apart: room for what an engine numbers for itself. */
const APART = 2 ** 20

const NAMESPACE = 'findling-cluster'
const POSITION = 'position'
/** Put by a program that writes to the store of a node without the log: it is no node any more. */
const ALONE = 'alone'

/** How far a store is: in the same commit as what it has applied. */
interface Applied {
  readonly log: string
  readonly position: number
  readonly batch: string
}

interface Besides {
  readonly patience: number
  readonly retryAfter: number
  readonly shared: Shared | undefined
  readonly logger: Logger | undefined
}

interface Waiting {
  readonly text: string
  /** Whether those behind it have to see it: operations of one entry are checked against what was before. */
  readonly isLast: boolean
  /** Whether it has an entry of its own: what is adopted comes before all operations of its entry. */
  readonly isAlone: boolean
  readonly resolve: (written: Written<WriteOutcome[]>) => void
  readonly reject: (error: unknown) => void
}

/**
 * One of several engines that apply the same log, each to a store of its own. Reads are asked of `engine`, and are of the
 * past: of the position that the node has reached. What is written to `engine` goes through the log, and is answered once it is
 * durable in it and applied here; only local namespaces, and what the engine keeps for itself, are this node's own.
 */
export class ClusterNode {
  readonly engine: Engine
  /** Resolves when it has stopped following by itself, and why. */
  readonly failed: Promise<FindlingError>
  readonly #hasFailed: (failure: FindlingError) => void
  readonly #log: Log
  readonly #shared: Shared | undefined
  readonly #logger: Logger | undefined
  readonly #patience: number
  readonly #retryAfter: number
  readonly #end = new AbortController()
  #applied: Applied
  #head = 0
  #hasCaughtUp = false
  #upToDateAt = performance.now()
  #isAway = false
  #failure: FindlingError | null = null
  #waiting: Waiting[] = []
  #waitingBytes = 0
  #isAppending = false
  readonly #writes = new Set<Promise<unknown>>()
  /** By batch, who waits for what becomes of it here. */
  readonly #asked = new Map<string, readonly Waiting[]>()
  readonly #readers = new Set<{ readonly position: number; wake(): void }>()
  readonly #following: Promise<void>
  #isClosing = false
  #beside: Beside | undefined

  /**
   * Opens the store and begins to follow. LOG_DIVERGED when the store has applied what the log does not have, LOG_CUT when it is
   * further behind than the log reaches back: with `snapshots` it is then set aside, and the node joins anew. LOG_AWAY, and
   * the errors of `Engine.open`.
   */
  static async open({ shared, snapshots, name, ...options }: NodeOptions): Promise<ClusterNode> {
    const settings = besideSettings({ ...options, shared, snapshots, name })
    if (!settings) return await ClusterNode.#openStore(options)
    const { node, beside } = await Beside.open(settings, () => ClusterNode.#openStore(options, shared))
    node.#beside = beside
    return node
  }

  static async #openStore(
    { log, patience = 10_000, retryAfter = 200, ...options }: Omit<NodeOptions, keyof BesideOptions>,
    shared?: Shared,
  ): Promise<ClusterNode> {
    let node: ClusterNode | undefined
    // What calls and jobs of this engine write goes through the log, too.
    const writeThrough = {
      async write(operations: readonly WriteOperation[]): Promise<WriteOutcome[]> {
        if (!node) throw closed()
        return (await node.write(operations, { each: true })).results
      },
      ...(shared && {
        async adopt(what: Adoption, artifact: AsyncIterable<Uint8Array>): Promise<void> {
          if (!node) throw closed()
          await node.#handOver(what, await shared.putBlob(artifact))
        },
      }),
    }
    const constants = shared && ({ rankingConstants: 'adopted' } as const)
    // The log is what is durable: a store that loses its end in a power cut replays it.
    const engine = await Engine.open({ durability: 'process', ...constants, ...options, writeThrough })
    try {
      const stored = (await engine.namespace(NAMESPACE).get(POSITION)) as Applied | undefined
      const wasAlone = (await engine.namespace(NAMESPACE, { local: true }).get(ALONE)) !== undefined
      if (wasAlone || (!stored && (engine.datasets.list().length > 0 || engine.services.list().length > 0)))
        throw ownData()
      const applied = stored ?? { log: log.id, position: 0, batch: '' }
      await verify(log, applied)
      const { position, first } = await log.head()
      if (applied.position + 1 < first) throw cutOff(applied.position, first)
      node = new ClusterNode(engine, log, applied, { patience, retryAfter, shared, logger: options.logger })
      node.#hasHead(position)
      return node
    } catch (error) {
      await engine.close()
      throw error
    }
  }

  private constructor(
    engine: Engine,
    log: Log,
    applied: Applied,
    { patience, retryAfter, shared, logger }: Besides,
  ) {
    let hasFailed: (failure: FindlingError) => void = () => {}
    this.failed = new Promise(resolve => {
      hasFailed = resolve
    })
    this.#hasFailed = hasFailed
    this.#shared = shared
    this.#logger = logger
    this.engine = engine
    this.#log = log
    this.#applied = applied
    this.#patience = patience
    this.#retryAfter = retryAfter
    this.#following = this.#follow().catch(error => this.#fail(error))
  }

  get status(): NodeStatus {
    const isReady = this.#hasCaughtUp && !this.#isAway && !this.#failure && !this.#isClosing
    const { position } = this.#applied
    const head = Math.max(this.#head, position)
    const lag = isReady && position === head ? 0 : Math.round(performance.now() - this.#upToDateAt)
    return { position, head, lag, isReady, failure: this.#failure }
  }

  /**
   * Writes as `engine.write` does, through the log. Nodes decide alike, when they apply it: what is refused is refused
   * everywhere. Texts of attached files are read here, once. LOG_AWAY when the log does not answer, and BEHIND when the node
   * does not catch up in time: then it may be stored or not.
   */
  write(operations: readonly WriteOperation[], options?: { each?: false }): Promise<Written<WriteResult[]>>
  write(operations: readonly WriteOperation[], options: { each: true }): Promise<Written<WriteOutcome[]>>
  async write(
    operations: readonly WriteOperation[],
    { each = false }: { each?: boolean } = {},
  ): Promise<Written<WriteOutcome[]>> {
    this.#assertFollowing()
    const writing = this.#write(operations, each).finally(() => this.#writes.delete(writing))
    this.#writes.add(writing)
    return await writing
  }

  /** Resolves when the node has applied everything up to a position, such as that of one's own last write. BEHIND. */
  async reach(position: number, { patience = this.#patience } = {}): Promise<void> {
    if (this.#applied.position >= position) return
    this.#assertFollowing()
    await new Promise<void>((resolve, reject) => {
      const reader = {
        position,
        wake: () => {
          clearTimeout(timer)
          this.#readers.delete(reader)
          if (this.#applied.position >= position) resolve()
          else reject(this.#failure ?? closed())
        },
      }
      const timer = setTimeout(() => {
        this.#readers.delete(reader)
        reject(behind(this.#applied.position, position))
      }, patience)
      this.#readers.add(reader)
    })
  }

  /** Resolves when the node has applied what the log has by now: a read after it is not of the past. BEHIND, LOG_AWAY. */
  async latest(): Promise<void> {
    const { position } = await this.#log.head()
    this.#hasHead(position)
    await this.reach(position)
  }

  /**
   * Whether it has not stopped.
   * @internal
   */
  get isFollowing(): boolean {
    return !this.#failure && !this.#isClosing
  }

  /**
   * The newest entry that the node has applied.
   * @internal
   */
  applied(): Pick<Applied, 'position' | 'batch'> {
    return this.#applied
  }

  /** The nodes that were heard of within half a minute, this one among them. LOG_AWAY. */
  async peers(): Promise<Peer[]> {
    return await this.#besideOf('shared').peers()
  }

  /** Takes a snapshot now, from which other nodes can join. LOG_AWAY, BEHIND, and the errors of `engine.backup`. */
  async snapshot(): Promise<Snapshot> {
    this.#assertFollowing()
    return await this.#besideOf('snapshots').snapshot()
  }

  /** The registered snapshots, the newest first. LOG_AWAY. */
  async snapshots(): Promise<ListedSnapshot[]> {
    return await this.#besideOf('snapshots').listed()
  }

  /** Takes no more writes, answers those that were taken, and closes the engine; the log stays open. */
  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.allSettled(this.#writes)
    await this.#beside?.close()
    this.#end.abort()
    await this.#following
    this.#fail(closed())
    await this.engine.close()
  }

  async #write(operations: readonly WriteOperation[], each: boolean): Promise<Written<WriteOutcome[]>> {
    refuseMalformed(operations)
    await this.#knowDatasets(operations)
    const given = await Promise.all(operations.map(operation => this.#given(operation)))
    const { position, results } = await this.#propose(
      encodeCommand({ operations: given, each }),
      given.some(changesMoreThanContents),
    )
    if (each) return { position, results }
    // Together they are one operation of the entry.
    const [all] = results
    if (all?.error) throw all.error
    return { position, results: inShape(operations, all?.results ?? []) }
  }

  /** Resolves when what this node has made is adopted here, as it is everywhere. */
  async #handOver(what: Adoption, blob: SharedBlob): Promise<void> {
    await announceHanded(this.#shared!, blob)
    const { position, results } = await this.#propose(encodeAdoption({ what, blob }), true, true)
    await noteHanded(this.#shared!, blob, position)
    const [outcome] = results
    if (outcome?.error) throw outcome.error
  }

  /** Whether there are files in a document depends on its dataset, which this node may not have heard of. */
  async #knowDatasets(operations: readonly WriteOperation[]): Promise<void> {
    const { datasets } = this.engine
    const isKnown = (one: SingleOperation) => !withDocument(one) || datasets.has(one.dataset)
    if (!operations.every(one => singles(one).every(isKnown))) await this.latest()
  }

  /** An operation with all that only this node can know. */
  async #given(operation: WriteOperation): Promise<WriteOperation> {
    if (operation.type === 'together') {
      const operations = await Promise.all(operation.operations.map(one => this.#given(one)))
      return { ...operation, operations: operations as SingleOperation[] }
    }
    if (operation.type === 'createService')
      return { ...operation, service: { ...operation.service, id: operation.service.id ?? randomUUID() } }
    if (!withDocument(operation) || operation.texts || !this.engine.datasets.has(operation.dataset))
      return operation
    const { documents } = this.engine.datasets.get(operation.dataset)
    const content = operation.type === 'update' ? operation.patch : operation.document
    // What cannot be read here is refused when it is applied, everywhere: without its text.
    const texts = await documents.fileTexts(content).catch(refusedLater)
    return Object.keys(texts).length > 0 ? { ...operation, texts } : operation
  }

  #propose(text: string, isLast: boolean, isAlone = false): Promise<Written<WriteOutcome[]>> {
    // It may have stopped while files were read.
    if (this.#failure) throw this.#failure
    if (this.#end.signal.aborted) throw closed()
    if (this.#waitingBytes + text.length > MOST_WAITING && this.#waitingBytes > 0) {
      const message = `Too much is waiting for the log: ${this.#waitingBytes} bytes. Await earlier writes.`
      throw new FindlingError('WRITE_QUEUE_FULL', message, { expected: `at most ${MOST_WAITING}` })
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, isLast, isAlone, resolve, reject })
      this.#waitingBytes += text.length
      if (!this.#isAppending) void this.#append()
    })
  }

  /** Group commit: while one entry is on its way to the log the next one gathers. */
  async #append(): Promise<void> {
    this.#isAppending = true
    // Lets the writes of one synchronous stretch of the caller's code become one entry.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup()
      const batch = randomUUID()
      this.#asked.set(batch, group)
      try {
        const position = await this.#log.append(batch, encodeEntry(group.map(({ text }) => text)))
        this.#hasHead(position)
        setTimeout(
          () => this.#giveUp(batch, behind(this.#applied.position, position)),
          this.#patience,
        ).unref()
      } catch (error) {
        // If it is in the log after all, it is applied, and nobody waits for it.
        this.#giveUp(batch, error)
      }
    }
    // In the same turn as the last look: who comes next begins again.
    this.#isAppending = false
  }

  #giveUp(batch: string, error: unknown): void {
    const group = this.#asked.get(batch) ?? []
    this.#asked.delete(batch)
    for (const { reject } of group) reject(error)
  }

  #nextGroup(): Waiting[] {
    let bytes = 0
    let count = 0
    for (const { text, isLast, isAlone } of this.#waiting) {
      if (count === MOST_COMMANDS || (count > 0 && (isAlone || bytes + text.length > MOST_BYTES))) break
      bytes += text.length
      count++
      if (isLast) break
    }
    this.#waitingBytes -= bytes
    return this.#waiting.splice(0, count)
  }

  async #follow(): Promise<void> {
    const { signal } = this.#end
    let { connections } = this.#log
    while (!signal.aborted) {
      const asked = performance.now()
      try {
        const entries = await this.#log.read(this.#applied.position)
        const now = this.#log.connections
        if (now !== connections) {
          await verify(this.#log, this.#applied)
          // Only now: what could not be verified is verified before anything else is applied.
          connections = now
        }
        for (const entry of entries) {
          if (signal.aborted) return
          await this.#apply(entry)
        }
        if (this.#isAway) this.#logger?.warn({}, 'The log is there again.')
        this.#isAway = false
        if (this.#applied.position >= this.#head) this.#hasCaughtUp = true
        if (!mayHaveMore(entries)) this.#upToDateAt = asked
        if (entries.length > 0) continue
        await this.#log.wait(this.#applied.position, signal)
        this.#upToDateAt = performance.now()
      } catch (error) {
        if (!isAway(error)) throw error
        if (!this.#isAway)
          this.#logger?.warn({ error }, 'The log is away; the node goes on answering of the past.')
        this.#isAway = true
        await pause(this.#retryAfter, signal)
      }
    }
  }

  async #apply({ position, batch, at, data }: Entry): Promise<void> {
    if (position !== this.#applied.position + 1)
      throw diverged(`its entry ${position} came behind ${this.#applied.position}`, this.#applied.position)
    const commands = decodeEntry(data, position)
    // What this version does not know stops it: to leave it out would part it from the others.
    for (const { operations } of commands) refuseMalformed(operations)
    const applied: Applied = { log: this.#log.id, position, batch }
    const note = { type: 'put', namespace: NAMESPACE, key: POSITION, value: applied } as const
    const operations = commands.flatMap(operationsOf)
    const given = { each: true, at, seqFrom: APART * position }
    // Before the position: after a crash in between they are adopted again.
    const adopted: WriteOutcome[] = []
    for (const { adoption } of commands)
      if (adoption) adopted.push(await adoptHanded(this.engine, this.#shared, adoption))
    const outcomes = [...adopted, ...(await this.engine.write([...operations, note], given))]
    this.#applied = applied
    this.#hasHead(position)
    this.#answer(batch, commands, outcomes, position)
    for (const reader of [...this.#readers]) if (reader.position <= position) reader.wake()
  }

  #answer(batch: string, commands: readonly Command[], outcomes: WriteOutcome[], position: number): void {
    const group = this.#asked.get(batch)
    this.#asked.delete(batch)
    let from = 0
    for (const [i, { resolve }] of (group ?? []).entries()) {
      const { adoption } = commands[i]!
      const results = outcomes.slice(from, from + (adoption ? 1 : operationsOf(commands[i]!).length))
      from += results.length
      resolve({ position, results })
    }
  }

  #hasHead(position: number): void {
    if (position > this.#head) this.#head = position
  }

  /** It stops; reads of what it has applied go on. */
  #fail(error: unknown): void {
    if ((!this.#isClosing || !isClosed(error)) && !this.#failure) {
      this.#failure = asFailure(error)
      this.#logger?.error({ error: this.#failure }, 'The node has stopped following the log.')
      if (!this.#isClosing) this.#hasFailed(this.#failure)
    }
    const groups = [...this.#asked.values(), this.#waiting]
    this.#asked.clear()
    this.#waiting = []
    this.#waitingBytes = 0
    for (const { reject } of groups.flat()) reject(this.#failure ?? error)
    for (const reader of [...this.#readers]) reader.wake()
  }

  #besideOf(option: 'shared' | 'snapshots'): Beside {
    if (this.#beside?.has(option)) return this.#beside
    throw new FindlingError('INVALID_ARGUMENT', `The node was opened without ${option}.`, { field: option })
  }

  #assertFollowing(): void {
    if (this.#isClosing) throw closed()
    if (this.#failure) throw this.#failure
  }
}

/** Whether a page may have been cut short by its limits. */
const mayHaveMore = (entries: readonly Entry[]): boolean =>
  entries.length === defaultLimit.entries ||
  entries.reduce((sum, { data }) => sum + data.byteLength, 0) > defaultLimit.bytes - MOST_BYTES

const operationsOf = ({ operations, each }: Command): WriteOperation[] =>
  // Those that are together already stay so.
  each ? [...operations] : [{ type: 'together', operations: operations.flatMap(singles) }]

const contents: ReadonlySet<string> = new Set(['insert', 'upsert', 'update', 'delete', 'put'])

const changesMoreThanContents = (operation: WriteOperation): boolean =>
  singles(operation).some(({ type }) => !contents.has(type))

type WithDocument = Extract<SingleOperation, { type: 'insert' | 'upsert' | 'update' }>

const withDocument = (operation: SingleOperation): operation is WithDocument =>
  operation.type === 'insert' || operation.type === 'upsert' || operation.type === 'update'

function refusedLater(error: unknown): Record<string, string> {
  if (error instanceof FindlingError && error.code === 'INVALID_DOCUMENT') return {}
  throw error
}

/** Results of what was made together, as they were asked for. */
function inShape(operations: readonly WriteOperation[], results: readonly WriteResult[]): WriteResult[] {
  let from = 0
  return operations.map(operation => {
    if (operation.type !== 'together') return results[from++]!
    const own = results.slice(from, from + operation.operations.length)
    from += own.length
    return { id: '', seq: null, results: own }
  })
}

/** LOG_DIVERGED when a store has applied what the log does not have. */
async function verify(log: Log, { log: id, position, batch }: Applied): Promise<void> {
  if (id !== log.id) throw diverged(`the store follows the log ${id}, and this is ${log.id}`, position)
  if (position > 0 && !(await log.holds(position, batch)))
    throw diverged(
      `the store has applied entry ${position}, which the log does not have, or has another one`,
      position,
    )
}

const diverged = (why: string, applied: number): FindlingError =>
  new FindlingError(
    'LOG_DIVERGED',
    `The store cannot follow the log: ${why}. Set the store aside and join anew.`,
    { applied },
  )

const ownData = (): FindlingError =>
  new FindlingError(
    'INVALID_ARGUMENT',
    'The store has data that are not from the log. Begin with an empty one, and import them.',
    {
      ...{
        field: 'store',
        received: 'a store with data of its own',
        expected: 'an empty store, or that of a node',
      },
    },
  )

const cutOff = (applied: number, first: number): FindlingError => {
  const { code, message, details } = cut(applied + 1, first)
  return new FindlingError(code, message, { ...details, applied })
}

const behind = (position: number, wanted: number): FindlingError =>
  new FindlingError('BEHIND', `The node has applied the log up to ${position}; ${wanted} was asked for.`, {
    field: 'position',
    received: String(wanted),
    expected: `at most ${position}`,
  })

const closed = (): FindlingError => new FindlingError('CLOSED', 'The node is closed.')
const isAway = (error: unknown): boolean => error instanceof FindlingError && error.code === 'LOG_AWAY'
const isClosed = (error: unknown): boolean => error instanceof FindlingError && error.code === 'CLOSED'
const asFailure = (error: unknown): FindlingError =>
  error instanceof FindlingError
    ? error
    : new FindlingError('STORE_FAILED', `The node has stopped: ${String(error)}`, {}, error)

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener('abort', done)
  })
}
