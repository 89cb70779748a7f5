#!/usr/bin/env node
import type { Engine } from 'findling'
import type { Logger } from 'pino'
import { configOf } from './clients/folders.ts'
import type { OpenedClient } from './clients/serve-clients.ts'
import { backUpStores, restoreStores } from './commands/backups.ts'
import { addClient, CommandError, listClients, MissingSetting, removeClient } from './commands/clients.ts'
import { showCluster, upgradeServers, verifyCluster } from './commands/cluster.ts'
import { addClusterClient, listClusterClients, removeClusterClient } from './commands/cluster-clients.ts'
import { recoverCluster } from './commands/cluster-recovery.ts'
import {
  type Arguments,
  type BackupCommand,
  type ClientsCommand,
  type Command,
  readArguments,
  WrongUse,
} from './config/arguments.ts'
import { type Config, ConfigError, type Environment, readSettings, type Settings } from './config/config.ts'
import { listSettings } from './config/describe.ts'
import { nearestVariable } from './config/nearest-setting.ts'
import { usage } from './config/usage.ts'
import { isEmail } from './licence/licence.ts'
import { declineSample, findCatalogue } from './sample/catalogue.ts'
import { checkInstallation, listChecks } from './server/check.ts'
import { exitCodeOf, startFailure } from './server/failure.ts'
import { addedEntry, clientEntry, greeting, unseenSecret } from './server/greeting.ts'
import { openLog } from './server/log.ts'
import { loadSampleOnce, loadWithProgress } from './server/samples.ts'
import { type Running, start } from './server/start.ts'

const manifest = new URL('../package.json', import.meta.url)
const catalogueFolder = new URL('../../../test/fixtures/catalogue/', import.meta.url)

/** How long a start may take to end once the server has been asked to stop. */
const PATIENCE_MS = 10_000

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function complain(text: string): void {
  process.stderr.write(`findling-http: ${text}\n`)
}

/** Exit code 0 when it was stopped as asked, 1 when it could not start, 2 when options or settings are wrong. */
async function main(args: readonly string[], env: Environment): Promise<number> {
  try {
    const given = readArguments(args)
    if (given.help) return finish(usage())
    if (given.licence !== undefined && !isEmail(given.licence)) {
      throw new WrongUse(`--licence is ${JSON.stringify(given.licence)}; expected an email address`)
    }
    const { config: file, secretFile, turnedOn } = given
    const settings = readSettings({ env, file, secretFile, turnedOn })
    for (const name of settings.unknown)
      complain(`${name} is not a setting and has no effect${nearestVariable(name)} (see --help)`)
    if (given.checkConfig) return await check(settings)
    return given.command ? await work(given.command, settings.config, given) : await run(settings, given, env)
  } catch (error) {
    if (error instanceof WrongUse) complain(`${error.message} (see --help)`)
    else if (error instanceof ConfigError) for (const mistake of error.mistakes) complain(mistake)
    else if (!(error instanceof NotClosed)) throw error
    else {
      complain(`The store could not be closed: ${error.message}`)
      return 1
    }
    return 2
  }
}

/** Exit code 0 when a start would find all it needs, 1 when not. */
async function check(settings: Settings): Promise<number> {
  const checks = await checkInstallation(settings.config)
  print(`${listSettings(settings)}\n\n${listChecks(checks)}`)
  return checks.every(({ isGood }) => isGood) ? 0 : 1
}

function finish(text: string): number {
  print(text)
  return 0
}

async function run(
  { config }: Settings,
  { empty, licence, acceptLoss }: Arguments,
  env: Environment,
): Promise<number> {
  const stopped = stopSignal()
  const end = new AbortController()
  void stopped.then(signal => end.abort(signal))
  let logger: Logger
  try {
    logger = openLog(config)
  } catch (error) {
    return unstarted(error, config)
  }
  const console = new ClientsConsole(config)
  const { onSecret, onClient, onFailed } = console
  const starting = start({
    config,
    env,
    logger,
    manifest,
    licenceEmail: licence,
    acceptLoss,
    onSecret,
    onClient,
    onFailed,
    signal: end.signal,
  })
  const ready = starting.then(async running => {
    // Servers of a cluster that start together would all load it.
    if (empty || config.cluster !== undefined) await declineSample(running.engine)
    else await loadSampleOnce(running, await findCatalogue(catalogueFolder), print)
    return running
  })
  try {
    const first = await Promise.race([ready, stopped])
    if (typeof first === 'object') await console.greet(first)
    const failed = typeof first === 'object' ? first.failed : undefined
    const end = await Promise.race([stopped, ...(failed ? [failed] : [])])
    if (typeof end === 'string') {
      print(`Stopping on ${end}.`)
      return 0
    }
    complain(`The server no longer follows its cluster. ${end.message}`)
    return exitCodeOf(end)
  } catch (error) {
    return unstarted(error, config)
  } finally {
    await stop(starting, ready)
    console.showUnseen()
  }
}

/** Says why the server could not start. */
function unstarted(error: unknown, config: Config): number {
  const line = startFailure(error, config)
  if (line === undefined) throw error
  complain(line)
  return exitCodeOf(error)
}

/** Prints clients: those of the start together, later ones individually. */
class ClientsConsole {
  readonly #config: Config
  /** Those of the start, until they have been shown. */
  #waiting: OpenedClient[] = []
  #secret: string | undefined
  #address: string | undefined

  constructor(config: Config) {
    this.#config = config
  }

  readonly onSecret = (secret: string): void => {
    this.#secret = secret
  }

  readonly onClient = (client: OpenedClient): void => {
    if (this.#address === undefined) this.#waiting.push(client)
    else print(`\n${clientEntry(this.#address, client)}`)
  }

  readonly onFailed = (id: string, error: unknown): void => {
    const own = configOf(id, this.#config.clientsFolder ?? '', this.#config)
    const why = startFailure(error, own, id) ?? (error instanceof Error ? error.message : String(error))
    complain(`The client ${id} is not served. ${why}`)
  }

  async greet(running: Running): Promise<void> {
    print(await greeting(running, this.#waiting, this.#config.tlsCert))
    this.#address = running.address
    // A client may be removed later; held here, its engine would stay in memory.
    this.#waiting = []
  }

  /** Provisional secrets of a start that ended before it showed them: they are stored, and no later start shows them. */
  showUnseen(): void {
    if (this.#address !== undefined) return
    if (this.#secret !== undefined) print(unseenSecret(this.#secret))
    for (const { id, newSecret } of this.#waiting)
      if (newSecret !== undefined) print(unseenSecret(newSecret, id))
  }
}

/** Exit code 0 when all of it was done, 1 when not. */
async function work(command: Command, config: Config, given: Arguments): Promise<number> {
  try {
    if (command.verb === 'backup' || command.verb === 'restore')
      return (await backUpOrRestore(command, config)) ? 0 : 1
    if (command.verb === 'recover') return (await recoverCluster(config, given.yes, print)) ? 0 : 1
    if (command.verb === 'verify') return (await verifyCluster(config, print)) ? 0 : 1
    if (command.verb === 'upgrade') return (await upgradeServers(config, print)) ? 0 : 1
    if (command.verb === 'status') return (await showCluster(config, print)) ? 0 : 1
    await manage(command, config, given)
    return 0
  } catch (error) {
    if (error instanceof WrongUse) throw error
    const line = error instanceof CommandError ? error.message : startFailure(error, config)
    if (line === undefined) throw error
    complain(line)
    return error instanceof MissingSetting ? 2 : 1
  }
}

async function manage(command: ClientsCommand, config: Config, given: Arguments): Promise<void> {
  const { clientsFolder: folder } = config
  if (folder === undefined)
    throw new WrongUse('FINDLING_CLIENTS is not set; expected the folder of the clients')
  const shared = config.cluster === undefined ? undefined : { ...config, clientsFolder: folder }
  if (command.verb === 'list')
    for (const id of await (shared ? listClusterClients(shared) : listClients(folder))) print(id)
  if (command.verb === 'remove') {
    if (shared) {
      await removeClusterClient(command.id, shared)
      print(
        `The client ${command.id} has been removed from the cluster, with its log and its snapshots. Each server sets its data aside ` +
          `as ${command.id}.removed-<time>; delete them when nobody needs them.`,
      )
      return
    }
    const { filesFolder, backupFolder = folder } = config
    const aside = await removeClient(command.id, folder, { others: [filesFolder, backupFolder] })
    print(
      `The client ${command.id} has been removed. Its data are in ${aside}; delete them when nobody needs them.`,
    )
  }
  if (command.verb === 'add') await add(command.id, folder, config, given)
}

/** Whether everything was done. A signal aborts it: the previous backup stays, and nothing is half restored. */
async function backUpOrRestore(command: BackupCommand, config: Config): Promise<boolean> {
  const { backupFolder, clientsFolder } = config
  if (backupFolder === undefined)
    throw new WrongUse('FINDLING_BACKUP_FOLDER is not set; expected the folder of the backups')
  if (command.verb === 'restore' && command.ids.length > 0 && clientsFolder === undefined)
    throw new WrongUse('restore accepts ids only with FINDLING_CLIENTS')
  const end = new AbortController()
  void stopSignal().then(signal => end.abort(signal))
  const telling = { print, complain, signal: end.signal }
  const known = { ...config, backupFolder }
  return command.verb === 'backup'
    ? await backUpStores(known, telling)
    : await restoreStores(known, command, telling)
}

async function add(id: string, folder: string, config: Config, given: Arguments): Promise<void> {
  const catalogue = given.sample ? await findCatalogue(catalogueFolder) : undefined
  if (given.sample && !catalogue)
    throw new CommandError(
      'The sample catalogue comes with the repository, not with this package. Leave --sample out, and import your own data: ' +
        'POST /api/Documents/Import.',
    )
  // FINDLING_SECRET is the operator's.
  const secret = given.secretFile === undefined ? undefined : config.secret
  const fill = catalogue && ((engine: Engine) => loadWithProgress(engine, catalogue, print))
  const added = { secret, licence: given.licence, fill }
  const made =
    config.cluster === undefined
      ? await addClient(id, folder, config, added)
      : await addClusterClient(id, { ...config, clientsFolder: folder }, added)
  print(addedEntry(id, made))
}

/** Stops a server, also one that is still starting. */
async function stop(starting: Promise<Running>, ready: Promise<Running>): Promise<void> {
  ready.catch(() => {})
  // A store that takes long to open is safe without being closed.
  const patience = setTimeout(() => process.exit(0), PATIENCE_MS).unref()
  const running = await starting.catch(() => undefined)
  clearTimeout(patience)
  await running?.stop().catch((cause: unknown) => {
    throw new NotClosed(cause instanceof Error ? cause.message : String(cause), { cause })
  })
}

/** A server has ended, but its store was not closed, such as where its folder is gone. */
class NotClosed extends Error {}

/** The first signal asks to stop; a second one does not wait for what is still running. A closed terminal sends SIGHUP. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        resolve(signal)
        process.once(signal, () => process.exit(1))
      })
    }
  })
}

// A server goes on when nobody reads what it prints.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

process.exitCode = await main(process.argv.slice(2), process.env)
