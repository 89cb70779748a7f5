import { readFile } from 'node:fs/promises'
import { Engine } from 'findling'
import * as z from 'zod'
import { type Access, openAccess } from '../access/access.ts'
import { createApp } from '../app.ts'
import type { Config, Environment } from '../config/config.ts'
import { type Licence, openLicence } from '../licence/licence.ts'
import { createSetup } from '../setup/setup.ts'
import { type ListenOptions, listen } from '../transport/listen.ts'
import type { Logger } from '../transport/log.ts'
import { commandComponent } from '../update/commands.ts'
import { packageComponent } from '../update/npm-package.ts'
import { createUpdater, type Updater } from '../update/update.ts'

export interface StartOptions {
  readonly config: Config
  /** Passed on to the commands of updates, without the secret. */
  readonly env: Environment
  readonly logger: Logger
  /** Email address of who accepts the licence; without one none is made. */
  readonly licenceEmail?: string | undefined
  /** The package.json of this package. */
  readonly manifest: URL
  /** Opens a store that has lost datasets, which is refused otherwise. */
  readonly acceptLoss?: boolean
}

export interface Running {
  /** `http://127.0.0.1:8080`, or `https://…` */
  readonly address: string
  readonly engine: Engine
  /** A secret made at this start; it is not known later. */
  readonly newSecret: string | undefined
  /** Opens the setup page, until it is completed. */
  readonly setupToken: string | undefined
  /** Ends requests, then closes the store. */
  stop(): Promise<void>
}

/** How long requests may take to end when the server stops. */
const GRACE_MS = 10_000

/** Opens the store, makes a secret where there is none, and listens. Rejects with nothing left open. */
export async function start(options: StartOptions): Promise<Running> {
  const { config, logger, acceptLoss } = options
  const engine = await Engine.open({
    store: config.store,
    logger,
    ...(acceptLoss && { accept: ['DATASETS_LOST'] }),
  })
  try {
    return await serve(engine, options)
  } catch (error) {
    await engine.close()
    throw error
  }
}

async function serve(engine: Engine, options: StartOptions): Promise<Running> {
  const { config, env, logger, manifest, licenceEmail } = options
  const { secret: seed, authSchemes: schemes } = config
  const access = await openAccess(engine, { schemes, ...(seed !== undefined && { seed }) })
  const newSecret = await provisionalSecret(access)
  const licence = await openLicence(engine)
  if (licenceEmail !== undefined) await makeLicence(licence, licenceEmail)
  const setup = createSetup({ access, licence })
  const updater = await updaterOf(config, env, logger, manifest)
  const app = createApp({ engine, config, access, setup, licence, logger, ...(updater && { updater }) })
  try {
    const server = await listen(app, { ...addressOf(config), logger })
    return {
      address: server.address,
      engine,
      newSecret,
      setupToken: setup.token(),
      async stop() {
        await server.close(GRACE_MS)
        await app.close()
        await engine.close()
      },
    }
  } catch (error) {
    await app.close()
    throw error
  }
}

function addressOf({ host, port, tlsCert: cert, tlsKey: key }: Config): ListenOptions {
  return cert === undefined || key === undefined ? { host, port } : { host, port, tls: { cert, key } }
}

async function provisionalSecret(access: Access): Promise<string | undefined> {
  return access.isSet() ? undefined : await access.makeProvisional()
}

/** As the setup page does, for those who never see it. One that is valid already stays. */
async function makeLicence(licence: Licence, email: string): Promise<void> {
  const { isValid } = await licence.state()
  if (!isValid) await licence.store(await licence.issueOpenSource(email))
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
