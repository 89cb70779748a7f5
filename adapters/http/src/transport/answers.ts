import type { Answer } from '../route.ts'
import type { ErrorsModel, HttpError } from './errors.ts'

const jsonType = 'application/json; charset=utf-8'

export function toResponse({ status, body, stream, headers }: Answer): Response {
  if (stream) return new Response(stream, { status, headers: { ...headers } })
  if (body === undefined) return new Response(null, { status, headers: { ...headers } })
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': jsonType, ...headers } })
}

export function toErrorResponse({ status, errors, headers }: HttpError): Response {
  const body: ErrorsModel | undefined = errors.length > 0 ? { Errors: [...errors] } : undefined
  return toResponse({ status, body, headers })
}
