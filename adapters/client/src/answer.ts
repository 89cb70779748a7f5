import { fromWire } from './casing.ts'
import type { Operation } from './operation.ts'
import type { Failure, Result } from './result.ts'

/** Maximum length of the text that is passed on from an answer that is not JSON, such as a proxy's error page. */
const mostWords = 1000

/** @throws Error if the answer is cut off */
export async function readAnswer<Gives>(
  response: Response,
  { gives }: Operation<unknown, Gives>,
): Promise<Result<Gives>> {
  const about = {
    httpStatusCode: response.status,
    apiVersion: response.headers.get('X-Api-Version') ?? '',
    requestId: response.headers.get('X-Request-Id') ?? '',
  }
  const success = (responseObject: unknown): Result<Gives> => ({
    isSuccessful: true,
    ...about,
    serverMessage: '',
    errors: { errors: [] },
    responseObject: responseObject as Gives, // which the server promises, and its tests check
  })
  if (response.ok && gives === 'stream') return success(response.body ?? new Blob([]).stream())
  const text = await response.text()
  if (response.ok && (gives === 'text' || text === '')) return success(text || undefined)
  const json = parsed(text)
  if (response.ok) {
    if (json !== undefined) return success(fromWire(json, gives as Exclude<typeof gives, string>))
    const type = response.headers.get('Content-Type') ?? 'of no type'
    return {
      isSuccessful: false,
      ...about,
      serverMessage: words(text),
      errors: { errors: [`The answer is ${type}, not JSON: is the base address that of the server?`] },
      failure: 'unreadable',
    }
  }
  const errors = errorsIn(json)
  const retryAfter = secondsOf(response.headers.get('Retry-After'))
  const errorCode = response.headers.get('X-Error-Code')
  const failure: Failure = {
    isSuccessful: false,
    ...about,
    serverMessage: errors.join('\n') || words(text) || response.statusText,
    errors: { errors },
    ...(retryAfter !== undefined && { retryAfter }),
    ...(errorCode && { errorCode }),
  }
  return failure
}

/** Undefined if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const words = (text: string): string => text.trim().slice(0, mostWords)

function errorsIn(json: unknown): string[] {
  const { Errors } = (json ?? {}) as { Errors?: unknown }
  return Array.isArray(Errors) ? Errors.map(String) : []
}

/** Seconds in a header that has a number of seconds or a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = /^\s*\d+\s*$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
