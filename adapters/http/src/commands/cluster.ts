import type { ComparedNode, PostgresDatabase, PostgresLog, PostgresShared } from '@findling/cluster'
import { idOfLog } from '../clients/client-list.ts'
import { clusterPackage, mainLog } from '../cluster/open-node.ts'
import type { Config } from '../config/config.ts'
import { MissingSetting } from './clients.ts'
import { logsOfClients } from './cluster-clients.ts'
import { isOfDatabase } from './cluster-recovery.ts'

type Print = (text: string) => void
type OpenedLog = {
  readonly log: PostgresLog
  readonly shared: PostgresShared
  /** Beginning of a line about the log. */
  readonly of: string
  /** Undefined for a single installation, and for the operator. */
  readonly client: string | undefined
} & Awaited<ReturnType<typeof clusterPackage>>

/**
 * Prints the state of each server of a cluster, a line each, and the snapshots; then a line for each client.
 * @returns whether all logs exist
 */
export async function showCluster(config: Config, print: Print): Promise<boolean> {
  return await inCluster(config, print, async ({ log, shared, client, clusterStatus }) => {
    const { log: head, nodes, snapshots } = await clusterStatus(log, shared)
    const entries = `entries ${head.first} to ${head.position}`
    if (client !== undefined) {
      const at = nodes.map(
        ({ name, position, isReady }) => `${name} ${isReady ? 'at' : 'stands at'} ${position}`,
      )
      const newest = snapshots[0] ? `snapshot at ${snapshots[0].position}` : 'no snapshot'
      print(`client    ${client}  ${[entries, ...(at.length > 0 ? at : ['no server']), newest].join(', ')}`)
      return true
    }
    print(`log       ${entries}`)
    for (const { name, position, behind, isReady, version, writes, knows, age } of nodes)
      print(
        `server    ${name}  at ${position}, ${behind} behind, ${isReady ? 'ready' : 'not ready'}, version ${version}, writes commands of version ${writes} and knows ${knows}, reported ${seconds(age)} s ago`,
      )
    if (nodes.length === 0) print('server    none has reported within half a minute')
    for (const { name, position, bytes, node, age } of snapshots)
      print(`snapshot  ${name}  at ${position}, ${bytes} bytes, by ${node}, ${seconds(age)} s ago`)
    return true
  })
}

/**
 * Compares the contents of the servers at one position of each log, and prints the result, a line each.
 * @returns whether all have the same contents
 */
export async function verifyCluster(config: Config, print: Print): Promise<boolean> {
  return await inCluster(config, print, async ({ log, shared, of, compareNodes }) => {
    const { position, nodes, isSame } = await compareNodes(log, shared)
    print(`${of}compared at entry ${position}`)
    for (const node of nodes) print(`server    ${node.name}  ${toldBy(node)}`)
    return isSame
  })
}

/**
 * Lets the servers write what only this version of the package knows, if all of them run it.
 * @returns whether they do so in all logs
 */
export async function upgradeServers(config: Config, print: Print): Promise<boolean> {
  return await inCluster(config, print, async ({ log, shared, client, upgradeCluster }) => {
    const { from, to } = await upgradeCluster(log, shared)
    const of = client === undefined ? '' : `${client}: `
    print(
      from === to
        ? `${of}The servers already write commands of version ${to}.`
        : `${of}The servers write commands of version ${to}; it was ${from}.`,
    )
    return true
  })
}

function toldBy({ digest, failure, differs }: ComparedNode): string {
  if (failure !== undefined) return `cannot count: ${failure}`
  if (!digest) return 'did not answer in time'
  if (differs.length > 0)
    return `differs in ${differs.map(({ dataset, parts }) => `${dataset ?? 'services'} (${parts.join(', ')})`).join(', ')}`
  const documents = digest.datasets.reduce((sum, one) => sum + one.documents, 0)
  return `datasets ${digest.datasets.length}, documents ${documents}, digest ${digest.digest}`
}

/** Works on one log after the other, the operator's first; an error with one does not affect the others. */
async function inCluster(
  config: Config,
  print: Print,
  work: (cluster: OpenedLog) => Promise<boolean>,
): Promise<boolean> {
  const { cluster: url, clientsFolder } = config
  if (url === undefined) throw new MissingSetting('FINDLING_CLUSTER', 'the address of the database')
  const library = await clusterPackage()
  const database: PostgresDatabase = await library.PostgresDatabase.open({ url, listen: false })
  try {
    let isWell = true
    const tried = async (of: string, attempt: () => Promise<boolean>) => {
      try {
        if (!(await attempt())) isWell = false
      } catch (error) {
        if (!(error instanceof Error && 'code' in error) || isOfDatabase(error.code)) throw error
        print(`${of}${error.message}`)
        isWell = false
      }
    }
    const there = await database.names()
    let names = there.filter(name => name !== mainLog)
    if (clientsFolder !== undefined && there.includes(mainLog))
      await tried('clients   The list of clients cannot be read: ', async () => {
        names = await logsOfClients({ ...config, clientsFolder })
        return true
      })
    for (const name of [mainLog, ...names]) {
      const client = name === mainLog ? undefined : idOfLog(name)
      const of = client === undefined ? 'log       ' : `client    ${client}  `
      await tried(of, async () => {
        const [log, shared] = [await database.log(name, { create: false }), await database.shared(name)]
        try {
          return await work({ ...library, log, shared, client, of })
        } finally {
          await Promise.all([log.close(), shared.close()])
        }
      })
    }
    return isWell
  } finally {
    await database.close()
  }
}

const seconds = (milliseconds: number): number => Math.round(milliseconds / 1000)
