/** What a server answered. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Sent {
  /** Sent as it is when it is text or bytes, as JSON otherwise. */
  readonly body?: unknown
  /** Default: the secret. */
  readonly key?: string
  /** For `X-DataSet`. */
  readonly dataset?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A server on loopback that is attacked, with the sample catalogue in a dataset. */
export class Target {
  readonly url: string
  readonly #secret: string

  constructor(url: string, secret: string) {
    this.url = url
    this.#secret = secret
  }

  async send(method: string, path: string, sent: Sent = {}): Promise<Reply> {
    const { body, key = this.#secret, dataset, headers } = sent
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const response = await fetch(`${this.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        Authorization: `Findling ${key}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(dataset !== undefined && { 'X-DataSet': dataset }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  /** Sends it and reads the JSON of the answer, whatever its status. */
  async json<Body>(method: string, path: string, sent?: Sent): Promise<Body> {
    return JSON.parse((await this.send(method, path, sent)).text) as Body // what the contract says of the call
  }

  /** A key with these rules: `Scopes`, `DataSets`, `Filter` and so on. */
  async key(rules: object): Promise<string> {
    const body = { Name: crypto.randomUUID(), ...rules }
    const made = await this.json<{ Key: string }>('POST', '/api/Keys', { body })
    return made.Key
  }
}
