import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Lets a client read an answer that was sent before its whole body had arrived: closing at once would reset the connection
 * while the client is still sending, and lose the answer (RFC 9112, section 9.6). The rest of the body is read and dropped
 * until the client has finished or the time is up; a connection that is kept alive then continues.
 */
export function linger(incoming: IncomingMessage, outgoing: ServerResponse, ms: number): void {
  const { socket } = incoming
  outgoing.once('finish', () => readAway(incoming))
  let isWaiting = false
  // With this call Node closes connections not kept alive, and @hono/node-server those still sending after half a second.
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
 * An unread rest of a body would block the next request on the connection. A reader that has given up is still attached,
 * and pauses the body at every piece.
 */
function readAway(incoming: IncomingMessage): void {
  if (incoming.readableEnded) return
  incoming.removeAllListeners('data')
  incoming.resume()
}

function closeNow(socket: Socket): void {
  const { destroySoon } = Object.getPrototypeOf(socket) as Socket // the method that `linger` has overridden
  destroySoon.call(socket)
}
