import { randomBytes } from 'node:crypto'
import type { Access } from '../access/access.ts'
import { clientNetwork } from '../access/client-network.ts'
import { secretProblems } from '../access/secret-rule.ts'
import { SlowDown } from '../access/slow-down.ts'
import { visitorOrigin } from '../answer/base.ts'
import { HttpError } from '../http/errors.ts'
import type { Licence } from '../licence/licence.ts'
import { type Form, readForm } from './form.ts'
import { Notices, type Problem } from './notices.ts'
import { pageResponse } from './page.ts'
import { completedPage, type SetupOwner, setupPage, tokenPage } from './pages.ts'
import { SetupSessions, sessionCookie } from './session.ts'

/** The pages below /setup (contract, 2.4). */
export interface Setup {
  /** @param path in lower case, `/setup` or below it */
  handle(request: Request, path: string, address: string): Promise<Response>
}

/** The setup pages of one owner. */
export interface OwnSetup extends Setup {
  /** The token that opens the setup; new at every start, undefined once the owner's secret is set. */
  token(): string | undefined
  /** Whether a request carries this owner's token, or else the cookie issued for it. */
  isMeant(request: Request): boolean
}

export interface SetupOptions {
  access: Access
  licence: Licence
  /** Slows down the guessing of tokens. */
  slowDown?: SlowDown
  /** The owner, if the server has several. Default: there is only one. */
  owner?: SetupOwner
}

export function createSetup({ access, licence, ...options }: SetupOptions): OwnSetup {
  const { slowDown = new SlowDown(), owner = 'alone' } = options
  return new OwnersSetup(access, licence, slowDown, owner)
}

class OwnersSetup implements OwnSetup {
  readonly #access: Access
  readonly #licence: Licence
  readonly #owner: SetupOwner
  readonly #slowDown: SlowDown
  readonly #sessions = new SetupSessions()
  readonly #notices = new Notices()
  #posting: Promise<unknown> = Promise.resolve()

  constructor(access: Access, licence: Licence, slowDown: SlowDown, owner: SetupOwner) {
    this.#access = access
    this.#licence = licence
    this.#slowDown = slowDown
    this.#owner = owner
  }

  token(): string | undefined {
    return this.#isCompleted() ? undefined : this.#sessions.token
  }

  isMeant(request: Request): boolean {
    const token = tokenIn(request)
    return token === null ? this.#sessions.of(request) !== undefined : this.#sessions.isToken(token)
  }

  async handle(request: Request, path: string, address: string): Promise<Response> {
    const { method } = request
    if (isLook(request, path)) return await this.#show(request, address)
    const post = method === 'POST' ? this.#postOf(path) : undefined
    if (!post) throw new HttpError(404, 'Endpoint not found')
    if (!this.#isCompleted()) await this.#take(request, post)
    return backToPage()
  }

  #isCompleted(): boolean {
    return this.#access.isSet() && !this.#access.isProvisional()
  }

  async #show(request: Request, address: string): Promise<Response> {
    if (this.#isCompleted()) return await this.#showCompleted(request)
    const token = tokenIn(request)
    if (token !== null && !this.#sessions.isToken(token)) {
      await this.#slowDown.failed(clientNetwork(address))
      return await pageResponse(403, tokenPage(true, this.#owner))
    }
    const session = this.#sessions.of(request)
    if (session === undefined && token === null) return await pageResponse(200, tokenPage(false, this.#owner))
    return await this.#showSetup(request, session)
  }

  async #showCompleted(request: Request): Promise<Response> {
    const { type: licenceType } = await this.#licence.state()
    const { instanceId } = this.#licence
    const [owner, origin] = [this.#owner, visitorOrigin(request)]
    return await pageResponse(200, completedPage({ owner, instanceId, licenceType, origin }))
  }

  async #showSetup(request: Request, known: string | undefined): Promise<Response> {
    const session = known ?? this.#sessions.start()
    const parts = setupPage({
      owner: this.#owner,
      instanceId: this.#licence.instanceId,
      licence: await this.#licence.state(),
      notice: this.#notices.take(session),
      formToken: this.#sessions.formToken(session),
      provisional: this.#access.isProvisional(),
      suggestion: randomBytes(18).toString('base64url'),
    })
    // No redirect to an address without the token: if a link on another site led here, the strict cookie would not be sent.
    const secure = visitorOrigin(request).startsWith('https:')
    return await pageResponse(200, parts, known === undefined ? sessionCookie(session, secure) : undefined)
  }

  #postOf(path: string): ((form: Form) => Promise<Problem[]>) | undefined {
    if (path === '/setup') return form => this.#finish(form)
    if (path === '/setup/requestopensourcelicense') return form => this.#requestLicence(form)
    return undefined
  }

  /** Handles posts one at a time: if two set the secret, the second finds it already set. */
  async #take(request: Request, post: (form: Form) => Promise<Problem[]>): Promise<void> {
    const session = this.#sessions.of(request)
    if (session === undefined) return
    const form = await readForm(request)
    const taken = this.#posting.then(async () => {
      if (this.#isCompleted()) return
      const problems = await this.#problemsOf(session, form, post)
      const typed = { email: form?.('Email') ?? '', licenseKey: form?.('LicenseKey') ?? '' }
      if (problems.length > 0) this.#notices.leave(session, { problems, ...typed })
    })
    this.#posting = taken.catch(() => undefined)
    await taken
  }

  async #problemsOf(
    session: string,
    form: Form | undefined,
    post: (form: Form) => Promise<Problem[]>,
  ): Promise<Problem[]> {
    if (!form) return [{ message: 'The form was too large. Nothing was changed.' }]
    if (!this.#sessions.isFormToken(session, form('FormToken'))) {
      return [
        {
          message:
            'The form was not sent from this page. Nothing was changed. Please fill in the form below and send it again.',
        },
      ]
    }
    return await post(form)
  }

  async #requestLicence(form: Form): Promise<Problem[]> {
    if (form('Accepted') !== 'true') {
      return [{ field: 'Accepted', message: 'To get the licence, accept the Apache License 2.0.' }]
    }
    return await refusals('Email', async () => {
      await this.#licence.store(await this.#licence.issueOpenSource(form('Email')))
    })
  }

  async #finish(form: Form): Promise<Problem[]> {
    const id = form('ApplicationId')
    if (id !== '' && id.toLowerCase() !== this.#licence.instanceId) {
      return [{ message: `The form is for another installation (${id.slice(0, 36)}). Nothing was changed.` }]
    }
    const key = form('LicenseKey').trim()
    const problems = [
      ...choiceProblems(form('Secret'), form('SecretConfirm')),
      ...(key === '' ? [] : await refusals('LicenseKey', () => this.#licence.store(key))),
    ]
    return problems.length > 0
      ? problems
      : await refusals('Secret', () => this.#access.setSecret(form('Secret'), { isFirst: true }))
  }
}

export function tokenIn(request: Request): string | null {
  return new URL(request.url).searchParams.get('token')
}

export function isLook({ method }: Request, path: string): boolean {
  return path === '/setup' && (method === 'GET' || method === 'HEAD')
}

export function backToPage(): Response {
  return new Response(null, { status: 302, headers: { Location: '/setup', 'Cache-Control': 'no-store' } })
}

function choiceProblems(secret: string, confirmation: string): Problem[] {
  if (secret === '') return [{ field: 'Secret', message: 'Choose a secret.' }]
  const problems: Problem[] = secretProblems(secret).map(message => ({ field: 'Secret', message }))
  return secret === confirmation
    ? problems
    : [...problems, { field: 'SecretConfirm', message: 'The two secrets differ.' }]
}

async function refusals(
  field: 'Email' | 'LicenseKey' | 'Secret',
  attempt: () => Promise<void>,
): Promise<Problem[]> {
  try {
    await attempt()
    return []
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return error.errors.map(message => ({ field, message }))
  }
}
