import type { Engine, EngineOptions } from 'findling'
import type { Extractor } from 'findling/extract'
import type { SecretChecks } from '../access/secret-checks.ts'
import type { HashCost } from '../access/secret-hash.ts'
import type { StoreBackup } from '../backups/backups.ts'
import { type Followed, type OpenedStore, withStore } from '../cluster/open-node.ts'
import type { Readiness } from '../cluster/readiness.ts'
import { analyticsOptions } from '../config/analytics-options.ts'
import type { Config } from '../config/config.ts'
import { documentLimits } from '../config/document-limits.ts'
import type { Licence } from '../licence/licence.ts'
import { type Owner, openOwner } from '../licence/owner.ts'
import type { Logger } from '../request/log.ts'
import type { Route } from '../route.ts'
import { createRouter, type Fetch, ServingParts } from '../router.ts'
import { pagesOf, routesOf } from '../routes/index.ts'
import type { Measured } from '../routes/metrics.ts'

/** One client of a server: an engine of its own, and the API over it. */
export interface Client extends Owner {
  readonly id: string
  readonly engine: Engine
  readonly measured: Measured
  /** Undefined without a folder for it. */
  readonly backup: StoreBackup | undefined
  readonly fetch: Fetch
  /** Resolves with the reason when it stops following its log; undefined without a cluster. */
  readonly failed: Promise<Error> | undefined
  /** Closes its store. */
  close(): Promise<void>
}

/** What all clients of a server share, including the stand-in for clients that do not exist. */
export interface Shared {
  readonly checks: SecretChecks
  readonly logger: Logger
  /** Reads the files of all of them, in turn. */
  readonly extractor: Extractor
  /** Cost of checking a secret that has not been seen since the start. Default: about a quarter of a second. */
  readonly hashCost?: HashCost | undefined
  /** Shown in the documentation, which needs no key: the client's own licence would reveal that the client exists. */
  readonly exampleLicence: (email: string) => Promise<string>
  /** Of the whole server, so that it reveals nothing about a client; undefined without a cluster. */
  readonly readiness?: Readiness | undefined
}

export interface ClientOptions extends Shared {
  /** The server's configuration, with the folders of this client. */
  readonly config: Config
  /** Undefined without a cluster. */
  readonly followed?: Followed | undefined
  /** Bytes. */
  readonly memoryBudget: number
  /** Email address of the person who accepts the licence; without it, none is made. */
  readonly licenceEmail?: string | undefined
  /** Opens the store even if it has lost datasets. */
  readonly acceptLoss?: boolean | undefined
}

/** Opens the store of a client, and makes a secret if there is none. If it rejects, nothing is left open. */
export async function openClient(id: string, options: ClientOptions): Promise<Client> {
  const { config, memoryBudget, extractor, acceptLoss, followed } = options
  const logger = naming(id, options.logger)
  const stored: EngineOptions = {
    store: config.store,
    logger,
    memoryBudget,
    documentLimits: documentLimits(config),
    ...analyticsOptions(config),
    extractor,
    ...(config.answerCacheKb !== undefined && { answerCache: config.answerCacheKb * 2 ** 10 }),
    ...(acceptLoss && { accept: ['DATASETS_LOST'] }),
  }
  return await withStore(stored, followed, logger, store => clientOf(id, store, options, logger))
}

async function clientOf(
  id: string,
  { engine, membership, failed, close }: OpenedStore,
  { config, checks, logger, hashCost, licenceEmail, exampleLicence, readiness }: ClientOptions,
  named: Logger,
): Promise<Client> {
  const secrets = { schemes: config.authSchemes, checks, hashCost }
  const { access, licence, newSecret } = await openOwner(engine, secrets, licenceEmail)
  const parts = new ServingParts({ engine, config, logger: named })
  const { files, requests, searches, backup } = parts
  const table = [
    ...apiOf(parts, { access, licence, exampleLicence }),
    ...pagesOf({ access, licence, files, readiness }),
  ]
  return {
    id,
    engine,
    access,
    licence,
    newSecret,
    measured: {
      ...{ engine, store: config.store, requests, searches, backup, membership },
      labels: { client: id },
    },
    backup,
    failed,
    // Its requests name the client by themselves.
    fetch: createRouter(table, { engine, config, access, membership, logger }, parts),
    async close() {
      access.close()
      await parts.close()
      await close()
    },
  }
}

type Standing = Pick<Client, 'access' | 'licence'> & Pick<ClientOptions, 'exampleLicence'>

/** The routes below /api, for clients and for those that do not exist. */
export const apiOf = (parts: ServingParts, { access, licence, exampleLicence }: Standing): Route[] =>
  routesOf({ ...parts, access, licence: shownAs(licence, exampleLicence) })

/** A licence that shows an example licence in the documentation. */
function shownAs(licence: Licence, issueOpenSource: Licence['issueOpenSource']) {
  return { state: () => licence.state(), store: (text: string) => licence.store(text), issueOpenSource }
}

/** A logger for an engine's background work that adds the client's name. */
function naming(client: string, logger: Logger): Logger {
  return {
    info: (details, message) => logger.info({ ...details, client }, message),
    warn: (details, message) => logger.warn({ ...details, client }, message),
    error: (details, message) => logger.error({ ...details, client }, message),
  }
}
