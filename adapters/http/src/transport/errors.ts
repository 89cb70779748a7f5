import type { ErrorCode } from 'findling'
import { statusOf } from './error-status.ts'

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
