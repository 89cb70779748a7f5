import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Lets a client read an answer that came before all of its body was sent: closed at once, the connection would be reset
 * under whoever still sends, and the answer lost (RFC 9112, section 9.6). What comes after the answer is read and dropped
 * until the client has ended, or the time is over.
 */
export function linger(incoming: IncomingMessage, outgoing: ServerResponse, ms: number): void {
  const { socket } = incoming
  outgoing.once('finish', () => readAway(incoming))
  // By this call the connection is closed once its answer is written.
  socket.destroySoon = () => {
    if (incoming.complete) closeNow(socket)
    else closeLater(incoming, ms)
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

function closeLater(incoming: IncomingMessage, ms: number): void {
  const { socket } = incoming
  if (socket.writableEnded) return
  socket.end()
  const over = setTimeout(() => socket.destroy(), ms)
  incoming.once('end', () => closeNow(socket))
  socket.once('close', () => clearTimeout(over))
}
