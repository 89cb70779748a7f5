import { Engine } from 'findling'
import { onTestFinished } from 'vitest'
import { type Access, openAccess } from '../../../adapters/http/src/access/access.ts'
import { SlowDown } from '../../../adapters/http/src/access/slow-down.ts'
import { type Licence, openLicence } from '../../../adapters/http/src/licence/licence.ts'
import { createSetup, type OwnSetup, type Setup } from '../../../adapters/http/src/setup/setup.ts'
import { hashCost } from '../access/hash-cost.ts'

export interface Installation {
  access: Access
  licence: Licence
  setup: OwnSetup
  /** Milliseconds that refused tokens were made to wait. */
  waits: number[]
}

/** A fresh installation for one test. */
export async function install(): Promise<Installation> {
  const engine = await Engine.open()
  onTestFinished(() => engine.close())
  const access = await openAccess(engine, { schemes: ['Findling'], hashCost })
  const licence = await openLicence(engine)
  const waits: number[] = []
  const slowDown = new SlowDown({ wait: async milliseconds => waits.push(milliseconds) })
  return { access, licence, setup: createSetup({ access, licence, slowDown }), waits }
}

export interface Page {
  status: number
  headers: Headers
  html: string
  /** Value of the hidden field of its forms; empty without forms. */
  formToken: string
}

/** What a browser does between a person and the setup: it keeps the cookie and follows nothing by itself. */
export class Visitor {
  readonly #setup: Setup & Partial<Pick<OwnSetup, 'token'>>
  readonly #origin: string
  cookie = ''

  constructor(setup: Setup & Partial<Pick<OwnSetup, 'token'>>, origin = 'http://localhost') {
    this.#setup = setup
    this.#origin = origin
  }

  async look(query = ''): Promise<Page> {
    const response = await this.#send(`/setup${query}`, {})
    const html = await response.text()
    const formToken = /name="FormToken" value="([^"]*)"/.exec(html)?.[1] ?? ''
    return { status: response.status, headers: response.headers, html, formToken }
  }

  /** With the right token. */
  open(token = this.#setup.token?.()): Promise<Page> {
    return this.look(`?token=${token}`)
  }

  async post(fields: Record<string, string>, path = '/setup'): Promise<Response> {
    return await this.#send(path, { method: 'POST', body: new URLSearchParams(fields) })
  }

  /** Posts with the form token of the page as it is now. */
  async submit(fields: Record<string, string>, path = '/setup'): Promise<Page> {
    const { formToken } = await this.look()
    await this.post({ FormToken: formToken, ...fields }, path)
    return await this.look()
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const headers = this.cookie === '' ? {} : { Cookie: this.cookie }
    const request = new Request(this.#origin + path, { headers, ...init })
    const route = path.split('?')[0]!.toLowerCase()
    const response = await this.#setup.handle(request, route, '192.0.2.1')
    const set = response.headers.get('Set-Cookie')
    if (set !== null) this.cookie = set.split(';')[0]!
    return response
  }
}

/** A visitor who came with the token of a fresh installation. */
export async function owner(): Promise<Installation & { visitor: Visitor }> {
  const installation = await install()
  const visitor = new Visitor(installation.setup)
  await visitor.open()
  return { ...installation, visitor }
}
