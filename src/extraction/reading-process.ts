import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setPriority } from 'node:os'
import { type Duplex, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { FindlingError } from '../errors.ts'
import { answerFrom } from './answers.ts'
import { CHANNEL, Incoming, piecesOf, READY } from './exchange.ts'
import { extractionProcessUrl } from './extraction-worker-url.ts'
import type { ExtractedFile } from './reader/content.ts'
import { endedError, memoryError, timeError } from './readers.ts'
import type { FileToRead } from './reading.ts'
import { LimitWatch } from './watch.ts'

const MB = 2 ** 20

/** What a process takes that begins and loads what reads files and tells languages. */
const processItself = 64 * MB

/** What else than memory that is used counts where the system itself limits it: stacks of threads, code, areas of malloc. */
const reserved = 256 * MB

/** What one file may take of a process. */
export interface ProcessLimits {
  readonly timeLimitMs: number
  /** Of these, the CPU time, where the system can measure it. Default: all. */
  readonly computingLimitMs?: number
  /** Bytes of objects; in all a process may have twice as much, and what it takes itself. */
  readonly memoryLimit: number
}

const startMs = 30_000

/** Questions, and files that are quickly read, take precedence over what computes longer than this. */
const slowMs = 1_000
/** What the first file may compute besides: what reads it and tells its language has to be loaded. */
const loadingMs = 1_000
/** Limit of elapsed time, as a multiple of the CPU time. */
const PATIENCE = 4
const lowered = 5

/** A process that reads one file after the other, and may die of one. */
export class ReadingProcess {
  readonly #child: ChildProcess
  /** None where the process could not even be begun. */
  readonly #channel: Socket | undefined
  readonly #incoming: Incoming
  readonly #limits: ProcessLimits
  /** How it ended, once it has. */
  readonly #ended: Promise<string>
  #isAlive = true
  #filesRead = 0
  #isLowered = false
  /** Why it was ended here. */
  #failure: unknown

  private constructor(limits: ProcessLimits) {
    this.#limits = limits
    this.#child = begun(limits.memoryLimit)
    this.#ended = new Promise(resolve => {
      this.#child.once('error', error => resolve(error.message))
      this.#child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
    })
    void this.#ended.then(() => {
      this.#isAlive = false
    })
    // A pipe is one; the types know only what all platforms have in common.
    this.#channel = this.#child.stdio?.[CHANNEL] as Duplex as Socket | undefined
    this.#incoming = new Incoming(this.#channel ?? Readable.from([]))
    // How it ended tells more than that nothing can be written to it.
    this.#channel?.on('error', () => {})
  }

  /** @throws FindlingError WORKER_FAILED when it cannot begin */
  static async start(limits: ProcessLimits, signal: AbortSignal): Promise<ReadingProcess> {
    const process = new ReadingProcess(limits)
    const patience = setTimeout(() => void process.end(), startMs)
    const cancel = () => void process.end()
    signal.addEventListener('abort', cancel)
    try {
      const [first] = await process.#incoming.bytes(READY.length)
      if (first !== READY[0]) throw new Error('its first bytes are not those expected')
      return process
    } catch (error) {
      await process.end()
      signal.throwIfAborted()
      throw startError(await process.#ended, error)
    } finally {
      clearTimeout(patience)
      signal.removeEventListener('abort', cancel)
    }
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Whether it has read another file before: then a new one has more memory left. */
  get isUsed(): boolean {
    return this.#filesRead > 1
  }

  /** Whether it comes after others when there is little time: a process gives up its priority for good. */
  get isLowered(): boolean {
    return this.#isLowered
  }

  /**
   * Reads one file; whatever else comes of it than its answer ends the process.
   * @throws FindlingError as the file deserves it; the reason of the signal
   */
  async read(file: FileToRead, signal: AbortSignal): Promise<ExtractedFile> {
    this.#filesRead++
    this.#child.ref()
    this.#channel?.ref()
    const stopWatching = this.#watch(signal)
    try {
      for (const piece of piecesOf(file)) this.#channel?.write(piece)
      return await answerFrom(this.#incoming, file.limits.textLimit)
    } catch (error) {
      if (error instanceof FindlingError) throw error
      await this.end()
      throw this.#failure ?? this.#deathOf(await this.#ended)
    } finally {
      stopWatching()
      this.#child.unref()
      this.#channel?.unref()
    }
  }

  /** Resolves when it is gone, with all that it had. */
  async end(): Promise<void> {
    // Otherwise nobody may be left to wait for it.
    this.#child.ref()
    this.#child.kill('SIGKILL')
    await this.#ended
    this.#channel?.destroy()
  }

  #watch(signal: AbortSignal): () => void {
    const { timeLimitMs, computingLimitMs = timeLimitMs, memoryLimit } = this.#limits
    const { pid } = this.#child
    const endWith = (failure: unknown) => {
      this.#failure ??= failure
      void this.end()
    }
    const cancel = () => endWith(signal.reason)
    const tooLong = () => endWith(timeError(timeLimitMs))
    // CPU time counts where it can be measured: on a busy machine a harmless file waits, too.
    const before = computedMs(pid)
    const isBounded = before !== undefined && computingLimitMs === timeLimitMs
    const late = setTimeout(tooLong, isBounded ? PATIENCE * timeLimitMs : timeLimitMs)
    const loading = this.isUsed ? 0 : loadingMs
    const most = computingLimitMs + (isBounded ? 0 : loading)
    const computing = new LimitWatch(() => computedMs(pid), (before ?? 0) + most, tooLong)
    const time = () => computedMs(pid) ?? performance.now()
    const slow = new LimitWatch(time, time() + slowMs + loading, () => this.#lower())
    const tooLarge = () => endWith(memoryError(memoryLimit))
    const watch = new LimitWatch(() => residentBytes(pid), mostResident(memoryLimit), tooLarge)
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel)
    return () => {
      clearTimeout(late)
      slow.end()
      watch.end()
      computing.end()
      signal.removeEventListener('abort', cancel)
    }
  }

  #lower(): void {
    this.#isLowered = true
    try {
      setPriority(this.#child.pid!, lowered)
    } catch {
      // It has ended already, or that is not allowed here: files are read as well without.
    }
  }

  /** V8 ends a process that has no memory left by one of these signals, whatever it wanted the memory for. */
  #deathOf(how: string): FindlingError {
    const { memoryLimit } = this.#limits
    return /^(SIGABRT|SIGTRAP|SIGILL|code 134)$/.test(how) ? memoryError(memoryLimit) : endedError(how)
  }
}

/** Bytes that a process may have at one time, with everything. */
export const mostResident = (memoryLimit: number): number => 2 * memoryLimit + processItself

/** Knows nothing of its parent but the channel: no environment, no descriptors, no place but that of the package. */
function begun(memoryLimit: number): ChildProcess {
  const program = fileURLToPath(extractionProcessUrl)
  const resident = mostResident(memoryLimit)
  const flags = [
    `--max-old-space-size=${Math.ceil(memoryLimit / MB)}`,
    `--max-semi-space-size=${Math.min(16, Math.ceil(memoryLimit / (16 * MB)))}`,
    '--no-addons',
    '--disallow-code-generation-from-strings',
  ]
  const command = [process.execPath, ...flags, program, String(process.pid), String(resident)]
  const [file, ...args] = existsSync(shell) ? [shell, '-c', limiting(resident), ...command] : command
  return spawn(file!, args, {
    cwd: fileURLToPath(new URL('.', extractionProcessUrl)),
    // As few areas of malloc as threads that do something.
    env: { MALLOC_ARENA_MAX: '2' },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    windowsHide: true,
  })
}

const shell = '/bin/sh'

/**
 * Limits of the system, for growth between two checks: no core files, and a maximum of memory that can be written
 * to. Addresses (-v) are not limited, for V8 reserves far more of them than it uses. Where a limit is unknown, there is none.
 */
function limiting(resident: number): string {
  const limits = ['-c 0', `-d ${Math.ceil((resident + reserved) / 1024)}`]
  const each = limits.map(one => `(ulimit ${one}) 2>/dev/null && ulimit ${one}`)
  return [...each, 'exec "$0" "$@"'].join('; ')
}

/** Undefined where the system does not tell in this way; there a process looks at itself. */
function residentBytes(pid: number | undefined): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return kilobytes === undefined ? undefined : 1024 * Number(kilobytes)
  } catch {
    return undefined
  }
}

/** Milliseconds that all threads of a process have computed; undefined where the system does not tell. */
function computedMs(pid: number | undefined): number | undefined {
  try {
    // Behind the name of the program: user and system time in hundredths of a second.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')
    return 10 * (Number(fields[11]) + Number(fields[12]))
  } catch {
    return undefined
  }
}

function startError(how: string, cause: unknown): FindlingError {
  const message = `A process that reads files could not start: ${how}. With the option threads, files are read without processes.`
  return new FindlingError('WORKER_FAILED', message, { received: how }, cause)
}
