import type { Process } from './api/models.ts'

export interface ErrorsModel {
  /** A text for each problem; empty where there is none. */
  readonly errors: readonly string[]
}

/** What every call resolves to: it rejects for nothing that a server, a network or a user can do. */
export type Result<T = undefined> = Success<T> | Failure

interface Answered {
  /** Status of the answer; 0 where none has come. */
  readonly httpStatusCode: number
  /** What the server says in words, empty where it says nothing. */
  readonly serverMessage: string
  readonly errors: ErrorsModel
  /** `1.5.0`; empty where no answer has come. */
  readonly apiVersion: string
  /** Names the call in the log of the server. */
  readonly requestId: string
}

export interface Success<T> extends Answered {
  readonly isSuccessful: true
  readonly responseObject: T
}

export interface Failure extends Answered {
  readonly isSuccessful: false
  readonly responseObject?: undefined
  /** Why there is no answer of the API; absent where the API has refused. */
  readonly failure?: FailureKind
  /** Which error of the engine it is, such as `SEARCH_TIMEOUT`; absent where the server names none. */
  readonly errorCode?: string
  /** Seconds after which the server wants to be asked again. */
  readonly retryAfter?: number
  /** What was waited for, where it has ended otherwise than finished. */
  readonly process?: Process
  /** What was caught. */
  readonly cause?: unknown
}

/**
 * - `offline`: no connection, or it broke off
 * - `timeout`: no answer within the timeout
 * - `aborted`: the caller has aborted the call
 * - `unreadable`: something else than the API has answered
 * - `unsent`: no request can be made of what was given
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

/** A call that has failed, as `unwrap` throws it. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly result: Failure

  constructor(result: Failure) {
    const { httpStatusCode, errors, serverMessage, failure, cause } = result
    const said = errors.errors.join('\n') || serverMessage || 'The server says no more.'
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
 * What a call has answered with, or a thrown error: a CallError, and for a call that was aborted the reason of its
 * signal, which is an AbortError unless the caller gave another.
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
