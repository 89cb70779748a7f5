import { createServer, connect as dial, type Server, type Socket } from 'node:net'

/** A way through which one node reaches the database: it can be cut, and lead to another server. */
export class Gate {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #target: number | undefined

  static async open(target: number): Promise<Gate> {
    const gate = new Gate(target)
    await new Promise<void>(resolve => gate.#server.listen(0, '127.0.0.1', resolve))
    return gate
  }

  private constructor(target: number) {
    this.#target = target
    this.#server = createServer(inner => {
      this.#keep(inner)
      if (this.#target === undefined) {
        inner.destroy()
        return
      }
      const outer = dial(this.#target, '127.0.0.1')
      this.#keep(outer)
      inner.pipe(outer).pipe(inner)
      for (const [one, other] of [
        [inner, outer],
        [outer, inner],
      ] as const)
        one.on('close', () => other.destroy())
    })
  }

  get url(): string {
    const { port } = this.#server.address() as { port: number }
    return `postgres://findling@127.0.0.1:${port}/postgres`
  }

  /** Nothing comes through any more. */
  cut(): void {
    this.#target = undefined
    for (const socket of this.#sockets) socket.destroy()
  }

  lead(target: number): void {
    this.cut()
    this.#target = target
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise(resolve => this.#server.close(resolve))
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
  }
}
