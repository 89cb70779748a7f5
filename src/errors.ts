/**
 * Every code an engine call can fail with. Codes stay the same within a major version; messages may change.
 * The guide to errors says what each one means and what to do.
 */
export const errorCodes = [
  'INVALID_ARGUMENT',
  'INVALID_DOCUMENT',
  'INVALID_ROW',
  'QUERY_INVALID',
  'CURSOR_EXPIRED',
  'SEARCH_TIMEOUT',
  'DATASET_NOT_FOUND',
  'DATASET_EXISTS',
  'DATASET_BUSY',
  'DATASET_IN_USE',
  'DOCUMENT_NOT_FOUND',
  'DOCUMENT_EXISTS',
  'SEQUENCE_MISMATCH',
  'TAG_NOT_FOUND',
  'TAG_EXISTS',
  'TAG_HAS_CHILDREN',
  'TAG_PARENT_NOT_FOUND',
  'TAG_CYCLE',
  'TAG_EMPTY',
  'SERVICE_NOT_FOUND',
  'SERVICE_EXISTS',
  'SERVICE_TYPE',
  'SERVICE_STATE',
  'NOT_TRAINED',
  'JOB_NOT_FOUND',
  'JOB_INTERRUPTED',
  'JOB_FAILED',
  'CANCELLED',
  'CHANGES_PRUNED',
  'WRITE_QUEUE_FULL',
  'TOO_LARGE',
  'CLOSED',
  'STORE_LOCKED',
  'STORE_FAILED',
  'STORE_CORRUPT',
  'STORE_UNSUPPORTED',
  'DATASETS_LOST',
  'FORMAT_UNSUPPORTED',
  'WORKER_FAILED',
  'FILE_UNSUPPORTED',
  'FILE_BROKEN',
  'FILE_ENCRYPTED',
  'FILE_LIMIT',
  'PACKAGE_MISSING',
  'ANALYZER_MISSING',
  'ANALYZER_CHANGED',
  'ANALYZER_FAILED',
  'ANALYTICS_OFF',
  'QUERY_ID_UNKNOWN',
  'EVENT_REFUSED',
  'LOG_AWAY',
  'LOG_CUT',
  'LOG_DIVERGED',
  'LOG_IN_USE',
  'LOG_REFUSED',
  'NODE_EXISTS',
  'BEHIND',
  'ARTIFACT_DAMAGED',
  'ARTIFACT_MISSING',
  'ARTIFACT_MISMATCH',
] as const

/** One of `errorCodes`. */
export type ErrorCode = (typeof errorCodes)[number]

/** Details of an error for programs. */
export interface ErrorDetails {
  /** The argument in which `field` is a path, such as `options` or `sample`, if there are several. */
  readonly what?: string
  /** Path of the invalid member, such as `tags[2].name`; the empty text is the whole value. */
  readonly field?: string
  /** The value received, shortened to a readable length. */
  readonly received?: string
  /** What would have been accepted. */
  readonly expected?: string
  readonly [more: string]: unknown
}

/** The only error class of the engine. Distinguish errors by `code`, never by message or `instanceof`. */
export class FindlingError extends Error {
  /** The same for all. */
  override readonly name = 'FindlingError'
  /** What went wrong; stays the same within a major version. */
  readonly code: ErrorCode
  /** The value received, and what would have been accepted. */
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
  }
}

/** Returns the FindlingError that a step throws; other errors are rethrown. */
export function attempt<R>(step: () => R): R | FindlingError {
  try {
    return step()
  } catch (error) {
    if (error instanceof FindlingError) return error
    throw error
  }
}
