import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NodeProcess } from '../test/cluster/chaos/node-process.ts'
import { hasPostgres, PostgresServer } from '../test/cluster/postgres-server.ts'
import type { Latencies, Writes } from './cluster-node.ts'
import { progress, short, table, times } from './report.ts'
import { inTemporaryFolder } from './temporary.ts'

const program = fileURLToPath(new URL('./cluster-node.ts', import.meta.url))
const writersAtOnce = [1, 8, 64]

export interface ClusterResults {
  readonly documents: number
  readonly writes: readonly { readonly writers: number; readonly writes: Writes; readonly lag: Latencies }[]
  /** Documents a second, acknowledged while two nodes apply them. */
  readonly filled: number
  /** The whole log, in an empty node. */
  readonly replay: { readonly seconds: number; readonly perSecond: number }
  readonly backupSeconds: number
  /** From the backup, and what came after it. */
  readonly joinSeconds: number
  readonly searches: { readonly oneNode: number; readonly twoNodes: number }
}

/** How much do nodes on PostgreSQL write, how far are they behind, and how soon does another one join? */
export async function cluster(documents: number, seconds: number): Promise<ClusterResults | undefined> {
  if (!hasPostgres) return undefined
  const server = await PostgresServer.start()
  try {
    return await inTemporaryFolder(folder => new Measurement(folder, server.url).all(documents, seconds))
  } finally {
    await server.stop()
  }
}

class Measurement {
  readonly #folder: string
  readonly #url: string
  readonly #nodes: NodeProcess[] = []

  constructor(folder: string, url: string) {
    this.#folder = folder
    this.#url = url
  }

  async all(documents: number, seconds: number): Promise<ClusterResults> {
    try {
      const [one, other] = [await this.#begin('one'), await this.#begin('other')]
      await one.ask('create')
      await other.ask('latest')
      const writes = await this.#writes(one, other, seconds)
      progress('cluster: documents in bulk')
      const fill = await secondsOf(() => one.ask('fill', { documents, from: 0 }))
      await other.ask('latest')
      const searches = await this.#searches(one, other, seconds)
      return {
        ...{ documents, writes, filled: documents / fill, searches },
        ...(await this.#joins(one)),
      }
    } finally {
      for (const node of this.#nodes) await node.kill()
    }
  }

  async #begin(name: string, backup?: string): Promise<NodeProcess> {
    const node = new NodeProcess(program, process.execArgv)
    this.#nodes.push(node)
    await node.ask('open', { store: join(this.#folder, name), url: this.#url, ...(backup && { backup }) })
    return node
  }

  async #writes(one: NodeProcess, other: NodeProcess, seconds: number): Promise<ClusterResults['writes']> {
    const results = []
    // Compiled and connected before anything counts.
    await one.ask('write', { writers: 8, seconds: seconds / 4, from: 10_000_000 })
    for (const [i, writers] of writersAtOnce.entries()) {
      progress(`cluster: ${writers} ${writers === 1 ? 'writer' : 'writers'}`)
      await other.ask('latest')
      await other.ask('lag')
      const writes = await one.ask<Writes>('write', { writers, seconds, from: 20_000_000 + i * 1_000_000 })
      await other.ask('latest')
      results.push({ writers, writes, lag: await other.ask<Latencies>('lag') })
    }
    return results
  }

  async #searches(
    one: NodeProcess,
    other: NodeProcess,
    seconds: number,
  ): Promise<ClusterResults['searches']> {
    progress('cluster: searches')
    const oneNode = await one.ask<number>('search', { seconds })
    const two = await Promise.all([one, other].map(node => node.ask<number>('search', { seconds })))
    return { oneNode, twoNodes: two[0]! + two[1]! }
  }

  async #joins(one: NodeProcess): Promise<Pick<ClusterResults, 'replay' | 'backupSeconds' | 'joinSeconds'>> {
    progress('cluster: a node that replays the log')
    const count = await one.ask<number>('count')
    const seconds = await this.#joined(one, 'replayed')
    progress('cluster: a node that joins from a backup')
    const backup = join(this.#folder, 'backup')
    const backupSeconds = await secondsOf(() => one.ask('backup', { folder: backup }))
    await one.ask('fill', { documents: 500, from: 0 })
    const joinSeconds = await this.#joined(one, 'joined', backup)
    return { replay: { seconds, perSecond: count / seconds }, backupSeconds, joinSeconds }
  }

  /** Until it has everything, which must be what the other node has. */
  async #joined(other: NodeProcess, name: string, backup?: string): Promise<number> {
    let node: NodeProcess | undefined
    const seconds = await secondsOf(async () => {
      node = await this.#begin(name, backup)
      await node.ask('latest')
    })
    const [digest, expected] = [await node!.ask<string>('digest'), await other.ask<string>('digest')]
    if (digest !== expected) throw new Error(`the node ${name} has become another one`)
    await node!.kill()
    await rm(join(this.#folder, name), { recursive: true, force: true })
    return seconds
  }
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

export function clusterReport(results: ClusterResults): string {
  const { documents, writes, filled, replay, backupSeconds, joinSeconds, searches } = results
  const rows = writes.map(({ writers, writes: { perSecond, p50, p99 }, lag }) => [
    String(writers),
    ...[perSecond, p50, p99, lag.p50, lag.p99].map(short),
  ])
  const { oneNode, twoNodes } = searches
  return [
    '# cluster: two nodes in processes of their own on PostgreSQL, all on this machine',
    table(
      ['writers on one node', 'writes/s', 'p50 ms', 'p99 ms', 'other node behind, p50 ms', 'p99 ms'],
      rows,
    ),
    table(
      [`${short(documents)} documents`, 'seconds', 'documents/s'],
      [
        ['written, 500 at once', short(documents / filled), short(filled)],
        ['replayed by an empty node, all writes', short(replay.seconds), short(replay.perSecond)],
        ['backup', short(backupSeconds), '-'],
        ['joined from the backup', short(joinSeconds), '-'],
      ],
    ),
    table(
      ['searches of two words, one after the other', 'searches/s', 'of one node'],
      [
        ['one node', short(oneNode), times(1)],
        ['two nodes', short(twoNodes), times(twoNodes / oneNode)],
      ],
    ),
  ].join('\n\n')
}
