import { randomBytes } from 'node:crypto'
import type { Engine } from 'findling'

/** The clients that several servers have in common, and those that they had. */
export interface Listed {
  /** By id, the name of the log of its data. */
  readonly clients: ReadonlyMap<string, string>
  /** Of clients that were removed: by the name of its log, the id. */
  readonly former: ReadonlyMap<string, string>
}

/** The list of clients, in the log of the operator: a client that is on it is served by all servers. */
export class ClientList {
  readonly #namespace: ReturnType<Engine['namespace']>
  #listed: Promise<Listed> | undefined

  /** @param engine of the operator */
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
      // What could not be read once may be read the next time.
      if (this.#listed === listed) this.#listed = undefined
      throw error
    }
  }

  /** False where there is such a client already. */
  async add(id: string, log: string): Promise<boolean> {
    return await this.#namespace.put(id, log, { ifAbsent: true })
  }

  /** @returns the name of its log; undefined where there is no such client */
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

/** No id of a client has this sign. */
const formerly = 'former:'

/** A name that no log has had: a client that is added again is another one. */
export const newLogOf = (id: string): string => `${id}.${randomBytes(6).toString('hex')}`

export const idOfLog = (log: string): string => log.replace(/\.[^.]*$/, '')
