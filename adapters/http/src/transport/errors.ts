import type { ErrorCode } from 'findling'

/** Body of every error (contract, 1.14). */
export interface ErrorsModel {
  Errors: string[]
}

/** A refusal of the adapter itself. Without texts its answer has an empty body. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly errors: readonly string[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    errors: string | readonly string[],
    headers: Readonly<Record<string, string>> = {},
  ) {
    const texts = typeof errors === 'string' ? [errors] : errors
    super(texts.join('\n'))
    this.status = status
    this.errors = texts
    this.headers = headers
  }
}

/** The status of every code of the engine. A route that the contract answers otherwise throws an HttpError. */
export const statusOf: Readonly<Record<ErrorCode, number>> = {
  INVALID_ARGUMENT: 400,
  INVALID_DOCUMENT: 400,
  INVALID_ROW: 400,
  QUERY_INVALID: 400,
  DATASET_NOT_FOUND: 404,
  DATASET_EXISTS: 409,
  DATASET_BUSY: 409,
  DOCUMENT_NOT_FOUND: 404,
  DOCUMENT_EXISTS: 409,
  SEQUENCE_MISMATCH: 409,
  TAG_NOT_FOUND: 404,
  TAG_EXISTS: 409,
  TAG_HAS_CHILDREN: 409,
  TAG_PARENT_NOT_FOUND: 406,
  TAG_CYCLE: 406,
  JOB_NOT_FOUND: 404,
  JOB_INTERRUPTED: 500,
  JOB_FAILED: 500,
  CANCELLED: 503,
  CHANGES_PRUNED: 410,
  WRITE_QUEUE_FULL: 503,
  TOO_LARGE: 413,
  CLOSED: 503,
  STORE_LOCKED: 503,
  STORE_FAILED: 500,
  STORE_CORRUPT: 500,
  STORE_UNSUPPORTED: 500,
  DATASETS_LOST: 500,
  FORMAT_UNSUPPORTED: 500,
  WORKER_FAILED: 500,
}

/** What to answer to whatever was thrown: of what nobody foresaw, only that it happened. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error
  if (!isEngineError(error)) return new HttpError(500, 'Internal Server Error')
  const status = statusOf[error.code]
  return new HttpError(status, textsOf(error), status === 503 ? { 'Retry-After': '1' } : {})
}

interface EngineError extends Error {
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>>
}

// By name and code: the engine may have been loaded twice, then `instanceof` says no.
function isEngineError(error: unknown): error is EngineError {
  return (
    error instanceof Error &&
    error.name === 'FindlingError' &&
    'code' in error &&
    typeof error.code === 'string' &&
    Object.hasOwn(statusOf, error.code)
  )
}

/** The engine names the first of several problems in its message and keeps all of them in its details. */
function textsOf({ message, details }: EngineError): string[] {
  if (!Array.isArray(details.issues) || details.issues.length < 2) return [message]
  // The engine puts nothing else there.
  const issues = details.issues as readonly { field: string; received: string; expected: string }[]
  return issues.map(({ field, received, expected }) => `${field} is ${received}; expected ${expected}`)
}
