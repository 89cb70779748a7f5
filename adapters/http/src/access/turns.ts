import { HttpError } from '../http/errors.ts'

/** A piece of work and who asks for it. */
export interface Asked {
  /** The network whose turn it takes. */
  readonly network: string
  /** Identifies the work: if it is asked for again while it waits, it is done only once. */
  readonly name: string
  /** When aborted, nobody waits for the work any more. */
  readonly signal?: AbortSignal | undefined
}

type Work = () => Promise<boolean>

interface Asker {
  readonly resolve: (result: boolean | PromiseLike<boolean>) => void
  readonly reject: (reason: HttpError) => void
}

interface Waiting {
  readonly name: string
  readonly work: Work
  readonly askers: Set<Asker>
}

const mostNetworks = 50
const mostOfEach = 10

/**
 * Runs costly checks one after the other and lets the requesting networks take turns: a network that floods waits behind
 * itself, and a new one waits for at most one check of each other network. Both are bounded, to 50 networks with
 * 10 checks each; requests beyond that are told to come again, which reveals nothing about what was to be checked.
 */
export class Turns {
  /** The network whose turn it is comes first. No queue is empty. */
  readonly #lines = new Map<string, Waiting[]>()
  #busy = false

  /** HttpError 503 if too many wait, or if the signal is aborted before the work begins. */
  async take(work: Work, { network, name, signal }: Asked): Promise<boolean> {
    if (signal?.aborted) throw goneAway()
    const waiting = this.#find(network, name) ?? this.#enter(network, { name, work, askers: new Set() })
    return await new Promise((resolve, reject) => {
      const asker = { resolve, reject }
      waiting.askers.add(asker)
      signal?.addEventListener('abort', () => this.#leave(network, waiting, asker), { once: true })
      if (!this.#busy) void this.#run()
    })
  }

  #find(network: string, name: string): Waiting | undefined {
    return this.#lines.get(network)?.find(waiting => waiting.name === name)
  }

  #enter(network: string, waiting: Waiting): Waiting {
    const line = this.#lines.get(network)
    if (line ? line.length >= mostOfEach : this.#lines.size >= mostNetworks) throw tooMany()
    if (line) line.push(waiting)
    else this.#lines.set(network, [waiting])
    return waiting
  }

  #leave(network: string, waiting: Waiting, asker: Asker): void {
    if (!waiting.askers.delete(asker)) return
    asker.reject(goneAway())
    if (waiting.askers.size > 0) return
    const others = this.#lines.get(network)?.filter(other => other !== waiting) ?? []
    if (others.length > 0) this.#lines.set(network, others)
    else this.#lines.delete(network)
  }

  async #run(): Promise<void> {
    this.#busy = true
    for (let next = this.#next(); next; next = this.#next()) {
      const result = next.work()
      for (const asker of next.askers) asker.resolve(result)
      next.askers.clear()
      // The failure is reported to whoever asked; the others still get their turn.
      await result.catch(() => false)
    }
    this.#busy = false
  }

  #next(): Waiting | undefined {
    for (const [network, line] of this.#lines) {
      this.#lines.delete(network)
      const first = line.shift()
      if (line.length > 0) this.#lines.set(network, line)
      return first
    }
    return undefined
  }
}

function tooMany(): HttpError {
  return new HttpError(
    503,
    'Too many secrets are waiting to be checked, so this one was not checked. Try again later.',
    {
      'Retry-After': '5',
    },
  )
}

function goneAway(): HttpError {
  return new HttpError(503, 'The client disconnected before its key was checked.')
}
