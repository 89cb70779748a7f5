import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { collected, expectHealthy, openEngine, temporaryFolder } from '../engine/engines.ts'
import { answers, notes, products, removedProducts, secrets, tags } from '../fixtures/store-v1-contents.ts'
import { withRaw } from './raw-store.ts'

const written = fileURLToPath(new URL('../fixtures/store-v1', import.meta.url))

async function openCopy() {
  const store = join(await temporaryFolder(), 'store')
  await cp(written, store, { recursive: true })
  const heard: string[] = []
  const listen = (_: object, message: string) => void heard.push(message)
  return { engine: await openEngine({ store, logger: { warn: listen, error: listen } }), heard }
}

describe('a store of format version 1', () => {
  it('opens with every document, change number and time', async () => {
    const { engine, heard } = await openCopy()
    const list = engine.datasets.list().map(({ name, documents }) => [name, documents])
    expect(list).toEqual([
      ['empty', 0],
      ['notes', notes.length],
      ['products', products.length],
    ])
    const { documents } = engine.datasets.get('products')
    expect(await documents.getMany(products.map(({ id }) => id))).toEqual(products)
    expect(await documents.getMany(removedProducts)).toEqual([undefined, undefined])
    const scanned = await collected(engine.datasets.get('notes').documents.scan())
    expect(scanned.map(({ document }) => document)).toEqual(notes)
    expect(await documents.record('torch')).toMatchObject({ modifiedAt: 1_700_000_000_004, seq: 7 })
    expect(heard).toEqual([])
    await expectHealthy(engine)
  })

  it('is one of version 2 from the first opening on, which earlier versions of Findling refuse', async () => {
    const store = join(await temporaryFolder(), 'store')
    await cp(written, store, { recursive: true })
    const version = () =>
      withRaw(store, async db => JSON.parse((await db.get('format'))!.subarray(4).toString()).version)
    expect(await version()).toBe(1)
    await (await openEngine({ store })).close()
    expect(await version()).toBe(2)
    await (await openEngine({ store })).close()
    expect(await version()).toBe(2)
  })

  it('is told from one that lost its datasets from the first opening on', async () => {
    const store = join(await temporaryFolder(), 'store')
    await cp(written, store, { recursive: true })
    await (await openEngine({ store })).close()
    const { datasets } = JSON.parse(
      (await readFile(join(store, 'findling.seq'), 'utf8')).replace(/ \w+\n$/, ''),
    )
    expect(datasets.map(([, name]: [number, string]) => name).sort()).toEqual(['empty', 'notes', 'products'])
  })

  it('knows its changes, removals included', async () => {
    const { engine } = await openCopy()
    const changes = await collected(engine.datasets.get('products').documents.changes())
    expect(changes.filter(({ kind }) => kind === 'removal').map(({ id }) => id)).toEqual(removedProducts)
    expect(changes.at(-1)).toMatchObject({ id: 'lamp', kind: 'content' })
    expect(changes).toHaveLength(products.length + removedProducts.length)
  })

  it('has its tags, settings, jobs and values of namespaces', async () => {
    const { engine } = await openCopy()
    expect(await engine.datasets.get('products').tags.list()).toMatchObject(tags.toReversed())
    expect(engine.datasets.get('products').settings).toMatchObject({ nGramCount: 2, language: 'english' })
    expect(engine.datasets.get('notes').settings).toMatchObject({
      interpretedFields: ['text'],
      language: 'english',
    })
    expect(engine.datasets.get('empty').settings.validation).toBe('strict')
    expect(engine.jobs().map(({ kind, status }) => [kind, status])).toEqual([
      ['reconfigure', 'finished'],
      ['import', 'finished'],
    ])
    const values = await collected(engine.namespace('http').entries())
    expect(values).toEqual(Object.entries(secrets).map(([key, value]) => ({ key, value })))
  })

  it('answers searches as it did, from an index of the new form that nobody is warned of', async () => {
    const { engine, heard } = await openCopy()
    for (const [query, ids] of answers) {
      const { hits } = await engine.datasets.get('products').search(query, { operator: 'and' })
      expect(
        hits.map(({ id }) => id),
        query,
      ).toEqual(ids)
    }
    const lakes = await engine.datasets.get('notes').search('lake', { limit: 100 })
    expect(lakes.hits).toHaveLength(13)
    expect(heard).toEqual([])
    await expectHealthy(engine)
  })

  it('can be written to', async () => {
    const { engine } = await openCopy()
    const { documents } = engine.datasets.get('products')
    await documents.delete('lamp')
    await documents.insert({ id: 'new', title: 'Paper lamp' })
    expect((await engine.datasets.get('products').search('lamp')).hits.map(({ id }) => id)).toEqual(['new'])
    await expectHealthy(engine)
  })
})
