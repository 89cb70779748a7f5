import type { Clients } from './clients.ts'
import type { ClientsPlace } from './clients-place.ts'

/** Anybody may call /ready, so the database is queried at most once in this time, which is also its timeout, in milliseconds. */
const ASKED_EVERY_MS = 1000

/** Whether another server answers for one of the clients that are being reopened here. */
export class Elsewhere {
  readonly #clients: () => Pick<Clients, 'reopening'>
  readonly #place: Pick<ClientsPlace, 'isElsewhere'>
  #asked: { readonly at: number; readonly answer: Promise<boolean> } | undefined

  constructor(clients: () => Pick<Clients, 'reopening'>, place: Pick<ClientsPlace, 'isElsewhere'>) {
    this.#clients = clients
    this.#place = place
  }

  async isThere(): Promise<boolean> {
    const marks = this.#clients().reopening()
    if (marks.length === 0) return false
    const now = performance.now()
    if (!this.#asked || now - this.#asked.at > ASKED_EVERY_MS)
      this.#asked = { at: now, answer: this.#ask(marks) }
    return await this.#asked.answer
  }

  /** False if the database does not answer: then no other server is better off. */
  async #ask(marks: readonly string[]): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>(resolve => {
      timer = setTimeout(() => resolve(false), ASKED_EVERY_MS)
    })
    const all = Promise.all(marks.map(mark => this.#place.isElsewhere(mark)))
    const found = all.then(
      them => them.includes(true),
      () => false,
    )
    return await Promise.race([found, late]).finally(() => clearTimeout(timer))
  }
}
