import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Engine } from 'findling'
import { openAccess } from '../access/access.ts'
import { notOfCluster } from '../clients/clients-place.ts'
import { ClientFolders, configOf, hasData } from '../clients/folders.ts'
import type { Config } from '../config/config.ts'
import { isLoopback } from '../config/exposure.ts'
import { openLicence } from '../licence/licence.ts'
import { readCertificate } from '../listening/certificate.ts'
import { StatusProbe } from '../status/status.ts'
import { startFailure } from './failure.ts'
import { checkFolder } from './folder-check.ts'

/** One thing that a start needs, and whether it is there. */
export interface Check {
  readonly subject: string
  readonly isGood: boolean
  readonly says: string
}

/** Looks at everything that a start would use, without starting or making anything. */
export async function checkInstallation(config: Config, now = Date.now()): Promise<Check[]> {
  const { tlsCert: cert, tlsKey: key, store, filesFolder, backupFolder, logFolder } = config
  return [
    good('address', exposure(config)),
    ...(cert !== undefined && key !== undefined ? [await checkCertificate({ cert, key }, now)] : []),
    await folderCheck('folder of the store', store),
    await folderCheck('folder for files', filesFolder),
    ...(backupFolder === undefined ? [] : [await folderCheck('folder for backups', backupFolder)]),
    ...(logFolder === undefined ? [] : [await folderCheck('folder for the log', logFolder)]),
    await checkDisk(config),
    ...(await checkStore(config)),
    ...(await checkClients(config)),
  ]
}

/** What a start would find of each client; that one is missing keeps nobody else from being served. */
async function checkClients(config: Config): Promise<Check[]> {
  const { clientsFolder: folder } = config
  if (folder === undefined) return []
  const checks = [await folderCheck('folder of the clients', folder)]
  const folders = new ClientFolders(folder)
  const isShared = config.cluster !== undefined
  for (const { id, lacks } of await folders.strays()) {
    // In a cluster its store may be still to come from the others.
    if (!isShared || (await folders.logOf(id)) === undefined) checks.push(bad(`store of ${id}`, lacks))
  }
  for (const id of (await folders.list()) ?? []) {
    if (isShared && (await folders.logOf(id)) === undefined) {
      checks.push(bad(`store of ${id}`, notOfCluster(id, folder)))
      continue
    }
    const own = await checkStore(
      configOf(id, folder, { ...config, secret: undefined, clientsFolder: undefined }),
    )
    checks.push(...own.map(check => ({ ...check, subject: `${check.subject} of ${id}` })))
  }
  return checks
}

/** A line for each. */
export function listChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ subject }) => subject.length))
  return checks
    .map(({ subject, isGood, says }) => `${isGood ? 'ok    ' : 'failed'}  ${subject.padEnd(width)}  ${says}`)
    .join('\n')
}

const good = (subject: string, says: string): Check => ({ subject, isGood: true, says })
const bad = (subject: string, says: string): Check => ({ subject, isGood: false, says })

function exposure({ host, port, tlsCert, trustProxy, insecure }: Config): string {
  if (tlsCert !== undefined) return `HTTPS on port ${port} of ${host}`
  const plain = `plain HTTP on port ${port} of ${host}`
  if (isLoopback(host)) return `${plain}, on this machine only`
  if (trustProxy) return `${plain}, behind a proxy, which must be the only one that can reach it`
  return insecure ? `${plain}: others can eavesdrop` : plain
}

const DAY_MS = 24 * 60 * 60 * 1000

async function checkCertificate(files: { cert: string; key: string }, now: number): Promise<Check> {
  try {
    const { validTo } = await readCertificate(files)
    const day = validTo.toISOString().slice(0, 10)
    const days = Math.floor((validTo.getTime() - now) / DAY_MS)
    if (days < 0) return bad('certificate', `${files.cert} expired on ${day}`)
    return good('certificate', `${files.cert} and its key match; it expires on ${day}, in ${days} days`)
  } catch (error) {
    return bad('certificate', messageOf(error))
  }
}

async function folderCheck(subject: string, path: string): Promise<Check> {
  return await checkFolder(path).then(
    says => good(subject, says),
    error => bad(subject, messageOf(error)),
  )
}

async function checkDisk({ store, diskMinimumMb }: Config): Promise<Check> {
  const status = new StatusProbe({ folder: store })
  try {
    const free = Math.floor(await status.freeMegabytes())
    const says = `${free} MB are free`
    if (free >= diskMinimumMb) return good('disk', says)
    return bad('disk', `${says}; writes need at least ${diskMinimumMb} MB (FINDLING_DISK_MINIMUM_MB)`)
  } catch (error) {
    return bad('disk', messageOf(error))
  } finally {
    status.close()
  }
}

/** Only a store that is there is opened: it is read whole enough to know that a start would succeed. */
async function checkStore(config: Config): Promise<Check[]> {
  const isThere = await stat(join(config.store, 'CURRENT')).catch(() => undefined)
  if (!isThere) return [good('store', 'will be created at the first start')]
  try {
    await using engine = await Engine.open({ store: config.store })
    const { length } = engine.datasets.list()
    if (config.clientsFolder !== undefined && length > 0) return [bad('store', hasData(config))]
    const owners = await openAccess(engine, { schemes: config.authSchemes })
    return [
      good('store', `can be opened; it has ${length} ${length === 1 ? 'dataset' : 'datasets'}`),
      good('secret', secretSays(owners.isSet(), owners.isProvisional(), config.secret !== undefined)),
      await checkLicence(engine),
    ]
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'STORE_LOCKED')
      return [good('store', 'is in use by a running server; its secret and licence were not checked')]
    return [bad('store', startFailure(error, config) ?? messageOf(error))]
  }
}

function secretSays(isSet: boolean, isProvisional: boolean, isGiven: boolean): string {
  if (isSet && !isProvisional) return 'is set by its owner'
  if (isGiven) return 'will be set at the start, to the given one'
  return isSet
    ? 'is the provisional one; set your own on the setup page'
    : 'will be created at the start, as a provisional one'
}

async function checkLicence(engine: Engine): Promise<Check> {
  const { isValid, type, message } = await (await openLicence(engine)).state()
  if (isValid) return good('licence', `${type}, valid`)
  if (type === 'Not set') return good('licence', 'none is stored; everything works without one')
  return bad('licence', `${type}: ${message}`)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
