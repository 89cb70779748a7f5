import { type EngineError, HttpError, isEngineError, toHttpError } from '../http/errors.ts'
import { fieldAsSent, type Origins } from '../wire/origins.ts'

/** Options that come from the key, not from the request. */
const ofKey: Origins = { visible: 'the filter of the key', visibleFields: 'the fields of the key' }

/**
 * When the engine refuses options, its errors use its own names: replaces them by the names of the members that the client
 * sent. Other errors stay as they are.
 */
export function asSent(error: unknown, own: Origins, body: unknown): unknown {
  const origins = { ...ofKey, ...own }
  const refused = error instanceof HttpError ? error.cause : error
  if (!isEngineError(refused)) return error
  const texts = textsOf(refused, path => inBody(path, refused, origins, body))
  if (!texts) return error
  const { status, headers } = toHttpError(error)
  return new HttpError(status, texts, headers)
}

/** Which filter of the key it is about, if it is: the caller must not learn more, such as names of fields or how long it is. */
const filterOfKey = (field: string): string | undefined => /^visible\b(\[\d+\])?/.exec(field)?.[0]

/** Undefined if the error is not about a member. */
function textsOf(
  { code, message, details }: EngineError,
  sent: (field: string) => string,
): string[] | undefined {
  const { issues, field = '', received, at, excerpt, expected, search } = details
  const hidden = filterOfKey(field)
  switch (code) {
    case 'INVALID_ARGUMENT': {
      if (hidden) return [`${sent(hidden)} cannot be read.`]
      const tooMuch = `has ${received}; expected ${expected}`
      if (!issues && message.endsWith(`${field} ${tooMuch}`)) return [`${sent(field)} ${tooMuch}`]
      return issues?.map(
        one => `${sent(one.field) || 'the body'} is ${one.received}; expected ${one.expected}`,
      )
    }
    case 'QUERY_INVALID': {
      if (field === '') return undefined
      if (hidden) return [`${sent(hidden)} cannot be read.`]
      if (at === undefined) return [`${sent(field)} has ${received}; expected ${expected}`]
      const near = excerpt ? ` of ${JSON.stringify(excerpt)}` : ''
      return [`${sent(field)} has ${received} at offset ${at}${near}; expected ${expected}`]
    }
    case 'SEARCH_TIMEOUT': {
      const which = search === undefined ? 'The answer' : `Searches[${search}]`
      return [`${which} took longer than ${received} ms (FINDLING_SEARCH_TIMEOUT_MS); expected ${expected}.`]
    }
    case 'TAG_NOT_FOUND':
      if (field === 'id') return undefined // the id in the path, not a member
      return [expected ? `${sent(field)} is ${received}; expected ${expected}` : `${sent(field)}: ${message}`]
    case 'DATASET_NOT_FOUND':
      return search === undefined ? undefined : [`${sent('dataset')} is ${received}; expected ${expected}`]
    default:
      return search === undefined ? undefined : [message.replace(/^searches/, 'Searches')]
  }
}

function inBody(
  field: string,
  { details: { what = '', search } }: EngineError,
  origins: Origins,
  body: unknown,
): string {
  const full = field !== '' && Object.hasOwn(origins, what) ? `${what}.${field}` : field || what
  const path = full.replace(/^options\./, '')
  if (search === undefined) return fieldAsSent(path, origins, body)
  // One of several searches, which are in a list in the body.
  const { Searches } = body as { Searches: readonly unknown[] }
  return `Searches[${search}].${fieldAsSent(path, origins, Searches[search])}`
}
