import { clientNetwork } from '../access/client-network.ts'
import { SlowDown } from '../access/slow-down.ts'
import { HttpError } from '../http/errors.ts'
import { pageResponse } from './page.ts'
import { tokenPage } from './pages.ts'
import { backToPage, isLook, type OwnSetup, type Setup, tokenIn } from './setup.ts'

const posts = new Set(['/setup', '/setup/requestopensourcelicense'])

/** The setup of a server with several owners at one address: the token, or else the cookie, identifies the owner. */
export class SetupDesk implements Setup {
  readonly #setups = new Set<OwnSetup>()
  readonly #slowDown = new SlowDown()

  add(setup: OwnSetup): void {
    this.#setups.add(setup)
  }

  remove(setup: OwnSetup): void {
    this.#setups.delete(setup)
  }

  async handle(request: Request, path: string, address: string): Promise<Response> {
    for (const setup of this.#setups)
      if (setup.isMeant(request)) return await setup.handle(request, path, address)
    if (isLook(request, path)) return await this.#ask(tokenIn(request) !== null, address)
    if (request.method !== 'POST' || !posts.has(path)) throw new HttpError(404, 'Endpoint not found')
    return backToPage()
  }

  /** Answers a visitor without a token or with a wrong one. */
  async #ask(isWrong: boolean, address: string): Promise<Response> {
    if (isWrong) await this.#slowDown.failed(clientNetwork(address))
    return await pageResponse(isWrong ? 403 : 200, tokenPage(isWrong, 'any'))
  }
}
