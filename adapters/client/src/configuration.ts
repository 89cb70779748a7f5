/** A secret or key, or a function that returns the current one, such as a short-lived key, and is called before every call. */
export type Credential = string | (() => string | PromiseLike<string>)

/** Settings of all calls of a client. */
export interface Configuration {
  /** Address of the installation. If the server has several clients, it ends in the id of the client. */
  readonly baseAddress: string | URL
  /** The secret of the installation, or a named key: give one of the two, or neither if a proxy or backend adds it. */
  readonly secret?: Credential | undefined
  readonly key?: Credential | undefined
  /** The word before the secret. Default `Findling`. */
  readonly scheme?: string | undefined
  /** Maximum number of processor cores for one process. Sent only if above 0. Default 0. */
  readonly parallelLimit?: number | undefined
  /** Milliseconds that a call may take, streams until they begin; 0 means no limit. Default 30,000. */
  readonly timeout?: number | undefined
  /** Whether bodies above 1 KB are sent compressed, if the platform can. Default false. */
  readonly gzip?: boolean | undefined
  /** How often a call is repeated if that is safe. Default 2. */
  readonly retries?: number | undefined
  /** Maximum milliseconds to wait before a call is repeated; if the server asks for more, it is not. Default 10,000. */
  readonly longestWait?: number | undefined
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** A validated configuration, with defaults filled in. */
export interface Settings {
  /** Without a slash at its end. */
  readonly base: string
  readonly credential: Credential | undefined
  readonly scheme: string
  readonly parallelLimit: number
  readonly timeout: number
  readonly gzip: boolean
  readonly retries: number
  readonly longestWait: number
  readonly fetch: typeof globalThis.fetch
}

const names = 'baseAddress secret key scheme parallelLimit timeout gzip retries longestWait fetch'.split(' ')

/** @throws TypeError that names the setting, the received value and what is accepted */
export function settingsOf(configuration: Configuration): Settings {
  for (const name of Object.keys(configuration))
    if (!names.includes(name))
      throw new TypeError(`There is no setting ${JSON.stringify(name)}; expected one of ${names.join(', ')}.`)
  const { secret, key, scheme = 'Findling', gzip = false, fetch = globalThis.fetch } = configuration
  if (secret !== undefined && key !== undefined)
    throw new TypeError('Both secret and key are given; expected one of them.')
  for (const [name, credential] of Object.entries({ secret, key }))
    if (credential !== undefined && typeof credential !== 'string' && typeof credential !== 'function')
      throw new TypeError(`${name} is ${typeof credential}; expected text, or a function that returns it.`)
  if (typeof scheme !== 'string' || !/^[\w-]+$/.test(scheme))
    throw refused('scheme', scheme, 'a word of letters, digits and hyphens')
  if (typeof gzip !== 'boolean') throw refused('gzip', gzip, 'true or false')
  if (typeof fetch !== 'function') throw refused('fetch', fetch, 'a function like the fetch of platforms')
  return {
    base: baseOf(configuration.baseAddress),
    credential: secret ?? key,
    scheme,
    gzip,
    parallelLimit: wholeNumber('parallelLimit', configuration.parallelLimit, 0),
    timeout: wholeNumber('timeout', configuration.timeout, 30_000),
    retries: wholeNumber('retries', configuration.retries, 2),
    longestWait: wholeNumber('longestWait', configuration.longestWait, 10_000),
    // The global one must not be called as a method of something else.
    fetch: (...given) => fetch(...given),
  }
}

/** On a page, the address may be relative to that of the page. */
function baseOf(address: unknown): string {
  const expected = 'an address such as https://example.com/client-id, without query, user name and password'
  let url: URL
  try {
    url = new URL(String(address), (globalThis as { location?: { href: string } }).location?.href)
  } catch {
    throw refused('baseAddress', address, expected)
  }
  const isPlain = /^https?:$/.test(url.protocol) && url.search + url.hash + url.username + url.password === ''
  if (!isPlain) throw refused('baseAddress', address, expected)
  return url.href.replace(/\/+$/, '')
}

/** Maximum delay of timers. */
const most = 2 ** 31 - 1

export function wholeNumber(name: string, value: number | undefined, standard: number): number {
  if (value === undefined) return standard
  if (Number.isSafeInteger(value) && value >= 0 && value <= most) return value
  throw refused(name, value, `a whole number from 0 to ${most}`)
}

function refused(name: string, value: unknown, expected: string): TypeError {
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 200)) : String(value)
  return new TypeError(`${name} is ${shown}; expected ${expected}.`)
}
