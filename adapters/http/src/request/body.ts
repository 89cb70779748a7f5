import { Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { createGunzip } from 'node:zlib'
import { type JsonLimits, readJson } from 'findling'
import { HttpError } from '../http/errors.ts'
import type { BodyLimit } from './size.ts'

/** The decompressed bytes of a request's body, read on demand, never more than the limit. */
export function bodyBytes(request: Request, limit: BodyLimit): AsyncIterable<Uint8Array> {
  refuseOtherTransfer(request.headers)
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
 * digits are bigints, so that later checks can refuse them by name.
 */
export async function bodyJson(
  request: Request,
  limit: BodyLimit,
  { within = {}, plainText = false }: { within?: JsonLimits; plainText?: boolean } = {},
): Promise<unknown> {
  const given = request.headers.get('Content-Type')
  const type = plainText && given !== null ? given.replace(/^text\/plain(?=;|$)/i, 'application/json') : given
  // A body of another type is refused unread. An unannounced body is noticed only by reading.
  if (isAnnounced(request.headers)) decoderOf(type)
  limit.checkAnnounced(request.headers)
  try {
    return (await readJson(inUtf8(bodyBytes(request, limit), type), within)) ?? undefined
  } catch (error) {
    if (error instanceof SyntaxError) throw new HttpError(400, `The body is not valid JSON: ${error.message}`)
    throw isNoText(error) ? notText('utf-8') : error
  }
}

/** Node takes a body apart into its chunks, and leaves it in whatever coding lies below them (RFC 9112, section 6.1). */
function refuseOtherTransfer(headers: Headers): void {
  const codings = headers.get('Transfer-Encoding') ?? 'chunked'
  if (codings.trim().toLowerCase() === 'chunked') return
  throw new HttpError(
    501,
    `Transfer-Encoding is ${JSON.stringify(codings.slice(0, 60))}; expected chunked or none. A compressed body has Content-Encoding: gzip.`,
  )
}

/** RFC 9112, section 6.3: one of these two headers announces a body. */
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
  // Both must be destroyed, even if the reader stops early, or they hold the connection's bytes forever.
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

/** Converts a body in another charset to UTF-8; one in UTF-8 is passed on unchanged. */
async function* inUtf8(source: AsyncIterable<Uint8Array>, type: string | null): AsyncGenerator<Uint8Array> {
  let decoder: TextDecoder | undefined
  for await (const chunk of source) {
    decoder ??= decoderOf(type)
    yield decoder.encoding === 'utf-8' ? chunk : Buffer.from(decoded(decoder, chunk))
  }
  if (decoder && decoder.encoding !== 'utf-8') yield Buffer.from(decoded(decoder))
}

/** curl's default content type for data. A real form is not valid JSON and is refused as such. */
const formType = 'application/x-www-form-urlencoded'
const jsonTypes = /^(?:application|text)\/(?:[\w.+-]{1,60}\+)?json(?:-patch\+json)?$/

/** Without a content type, or with that of a form, a body is read as JSON. */
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

/** Decodes the next piece of a text or, without one, its end. Drops a byte order mark. */
function decoded(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined })
  } catch {
    throw notText(decoder.encoding)
  }
}

const isNoText = (error: unknown): boolean =>
  error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'

function notText(encoding: string): HttpError {
  return new HttpError(400, `The body is not valid ${encoding} text.`)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
