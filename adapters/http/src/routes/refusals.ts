import type { ErrorCode } from 'findling'
import { HttpError } from '../transport/errors.ts'

/** Answers a refusal of the engine with another status than usual, where the contract has one of its own. */
export async function refusedAs<T>(code: ErrorCode, status: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === code)) throw error
    throw new HttpError(status, error.message)
  }
}
