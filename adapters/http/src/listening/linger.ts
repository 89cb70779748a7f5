import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Lets a client read an answer that came before it had sent its whole body: closing at once would reset the connection
 * while it still sends, and lose the answer (RFC 9112, section 9.6). The rest of the body is read and dropped
 * until the client has finished, or the time is over; a connection that is kept alive then continues.
 */
export function linger(incoming: IncomingMessage, outgoing: ServerResponse, ms: number): void {
  const { socket } = incoming
  outgoing.once('finish', () => readAway(incoming))
  let isWaiting = false
  // By this call Node closes what is not kept alive, and @hono/node-server whatever still sends half a second later.
  socket.destroySoon = () => {
    if (incoming.complete) return closeNow(socket)
    if (isWaiting) return
    isWaiting = true
    const isKept = outgoing.shouldKeepAlive
    if (!isKept) socket.end()
    const over = setTimeout(() => socket.destroy(), ms)
    incoming.once('close', () => {
      clearTimeout(over)
      if (!isKept) closeNow(socket)
    })
  }
}

/**
 * What is left of a body would keep the next request of the connection from being read. A reader that has given up still
 * listens, and stops the body at every piece.
 */
function readAway(incoming: IncomingMessage): void {
  if (incoming.readableEnded) return
  incoming.removeAllListeners('data')
  incoming.resume()
}

function closeNow(socket: Socket): void {
  const { destroySoon } = Object.getPrototypeOf(socket) as Socket // which is its own
  destroySoon.call(socket)
}
