import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import { type AddressInfo, isIPv6, type Socket } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import { toErrorResponse } from '../answer/answers.ts'
import { everyAnswer } from '../answer/every-answer.ts'
import type { App } from '../app.ts'
import { type ErrorsModel, HttpError, toHttpError } from '../http/errors.ts'
import { newRequestId, requestIdHeader, requestIdOf } from '../http/request-id.ts'
import type { Logger } from '../request/log.ts'
import type { Arriving } from '../router.ts'
import { type CertificateFiles, followCertificate, readCertificate } from './certificate.ts'
import { limitConnections, mostConnections, mostOpenFiles } from './connections.ts'
import { linger } from './linger.ts'

export interface ListenOptions {
  /** 0: any free port. */
  port: number
  host: string
  /** Milliseconds within which the head of a request must have arrived. Default 15,000. */
  headersTimeout?: number
  /** Milliseconds within which a whole request must have arrived. Default 300,000. */
  requestTimeout?: number
  /** Milliseconds within which a client must read some part of a waiting answer. Default 60,000. */
  readTimeout?: number
  /** Milliseconds for which a refused client may keep sending before its connection is cut. Default 30,000. */
  lingerTimeout?: number
  /** Number of connections at once. Default 10,000, or half of the files that the process may have open. */
  connections?: number
  /** Speaks HTTPS. When these files change, new connections use the new pair; a broken pair is ignored. */
  tls?: CertificateFiles
  /** Milliseconds between two checks of these files. Default 5,000. */
  lookEvery?: number
  /** Logs new certificates, and connections that were too many. */
  logger?: Logger
}

export interface Listening {
  /** `http://127.0.0.1:8080`, or `https://…` */
  readonly address: string
  /** Stops accepting requests, gives running ones `graceMs` milliseconds to end, then cuts the rest. */
  close(graceMs: number): Promise<void>
}

/**
 * Serves an app over HTTP/1.1. Rejects with Node's error if it cannot listen there, and with a CertificateError if the
 * certificate or key cannot be used.
 */
export async function listen(app: App, options: ListenOptions): Promise<Listening> {
  const { port, host, headersTimeout = 15_000, requestTimeout = 300_000 } = options
  const { readTimeout = 60_000, lingerTimeout = 30_000 } = options
  const { server, scheme, stopFollowing } = await createServer(options, {
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval: Math.min(5_000, headersTimeout, requestTimeout),
    // Otherwise Node itself would refuse such a request, without the headers that every answer has.
    requireHostHeader: false,
  })
  limitConnections(server, options.connections ?? mostConnections(mostOpenFiles()), options.logger)
  const requests = new OpenRequests(server, readTimeout)
  const answer = getRequestListener(
    (request, { incoming, outgoing }) => app.fetch(request, arrivingOf(incoming.socket, outgoing)),
    { errorHandler: refusal, overrideGlobalObjects: false },
  )
  server.on('request', (incoming, outgoing) => {
    nameHost(incoming)
    // For requests refused before the app sees them; the app's answers have their own.
    const requestId = requestIdOf(incoming.headers['x-request-id']?.toString())
    for (const [name, value] of Object.entries(everyAnswer(requestId))) outgoing.setHeader(name, value)
    linger(incoming, outgoing, lingerTimeout)
    void answer(incoming, outgoing)
  })
  server.on('checkContinue', (incoming, outgoing) => {
    continueWhenRead(incoming, outgoing)
    server.emit('request', incoming, outgoing)
  })
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing))
  server.listen(port, host)
  try {
    await once(server, 'listening') // rejects on 'error'
  } catch (error) {
    stopFollowing()
    throw error
  }
  const local = server.address() as AddressInfo // listens on TCP
  return {
    address: addressText(scheme, local.address, local.port),
    close(ms) {
      stopFollowing()
      return requests.end(ms)
    },
  }
}

interface Created {
  readonly server: Server | HttpsServer
  readonly scheme: 'http' | 'https'
  readonly stopFollowing: () => void
}

async function createServer(options: ListenOptions, common: ServerOptions): Promise<Created> {
  const { tls, lookEvery: everyMs = 5_000, logger } = options
  if (!tls) return { server: createHttpServer(common), scheme: 'http', stopFollowing: () => {} }
  const current = await readCertificate(tls)
  const { cert, key, validTo } = current
  if (validTo.getTime() < Date.now()) logger?.warn({ validTo }, 'the certificate has expired')
  const server = createHttpsServer({ ...common, cert, key, handshakeTimeout: common.headersTimeout! })
  const stopFollowing = followCertificate(tls, current, {
    everyMs,
    logger,
    take: ({ cert, key }) => server.setSecureContext({ cert, key }),
  })
  return { server, scheme: 'https', stopFollowing }
}

/**
 * If a client waits before sending its body (`Expect: 100-continue`), the body is requested only when it is read: a request
 * refused by its head never sends it. As the client might send it anyway, a refusal also ends the connection (RFC 9110,
 * section 10.1.1).
 */
function continueWhenRead(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { shouldKeepAlive } = outgoing
  outgoing.shouldKeepAlive = false
  const ask = () => {
    if (!outgoing.headersSent) outgoing.writeContinue()
  }
  incoming.once('resume', () => {
    if (outgoing.headersSent) return
    outgoing.shouldKeepAlive = shouldKeepAlive
    // While earlier answers are being sent on the connection, Node would put it between the head and body of this one.
    if (outgoing.socket) ask()
    else outgoing.once('socket', ask)
  })
}

function arrivingOf({ remoteAddress }: Socket, outgoing: Named): Arriving {
  return { requestId: idOf(outgoing), ...(remoteAddress !== undefined && { remoteAddress }) }
}

type Named = Pick<ServerResponse, 'getHeader'>

/** The id that a request was given when its head arrived. */
function idOf(outgoing: Named): string {
  return String(outgoing.getHeader(requestIdHeader))
}

/** HTTP/1.0 needs no Host header: the client then means the address that it has connected to. */
function nameHost({
  httpVersion,
  headers,
  socket: { localAddress = '', localPort = 0 },
}: IncomingMessage): void {
  if (httpVersion !== '1.0') return
  const address = addressText('http', localAddress, localPort)
  // The address is empty if the client has already gone.
  if (URL.canParse(address)) headers.host ||= new URL(address).host
}

/** Writes an IPv4-mapped address of an IPv6 socket as the IPv4 address. */
function addressText(scheme: string, address: string, port: number): string {
  const own = address.replace(/^::ffff:(?=[\d.]+$)/i, '')
  return `${scheme}://${isIPv6(own) ? `[${own}]` : own}:${port}`
}

/** For failures that no stage of the app sees: an invalid target or Host, or a rejection reason that is not an Error. */
function refusal(error: unknown): Response {
  const refused =
    error instanceof RequestError
      ? new HttpError(400, `The request cannot be read: ${error.message}`)
      : toHttpError(error)
  return toErrorResponse(refused)
}

/** Tracks the connections that wait for an answer, to refuse and to end them properly. */
class OpenRequests {
  readonly #server: Server
  readonly #answers = new Map<Socket, ServerResponse>()
  readonly #sockets = new Set<Socket>()
  readonly #reading = new Map<Socket, { readonly bytes: number; readonly since: number }>()
  readonly #readTimeout: number
  readonly #looking: NodeJS.Timeout
  #closing: Promise<void> | undefined

  constructor(server: Server, readTimeout: number) {
    this.#server = server
    this.#readTimeout = readTimeout
    this.#looking = setInterval(() => this.#cutOffSlowReaders(), Math.min(5_000, readTimeout)).unref()
    server.on('connection', (socket: Socket) => this.#connected(socket))
    server.on('request', (incoming, outgoing) => this.#opened(incoming, outgoing))
    server.on('clientError', (error, socket) => this.#refuse(error, socket as Socket)) // a TCP server's streams are sockets
  }

  end(graceMs: number): Promise<void> {
    this.#closing ??= new Promise(resolve => {
      const cut = setTimeout(() => this.#cutAll(), graceMs)
      this.#server.close(() => {
        clearTimeout(cut)
        clearInterval(this.#looking)
        resolve()
      })
    })
    return this.#closing
  }

  #connected(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  /** Node no longer tracks a connection whose request has been answered while its client keeps sending. */
  #cutAll(): void {
    this.#server.closeAllConnections()
    for (const socket of this.#sockets) socket.destroy()
  }

  #opened({ socket }: IncomingMessage, outgoing: ServerResponse): void {
    this.#answers.set(socket, outgoing)
    outgoing.once('close', () => {
      if (this.#answers.get(socket) === outgoing) this.#answers.delete(socket)
      this.#reading.delete(socket)
      // Otherwise a connection that was busy when closing began would stay open, idle.
      if (this.#closing) this.#server.closeIdleConnections()
    })
  }

  /** Otherwise a client that stops reading an export would forever hold the store snapshot that the export reads. */
  #cutOffSlowReaders(): void {
    const now = performance.now()
    for (const [socket, { headersSent }] of this.#answers) {
      const waits = headersSent && socket.writableLength > 0
      const before = this.#reading.get(socket)
      // Bytes handed to the system count as read by the client; `bytesWritten` includes those still waiting here.
      const bytes = socket.bytesWritten - socket.writableLength
      if (!waits) this.#reading.delete(socket)
      else if (before?.bytes !== bytes) this.#reading.set(socket, { bytes, since: now })
      else if (now - before.since >= this.#readTimeout) socket.destroy()
    }
  }

  /** Answers requests that Node's parser refuses: they never reach the app. */
  #refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    const isReadable = error.code !== 'ECONNRESET' && !/^ERR_(?:SSL|TLS)_/.test(error.code ?? '')
    if (!socket.writable || !isReadable || this.#answers.get(socket)?.headersSent) {
      socket.destroy()
      return
    }
    socket.end(refusalText(error.code, this.#answers.get(socket)))
  }
}

const refusals = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
])

/** @param answer to the request whose body is malformed or late; undefined if its head already is */
function refusalText(code: string | undefined, answer: ServerResponse | undefined): string {
  const status = refusals.get(code ?? '') ?? '400 Bad Request'
  const requestId = answer ? idOf(answer) : newRequestId()
  const body = JSON.stringify({
    Errors: [`${status.slice(4)}: the connection is closed.`],
  } satisfies ErrorsModel)
  return [
    `HTTP/1.1 ${status}`,
    ...Object.entries(everyAnswer(requestId)).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
