import { hostname } from 'node:os'
import type { Log, RecoveryOutlook, Shared } from '@findling/cluster'
import { Engine } from 'findling'
import { ClientList, type Listed, newLogOf } from '../clients/client-list.ts'
import { ClientFolders, configOf, hasData, operatorsConfig } from '../clients/folders.ts'
import { type Cluster, clusterPackage, mainLog, openCluster, withStore } from '../cluster/open-node.ts'
import type { Config } from '../config/config.ts'
import { CommandError, MissingSetting } from './clients.ts'

/** Namespaces that a server opens as `local`. */
export const ownNamespaces = ['http-clients-here', 'http-files', 'http-processes', 'http-statistics']

type RecoveredConfig = Config & { readonly snapshots: string }

interface Recovering {
  readonly config: RecoveredConfig
  readonly cluster: Cluster
  /** Whether to do it, or only to print it. */
  readonly isWanted: boolean
  readonly print: (text: string) => void
}

/** A store, and the log of which it becomes the beginning. */
interface Place {
  readonly log: string
  readonly store: string
  readonly snapshots: string
  /** Whether a log that has everything in the store is left as it is, even if it has more. */
  readonly isBesideOthers: boolean
}

/**
 * Prints what would become of the log if the store of these settings were its beginning, and makes it that; with clients, also for
 * all clients that have a store here.
 * @param isWanted whether to do it, or only to print it
 * @returns whether each log now has what its store has
 */
export async function recoverCluster(
  config: Config,
  isWanted: boolean,
  print: (text: string) => void,
): Promise<boolean> {
  const { snapshots, clientsFolder } = config
  if (snapshots === undefined)
    throw new MissingSetting('FINDLING_SNAPSHOTS', 'the folder of the snapshots from which servers start')
  const opened = await openCluster(config)
  if (!opened) throw new MissingSetting('FINDLING_CLUSTER', 'the address of the database')
  try {
    const cluster = { ...opened, name: config.node ?? hostname() }
    const recovering = { config: { ...config, snapshots }, cluster, isWanted, print }
    if (clientsFolder !== undefined) return await recoverAll(recovering, clientsFolder)
    const place = { log: mainLog, store: config.store, snapshots, isBesideOthers: false }
    const outcome = await recoverStore(recovering, place)
    if (outcome === 'begun')
      print(
        'The log now begins with this store. Start its server, then the others, which start from the snapshot.',
      )
    if (outcome === 'not wanted')
      print('Nothing was changed. With --yes, the store becomes the beginning of the log.')
    return outcome !== 'not wanted'
  } finally {
    await opened.database.close()
  }
}

type Outcome = 'whole' | 'ahead' | 'begun' | 'not wanted'

async function recoverStore(
  { config, cluster, isWanted, print }: Recovering,
  { log: named, store, snapshots, isBesideOthers }: Place,
): Promise<Outcome> {
  const { recover } = await clusterPackage()
  const { log, shared, close } = await openedLog(cluster, named, isWanted)
  let outcome: Outcome = 'not wanted'
  const decide = (outlook: RecoveryOutlook): boolean => {
    if (config.clientsFolder !== undefined && named === mainLog && outlook.store.datasets > 0)
      throw new CommandError(hasData(config))
    for (const line of outlookLines(store, outlook)) print(line)
    if (outlook.isWhole) print('There is nothing to recover.')
    if (outlook.isWhole) outcome = 'whole'
    else if (isBesideOthers && outlook.isOfLog) {
      print('There is nothing to recover: the log has all of this store, and more.')
      outcome = 'ahead'
      return false
    } else if (isWanted) outcome = 'begun'
    return isWanted
  }
  try {
    const options = { log, shared, store, snapshots: { folder: snapshots }, own: ownNamespaces }
    const recovered = await recover({ ...options, name: cluster.name }, decide)
    if (!recovered) return outcome
    const { position, snapshot, left } = recovered
    print(`snapshot  ${snapshot.name}  at ${position}, ${snapshot.bytes} bytes`)
    for (const one of left)
      print(`left      ${one}  is from the previous log; delete it when nobody needs it`)
    return outcome
  } finally {
    await close()
  }
}

/** Creates a missing log only if recovery is wanted; otherwise it counts as an empty one. */
async function openedLog(
  { database }: Cluster,
  name: string,
  isWanted: boolean,
): Promise<{ log: Log; shared: Shared; close(): Promise<void> }> {
  if (!isWanted && !(await database.names()).includes(name)) {
    const { MemoryLog, MemoryShared } = await clusterPackage()
    return { log: new MemoryLog(), shared: new MemoryShared(), close: async () => {} }
  }
  const [log, shared] = [await database.log(name), await database.shared(name)]
  return {
    ...{ log, shared },
    async close() {
      await Promise.all([log.close(), shared.close()])
    },
  }
}

/** Begins with the operator's log, which has the list of clients. */
async function recoverAll(recovering: Recovering, folder: string): Promise<boolean> {
  const { config, cluster, isWanted, print } = recovering
  const { store, snapshots = config.snapshots } = operatorsConfig(config)
  print('operator')
  const operators = { log: mainLog, store, snapshots, isBesideOthers: true }
  const outcomes: (Outcome | 'failed')[] = [await recoverStore(recovering, operators)]
  if (isWanted) {
    const followed = {
      ...{ cluster: { ...cluster, name: `${cluster.name} (command ${process.pid})` }, log: mainLog },
      ...{ create: false, snapshots },
    }
    await withStore({ store }, followed, silent, async node => {
      const list = new ClientList(node.engine)
      outcomes.push(...(await recoverClients(recovering, folder, await list.read(), list)))
      await node.close()
    })
  } else outcomes.push(...(await recoverClients(recovering, folder, await listedIn(store))))
  if (outcomes.includes('not wanted'))
    print('Nothing was changed. With --yes, each of these stores becomes the beginning of its log.')
  if (outcomes.includes('begun')) print('Start this server, then the others, which start from the snapshots.')
  if (outcomes.includes('failed'))
    print('Some clients could not be recovered. The command can safely be repeated.')
  return outcomes.every(outcome => outcome !== 'failed' && outcome !== 'not wanted')
}

/** @param list where it is to be done: has those that are recovered afterwards */
async function recoverClients(
  recovering: Recovering,
  folder: string,
  listed: Listed,
  list?: ClientList,
): Promise<(Outcome | 'failed')[]> {
  const { config, cluster, print } = recovering
  const folders = new ClientFolders(folder)
  const outcomes: (Outcome | 'failed')[] = []
  const here = (await folders.list()) ?? []
  for (const id of here) {
    const noted = await folders.logOf(id)
    const known = listed.clients.get(id)
    if (noted !== undefined && listed.former.has(noted)) {
      print(`client    ${id}  was removed; its server sets the folder aside`)
      continue
    }
    if (noted !== undefined && known !== undefined && noted !== known) {
      print(
        `client    ${id}  is ${known} in the list of clients, but ${folder}/${id} belongs to ${noted}: move it away`,
      )
      outcomes.push('failed')
      continue
    }
    const log = noted ?? known ?? newLogOf(id)
    print(`client    ${id}`)
    const outcome = await one(async () => {
      // Noted first, so that a repetition uses the same name.
      if (list && noted === undefined) await folders.note(id, log)
      const own = configOf(id, folder, config)
      const place = { log, store: own.store, snapshots: own.snapshots ?? config.snapshots }
      const outcome = await recoverStore(recovering, { ...place, isBesideOthers: true })
      if (list && known === undefined) await list.add(id, log)
      return outcome
    }, print)
    outcomes.push(outcome)
  }
  const lacking = new Map((await folders.strays()).map(({ id, lacks }) => [id, lacks]))
  const logs = new Set(await cluster.database.names())
  for (const id of new Set([...listed.clients.keys(), ...lacking.keys()])) {
    const log = listed.clients.get(id)
    if (here.includes(id) || (log !== undefined && logs.has(log))) continue
    const why = lacking.get(id) ?? `There is no folder ${folder}/${id}.`
    print(`client    ${id}  cannot be recovered here. ${why}`)
    outcomes.push('failed')
  }
  return outcomes
}

/** An error with one client does not affect the others; an error of the database ends all. */
async function one(work: () => Promise<Outcome>, print: (text: string) => void): Promise<Outcome | 'failed'> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error) || isOfDatabase(error.code)) throw error
    print(`failed    ${error.message}`)
    return 'failed'
  }
}

export const isOfDatabase = (code: unknown): boolean =>
  code === 'LOG_AWAY' || code === 'LOG_REFUSED' || code === 'CLOSED'

/** The list of clients as the store has it, without writing to the store. */
async function listedIn(store: string): Promise<Listed> {
  const write = () => Promise.reject(new CommandError('Nothing is written without --yes.'))
  await using engine = await Engine.open({ store, rankingConstants: 'adopted', writeThrough: { write } })
  return await new ClientList(engine).read()
}

function outlookLines(store: string, { log, store: found, ...outlook }: RecoveryOutlook): string[] {
  const { isOfLog, lost, followedBy } = outlook
  const { position, datasets, documents } = found
  const follows =
    position === undefined
      ? 'was alone'
      : `${isOfLog ? 'follows the log' : 'follows another log'}, up to entry ${position}`
  const ofThem = isOfLog ? 'which the store does not have' : 'some of which the store may have'
  const gone = lost ? `lost      entries ${lost.first} to ${lost.last}, ${ofThem}` : []
  const servers = followedBy.map(name => `server    ${name}  follows the log; stop it first`)
  return [
    log.first > log.position ? 'log       no entries' : `log       entries ${log.first} to ${log.position}`,
    `store     ${store}  ${follows}; datasets ${datasets}, documents ${documents}`,
    ...[gone].flat(),
    ...(outlook.isWhole ? [] : servers),
  ]
}

const silent = { info() {}, warn() {}, error() {} }
