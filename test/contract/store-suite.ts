import { type Database, Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { codeOf, collected, expectHealthy, openEngine } from '../engine/engines.ts'

/** Ids that other stores trip over, in the order of their bytes. */
export const oddIds = [
  '\0',
  ' a',
  '%2F',
  '../etc/passwd',
  '/',
  '0',
  '__proto__',
  'a',
  'a/',
  'a/b',
  'a0',
  'constructor',
  'z',
  '~',
  '\u007f',
  'é',
  '日本',
  '\uffff',
  '\u{1f600}',
  '\u{10ffff}',
]

/** What the engine promises on any store. `place` gives a new one, which a second engine can open after the first. */
export function describeStore(name: string, place: () => Promise<string | Database>): void {
  const start = async () => {
    const store = await place()
    const engine = await openEngine({ store, clock: () => 5000 })
    const items = await engine.datasets.create('items')
    return { store, engine, items, documents: items.documents }
  }

  describe(`a store on ${name}`, () => {
    it('keeps documents, tags, settings and values of namespaces over a reopen', async () => {
      const { store, engine, items, documents } = await start()
      await documents.bulk(oddIds.map(id => ({ id, title: `number ${oddIds.indexOf(id)}` })))
      await items.tags.create({ id: 'a/b', name: 'Lamps' })
      await engine.namespace('http').put('keys/1', { __proto__: null, secret: 'x' })
      await engine.close()
      const again = await openEngine({ store })
      const { documents: kept, tags } = again.datasets.get('items')
      expect(await kept.getMany(oddIds)).toEqual(oddIds.map((id, i) => ({ id, title: `number ${i}` })))
      expect(kept.count).toBe(oddIds.length)
      expect(await tags.list()).toMatchObject([{ id: 'a/b', name: 'Lamps' }])
      expect(await again.namespace('http').get('keys/1')).toEqual({ secret: 'x' })
      const { hits } = await again.datasets.get('items').search('number 7')
      expect(hits[0]?.id).toBe(oddIds[7])
      await expectHealthy(again)
    })

    it('scans ids in the order of their UTF-8 bytes, each in its own dataset', async () => {
      const { engine, documents } = await start()
      const other = await engine.datasets.create('others')
      await other.documents.bulk([{ id: '!' }, { id: '\u{10ffff}~' }])
      await documents.bulk([...oddIds].reverse().map(id => ({ id })))
      const ids = (await collected(documents.scan())).map(({ id }) => id)
      expect(ids).toEqual([...oddIds].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
    })

    it('scans one moment while writes go on', async () => {
      const { documents } = await start()
      const row = (i: number) => ({ id: String(i).padStart(4, '0'), title: 'before' })
      await documents.bulk(Array.from({ length: 1200 }, (_, i) => row(i * 2)))
      const seen: string[] = []
      let writes: Promise<unknown> | undefined
      for await (const { id } of documents.scan()) {
        seen.push(id)
        writes ??= documents.bulk(Array.from({ length: 1200 }, (_, i) => row(i * 2 + 1)))
        if (seen.length === 200) await writes
      }
      expect(seen).toEqual(Array.from({ length: 1200 }, (_, i) => row(i * 2).id))
      expect(documents.count).toBe(2400)
    })

    it('writes several datasets as one, or none of them', async () => {
      const { store, engine, documents } = await start()
      const other = (await engine.datasets.create('others')).documents
      await documents.insert({ id: '1', stock: 3 })
      const failing = engine.write([
        { type: 'update', dataset: 'items', id: '1', patch: { stock: 2 } },
        { type: 'insert', dataset: 'others', document: { id: 'order' } },
        { type: 'delete', dataset: 'items', id: 'x' },
        { type: 'insert', dataset: 'items', document: { id: '1' } },
      ])
      expect(await codeOf(() => failing)).toBe('DOCUMENT_EXISTS')
      expect([await documents.get('1'), other.count]).toEqual([{ id: '1', stock: 3 }, 0])
      const done = await engine.write([
        { type: 'update', dataset: 'items', id: '1', patch: { stock: 2 } },
        { type: 'upsert', dataset: 'others', document: { id: 'order', item: '1' } },
        { type: 'update', dataset: 'others', id: 'order', patch: { item: '2' } },
        { type: 'delete', dataset: 'items', id: 'x' },
      ])
      expect(done.map(({ id }) => id)).toEqual(['1', 'order', 'order', 'x'])
      expect(done.at(-1)?.seq).toBeNull()
      await engine.close()
      const again = await openEngine({ store })
      expect(await again.datasets.get('items').documents.get('1')).toEqual({ id: '1', stock: 2 })
      expect(await again.datasets.get('others').documents.get('order')).toEqual({ id: 'order', item: '2' })
      await expectHealthy(again)
    })

    it('refuses one write and leaves those beside it', async () => {
      const { engine, documents } = await start()
      const outcomes = await Promise.allSettled([
        documents.insert({ id: 'a', n: 1 }),
        documents.insert({ id: 'a', n: 2 }),
        documents.upsert({ id: 'b' }, { ifSeq: 99 }),
        documents.update('c', { n: 1 }),
        documents.upsert({ id: 'd' }),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'rejected',
        'fulfilled',
      ])
      expect((await collected(documents.changes())).map(({ id }) => id)).toEqual(['a', 'd'])
      expect([await documents.get('a'), documents.count]).toEqual([{ id: 'a', n: 1 }, 2])
      await expectHealthy(engine)
    })

    it('decides writes of one document in the order they were made', async () => {
      const { documents } = await start()
      const seqs = await Promise.all(
        Array.from({ length: 100 }, (_, n) => documents.upsert({ id: 'a', n }).then(({ seq }) => seq)),
      )
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
      expect(await documents.record('a')).toMatchObject({ document: { n: 99 }, seq: seqs[99] })
    })

    it('lets one of several writers with the same ifSeq win', async () => {
      const { documents } = await start()
      const { seq } = await documents.insert({ id: 'a' })
      const race = Array.from({ length: 5 }, (_, n) => documents.update('a', { n }, { ifSeq: seq }))
      const outcomes = await Promise.allSettled(race)
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await codeOf(() => documents.upsert({ id: 'a' }, { ifSeq: 0 }))).toBe('SEQUENCE_MISMATCH')
      expect(await documents.get('a')).toEqual({ id: 'a', n: 0 })
    })

    it('lists jobs of an earlier life', async () => {
      const { store, engine, documents } = await start()
      await documents.import([{ id: 1 }, { id: 2 }]).finished
      const [job] = engine.jobs()
      await engine.close()
      const again = await openEngine({ store })
      expect(again.jobs()).toEqual([job])
      expect(job).toMatchObject({ kind: 'import', status: 'finished', result: { stored: 2 } })
    })

    it('gives a removed dataset no second life, though another may have its name', async () => {
      const { store, engine, items } = await start()
      await items.documents.insert({ id: 'a', title: 'lamp' })
      await items.tags.create({ id: 't', name: 'Tag' })
      await engine.datasets.remove('items')
      expect(await codeOf(() => items.documents.insert({ id: 'b' }))).toBe('DATASET_NOT_FOUND')
      const fresh = await engine.datasets.create('items')
      expect([fresh.documents.count, await fresh.tags.list()]).toEqual([0, []])
      await items.documents.insert({ id: 'b', title: 'chair' })
      expect((await fresh.search('lamp chair')).hits.map(({ id }) => id)).toEqual(['b'])
      await engine.close()
      const reopened = await openEngine({ store })
      const again = reopened.datasets.get('items')
      expect((await collected(again.documents.scan())).map(({ id }) => id)).toEqual(['b'])
      expect((await again.search('lamp chair')).hits.map(({ id }) => id)).toEqual(['b'])
      await expectHealthy(reopened)
    })

    it('refuses a second engine until the first has gone', async () => {
      const { store, engine } = await start()
      expect(await codeOf(() => Engine.open({ store }))).toBe('STORE_LOCKED')
      await engine.close()
      await (await openEngine({ store })).close()
    })
  })
}
