import type { ErrorCode } from 'findling'
import { HttpError } from '../http/errors.ts'

/**
 * Answers a refusal of the engine with another status than usual, where the contract has one of its own.
 * @param text what to say, where the engine speaks of its methods
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
