import type {
  Statistics as Counts,
  Description,
  FileParserResult,
  JsonObject,
  Key,
  KeyExchange,
  KeyInput,
  License,
  NewKey,
  Process,
  Status,
} from '../api/models.ts'
import * as api from '../api/operations.ts'
import type { CallOptions, Connection } from '../connection.ts'
import type { Operation } from '../operation.ts'
import type { Result } from '../result.ts'

type GivenBy<Of> = Of extends Operation<unknown, infer Gives> ? Gives : never

/** The installation itself: its description and state, and its administration. */
export class Installation {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Name, version and id; shows whether an address is right. Needs no key. */
  describe(options?: CallOptions): Promise<Result<Description>> {
    return this.#connection.send(api.getRoot, {}, options)
  }

  /** Answers as long as the server runs. */
  health(options?: CallOptions): Promise<Result<GivenBy<typeof api.getHealth>>> {
    return this.#connection.send(api.getHealth, {}, options)
  }

  /** Answers with success when the store is open and a secret is set. */
  ready(options?: CallOptions): Promise<Result<GivenBy<typeof api.getReady>>> {
    return this.#connection.send(api.getReady, {}, options)
  }

  /** Metrics in the text format of Prometheus. */
  metrics(options?: CallOptions): Promise<Result<string>> {
    return this.#connection.send(api.getMetrics, {}, options)
  }

  /** The OpenAPI document of the installation. */
  openApi(options?: CallOptions): Promise<Result<JsonObject>> {
    return this.#connection.send(api.getOpenapijson, {}, options)
  }

  /** Version, processors, memory and disk. */
  status(
    query: { readonly withMemory?: boolean | undefined } = {},
    options?: CallOptions,
  ): Promise<Result<Status>> {
    return this.#connection.send(api.getStatus, { query }, options)
  }

  license(options?: CallOptions): Promise<Result<License>> {
    return this.#connection.send(api.getLicense, {}, options)
  }

  /** Stores a license, as base64 or XML. */
  setLicense(license: string, options?: CallOptions): Promise<Result> {
    return this.#connection.send(api.postLicense, { body: { license } }, options)
  }

  /** Changes the secret. Afterwards this client is refused, unless its secret is a function: create one with the new secret. */
  changeSecret(secret: string, options?: CallOptions): Promise<Result> {
    return this.#connection.send(api.postMaintenanceChangeSecret, { body: { secret } }, options)
  }

  /** Backs up the whole store while it answers, as a process. */
  backup(options?: CallOptions): Promise<Result<Process>> {
    return this.#connection.send(api.postMaintenanceBackup, {}, options)
  }

  /** Successful if the installation can update itself. */
  hasUpdate(options?: CallOptions): Promise<Result<string>> {
    return this.#connection.send(api.getUpdate, {}, options)
  }

  /** Updates the components of the installation, with a line of the log for each. */
  update(options?: CallOptions): Promise<Result<GivenBy<typeof api.postUpdate>>> {
    return this.#connection.send(api.postUpdate, {}, options)
  }

  /** The text, title, author and language of a file, which is given in base64; nothing is stored. */
  parseFile(content: string, options?: CallOptions): Promise<Result<FileParserResult>> {
    return this.#connection.send(api.postHelperFileParser, { body: { content } }, options)
  }
}

/** How often each call was made. */
export class Statistics {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Counts since the installation was set up. */
  all(options?: CallOptions): Promise<Result<Counts>> {
    return this.#connection.send(api.getStatistics, {}, options)
  }

  ofYear(year: number, options?: CallOptions): Promise<Result<Counts>> {
    return this.#connection.send(api.getStatisticsByYear, { path: { year: String(year) } }, options)
  }

  /** @param month from 1 to 12 */
  ofMonth(year: number, month: number, options?: CallOptions): Promise<Result<Counts>> {
    const path = { year: String(year), month: String(month) }
    return this.#connection.send(api.getStatisticsByYearByMonth, { path }, options)
  }
}

/** Named keys, for programs and people that should not be able to do everything. */
export class Keys {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  list(options?: CallOptions): Promise<Result<Key[]>> {
    return this.#connection.send(api.getKeys, {}, options)
  }

  /** Creates a key, which only this answer shows. */
  create(key: KeyInput, options?: CallOptions): Promise<Result<NewKey>> {
    return this.#connection.send(api.postKeys, { body: key }, options)
  }

  /** Gives a key a new text, which only this answer shows; the old one keeps working for `keepOldHours`, by default 24. */
  exchange(id: string, exchange: KeyExchange = {}, options?: CallOptions): Promise<Result<NewKey>> {
    return this.#connection.send(api.postKeysByIdExchange, { path: { id }, body: exchange }, options)
  }

  remove(id: string, options?: CallOptions): Promise<Result> {
    return this.#connection.send(api.deleteKeysById, { path: { id } }, options)
  }
}

/** The files that processes make. */
export class Files {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** @param file its name, its link, or the finished process that has the link */
  async get(file: string | Process, options?: CallOptions): Promise<Result<ReadableStream<Uint8Array>>> {
    const text = typeof file === 'string' ? file : (file.resultMessage ?? '')
    // Only the name in a link counts: the address of the server is this client's.
    const name = /\/files\/([^/\s?#]+)/.exec(text)?.[1] ?? (typeof file === 'string' ? file : '')
    return await this.#connection.send(api.getFilesByName, { path: { name } }, options)
  }
}
