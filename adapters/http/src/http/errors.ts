import type { ErrorCode, ErrorDetails, Issue } from 'findling'
import { statusOf } from './error-status.ts'
import { withSettingNames } from './setting-names.ts'

/** Code of the engine's error, for programs; the texts are for people. */
const errorCodeHeader = 'X-Error-Code'

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
    cause?: unknown,
  ) {
    const texts = typeof errors === 'string' ? [errors] : errors
    super(texts.join('\n'), { cause })
    this.status = status
    this.errors = texts
    this.headers = headers
  }
}

/** The answer to whatever was thrown; unexpected errors reveal no details. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error
  if (!isEngineError(error)) return new HttpError(500, 'Internal Server Error')
  const status = statusOf[error.code]
  const headers = { [errorCodeHeader]: error.code, ...(status === 503 && { 'Retry-After': '1' }) }
  return new HttpError(status, textsOf(error), headers)
}

/** An error of the engine, with what it puts into its details. */
export interface EngineError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails & {
    readonly issues?: readonly Issue[]
    /** In a query: the position of the error. */
    readonly at?: number
    readonly excerpt?: string
    /** With several searches: the index of the failed one. */
    readonly search?: number
  }
}

// Checked by name and code, because `instanceof` fails if the engine has been loaded twice.
export function isEngineError(error: unknown): error is EngineError {
  return (
    error instanceof Error &&
    error.name === 'FindlingError' &&
    'code' in error &&
    typeof error.code === 'string' &&
    Object.hasOwn(statusOf, error.code)
  )
}

/** The engine names the first of several problems in its message and keeps all of them in its details. */
function textsOf({ message, details: { issues = [] } }: EngineError): string[] {
  if (issues.length < 2) return [withSettingNames(message)]
  return issues.map(({ field, received, expected }) => `${field} is ${received}; expected ${expected}`)
}
