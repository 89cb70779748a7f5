import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const cookieName = 'findling-setup'

/**
 * Who may set this installation up: whoever has the token that the console showed. The token is exchanged for a
 * cookie, and every form carries a text that only fits this cookie. Everything is signed with a key of this process,
 * so that nothing has to be kept.
 */
export class SetupSessions {
  readonly token = randomBytes(24).toString('base64url')
  readonly #key = randomBytes(32)

  isToken(text: string): boolean {
    return timingSafeEqual(this.#mac('token', text), this.#mac('token', this.token))
  }

  /** A new session, as it stands in the cookie. */
  start(): string {
    const id = randomBytes(16).toString('base64url')
    return `${id}.${this.#mac('session', id).toString('base64url')}`
  }

  /** The session of a request; undefined without a genuine cookie. */
  of(request: Request): string | undefined {
    const session = cookieValue(request.headers.get('cookie') ?? '')
    const [id = '', mac = ''] = session.split('.')
    return equal(mac, this.#mac('session', id)) ? session : undefined
  }

  /** What the forms of a session carry, so that no other site can post them (OWASP: signed double-submit cookie). */
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

/** The Set-Cookie header of a session: for this site's own pages below /setup, out of reach of scripts. */
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
