import { readAnswer } from './answer.ts'
import { toWire } from './casing.ts'
import { type Configuration, type Settings, settingsOf, wholeNumber } from './configuration.ts'
import type { AnyParts, Operation } from './operation.ts'
import { prepare } from './request.ts'
import { type Failure, type FailureKind, failed, type Result } from './result.ts'
import { pause, pauseBeforeRetry } from './retry.ts'

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined
  /** Overrides the timeout of the configuration. */
  readonly timeout?: number | undefined
  readonly parallelLimit?: number | undefined
  /** Lets the call outlive the page; its body is then limited to 64 KB. */
  readonly keepalive?: boolean | undefined
}

/** Sends calls with one configuration. */
export class Connection {
  readonly #settings: Settings

  /** @throws TypeError for an invalid configuration */
  constructor(configuration: Configuration) {
    this.#settings = settingsOf(configuration)
  }

  /** The address that all calls begin with. */
  get baseAddress(): string {
    return this.#settings.base
  }

  async send<Parts, Gives>(
    operation: Operation<Parts, Gives>,
    parts: Parts,
    options: CallOptions = {},
  ): Promise<Result<Gives>> {
    const { signal } = options
    const { retries, longestWait } = this.#settings
    const given: AnyParts = parts as AnyParts // of which every operation takes some
    for (let attempt = 0; ; attempt++) {
      const result = await this.#attempt(operation, given, options)
      if (attempt >= retries || isSpent(given)) return result
      const ms = pauseBeforeRetry(result, operation, { attempt, longestWait })
      if (ms === undefined) return result
      if (!(await pause(ms, signal))) return aborted(signal)
    }
  }

  /**
   * Sends a body while the page is being left, without waiting for an answer. The key has to be public, as the address contains it.
   * @returns false if that is not possible
   */
  beacon({ path, sends }: Operation<unknown, unknown>, body: unknown): boolean {
    const { base, credential } = this.#settings
    const { navigator } = globalThis as { navigator?: { sendBeacon?: (to: string, body: string) => boolean } }
    if (typeof credential !== 'string' || typeof navigator?.sendBeacon !== 'function') return false
    const address = `${base}${path}?${new URLSearchParams({ key: credential })}`
    return navigator.sendBeacon(address, JSON.stringify(toWire(body, sends)))
  }

  async #attempt<Gives>(
    operation: Operation<unknown, Gives>,
    parts: AnyParts,
    { signal, timeout, parallelLimit, keepalive }: CallOptions,
  ): Promise<Result<Gives>> {
    if (signal?.aborted) return aborted(signal)
    const controller = new AbortController()
    let ended: FailureKind | undefined
    const end = (kind: FailureKind) => {
      ended ??= kind
      controller.abort()
    }
    const abort = () => end('aborted')
    signal?.addEventListener('abort', abort)
    let patience = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    let isPrepared = false
    let isStream = false
    try {
      patience = wholeNumber('timeout', timeout, parts.stream === undefined ? this.#settings.timeout : 0)
      if (patience > 0) timer = setTimeout(end, patience, 'timeout')
      const { address, init } = await before(
        controller.signal,
        prepare(operation, parts, this.#settings, parallelLimit),
      )
      isPrepared = true
      const request = { ...init, ...(keepalive && { keepalive }), signal: controller.signal }
      const answered = async () => await readAnswer(await this.#settings.fetch(address, request), operation)
      // Not every fetch settles once it is aborted.
      const result = await before(controller.signal, answered())
      isStream = result.isSuccessful && operation.gives === 'stream'
      return result
    } catch (error) {
      if (ended === 'aborted') return aborted(signal)
      if (ended === 'timeout') return failed('timeout', `No answer arrived within ${patience} ms.`, error)
      if (!isPrepared) return failed('unsent', messageOf(error), error)
      return failed('offline', `The server cannot be reached: ${messageOf(error)}`, error)
    } finally {
      clearTimeout(timer)
      // A stream that is still being read can still be aborted.
      if (!isStream) signal?.removeEventListener('abort', abort)
    }
  }
}

/** The result of work that knows nothing of the signal, unless the signal comes before it. */
function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // A function that gives the key may have aborted the call.
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
    work.then(resolve, reject)
  })
}

const isSpent = ({ stream }: AnyParts): boolean => stream instanceof ReadableStream

function aborted(signal: AbortSignal | undefined) {
  return failed('aborted', 'The call was aborted.', signal?.reason)
}

/** The failure of a stream that had begun. */
export function brokenOff(error: unknown, signal: AbortSignal | undefined): Failure {
  return signal?.aborted
    ? aborted(signal)
    : failed('offline', `The answer broke off: ${messageOf(error)}`, error)
}

/** Includes the cause, because the message of fetch only says that it failed. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  return cause instanceof Error && cause.message !== '' ? `${message} (${cause.message})` : message
}
