import { Engine } from 'findling'
import { expect, it, onTestFinished } from 'vitest'
import { ClusterNode, PostgresLog } from '../../adapters/cluster/src/index.ts'
import { temporaryFolder } from '../engine/engines.ts'
import { givenIn } from '../operations/given.ts'
import { grown } from './grown.ts'
import { describeWithPostgres } from './postgres-block.ts'

describeWithPostgres('nodes on PostgreSQL', postgres => {
  async function opened(name: string, store?: string): Promise<ClusterNode> {
    const log = await PostgresLog.open({ url: postgres.server.url, name, timeout: 30_000 })
    const node = await ClusterNode.open({ log, patience: 30_000, ...(store && { store }) })
    onTestFinished(async () => {
      await node.close()
      await log.close()
    })
    return node
  }

  it('go on by themselves when the server was killed, and have everything that was acknowledged', async () => {
    const [one, other] = [await opened('killed'), await opened('killed')]
    await one.write([{ type: 'createDataset', dataset: 'products' }])
    await other.latest()
    const acknowledged: string[] = []
    let isOver = false
    const writing = [one, other].map(async (node, i) => {
      for (let n = 0; !isOver; n++) {
        const id = `${i}-${n}`
        await node.write([{ type: 'insert', dataset: 'products', document: { id, title: `Lamp ${n}` } }])
        acknowledged.push(id)
      }
    })
    for (let kills = 0; kills < 2; kills++) {
      await grown(acknowledged, 15)
      await postgres.server.kill()
      await postgres.server.begin()
    }
    await grown(acknowledged, 15)
    isOver = true
    await Promise.all(writing)
    for (const node of [one, other]) {
      await node.latest()
      const { documents } = node.engine.datasets.get('products')
      expect((await documents.getMany(acknowledged)).every(document => document !== undefined)).toBe(true)
      expect(documents.count).toBe(acknowledged.length)
      expect(node.status).toMatchObject({ isReady: true, failure: null })
    }
    expect(await givenIn(other.engine)).toEqual(await givenIn(one.engine))
    expect((await other.engine.digest()).digest).toBe((await one.engine.digest()).digest)
  })

  it('are joined by one from a backup while others write', async () => {
    const folder = await temporaryFolder()
    const one = await opened('joined', `${folder}/one`)
    await one.write([{ type: 'createDataset', dataset: 'products' }])
    const write = (from: number) =>
      Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          one.write([
            { type: 'upsert', dataset: 'products', document: { id: `p${from + i}`, title: 'Lamp' } },
          ]),
        ),
      )
    await write(0)
    const { position } = one.status
    await one.engine.backup(`${folder}/backup`, { note: String(position) })
    const writing = write(100)
    await Engine.restore(`${folder}/backup`, `${folder}/two`)
    const two = await opened('joined', `${folder}/two`)
    expect(two.status.position).toBeGreaterThanOrEqual(position)
    await writing
    await two.latest()
    expect(await givenIn(two.engine)).toEqual(await givenIn(one.engine))
    expect(two.engine.datasets.get('products').documents.count).toBe(80)
  })
})
