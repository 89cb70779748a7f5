import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const ownProgram = fileURLToPath(new URL('./node-process.mjs', import.meta.url))

/** A call that a node has refused, or GONE where the process has ended without an answer. */
export class Unanswered extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

interface Pending {
  readonly resolve: (value: never) => void
  readonly reject: (error: Unanswered) => void
}

/** A node in a process of its own. */
export class NodeProcess {
  readonly #child: ChildProcess
  readonly #pending = new Map<number, Pending>()
  #next = 0
  #hasEnded = false

  /** @param program that is asked as `node-process.mjs` is, and what Node is told for it */
  constructor(program = ownProgram, execArgv: readonly string[] = []) {
    this.#child = fork(program, { execArgv: [...execArgv] })
    this.#child.on(
      'message',
      (message: { id: number; value?: never; error?: { code: string; message: string } }) => {
        const pending = this.#pending.get(message.id)
        this.#pending.delete(message.id)
        if (message.error) pending?.reject(new Unanswered(message.error.code, message.error.message))
        else pending?.resolve(message.value as never)
      },
    )
    this.#child.on('exit', () => {
      this.#hasEnded = true
      for (const { reject } of this.#pending.values()) reject(gone())
      this.#pending.clear()
    })
  }

  ask<Answer>(call: string, args: object = {}): Promise<Answer> {
    if (this.#hasEnded) return Promise.reject(gone())
    return new Promise((resolve, reject) => {
      const id = this.#next++
      this.#pending.set(id, { resolve, reject })
      this.#child.send({ id, call, args }, error => error && reject(gone()))
    })
  }

  pause(): void {
    this.#child.kill('SIGSTOP')
  }

  resume(): void {
    this.#child.kill('SIGCONT')
  }

  async kill(): Promise<void> {
    if (this.#hasEnded) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}

const gone = () => new Unanswered('GONE', 'the process has ended')
