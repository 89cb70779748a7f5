import { Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { createGunzip } from 'node:zlib'
import { parseJson } from 'findling'
import { HttpError } from './errors.ts'
import type { SizeLimit } from './size.ts'

/** The bytes a request brings, unpacked; they are read as they are taken, never more than the limit. */
export function bodyBytes(request: Request, limit: SizeLimit): AsyncIterable<Uint8Array> {
  const coding = (request.headers.get('Content-Encoding') ?? 'identity').trim().toLowerCase()
  const sent = limit.counted(received(request))
  if (coding === 'identity' || coding === '') return sent
  if (coding === 'gzip' || coding === 'x-gzip') return limit.counted(unpacked(sent))
  throw new HttpError(
    415,
    `Content-Encoding is ${JSON.stringify(coding.slice(0, 60))}; expected gzip or none.`,
  )
}

/**
 * Undefined for an empty body and for JSON's null, which the contract treats alike (1.8). Whole numbers that would lose
 * digits are bigints, for whatever takes the body to refuse by name.
 */
export async function bodyJson(request: Request, limit: SizeLimit): Promise<unknown> {
  const type = request.headers.get('Content-Type')
  // Of another type it is refused unread. Whether one that was not announced is there, only reading tells.
  if (isAnnounced(request.headers)) decoderOf(type)
  const bytes = await gathered(bodyBytes(request, limit))
  if (bytes.byteLength === 0) return undefined
  const text = decoded(bytes, decoderOf(type))
  return text.trim() === '' ? undefined : (parsed(text) ?? undefined)
}

/** RFC 9112, section 6.3: by one of these two headers a request tells that it has a body. */
function isAnnounced(headers: Headers): boolean {
  return headers.has('Transfer-Encoding') || Number(headers.get('Content-Length') ?? 0) > 0
}

async function* received({ body }: Request): AsyncGenerator<Uint8Array> {
  if (!body) return
  try {
    for await (const chunk of body) yield chunk
  } catch (cause) {
    throw new HttpError(400, `The body ended before it was complete: ${messageOf(cause)}`)
  }
}

async function* unpacked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const packed = Readable.from(source, { objectMode: false })
  const gunzip = createGunzip()
  // Also when the reader leaves early both must go, or they hold the connection's bytes for ever.
  packed.once('error', error => gunzip.destroy(error))
  try {
    yield* packed.pipe(gunzip)
  } catch (error) {
    throw error instanceof HttpError
      ? error
      : new HttpError(400, `The body is not valid gzip: ${messageOf(error)}`)
  } finally {
    packed.destroy()
    gunzip.destroy()
  }
}

async function gathered(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** What curl says of data unless it is told. A real form is not valid JSON, and refused as such. */
const formType = 'application/x-www-form-urlencoded'
const jsonTypes = /^(?:application|text)\/(?:[\w.+-]{1,60}\+)?json(?:-patch\+json)?$/

/** Without a content type, or with that of a form, a body is taken for JSON. */
function decoderOf(header: string | null): TextDecoder {
  const [type = '', ...parameters] = (header || 'application/json').toLowerCase().split(';')
  if (!jsonTypes.test(type.trim()) && type.trim() !== formType) {
    throw new HttpError(
      415,
      `Content-Type is ${JSON.stringify(type.slice(0, 60))}; expected application/json.`,
    )
  }
  const charset = parameters.map(one => one.trim()).find(one => one.startsWith('charset='))
  const name = charset ? charset.slice('charset='.length).replaceAll('"', '') : 'utf-8'
  try {
    return new TextDecoder(name, { fatal: true })
  } catch {
    throw new HttpError(415, `The charset is ${JSON.stringify(name.slice(0, 60))}; expected utf-8.`)
  }
}

/** A byte order mark is dropped. */
function decoded(bytes: Uint8Array, decoder: TextDecoder): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new HttpError(400, `The body is not valid ${decoder.encoding} text.`)
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw new HttpError(400, `The body is not valid JSON: ${messageOf(error)}`)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
