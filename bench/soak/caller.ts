import { setTimeout as pause } from 'node:timers/promises'

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly dataset?: string
  readonly body?: unknown
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

/** Calls a server and counts what it answers. */
export class Caller {
  calls = 0
  /** What was answered that is not right; the first few, and how many. */
  readonly wrong: string[] = []
  wrongs = 0
  readonly #address: string
  readonly #secret: string

  constructor(address: string, secret: string) {
    this.#address = address
    this.#secret = secret
  }

  /** The body of an answer, undefined for one that is not right. */
  async call<Body>({ method = 'POST', path, dataset, body, status = 200 }: Call): Promise<Body | undefined> {
    this.calls++
    try {
      const response = await fetch(`${this.#address}${path}`, {
        method,
        headers: {
          Authorization: `Findling ${this.#secret}`,
          'Content-Type': 'application/json',
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
      return (isJson && text !== '' ? JSON.parse(text) : text) as Body
    } catch (error) {
      this.#count(`${method} ${path}: ${error}`)
      return undefined
    }
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
    this.wrongs++
    if (this.wrong.length < 20) this.wrong.push(what)
  }
}
