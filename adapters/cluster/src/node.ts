import { once } from 'node:events'
import {
  type Adoption,
  Engine,
  type EngineOptions,
  FindlingError,
  type Logger,
  type WriteOperation,
  type WriteOutcome,
  type WriteResult,
} from 'findling'
import { type Applied, appliedIn, diverged, noteOf, verify } from './applied.ts'
import { Beside, type BesideOptions, besideSettings } from './beside.ts'
import {
  type Command,
  decodeEntry,
  encodeAdoption,
  encodeCommand,
  encodeEntry,
  refuseLater,
  refuseMalformed,
  singles,
  versions,
} from './commands.ts'
import type { ToldState } from './comparing.ts'
import { changesMoreThanContents, given, inShape, knows } from './given.ts'
import { defaultLimit, type Entry, type Log } from './log.ts'
import { cut } from './memory-log.ts'
import { adoptHanded, announceHanded, noteHanded } from './models.ts'
import type { Peer } from './presence.ts'
import { MOST_BYTES, type Proposal, Proposals, type Written } from './proposals.ts'
import type { Shared, SharedBlob } from './shared.ts'
import type { ListedSnapshot, Snapshot } from './snapshot-list.ts'
import type { SnapshotOptions } from './snapshots.ts'

/** Options of a node: those of an engine, and the log that it follows, which you close yourself. */
export interface NodeOptions extends Omit<EngineOptions, 'writeThrough'> {
  log: Log
  /** Milliseconds that a write or a read waits for the node to catch up before it fails with BEHIND. Default 10,000. */
  patience?: number
  /** Milliseconds between two attempts to reach an unreachable log. Default 200. */
  retryAfter?: number
  /** What nodes share besides the log; you close it yourself. */
  shared?: Shared
  /** With `shared`: the node takes turns with others at taking snapshots, and joins from them if it has no store that can follow. */
  snapshots?: SnapshotOptions
  /** Name by which other nodes know this one, with `shared`; unique among live nodes. Default: the host name. */
  name?: string
  /**
   * The newest version of commands that the node knows, to behave as an older release of this package.
   * @internal
   */
  commandsVersion?: number
}

export interface NodeStatus {
  /** Position of the newest entry that the node has applied. */
  position: number
  /** Position of the newest entry of the log, as far as the node knows. */
  head: number
  /** Milliseconds since it last was up to date with the log, as far as it knows; 0 while it is. */
  lag: number
  /**
   * Whether it has caught up with the log since it was opened, has loaded the models of the services that were active then, and
   * is following the log, which it cannot while the log is unreachable.
   */
  isReady: boolean
  /** Number of services whose models are still to be loaded before the node is ready for the first time. */
  loading: number
  /** Whether the log was unreachable at the last attempt. */
  isAway: boolean
  /** Version of the commands that the node writes: the latest one in the log. */
  commands: number
  /** The error that made it stop following; null while it follows. */
  failure: FindlingError | null
}

/** Distance between the change numbers of two entries, which leaves room for numbers that an engine assigns itself. */
export const APART = 2 ** 20

/** Whether the node's contents were counted since it was opened, or why they cannot be. */
type Counting = 'pending' | 'counted' | FindlingError

interface Besides {
  readonly patience: number
  readonly retryAfter: number
  readonly shared: Shared | undefined
  readonly logger: Logger | undefined
  readonly newest: number
}

/**
 * One of several engines that apply the same log, each to a store of its own. Read from `engine`: answers reflect the position that
 * the node has reached, and so may be slightly stale. Writes to `engine` go through the log, and are answered once they are durable
 * there and applied here; only local namespaces, and what the engine keeps for itself, belong to this node alone.
 */
export class ClusterNode {
  readonly engine: Engine
  /** Resolves with the reason when the node stops following by itself. */
  readonly failed: Promise<FindlingError>
  readonly #hasFailed: (failure: FindlingError) => void
  readonly #log: Log
  readonly #shared: Shared | undefined
  readonly #logger: Logger | undefined
  readonly #patience: number
  readonly #retryAfter: number
  /** Newest version of commands that it knows. */
  readonly #newest: number
  readonly #end = new AbortController()
  #applied: Applied
  #head = 0
  #hasCaughtUp = false
  /** Checked only until it is true: a service that is activated later is loaded by all nodes at the same time. */
  #hasLoaded = false
  #upToDateAt = performance.now()
  #isAway = false
  #failure: FindlingError | null = null
  readonly #proposals: Proposals
  readonly #writes = new Set<Promise<unknown>>()
  readonly #readers = new Set<{ readonly position: number; wake(): void }>()
  #counting: Counting = 'pending'
  #isCounting = false
  #count: Promise<void> = Promise.resolve()
  readonly #following: Promise<void>
  #isClosing = false
  #beside: Beside | undefined

  /**
   * Opens the store and begins to follow the log. LOG_DIVERGED if the store has applied entries that the log does not have, LOG_CUT
   * if it needs entries that were already cut off: with `snapshots`, such a store is set aside instead, and the node joins again from
   * a snapshot. LOG_AWAY, and the errors of `Engine.open`.
   */
  static async open({ shared, snapshots, name, ...options }: NodeOptions): Promise<ClusterNode> {
    const settings = besideSettings({ ...options, shared, snapshots, name })
    if (!settings) return await ClusterNode.#openStore(options)
    const { node, beside } = await Beside.open(settings, () => ClusterNode.#openStore(options, shared))
    node.#beside = beside
    if (node.#hasCaughtUp) node.#beginCounting()
    return node
  }

  static async #openStore(
    {
      log,
      patience = 10_000,
      retryAfter = 200,
      commandsVersion: newest = versions.newest,
      ...options
    }: Omit<NodeOptions, keyof BesideOptions>,
    shared?: Shared,
  ): Promise<ClusterNode> {
    let node: ClusterNode | undefined
    // Writes by calls and jobs of this engine go through the log, too.
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
    // Durability comes from the log: a store that loses its newest writes in a power cut replays them.
    const engine = await Engine.open({ durability: 'process', ...constants, ...options, writeThrough })
    try {
      const applied = await appliedIn(engine, log)
      await verify(log, applied)
      const { position, first } = await log.head()
      if (applied.position + 1 < first) throw cutOff(applied.position, first)
      node = new ClusterNode(engine, log, applied, {
        ...{ patience, retryAfter, shared, newest, logger: options.logger },
      })
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
    { patience, retryAfter, shared, logger, newest }: Besides,
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
    this.#newest = newest
    this.#proposals = new Proposals(
      (batch, commands) => this.#append(batch, commands),
      patience,
      position => behind(this.#applied.position, position),
    )
    this.#following = this.#follow().catch(error => this.#fail(error))
  }

  get status(): NodeStatus {
    const isCurrent = this.#hasCaughtUp && !this.#isAway && !this.#failure && !this.#isClosing
    const { position } = this.#applied
    const head = Math.max(this.#head, position)
    const lag = isCurrent && position === head ? 0 : Math.round(performance.now() - this.#upToDateAt)
    const loading = this.#hasCaughtUp ? this.#loading() : 0
    const [isReady, isAway] = [isCurrent && loading === 0, this.#isAway]
    return { position, head, lag, isReady, loading, isAway, commands: this.#commands, failure: this.#failure }
  }

  #loading(): number {
    const loading = this.#hasLoaded ? 0 : this.engine.services.loading().length
    this.#hasLoaded = loading === 0
    return loading
  }

  /**
   * Writes as `engine.write` does, through the log. Every node decides when it applies the entry, and all decide alike, so a refused
   * write is refused everywhere. Texts of attached files are read once, here. LOG_AWAY if the log does not answer, and BEHIND if
   * the node does not catch up in time; in both cases the write may or may not be stored.
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

  /** Resolves when the node has applied everything up to a position, such as that of the caller's last write. BEHIND. */
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

  /** Resolves when the node has applied everything that is in the log now, so that reads after it are current. BEHIND, LOG_AWAY. */
  async latest(): Promise<void> {
    const { position } = await this.#log.head()
    this.#hasHead(position)
    await this.reach(position)
  }

  /**
   * The newest version of commands that it can apply.
   * @internal
   */
  get knows(): number {
    return this.#newest
  }

  /**
   * Whether it has not stopped.
   * @internal
   */
  get isFollowing(): boolean {
    return !this.#failure && !this.#isClosing
  }

  /**
   * Whether it has still to count its contents, which it does once after it was opened.
   * @internal
   */
  get isCounting(): boolean {
    return this.#counting === 'pending' && this.isFollowing
  }

  /**
   * Makes the node stop following with an error that is not the log's.
   * @internal
   */
  stop(error: FindlingError): void {
    this.#end.abort()
    this.#fail(error)
  }

  /**
   * The newest entry that the node has applied.
   * @internal
   */
  applied(): Pick<Applied, 'position' | 'batch'> {
    return this.#applied
  }

  /** A log begins with the newest version that its first writer knows. Until that is known, the oldest is safe, which all know. */
  get #commands(): number {
    return this.#applied.commands ?? (this.#head === 0 ? this.#newest : versions.oldest)
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

  /** Accepts no more writes, answers pending ones, and closes the engine; the log stays open. */
  async close(): Promise<void> {
    this.#isClosing = true
    // Writes that wait for an unreachable log are answered now, not when they time out.
    if (this.#isAway) this.#proposals.refuse(away())
    await Promise.allSettled(this.#writes)
    await this.#beside?.close()
    this.#end.abort()
    await this.#following
    this.#fail(closed())
    await this.engine.close()
    await this.#count
  }

  async #write(operations: readonly WriteOperation[], each: boolean): Promise<Written<WriteOutcome[]>> {
    refuseMalformed(operations)
    refuseLater(operations, this.#commands)
    const { datasets } = this.engine
    // Whether a document has files depends on its dataset, which this node may not know yet.
    if (!knows(datasets, operations)) await this.latest()
    const all = await Promise.all(operations.map(operation => given(datasets, operation)))
    const { position, results } = await this.#propose({
      text: encodeCommand({ operations: all, each }),
      isLast: all.some(changesMoreThanContents),
      isAlone: false,
    })
    if (each) return { position, results }
    // They are one combined operation of the entry.
    const [together] = results
    if (together?.error) throw together.error
    return { position, results: inShape(operations, together?.results ?? []) }
  }

  /** Shares what this node has made; resolves when it is adopted here, as it is everywhere. */
  async #handOver(what: Adoption, blob: SharedBlob): Promise<void> {
    await announceHanded(this.#shared!, blob)
    const { position, results } = await this.#propose({
      text: encodeAdoption({ what, blob }),
      isLast: true,
      isAlone: true,
    })
    await noteHanded(this.#shared!, blob, position)
    const [outcome] = results
    if (outcome?.error) throw outcome.error
  }

  #propose(proposal: Proposal): Promise<Written<WriteOutcome[]>> {
    // It may have stopped while files were read.
    if (this.#failure) throw this.#failure
    if (this.#end.signal.aborted) throw closed()
    if (this.#isClosing && this.#isAway) throw away()
    return this.#proposals.propose(proposal)
  }

  async #append(batch: string, commands: readonly string[]): Promise<number> {
    const position = await this.#log.append(batch, encodeEntry(commands, this.#commands))
    this.#hasHead(position)
    return position
  }

  async #follow(): Promise<void> {
    const { signal } = this.#end
    let { connections } = this.#log
    while (!signal.aborted) {
      const asked = performance.now()
      try {
        const entries = await unlessAborted(this.#log.read(this.#applied.position), signal)
        if (!entries) return
        const now = this.#log.connections
        if (now !== connections) {
          await verify(this.#log, this.#applied)
          // Only after verifying: if that fails, it is repeated before anything else is applied.
          connections = now
        }
        for (const entry of entries) {
          if (signal.aborted) return
          await this.#apply(entry)
        }
        if (this.#isAway) this.#logger?.warn({}, 'The log is available again.')
        this.#isAway = false
        if (this.#applied.position >= this.#head && !this.#hasCaughtUp) {
          this.#hasCaughtUp = true
          this.#beginCounting()
        }
        if (!mayHaveMore(entries)) this.#upToDateAt = asked
        if (entries.length > 0) continue
        await this.#log.wait(this.#applied.position, signal)
        this.#upToDateAt = performance.now()
      } catch (error) {
        if (!isAway(error)) throw error
        if (!this.#isAway)
          this.#logger?.warn(
            { error },
            'The log is unavailable; data read here may be outdated until it is back.',
          )
        this.#isAway = true
        await pause(this.#retryAfter, signal)
      }
    }
  }

  async #apply({ position, batch, at, data }: Entry): Promise<void> {
    if (position !== this.#applied.position + 1)
      throw diverged(`its entry ${position} came after ${this.#applied.position}`, this.#applied.position)
    const { version, commands } = decodeEntry(data, position, this.#newest)
    const latest = Math.max(version, this.#applied.commands ?? 0)
    const applied: Applied = { log: this.#log.id, position, batch, commands: latest }
    const operations = commands.flatMap(operationsOf)
    const options = { each: true, at, seqFrom: APART * position } as const
    // Before the position is stored: after a crash in between they are adopted again.
    const adopted: WriteOutcome[] = []
    for (const { adoption } of commands)
      if (adoption) adopted.push(await adoptHanded(this.engine, this.#shared, adoption))
    const outcomes = [...adopted, ...(await this.engine.write([...operations, noteOf(applied)], options))]
    this.#applied = applied
    this.#hasHead(position)
    for (const { compare } of commands) if (compare !== undefined) await this.#tell(compare)
    const counts = commands.map(command => (command.adoption ? 1 : operationsOf(command).length))
    this.#proposals.answer(batch, position, outcomes, counts)
    for (const reader of [...this.#readers]) if (reader.position <= position) reader.wake()
  }

  /** Reports the contents at this position of the log for a comparison, unless the node is catching up: then nobody waits any more. */
  async #tell(comparison: string): Promise<void> {
    if (!this.#hasCaughtUp || !this.#beside) return
    // This holds up the entries behind it, so it does not wait for a count.
    const told = await this.#held()
    void this.#beside.tell(comparison, told)
    if ('failure' in told) this.#beginCounting()
  }

  async #held(): Promise<ToldState> {
    if (this.#counting === 'pending') return { failure: 'It is still counting. Compare again later.' }
    if (this.#counting !== 'counted') return { failure: this.#counting.message }
    try {
      return await this.engine.digest()
    } catch (error) {
      this.#counting = asFailure(error)
      return { failure: this.#counting.message }
    }
  }

  /** Counts ahead, so that the node can report at once: documents and tags that were never counted are read, which may take long. */
  #beginCounting(): void {
    if (!this.#beside || this.#isCounting) return
    this.#isCounting = true
    this.#count = this.#counted().finally(() => {
      this.#isCounting = false
    })
  }

  async #counted(): Promise<void> {
    while (!this.#end.signal.aborted) {
      try {
        await this.engine.digest()
        this.#counting = 'counted'
      } catch (error) {
        if (isBusy(error)) {
          await pause(this.#retryAfter, this.#end.signal)
          continue
        }
        this.#counting = asFailure(error)
        if (!this.#isClosing) this.#logger?.warn({ error }, 'The contents of the node cannot be counted.')
      }
      // A comparison waits for this; if it cannot be reported now, the next regular report has it.
      this.#beside?.renew().catch(() => {})
      return
    }
  }

  #hasHead(position: number): void {
    if (position <= this.#head) return
    // Until now the node was up to date, as far as it knew.
    if (this.#applied.position >= this.#head && !this.#isAway) this.#upToDateAt = performance.now()
    this.#head = position
  }

  /** Stops following; reads of what it has applied go on. */
  #fail(error: unknown): void {
    if ((!this.#isClosing || !isClosed(error)) && !this.#failure) {
      this.#failure = asFailure(error)
      this.#logger?.error({ error: this.#failure }, 'The node has stopped following the log.')
      if (!this.#isClosing) this.#hasFailed(this.#failure)
    }
    this.#proposals.refuse(this.#failure ?? error)
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
  // Operations that are nested in a `together` are flattened into the one around them.
  each ? [...operations] : [{ type: 'together', operations: operations.flatMap(singles) }]

const cutOff = (applied: number, first: number): FindlingError => {
  const { code, message, details } = cut(applied + 1, first)
  return new FindlingError(code, message, { ...details, applied })
}

const behind = (position: number, wanted: number): FindlingError =>
  new FindlingError('BEHIND', `The node has applied the log up to ${position}; ${wanted} was requested.`, {
    field: 'position',
    received: String(wanted),
    expected: `at most ${position}`,
  })

const closed = (): FindlingError => new FindlingError('CLOSED', 'The node is closed.')
const away = (): FindlingError =>
  new FindlingError(
    'LOG_AWAY',
    'The node was closed while the log was unavailable: pending writes may or may not have been stored.',
  )
const isAway = (error: unknown): boolean => error instanceof FindlingError && error.code === 'LOG_AWAY'
const isBusy = (error: unknown): boolean => error instanceof FindlingError && error.code === 'DATASET_BUSY'
const isClosed = (error: unknown): boolean => error instanceof FindlingError && error.code === 'CLOSED'
const asFailure = (error: unknown): FindlingError =>
  error instanceof FindlingError
    ? error
    : new FindlingError('STORE_FAILED', `The node has stopped: ${String(error)}`, {}, error)

/** Undefined as soon as it is aborted, so that nobody waits for an unreachable log. */
async function unlessAborted<T>(asked: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const over = new AbortController()
  asked.catch(() => {})
  const aborted = once(signal, 'abort', { signal: over.signal }).then(
    () => undefined,
    () => undefined,
  )
  return await Promise.race([asked, aborted]).finally(() => over.abort())
}

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
