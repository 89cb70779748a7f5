import type { ComparedNode, PostgresDatabase, PostgresLog, PostgresShared } from '@findling/cluster'
import { idOfLog } from '../clients/client-list.ts'
import { clusterPackage, mainLog } from '../cluster/open-node.ts'
import { CommandError } from './clients.ts'

type Print = (text: string) => void
type Cluster = {
  readonly log: PostgresLog
  readonly shared: PostgresShared
  /** Undefined of the only installation, or of the operator. */
  readonly client: string | undefined
} & Awaited<ReturnType<typeof clusterPackage>>

/** Prints what the servers of a cluster are at, a line for each, and its snapshots; then a line for each client. */
export async function showCluster(url: string | undefined, print: Print): Promise<void> {
  await inCluster(url, async ({ log, shared, client, clusterStatus }) => {
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
  const all = await inCluster(url, async ({ log, shared, client, compareNodes }) => {
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
  await inCluster(url, async ({ log, shared, client, upgradeCluster }) => {
    const { from, to } = await upgradeCluster(log, shared)
    const of = client === undefined ? '' : `${client}: `
    print(
      from === to
        ? `${of}The servers write commands of version ${to} already.`
        : `${of}The servers write commands of version ${to}; it was ${from}.`,
    )
  })
}

function toldBy({ digest, differs }: ComparedNode): string {
  if (!digest) return 'did not tell in time'
  if (differs.length > 0)
    return `differs in ${differs.map(({ dataset, parts }) => `${dataset ?? 'services'} (${parts.join(', ')})`).join(', ')}`
  const documents = digest.datasets.reduce((sum, one) => sum + one.documents, 0)
  return `datasets ${digest.datasets.length}, documents ${documents}, digest ${digest.digest}`
}

/** With the log of the operator, then with those of all clients. */
async function inCluster<T>(url: string | undefined, work: (cluster: Cluster) => Promise<T>): Promise<T[]> {
  if (url === undefined)
    throw new CommandError('FINDLING_CLUSTER is not set; expected the address of the database.')
  const library = await clusterPackage()
  const database: PostgresDatabase = await library.PostgresDatabase.open({ url, listen: false })
  try {
    const names = (await database.names()).filter(name => name !== mainLog)
    const outcomes: T[] = []
    for (const name of [mainLog, ...names]) {
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
