import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const cookieName = 'findling-setup'

/**
 * Whoever has the token that the console showed may set up this installation. The token is exchanged for a cookie, and
 * every form carries a text that matches only this cookie. Everything is signed with a key of this process, so no
 * state has to be kept.
 */
export class SetupSessions {
  readonly token = randomBytes(24).toString('base64url')
  readonly #key = randomBytes(32)

  isToken(text: string): boolean {
    return timingSafeEqual(this.#mac('token', text), this.#mac('token', this.token))
  }

  /** A new session, as the cookie's value. */
  start(): string {
    const id = randomBytes(16).toString('base64url')
    return `${id}.${this.#mac('session', id).toString('base64url')}`
  }

  /** The session of a request; undefined without a valid cookie. */
  of(request: Request): string | undefined {
    const session = cookieValue(request.headers.get('cookie') ?? '')
    const [id = '', mac = ''] = session.split('.')
    return equal(mac, this.#mac('session', id)) ? session : undefined
  }

  /** The token in the forms of a session, so that no other site can post them (OWASP: signed double-submit cookie). */
  formToken(session: string): string {
    return this.#mac('form', session).toString('base64url')
  }

  isFormToken(session: string, text: string): boolean {
    return equal(text, this.#mac('form', session))
  }

  #mac(purpose: 'token' | 'session' | 'form', text: string): Buffer {
    return createHmac('sha256', this.#key).update(`${purpose}:${text}`).digest()
  }
}

/** The Set-Cookie header of a session: same-site, only below /setup, hidden from scripts. */
export function sessionCookie(session: string, secure: boolean): string {
  return `${cookieName}=${session}; Path=/setup; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
}

function cookieValue(header: string): string {
  const prefix = `${cookieName}=`
  const cookie = header.split(';').find(part => part.trim().startsWith(prefix))
  return cookie?.trim().slice(prefix.length) ?? ''
}

function equal(text: string, mac: Buffer): boolean {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.length === mac.length && timingSafeEqual(bytes, mac)
}
