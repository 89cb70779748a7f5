import { readFile } from 'node:fs/promises'
import type { Engine, EngineOptions } from 'findling'
import * as z from 'zod'
import { type App, createApp } from '../app.ts'
import type { Clients } from '../clients/clients.ts'
import { type OpenedClient, serveClients } from '../clients/serve-clients.ts'
import { mainLog, type OpenedStore, openCluster, withStore } from '../cluster/open-node.ts'
import { analyticsOptions } from '../config/analytics-options.ts'
import type { Config, Environment } from '../config/config.ts'
import { documentLimits } from '../config/document-limits.ts'
import { fileLimits } from '../config/file-limits.ts'
import { openOwner } from '../licence/owner.ts'
import { type ListenOptions, listen } from '../listening/listen.ts'
import type { Logger } from '../request/log.ts'
import { createSetup } from '../setup/setup.ts'
import { commandComponent } from '../update/commands.ts'
import { packageComponent } from '../update/npm-package.ts'
import { createUpdater, type Updater } from '../update/update.ts'
import { checkFolder } from './folder-check.ts'

export interface StartOptions {
  readonly config: Config
  /** Passed on to the commands of updates, without the secret. */
  readonly env: Environment
  readonly logger: Logger
  /** Email address of the person who accepts the licence; without it, none is made. */
  readonly licenceEmail?: string | undefined
  /** The package.json of this package. */
  readonly manifest: URL
  /** Opens the store even if it has lost datasets. */
  readonly acceptLoss?: boolean
  /** Called as soon as the owner's secret has been made, which may be long before the server listens. */
  readonly onSecret?: (secret: string) => void
  /** Called for every client that is opened, at the start and later; `onFailed` for those that cannot be. */
  readonly onClient?: (client: OpenedClient) => void
  readonly onFailed?: (id: string, error: unknown) => void
  /** Aborts a start that waits for its cluster, which then rejects with the reason. */
  readonly signal?: AbortSignal
}

export interface Running {
  /** `http://127.0.0.1:8080`, or `https://…` */
  readonly address: string
  /** The engine of a single installation, or of the operator of clients. */
  readonly engine: Engine
  /** The owner's secret, if it was made at this start; it cannot be shown later. */
  readonly newSecret: string | undefined
  /** Opens the setup page until the setup is completed. */
  readonly setupToken: string | undefined
  /** Only if a folder of clients is set. */
  readonly clients?: Clients
  /** Resolves with the reason when it stops following its cluster. */
  readonly failed?: Promise<Error>
  /** Ends requests, then closes all stores. */
  stop(): Promise<void>
}

/** How long requests may take to end when the server stops. */
const GRACE_MS = 10_000

/** What is served, before it listens. */
type Served = Omit<Running, 'address' | 'stop'> & App

/** Opens what is stored, makes secrets where there are none, and listens. If it rejects, nothing is left open. */
export async function start(options: StartOptions): Promise<Running> {
  const { config, env, logger, manifest } = options
  // Used only later, when nobody looks at the console.
  for (const folder of [config.filesFolder, config.backupFolder])
    if (folder !== undefined) await checkFolder(folder)
  const updater = await updaterOf(config, env, logger, manifest)
  const folder = config.clientsFolder
  const served =
    folder === undefined
      ? await serveAlone(options, updater)
      : await serveClients({
          ...options,
          folder,
          updater,
          onOpened: options.onClient,
          onFailed: options.onFailed,
        })
  const { fetch, close, ...about } = served
  try {
    const server = await listen({ fetch, close }, { ...addressOf(config), logger })
    return {
      ...about,
      address: server.address,
      async stop() {
        await server.close(GRACE_MS)
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function serveAlone(options: StartOptions, updater: Updater | undefined): Promise<Served> {
  const { config, logger, acceptLoss } = options
  const { memoryMb, answerCacheKb } = config
  const stored: EngineOptions = {
    store: config.store,
    logger,
    documentLimits: documentLimits(config),
    ...analyticsOptions(config),
    extraction: fileLimits(config),
    ...(memoryMb !== undefined && { memoryBudget: memoryMb * 2 ** 20 }),
    ...(answerCacheKb !== undefined && { answerCache: answerCacheKb * 2 ** 10 }),
    ...(acceptLoss && { accept: ['DATASETS_LOST'] }),
  }
  const cluster = await openCluster(config, options.signal)
  const followed = cluster && { cluster, log: mainLog, snapshots: config.snapshots }
  try {
    return await withStore(stored, followed, logger, async store => {
      const close = async () => {
        await store.close()
        await cluster?.database.close()
      }
      return await appOf({ ...store, close }, options, updater)
    })
  } catch (error) {
    await cluster?.database.close()
    throw error
  }
}

async function appOf(
  store: OpenedStore,
  options: StartOptions,
  updater: Updater | undefined,
): Promise<Served> {
  const { engine, membership } = store
  const { config, logger, licenceEmail } = options
  const { secret: seed, authSchemes: schemes } = config
  const { access, licence, newSecret } = await openOwner(engine, { schemes, seed }, licenceEmail)
  if (newSecret !== undefined) options.onSecret?.(newSecret)
  const setup = createSetup({ access, licence })
  const app = createApp({
    ...{ engine, config, access, setup, licence, logger },
    ...(membership && { membership }),
    ...(updater && { updater }),
  })
  return {
    engine,
    newSecret,
    setupToken: setup.token(),
    ...(store.failed && { failed: store.failed }),
    fetch: app.fetch,
    async close() {
      await app.close()
      await store.close()
    },
  }
}

function addressOf({ host, port, tlsCert: cert, tlsKey: key }: Config): ListenOptions {
  return cert === undefined || key === undefined ? { host, port } : { host, port, tls: { cert, key } }
}

const manifestSchema = z.object({ name: z.string(), version: z.string() })

async function updaterOf(
  { update }: Config,
  { FINDLING_SECRET: _, ...env }: Environment,
  logger: Logger,
  manifest: URL,
): Promise<Updater | undefined> {
  if (!update) return undefined
  const components = update.components.map(component => commandComponent(component, env))
  if (update.package) {
    const installed = manifestSchema.parse(JSON.parse(await readFile(manifest, 'utf8')))
    components.unshift(packageComponent(installed, update.package, env))
  }
  return createUpdater(components, (details, message) => logger.info(details, message))
}
