import { randomBytes } from 'node:crypto'
import type { Engine } from 'findling'

/** The clients that several servers share, and those that were removed. */
export interface Listed {
  /** By id, the name of the log of its data. */
  readonly clients: ReadonlyMap<string, string>
  /** Removed clients: by the name of the log, the id. */
  readonly former: ReadonlyMap<string, string>
}

/** The list of clients, in the log of the operator: all servers serve the clients on it. */
export class ClientList {
  readonly #namespace: ReturnType<Engine['namespace']>
  #listed: Promise<Listed> | undefined

  /** @param engine the operator's */
  constructor(engine: Engine) {
    this.#namespace = engine.namespace('http-clients')
    this.#namespace.watch(() => {
      this.#listed = undefined
    })
  }

  async read(): Promise<Listed> {
    this.#listed ??= this.#read()
    const listed = this.#listed
    try {
      return await listed
    } catch (error) {
      // A failed read is tried again the next time.
      if (this.#listed === listed) this.#listed = undefined
      throw error
    }
  }

  /** False if there is such a client already. */
  async add(id: string, log: string): Promise<boolean> {
    return await this.#namespace.put(id, log, { ifAbsent: true })
  }

  /** @returns the name of its log; undefined if there is no such client */
  async remove(id: string): Promise<string | undefined> {
    const log = (await this.read()).clients.get(id)
    if (log !== undefined) await this.#namespace.write([{ key: `${formerly}${log}`, value: id }, { key: id }])
    return log
  }

  watch(listener: () => void): () => void {
    return this.#namespace.watch(listener)
  }

  async #read(): Promise<Listed> {
    const clients = new Map<string, string>()
    const former = new Map<string, string>()
    for await (const { key, value } of this.#namespace.entries()) {
      if (key.startsWith(formerly)) former.set(key.slice(formerly.length), String(value))
      else clients.set(key, String(value))
    }
    return { clients, former }
  }
}

/** No client id contains a colon. */
const formerly = 'former:'

/** A new log name, never used before: a client that is added again is a different one. */
export const newLogOf = (id: string): string => `${id}.${randomBytes(6).toString('hex')}`

export const idOfLog = (log: string): string => log.replace(/\.[^.]*$/, '')
