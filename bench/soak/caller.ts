import { setTimeout as pause } from 'node:timers/promises'

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly dataset?: string
  readonly body?: unknown
  /** Of a body that is text. Default `application/json`. */
  readonly contentType?: string
  /** The status that is right. Default 200. */
  readonly status?: number
}

interface ProcessState {
  readonly Id: string
  readonly Status: string
  readonly ErrorMessages: readonly string[]
  readonly ResultMessage: string | null
}

const POLL_MS = 100
/** Half a minute. */
const KNOWN_TRIES = 300

/** Calls a server and counts what it answers. */
export class Caller {
  calls = 0
  /** What was answered that is not right; the first few, and how many. */
  readonly wrong: string[] = []
  wrongs = 0
  readonly address: string
  readonly secret: string
  readonly #counted: Caller

  /** @param counted counts what this one calls, too. Default: itself */
  constructor(address: string, secret: string, counted?: Caller) {
    this.address = address
    this.secret = secret
    this.#counted = counted ?? this
  }

  /** Who calls with another secret, or another client; counted with this one. */
  as(secret: string, address = this.address): Caller {
    return new Caller(address, secret, this.#counted)
  }

  /** Who calls a client of the server with the same secret; counted with this one. */
  below(id: string): Caller {
    return this.as(this.secret, `${this.address}/${id}`)
  }

  /** Counts what went wrong elsewhere. */
  wrongly(what: string): void {
    this.#count(what.slice(0, 300))
  }

  /** The body of an answer, undefined for one that is not right. */
  async call<Body>(call: Call): Promise<Body | undefined> {
    const { method = 'POST', path, dataset, body, contentType = 'application/json', status = 200 } = call
    this.#counted.calls++
    try {
      const response = await fetch(`${this.address}${path}`, {
        method,
        headers: {
          Authorization: `Findling ${this.secret}`,
          'Content-Type': contentType,
          ...(dataset !== undefined && { 'X-DataSet': dataset }),
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      if (response.status !== status) {
        this.#count(`${method} ${path}: ${response.status} for ${status}, ${text.slice(0, 200)}`)
        return undefined
      }
      const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false
      return (isJson && text !== '' ? JSON.parse(text) : text) as Body // what the contract says of the call
    } catch (error) {
      this.#count(`${method} ${path}: ${error}`)
      return undefined
    }
  }

  /** Waits until the secret is known. */
  async untilKnown(): Promise<void> {
    const headers = { Authorization: `Findling ${this.secret}` }
    for (let tries = 0; tries < KNOWN_TRIES; tries++) {
      const { status } = await fetch(`${this.address}/api/Status`, { headers })
      if (status === 200) return
      await pause(POLL_MS)
    }
    this.#count(`${this.address} was not served`)
  }

  /** Starts a process and waits for its end. @returns what it says of itself */
  async process(call: Call): Promise<string | undefined> {
    let state = await this.call<ProcessState>({ ...call, status: 202 })
    while (state?.Status === 'InProgress') {
      await pause(POLL_MS)
      state = await this.call<ProcessState>({ method: 'GET', path: `/api/Processes/${state.Id}` })
    }
    if (state && state.Status !== 'Finished')
      this.#count(`${call.path}: ${state.Status}, ${state.ErrorMessages.join(' ')}`)
    return state?.ResultMessage ?? undefined
  }

  /** Reads the file whose link stands last in what a process says. */
  async download(message: string | undefined): Promise<void> {
    const link = message?.split('\n').at(-1)
    if (!link?.startsWith('http')) return this.#count(`no link in ${message}`)
    const response = await fetch(link)
    const { byteLength } = await response.arrayBuffer()
    if (!response.ok || byteLength === 0) this.#count(`${link}: ${response.status}, ${byteLength} bytes`)
  }

  #count(what: string): void {
    const { wrong } = this.#counted
    this.#counted.wrongs++
    if (wrong.length < 20) wrong.push(what)
  }
}
