import type { ComparedNode, PostgresLog, PostgresShared } from '@findling/cluster'
import { clusterPackage } from '../cluster/open-node.ts'
import { CommandError } from './clients.ts'

type Print = (text: string) => void
type Cluster = { readonly log: PostgresLog; readonly shared: PostgresShared } & Awaited<
  ReturnType<typeof clusterPackage>
>

/** Prints what the servers of a cluster are at, a line for each, and its snapshots. */
export async function showCluster(url: string | undefined, print: Print): Promise<void> {
  await inCluster(url, async ({ log, shared, clusterStatus }) => {
    const { log: head, nodes, snapshots } = await clusterStatus(log, shared)
    print(`log       entries ${head.first} to ${head.position}`)
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
 * Has the servers tell what they hold at one place of the log, and prints it, a line for each.
 * @returns whether all hold the same
 */
export async function verifyCluster(url: string | undefined, print: Print): Promise<boolean> {
  return await inCluster(url, async ({ log, shared, compareNodes }) => {
    const { position, nodes, isSame } = await compareNodes(log, shared)
    print(`log       compared at entry ${position}`)
    for (const node of nodes) print(`server    ${node.name}  ${toldBy(node)}`)
    return isSame
  })
}

/** Has the servers write what only the version of this package knows, when all of them have it. */
export async function upgradeServers(url: string | undefined, print: Print): Promise<void> {
  await inCluster(url, async ({ log, shared, upgradeCluster }) => {
    const { from, to } = await upgradeCluster(log, shared)
    print(
      from === to
        ? `The servers write commands of version ${to} already.`
        : `The servers write commands of version ${to}; it was ${from}.`,
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

async function inCluster<T>(url: string | undefined, work: (cluster: Cluster) => Promise<T>): Promise<T> {
  if (url === undefined)
    throw new CommandError('FINDLING_CLUSTER is not set; expected the address of the database.')
  const library = await clusterPackage()
  const log = await library.PostgresLog.open({ url, listen: false })
  try {
    const shared = await library.PostgresShared.open({ url })
    try {
      return await work({ ...library, log, shared })
    } finally {
      await shared.close()
    }
  } finally {
    await log.close()
  }
}

const seconds = (milliseconds: number): number => Math.round(milliseconds / 1000)
