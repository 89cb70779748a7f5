import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClusterNode, MemoryLog, MemoryShared, type NodeOptions } from '@findling/cluster'
import { describe, expect, it, onTestFinished } from 'vitest'
import { forgetHanded, noteHanded } from '../../adapters/cluster/src/models.ts'
import { codeOf, waitingDatabase } from '../engine/engines.ts'

async function cluster() {
  const folder = await mkdtemp(join(tmpdir(), 'findling-models-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const [log, shared] = [new MemoryLog(), new MemoryShared()]
  const open = async (name: string, options: Partial<NodeOptions> = {}) => {
    const node = await ClusterNode.open({ store: join(folder, name), log, shared, name, ...options })
    onTestFinished(() => node.close())
    return node
  }
  return { log, shared, folder, open }
}

const kinds = ['lamp', 'hose', 'nail', 'chair'] as const
const documents = Array.from({ length: 80 }, (_, i) => ({
  id: `d${i}`,
  title: `${['Brass', 'Oak', 'Steel', 'Garden'][(i * 7) % 4]} ${kinds[i % 4]} of size ${i % 9}`,
  tag: [kinds[i % 4]!],
}))

async function filled(node: ClusterNode): Promise<void> {
  const products = await node.engine.datasets.create('products', { interpretedFields: ['title'] })
  await products.tags.replaceAll(kinds.map(id => ({ id, name: id })))
  await products.documents.bulk(documents)
}

describe('models of a cluster', () => {
  it('are made by one node, and answer alike on all of them, those that come later too', async () => {
    const { open, shared } = await cluster()
    const [one, other] = [await open('a'), await open('b')]
    await filled(one)
    const service = await one.engine.services.create({ id: 'kinds', type: 'classifier', name: 'Kinds' })
    await service.prepare({ dataset: 'products' })
    await service.activate()
    expect(await shared.listBlobs()).toHaveLength(1)
    await other.latest()
    const third = await open('c')
    await third.latest()
    const answers = []
    for (const { engine } of [one, other, third]) {
      const asked = engine.services.get('kinds', 'classifier')
      expect(asked.status).toBe('active')
      answers.push(JSON.stringify(await asked.recommend('a lamp of brass')))
    }
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toContain('lamp')
    await other.engine.services.get('kinds').deactivate()
    await one.latest()
    expect(one.engine.services.get('kinds').status).toBe('prepared')
    const digests = await Promise.all([one, other].map(node => node.engine.digest()))
    expect(digests[0]!.digest).toBe(digests[1]!.digest)
  })

  it('are refused on all of them where their service is gone', async () => {
    const { open } = await cluster()
    const [one, other] = [await open('a'), await open('b')]
    await filled(one)
    const service = await one.engine.services.create({ id: 'kinds', type: 'classifier', name: 'Kinds' })
    const preparing = service.prepare({ dataset: 'products' })
    await other.latest()
    await other.engine.services.get('kinds').remove()
    expect(['SERVICE_NOT_FOUND', 'CANCELLED']).toContain(await codeOf(() => preparing.finished))
    await one.engine.datasets.create('later')
    await other.latest()
    expect([one.status.failure, other.engine.datasets.has('later')]).toEqual([null, true])
  })

  it('are loaded before a node is ready for the first time, and are waited for no more then', async () => {
    const { open } = await cluster()
    let loading: Promise<void> | undefined
    const held = () => {
      let release = () => {}
      loading = new Promise(resolve => {
        release = resolve
      })
      return release
    }
    const store = waitingDatabase({
      get: async key => {
        if (key.startsWith('m/kinds/')) await loading
      },
    })
    const first = await open('a', { store })
    await filled(first)
    const service = await first.engine.services.create({ id: 'kinds', type: 'classifier', name: 'Kinds' })
    await service.prepare({ dataset: 'products' })
    await service.activate()
    await first.close()
    const release = held()
    const node = await open('a', { store })
    await expect.poll(() => node.status).toMatchObject({ lag: 0, loading: 1, isReady: false })
    expect(node.engine.services.loading().map(({ id }) => id)).toEqual(['kinds'])
    release()
    await expect.poll(() => node.status).toMatchObject({ loading: 0, isReady: true })
    expect(node.engine.services.loading()).toEqual([])
    const again = node.engine.services.get('kinds')
    await again.deactivate()
    const releaseLater = held()
    await node.write([{ type: 'activateService', id: 'kinds' }])
    expect(node.engine.services.loading()).toHaveLength(1)
    expect(node.status).toMatchObject({ loading: 0, isReady: true })
    releaseLater()
    await expect.poll(() => node.engine.services.loading()).toEqual([])
  })

  it('may be activated by a write that removes their service', async () => {
    const { open } = await cluster()
    const node = await open('a')
    await filled(node)
    const service = await node.engine.services.create({ id: 'kinds', type: 'classifier', name: 'Kinds' })
    await service.prepare({ dataset: 'products' })
    await node.write([
      { type: 'activateService', id: 'kinds' },
      { type: 'removeService', id: 'kinds' },
    ])
    expect([node.status.failure, node.engine.services.list()]).toEqual([null, []])
  })

  it('stay in the shared database as long as an entry of the log needs them', async () => {
    const { open, shared, log } = await cluster()
    const node = await open('a')
    await filled(node)
    const products = node.engine.datasets.get('products')
    await products.classifier()
    const [blob] = await shared.listBlobs()
    await forgetHanded(shared, 1000, 1000)
    // What was handed over within the hour stays whatever is cut.
    expect(await shared.listBlobs()).toEqual([expect.objectContaining({ sha256: blob!.sha256 })])
    const { position } = await log.head()
    expect((await shared.list('adopted'))[0]!.value).toEqual({ position })
    await noteHanded(shared, blob!, position - 1)
    expect((await shared.list('adopted'))[0]!.value).toEqual({ position })
  })

  it('stop a node that is opened without what the nodes share', async () => {
    const { open, log, folder } = await cluster()
    const one = await open('a')
    await filled(one)
    await one.engine.datasets.get('products').classifier()
    const bare = await ClusterNode.open({ store: join(folder, 'bare'), log })
    onTestFinished(() => bare.close())
    await expect.poll(() => bare.status.failure?.code).toBe('ARTIFACT_MISSING')
  })
})

describe('the ranking of a cluster', () => {
  it('is by constants that one of the nodes learns for all, scores included', async () => {
    const { open } = await cluster()
    const [one, other] = [await open('a'), await open('b')]
    await filled(one)
    const products = one.engine.datasets.get('products')
    expect(await products.ranking.isDue()).toBe(true)
    await expect.poll(() => products.ranking.isDue()).toBe(false)
    await one.latest()
    await other.latest()
    const [here, there] = await Promise.all(
      [one, other].map(({ engine }) => engine.datasets.get('products').search('brass lamp', { limit: 20 })),
    )
    expect(here!.hits.length).toBeGreaterThan(5)
    expect(here!.hits).toEqual(there!.hits)
  })
})
