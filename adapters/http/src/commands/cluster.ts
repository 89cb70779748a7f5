import { clusterPackage } from '../cluster/open-node.ts'
import { CommandError } from './clients.ts'

/** Prints what the servers of a cluster are at, a line for each, and its snapshots. */
export async function showCluster(url: string | undefined, print: (text: string) => void): Promise<void> {
  if (url === undefined)
    throw new CommandError('FINDLING_CLUSTER is not set; expected the address of the database.')
  const { PostgresLog, PostgresShared, clusterStatus } = await clusterPackage()
  const log = await PostgresLog.open({ url, listen: false })
  try {
    const shared = await PostgresShared.open({ url })
    try {
      const { log: head, nodes, snapshots } = await clusterStatus(log, shared)
      print(`log       entries ${head.first} to ${head.position}`)
      for (const { name, position, behind, isReady, version, age } of nodes)
        print(
          `server    ${name}  at ${position}, ${behind} behind, ${isReady ? 'follows' : 'does not follow'}, version ${version}, told ${seconds(age)} s ago`,
        )
      if (nodes.length === 0) print('server    none was heard of within half a minute')
      for (const { name, position, bytes, node, age } of snapshots)
        print(`snapshot  ${name}  at ${position}, ${bytes} bytes, by ${node}, ${seconds(age)} s ago`)
    } finally {
      await shared.close()
    }
  } finally {
    await log.close()
  }
}

const seconds = (milliseconds: number): number => Math.round(milliseconds / 1000)
