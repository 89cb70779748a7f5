import { describe, expect, it } from 'vitest'
import { codeOf, collected, expectHealthy, memoryDatabase, openEngine } from '../engine/engines.ts'

async function start() {
  const store = memoryDatabase()
  const engine = await openEngine({ store })
  const items = await engine.datasets.create('items')
  return { store, engine, items, documents: items.documents }
}

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `p${from + i}`)

type Started = Awaited<ReturnType<typeof start>>

const removers = {
  delete: async ({ documents }: Started, some: string[]) => {
    await Promise.all(some.map(id => documents.delete(id)))
  },
  'engine.write': async ({ engine }: Started, some: string[]) => {
    await engine.write(some.map(id => ({ type: 'delete', dataset: 'items', id })))
  },
  'a change of ids': async ({ documents }: Started, some: string[]) => {
    await Promise.all(some.map(id => documents.update(id, { id: `moved-${id}` })))
    await Promise.all(some.map(id => documents.update(`moved-${id}`, { id })))
  },
}

describe('changes', () => {
  it('tell of every document once, by its newest change', async () => {
    const { items, documents } = await start()
    await items.tags.create({ id: 'dead', name: 'Dead' })
    await documents.bulk([{ id: 'a' }, { id: 'b' }, { id: 'c', tag: 'dead' }, { id: 'd' }])
    await documents.upsert({ id: 'a', n: 2 })
    await documents.delete('b')
    const { cleaning } = await items.tags.remove('dead', { cleanDocuments: true })
    await cleaning?.finished
    await documents.update('d', { id: 'e' })
    const changes = await collected(documents.changes())
    expect(changes.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
      'a content',
      'b removal',
      'c tags',
      'd removal',
      'e content',
    ])
    const seqs = changes.map(({ seq }) => seq)
    expect(seqs).toEqual([...seqs].sort((x, y) => x - y))
    for (const { id, seq, kind } of changes) {
      if (kind !== 'removal') expect((await documents.record(id))?.seq).toBe(seq)
    }
    expect(await collected(documents.changes({ since: seqs[2]! }))).toEqual(changes.slice(3))
    expect(await collected(documents.changes({ since: seqs[4]! }))).toEqual([])
  })

  it('lead a copy of the documents from any change to now', async () => {
    const { documents } = await start()
    await documents.bulk(ids(0, 20).map(id => ({ id, n: 0 })))
    const copy = new Map((await collected(documents.scan())).map(({ id, document }) => [id, document]))
    const since = Math.max(...(await collected(documents.changes())).map(({ seq }) => seq))
    for (const id of ids(0, 10)) await documents.delete(id)
    for (const id of ids(5, 15)) await documents.upsert({ id, n: 1 })
    await documents.delete('p7')
    for await (const { id, kind } of documents.changes({ since })) {
      if (kind === 'removal') copy.delete(id)
      else copy.set(id, (await documents.get(id))!)
    }
    const now = (await collected(documents.scan())).map(({ id, document }) => [id, document] as const)
    expect(copy).toEqual(new Map(now))
  })

  it('keep removals that an index being built still has to hear of', async () => {
    const { engine, items, documents } = await start()
    await documents.bulk(ids(0, 2500).map(id => ({ id, title: 'lamp' })))
    const building = items.reconfigure({ language: 'none' })
    for (let at = 0; at < 2400; at += 300) {
      await Promise.all(ids(at, at + 300).map(id => documents.delete(id)))
    }
    await building.finished
    const { hits } = await items.search('lamp', { limit: 1000, documents: false })
    expect(hits.map(({ id }) => id).sort()).toEqual(ids(2400, 2500))
    await expectHealthy(engine)
  })

  it('are forgotten some at a time, so that no write is much larger than others', async () => {
    const { store, engine, documents } = await start()
    await documents.bulk(ids(0, 8000).map(id => ({ id })))
    let largest = 0
    const batch = store.batch.bind(store) as (operations: object[], options: object) => Promise<void>
    store.batch = ((operations: object[], options: object) => {
      largest = Math.max(largest, operations.length)
      return batch(operations, options)
    }) as typeof store.batch
    await documents.deleteWhere({})
    await engine.close()
    const removals = await collected((await openEngine({ store })).datasets.get('items').documents.changes())
    expect(removals.length).toBeLessThan(8000)
    // A slice of documents and one of removals may be written together, and a checkpoint with them.
    expect(largest).toBeLessThan(1500)
  })

  it.each(Object.entries(removers))(
    'do not outgrow the documents, whoever removes them: %s',
    async (_, remove) => {
      const started = await start()
      const { store, engine, documents } = started
      for (let round = 0; round < 5; round++) {
        await documents.bulk(ids(0, 400).map(id => ({ id })))
        await remove(started, ids(0, 400))
      }
      await engine.close()
      // Removals are forgotten behind a write; closing waits for it.
      const second = await openEngine({ store })
      await second.datasets.get('items').documents.upsert({ id: 'last' })
      await second.close()
      const again = await openEngine({ store })
      const { documents: kept } = again.datasets.get('items')
      const removals = (await collected(kept.changes())).filter(({ kind }) => kind === 'removal')
      expect(removals.length).toBeGreaterThan(0)
      expect(removals.length).toBeLessThanOrEqual(1000)
      expect(await codeOf(() => collected(kept.changes({ since: 1 })))).toBe('CHANGES_PRUNED')
      const { seq } = removals[0]!
      expect((await collected(kept.changes({ since: seq - 1 })))[0]?.seq).toBe(seq)
      await expectHealthy(again)
    },
  )
})
