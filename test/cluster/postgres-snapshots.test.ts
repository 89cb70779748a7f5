import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ClusterNode, PostgresLog, PostgresShared } from '../../adapters/cluster/src/index.ts'
import { temporaryFolder } from '../engine/engines.ts'
import { givenIn } from '../operations/given.ts'
import { describeWithPostgres } from './postgres-block.ts'

describeWithPostgres('nodes that share PostgreSQL and a folder', postgres => {
  it('are joined while they write, the log is cut and the server is killed', async () => {
    const folder = await temporaryFolder()
    const node = async (name: string) => {
      const options = { url: postgres.server.url, name: 'joined', timeout: 30_000 }
      const [log, shared] = [await PostgresLog.open(options), await PostgresShared.open(options)]
      const snapshots = { folder: join(folder, 'snapshots') }
      const settings = { patience: 30_000, store: join(folder, name), name, snapshots }
      const node = await ClusterNode.open({ ...settings, log, shared })
      onTestFinished(async () => {
        await node.close()
        await Promise.all([log.close(), shared.close()])
      })
      return { node, log }
    }
    const { node: one, log } = await node('one')
    await one.write([{ type: 'createDataset', dataset: 'products' }])
    await one.snapshot()
    let isOver = false
    let written = 0
    const writing = (async () => {
      for (; !isOver; written++)
        await one.write([{ type: 'insert', dataset: 'products', document: { id: `p${written}` } }])
    })()
    const snapping = (async () => {
      while (!isOver) await one.snapshot()
    })()
    const joined: ClusterNode[] = []
    for (const name of ['two', 'three']) {
      joined.push((await node(name)).node)
      await postgres.server.kill()
      await postgres.server.begin()
    }
    isOver = true
    await Promise.all([writing, snapping])
    for (const other of joined) {
      await other.latest()
      expect(await givenIn(other.engine)).toEqual(await givenIn(one.engine))
      expect(other.engine.datasets.get('products').documents.count).toBe(written)
    }
    expect((await one.peers()).map(({ name }) => name).sort()).toEqual(['one', 'three', 'two'])
    await expect
      .poll(async () => {
        await one.snapshot()
        return (await log.head()).first
      })
      .toBeGreaterThan(1)
    const { node: last } = await node('four')
    await last.latest()
    expect(await givenIn(last.engine)).toEqual(await givenIn(one.engine))
  })
})
