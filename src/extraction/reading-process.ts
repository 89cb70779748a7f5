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

/** Memory of a process that has started and loaded the readers and the language detection. */
const processItself = 64 * MB

/** Allowance for what the system's own limit counts besides used memory: thread stacks, code, malloc arenas. */
const reserved = 256 * MB

/** Limits for one file in a process. */
export interface ProcessLimits {
  readonly timeLimitMs: number
  /** Maximum CPU time, where the system can measure it. Default: `timeLimitMs`. */
  readonly computingLimitMs?: number
  /** Heap bytes; in all, a process may have twice as much plus what it takes itself. */
  readonly memoryLimit: number
}

const startMs = 30_000

/** A process that computes longer than this gets a lower priority than queries and files that are quick to read. */
const slowMs = 1_000
/** Additional CPU time for the first file, to load its reader and the language detection. */
const loadingMs = 1_000
/** Limit of elapsed time, as a multiple of the CPU time. */
const PATIENCE = 4
const lowered = 5

/** A process that reads one file after the other, any of which may crash it. */
export class ReadingProcess {
  readonly #child: ChildProcess
  /** Undefined if the process could not be started at all. */
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
    // A pipe is a socket; the types do not say so.
    this.#channel = this.#child.stdio?.[CHANNEL] as Duplex as Socket | undefined
    this.#incoming = new Incoming(this.#channel ?? Readable.from([]))
    // The way the process ended is more informative than a failed write.
    this.#channel?.on('error', () => {})
  }

  /** @throws FindlingError WORKER_FAILED when it cannot start */
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

  /** Whether it has read an earlier file; if so, a new process has more memory left. */
  get isUsed(): boolean {
    return this.#filesRead > 1
  }

  /** Whether its priority has been lowered, which cannot be undone. */
  get isLowered(): boolean {
    return this.#isLowered
  }

  /**
   * Reads one file; any outcome other than an answer ends the process.
   * @throws FindlingError caused by the file; the reason of the signal
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

  /** Resolves when the process has ended and its channel is closed. */
  async end(): Promise<void> {
    // Otherwise this process might exit without waiting for it.
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
    // CPU time counts where it can be measured: on a busy machine even a harmless file may have to wait.
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
      // The process has ended, or lowering priorities is not permitted; reading works without it.
    }
  }

  /** V8 ends a process that is out of memory with one of these signals, whatever the memory was for. */
  #deathOf(how: string): FindlingError {
    const { memoryLimit } = this.#limits
    return /^(SIGABRT|SIGTRAP|SIGILL|code 134)$/.test(how) ? memoryError(memoryLimit) : endedError(how)
  }
}

/** Maximum resident bytes of a process in all. */
const mostResident = (memoryLimit: number): number => 2 * memoryLimit + processItself

/** Starts a process that inherits only the channel: no environment and no other descriptors; it runs in the package's folder. */
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
    // As few malloc arenas as there are busy threads.
    env: { MALLOC_ARENA_MAX: '2' },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    windowsHide: true,
  })
}

const shell = '/bin/sh'

/**
 * Limits set in the system, for growth between two checks: no core files, and a maximum of writable memory. The address space
 * (-v) is not limited, because V8 reserves far more of it than it uses. Limits that the system does not support are skipped.
 */
function limiting(resident: number): string {
  const limits = ['-c 0', `-d ${Math.ceil((resident + reserved) / 1024)}`]
  const each = limits.map(one => `(ulimit ${one}) 2>/dev/null && ulimit ${one}`)
  return [...each, 'exec "$0" "$@"'].join('; ')
}

/** Undefined where the system does not report it in this way; there, the process watches itself. */
function residentBytes(pid: number | undefined): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return kilobytes === undefined ? undefined : 1024 * Number(kilobytes)
  } catch {
    return undefined
  }
}

/** CPU milliseconds of all threads of a process; undefined where the system does not report it. */
function computedMs(pid: number | undefined): number | undefined {
  try {
    // After the program's name: user and system time in hundredths of a second.
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
