import { toWire } from './casing.ts'
import type { Settings } from './configuration.ts'
import type { AnyParts, Operation, Sendable } from './operation.ts'

/** The version of the API that this client is made for. */
export const sdkVersion = '1.5.0'

/** A request that can be sent, and repeated unless its body is a stream. */
export interface Prepared {
  readonly address: string
  readonly init: RequestInit
}

/** @throws Error if no request can be made of the parts */
export async function prepare(
  { method, path, sends }: Operation<unknown, unknown>,
  parts: AnyParts,
  settings: Settings,
  parallelLimit = settings.parallelLimit,
): Promise<Prepared> {
  const headers = new Headers({ Accept: 'application/json', 'X-Sdk-Version': sdkVersion })
  const { scheme, credential } = settings
  if (credential !== undefined) {
    const secret = typeof credential === 'string' ? credential : await credential()
    headers.set('Authorization', `${scheme} ${secret}`)
  }
  if (parts.dataset !== undefined) headers.set('X-DataSet', parts.dataset)
  if (parallelLimit > 0) headers.set('X-Api-Parallel-Limit', String(parallelLimit))
  const body = parts.stream ?? (await jsonBody(parts.body, sends, settings, headers))
  if (parts.type !== undefined) headers.set('Content-Type', parts.type)
  const address = settings.base + pathOf(path, parts.path) + queryOf(parts.query)
  if (body === undefined) return { address, init: { method, headers } }
  // `duplex` is required for streams; the types of the platforms differ.
  return { address, init: { method, headers, body, duplex: 'half' } as RequestInit }
}

async function jsonBody(
  body: unknown,
  form: Operation<unknown, unknown>['sends'],
  { gzip }: Settings,
  headers: Headers,
): Promise<Sendable | undefined> {
  if (body === undefined) return undefined
  const text = JSON.stringify(toWire(body, form))
  headers.set('Content-Type', 'application/json')
  if (!gzip || text.length <= 1024 || typeof CompressionStream === 'undefined') return text
  headers.set('Content-Encoding', 'gzip')
  const compressed = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  return await new Response(compressed).arrayBuffer()
}

function pathOf(pattern: string, members: AnyParts['path'] = {}): string {
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, members[name]))
}

/**
 * `.` and `..` never arrive, escaped or not, because addresses are normalized on their way: so dots are escaped twice, and a text
 * that looks like an escaped dot is escaped once more.
 */
function segment(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '')
    throw new TypeError(`${name} is ${value === '' ? 'empty' : typeof value}; expected text.`)
  if (/\p{Surrogate}/u.test(value))
    throw new TypeError(
      `${name} is ${JSON.stringify(value)}, which contains half a surrogate pair and cannot be part of an address.`,
    )
  const dots = /^(?:\.|%(?:25)*2e){1,2}$/i.test(value)
  return encodeURIComponent(dots ? value.replaceAll('%', '%25').replaceAll('.', '%2E') : value)
}

function queryOf(query: AnyParts['query'] = {}): string {
  const text = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) text.set(name, String(value))
  const written = String(text)
  return written === '' ? '' : `?${written}`
}
