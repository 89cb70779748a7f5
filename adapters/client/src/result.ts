import type { Process } from './api/models.ts'

export interface ErrorsModel {
  /** A text for each problem; empty where there is none, or where a proxy has answered with an error page. */
  readonly errors: readonly string[]
}

/** What every call resolves to: no error of a server, a network or a user makes it reject. */
export type Result<T = undefined> = Success<T> | Failure

interface Answered {
  /** Status of the answer; 0 if there is none. */
  readonly httpStatusCode: number
  /** The message of the server; may be empty. */
  readonly serverMessage: string
  readonly errors: ErrorsModel
  /** `1.5.0`; empty if there is no answer. */
  readonly apiVersion: string
  /** Identifies the call in the log of the server. */
  readonly requestId: string
}

export interface Success<T> extends Answered {
  readonly isSuccessful: true
  readonly responseObject: T
}

export interface Failure extends Answered {
  readonly isSuccessful: false
  readonly responseObject?: undefined
  /** Why there is no answer of the API; absent if the API has refused the call. */
  readonly failure?: FailureKind
  /** Code of the engine's error, such as `SEARCH_TIMEOUT`; absent if the server names none. */
  readonly errorCode?: string
  /** Seconds to wait before the next attempt, as the server asks. */
  readonly retryAfter?: number
  /** The process that was waited for, if it has not finished successfully. */
  readonly process?: Process
  /** The caught error. */
  readonly cause?: unknown
}

/**
 * - `offline`: no connection, or it was lost
 * - `timeout`: no answer within the timeout
 * - `aborted`: the caller has aborted the call
 * - `unreadable`: something other than the API has answered with a status of success
 * - `unsent`: no request can be made from the arguments
 */
export type FailureKind = 'offline' | 'timeout' | 'aborted' | 'unreadable' | 'unsent'

/** A failure before or without an answer. */
export function failed(failure: FailureKind, message: string, cause?: unknown): Failure {
  return {
    isSuccessful: false,
    httpStatusCode: 0,
    serverMessage: '',
    errors: { errors: [message] },
    apiVersion: '',
    requestId: '',
    failure,
    ...(cause !== undefined && { cause }),
  }
}

/** The error that `unwrap` throws for a failed call. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly result: Failure

  constructor(result: Failure) {
    const { httpStatusCode, errors, serverMessage, failure, cause } = result
    const said = errors.errors.join('\n') || serverMessage || 'The server gives no details.'
    super(failure || httpStatusCode < 400 ? said : `${httpStatusCode}: ${said}`, { cause })
    this.result = result
  }

  get httpStatusCode(): number {
    return this.result.httpStatusCode
  }

  get failure(): FailureKind | undefined {
    return this.result.failure
  }
}

/**
 * The content of a call's answer. If the call failed, throws a CallError, or after an abort the reason of the signal, which is
 * an AbortError unless the caller gave another.
 *
 * @example
 * const { hits } = await unwrap(shop.search({ text: 'drill' }))
 */
export async function unwrap<T>(call: Result<T> | PromiseLike<Result<T>>): Promise<T> {
  const result = await call
  if (result.isSuccessful) return result.responseObject
  if (result.failure === 'aborted' && result.cause !== undefined) throw result.cause
  throw new CallError(result)
}
