import type { ErrorCode } from 'findling'
import { HttpError } from '../http/errors.ts'

/**
 * Answers an engine error with a different status than usual where the contract prescribes one.
 * @param text the message, where that of the engine mentions its methods
 */
export async function refusedAs<T>(
  code: ErrorCode,
  status: number,
  work: () => Promise<T>,
  text?: string,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === code)) throw error
    throw new HttpError(status, text ?? error.message, {}, text === undefined ? error : undefined)
  }
}
