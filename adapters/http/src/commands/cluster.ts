import { hostname } from 'node:os'
import type {
  ComparedNode,
  PostgresDatabase,
  PostgresLog,
  PostgresShared,
  RecoveryOutlook,
} from '@findling/cluster'
import { idOfLog } from '../clients/client-list.ts'
import { clusterPackage, mainLog } from '../cluster/open-node.ts'
import type { Config } from '../config/config.ts'
import { CommandError } from './clients.ts'

/** What a server opens as its own. */
export const ownNamespaces = ['http-files', 'http-processes', 'http-statistics']

type Print = (text: string) => void
type Cluster = {
  readonly log: PostgresLog
  readonly shared: PostgresShared
  /** Undefined of the only installation, or of the operator. */
  readonly client: string | undefined
} & Awaited<ReturnType<typeof clusterPackage>>

/** Prints what the servers of a cluster are at, a line for each, and its snapshots; then a line for each client. */
export async function showCluster(url: string | undefined, print: Print): Promise<void> {
  await inCluster(url, allLogs, async ({ log, shared, client, clusterStatus }) => {
    const { log: head, nodes, snapshots } = await clusterStatus(log, shared)
    const entries = `entries ${head.first} to ${head.position}`
    if (client !== undefined) {
      const at = nodes.map(
        ({ name, position, isReady }) => `${name} ${isReady ? 'at' : 'stands at'} ${position}`,
      )
      const newest = snapshots[0] ? `snapshot at ${snapshots[0].position}` : 'no snapshot'
      print(`client    ${client}  ${[entries, ...(at.length > 0 ? at : ['no server']), newest].join(', ')}`)
      return
    }
    print(`log       ${entries}`)
    for (const { name, position, behind, isReady, version, writes, knows, age } of nodes)
      print(
        `server    ${name}  at ${position}, ${behind} behind, ${isReady ? 'follows' : 'does not follow'}, version ${version}, writes commands of version ${writes} and knows ${knows}, told ${seconds(age)} s ago`,
      )
    if (nodes.length === 0) print('server    none was heard of within half a minute')
    for (const { name, position, bytes, node, age } of snapshots)
      print(`snapshot  ${name}  at ${position}, ${bytes} bytes, by ${node}, ${seconds(age)} s ago`)
  })
}

/**
 * Has the servers tell what they hold at one place of each log, and prints it, a line for each.
 * @returns whether all hold the same
 */
export async function verifyCluster(url: string | undefined, print: Print): Promise<boolean> {
  const all = await inCluster(url, allLogs, async ({ log, shared, client, compareNodes }) => {
    const { position, nodes, isSame } = await compareNodes(log, shared)
    const of = client === undefined ? 'log       ' : `client    ${client}  `
    print(`${of}compared at entry ${position}`)
    for (const node of nodes) print(`server    ${node.name}  ${toldBy(node)}`)
    return isSame
  })
  return all.every(isSame => isSame)
}

/** Has the servers write what only the version of this package knows, when all of them have it. */
export async function upgradeServers(url: string | undefined, print: Print): Promise<void> {
  await inCluster(url, allLogs, async ({ log, shared, client, upgradeCluster }) => {
    const { from, to } = await upgradeCluster(log, shared)
    const of = client === undefined ? '' : `${client}: `
    print(
      from === to
        ? `${of}The servers write commands of version ${to} already.`
        : `${of}The servers write commands of version ${to}; it was ${from}.`,
    )
  })
}

/**
 * Prints what becomes of the log where the store of these settings is its beginning, and makes it that.
 * @param isWanted whether it is to be done, or only printed
 * @returns whether the log has what the store has now
 */
export async function recoverCluster(
  { cluster: url, clientsFolder, store, snapshots, node: name = hostname() }: Config,
  isWanted: boolean,
  print: Print,
): Promise<boolean> {
  if (clientsFolder !== undefined)
    throw new CommandError(
      'FINDLING_CLIENTS is set; cluster recover takes one store, that of FINDLING_STORE.',
    )
  if (snapshots === undefined)
    throw new CommandError(
      'FINDLING_SNAPSHOTS is not set; expected the folder of the snapshots that the servers begin with.',
    )
  const [isDone] = await inCluster(url, onlyMain, async ({ log, shared, recover }) => {
    let isWhole = false
    const options = { log, shared, store, snapshots: { folder: snapshots }, own: ownNamespaces, name }
    const recovered = await recover(options, outlook => {
      for (const line of outlookLines(store, outlook)) print(line)
      isWhole = outlook.isWhole
      return isWanted
    }).catch(error => {
      throw isOfStore(error) ? new CommandError(error.message) : error
    })
    if (isWhole) print('There is nothing to recover.')
    else if (!recovered) print('Nothing was changed. With --yes the store becomes the beginning of the log.')
    if (!recovered) return isWhole
    const { position, snapshot, left } = recovered
    print(`snapshot  ${snapshot.name}  at ${position}, ${snapshot.bytes} bytes`)
    for (const one of left) print(`left      ${one}  is of the log before; delete it when nobody needs it`)
    if (!isWhole)
      print(
        'The log begins with this store. Start its server, then the others, which begin with the snapshot.',
      )
    return true
  })
  return isDone === true
}

function outlookLines(store: string, { log, store: found, ...outlook }: RecoveryOutlook): string[] {
  const { isOfLog, lost, followedBy } = outlook
  const { position, datasets, documents } = found
  const follows =
    position === undefined
      ? 'was alone'
      : `${isOfLog ? 'follows the log' : 'follows another log'}, up to entry ${position}`
  const ofThem = isOfLog ? 'which the store does not have' : 'of which the store may have some'
  const gone = lost ? `lost      entries ${lost.first} to ${lost.last}, ${ofThem}` : []
  const servers = followedBy.map(name => `server    ${name}  follows the log; stop it before`)
  return [
    log.first > log.position ? 'log       no entries' : `log       entries ${log.first} to ${log.position}`,
    `store     ${store}  ${follows}; datasets ${datasets}, documents ${documents}`,
    ...[gone].flat(),
    ...(outlook.isWhole ? [] : servers),
  ]
}

const isOfStore = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'INVALID_ARGUMENT'

function toldBy({ digest, failure, differs }: ComparedNode): string {
  if (failure !== undefined) return `cannot count: ${failure}`
  if (!digest) return 'did not tell in time'
  if (differs.length > 0)
    return `differs in ${differs.map(({ dataset, parts }) => `${dataset ?? 'services'} (${parts.join(', ')})`).join(', ')}`
  const documents = digest.datasets.reduce((sum, one) => sum + one.documents, 0)
  return `datasets ${digest.datasets.length}, documents ${documents}, digest ${digest.digest}`
}

type Choose = (database: PostgresDatabase) => Promise<string[]>

const onlyMain: Choose = async () => [mainLog]

/** That of the operator, then those of all clients. */
const allLogs: Choose = async database => [
  mainLog,
  ...(await database.names()).filter(name => name !== mainLog),
]

async function inCluster<T>(
  url: string | undefined,
  choose: Choose,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T[]> {
  if (url === undefined)
    throw new CommandError('FINDLING_CLUSTER is not set; expected the address of the database.')
  const library = await clusterPackage()
  const database: PostgresDatabase = await library.PostgresDatabase.open({ url, listen: false })
  try {
    const outcomes: T[] = []
    for (const name of await choose(database)) {
      const [log, shared] = [await database.log(name), await database.shared(name)]
      const client = name === mainLog ? undefined : idOfLog(name)
      outcomes.push(await work({ ...library, log, shared, client }))
      await Promise.all([log.close(), shared.close()])
    }
    return outcomes
  } finally {
    await database.close()
  }
}

const seconds = (milliseconds: number): number => Math.round(milliseconds / 1000)
