import type { ErrorsModel, HttpError } from '../http/errors.ts'
import type { Answer } from '../route.ts'
import { writtenJson } from './written-json.ts'

const jsonType = 'application/json; charset=utf-8'

export async function toResponse({ status, body, stream, headers }: Answer): Promise<Response> {
  if (stream) return new Response(stream, { status, headers: { ...headers } })
  if (body === undefined) return new Response(null, { status, headers: { ...headers } })
  const json = await writtenJson(body)
  if (typeof json === 'string') return jsonResponse(status, json, headers)
  const length = json.reduce((sum, { byteLength }) => sum + byteLength, 0)
  return jsonResponse(status, ReadableStream.from(json), { 'Content-Length': `${length}`, ...headers })
}

function jsonResponse(
  status: number,
  json: string | ReadableStream<Uint8Array>,
  headers: Answer['headers'],
): Response {
  return new Response(json, { status, headers: { 'Content-Type': jsonType, ...headers } })
}

export function toErrorResponse({ status, errors, headers }: HttpError): Response {
  if (errors.length === 0) return new Response(null, { status, headers: { ...headers } })
  const body: ErrorsModel = { Errors: [...errors] }
  return jsonResponse(status, JSON.stringify(body), headers)
}
