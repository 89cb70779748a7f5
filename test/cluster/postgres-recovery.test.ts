import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ClusterNode, PostgresLog, PostgresShared, recover } from '../../adapters/cluster/src/index.ts'
import { temporaryFolder } from '../engine/engines.ts'
import { givenIn } from '../operations/given.ts'
import { hasPostgres, PostgresServer } from './postgres-server.ts'

const tables = ['findling_head', 'findling_log', 'findling_row', 'findling_blob', 'findling_chunk']

describe.skipIf(!hasPostgres)('a log in PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  }, 60_000)
  afterAll(async () => {
    await server?.stop()
  })

  it('that was restored from an old backup begins anew with the store that has most, and all go on', async () => {
    const folder = await temporaryFolder()
    const snapshots = { folder: join(folder, 'snapshots') }
    const warnings: string[] = []
    const logger = { warn: (_: object, message: string) => void warnings.push(message), error: () => {} }
    const opened = async () => {
      const options = { url: server.url, timeout: 30_000 }
      const [log, shared] = [await PostgresLog.open(options), await PostgresShared.open(options)]
      onTestFinished(async () => {
        await log.close()
        await shared.close()
      })
      return { log, shared }
    }
    const node = async (name: string) => {
      const settings = { store: join(folder, name), name, snapshots, logger, patience: 30_000 }
      const node = await ClusterNode.open({ ...(await opened()), ...settings })
      onTestFinished(() => node.close())
      return node
    }
    const write = async (node: ClusterNode, from: number) => {
      for (let i = from; i < from + 5; i++)
        await node.write([{ type: 'insert', dataset: 'products', document: { id: `p${i}` } }])
    }
    const [one, two] = [await node('one'), await node('two')]
    await one.write([{ type: 'createDataset', dataset: 'products' }])
    await write(one, 0)
    for (const table of tables) await server.query(`create table old_${table} as table ${table}`)
    await write(one, 10)
    await one.snapshot()
    await two.latest()
    const { position } = two.status
    // Both run while the database becomes an older one.
    await server.query(
      tables.map(table => `truncate ${table}; insert into ${table} table old_${table};`).join('\n'),
    )
    for (const node of [one, two]) await expect.poll(() => node.status.failure?.code).toBe('LOG_DIVERGED')
    await one.close()
    await two.close()
    const seen: unknown[] = []
    const options = { ...(await opened()), snapshots, store: join(folder, 'two'), name: 'two' }
    const begun = await recover(options, outlook => seen.push(outlook) > 0)
    expect(seen).toMatchObject([{ isOfLog: false, store: { position, documents: 10 }, lost: { first: 1 } }])
    expect(begun!.position).toBeGreaterThan(position)
    const nodes = [await node('two'), await node('one'), await node('three')]
    expect(warnings.join()).toContain(`one.aside-${position}-1`)
    await write(nodes[1]!, 20)
    for (const node of nodes) {
      await node.latest()
      expect(node.status).toMatchObject({ failure: null, position: begun!.position + 5 })
      expect(await givenIn(node.engine)).toEqual(await givenIn(nodes[0]!.engine))
      expect(node.engine.datasets.get('products').documents.count).toBe(15)
    }
    expect(
      await server.query('select position from findling_log where position < $1', [begun!.position]),
    ).toEqual([])
  })
})
