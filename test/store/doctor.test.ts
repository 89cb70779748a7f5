import { cp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type DoctorReport, Engine, type Fault } from 'findling'
import { beforeAll, describe, expect, it } from 'vitest'
import { logEntry } from '../../src/store/change-log.ts'
import { seal, sealText, sumOf } from '../../src/store/checksum.ts'
import { afterBlock, collected, expectHealthy, openEngine, temporaryFolder } from '../engine/engines.ts'
import { plant, withRaw } from './raw-store.ts'

const products = [
  { id: 'lamp', title: 'Brass desk lamp', tag: ['light'] },
  { id: 'torch', title: 'Pocket torch', tag: ['light', 'outdoor'] },
  { id: 'kettle', title: 'Whistling kettle' },
]

const afterwards = afterBlock()
let original: string
beforeAll(async () => {
  original = await temporaryFolder(afterwards)
  const engine = await Engine.open({ store: original })
  const { documents, tags } = await engine.datasets.create('products')
  await tags.create({ id: 'light', name: 'Light' })
  await tags.create({ id: 'outdoor', name: 'Outdoor', parentId: 'light' })
  await documents.bulk([...products, { id: 'gone', title: 'Gone' }])
  await documents.delete('gone')
  await engine.close()
})

/** A store in which one of four documents was removed; nothing is open. */
async function closedStore(): Promise<string> {
  const store = await temporaryFolder()
  await cp(original, store, { recursive: true })
  return store
}

type Raw = Parameters<Parameters<typeof withRaw>[1]>[0]

const keyOf = async (db: Raw, fits: (key: string) => boolean): Promise<string> =>
  (await db.keys().all()).find(fits)!
const documentKey = (db: Raw, id: string) => keyOf(db, key => key.startsWith('d/') && key.endsWith(`/${id}`))

/** Key of the change log's entry for a document. */
async function logKey(db: Raw, id: string): Promise<string> {
  for await (const [key, value] of db.iterator({ gte: 'l/', lt: 'l0' })) {
    if (Buffer.from(value).toString('utf8', 5) === id) return key
  }
  throw new Error(`the change log does not tell of ${id}`)
}

async function examine(store: string, options: { repair?: boolean } = {}): Promise<DoctorReport> {
  const engine = await Engine.open({ store })
  const report = await engine.doctor(options)
  await engine.close()
  return report
}

const kinds = ({ faults }: DoctorReport) => [...new Set(faults.map(({ kind }) => kind))].sort()

type Plant = (db: Raw) => Promise<unknown>
const mendable: [what: string, finds: Fault['kind'][], plant: Plant][] = [
  [
    'a document whose bytes changed',
    ['change-log', 'counts', 'damaged-value', 'index'],
    async db => {
      const key = await documentKey(db, 'lamp')
      const value = (await db.get(key))!
      await db.put(key, value.with(30, value[30]! ^ 1))
    },
  ],
  [
    'a document whose checksum changed',
    ['change-log', 'counts', 'damaged-value', 'index'],
    async db => {
      const key = await documentKey(db, 'lamp')
      const value = (await db.get(key))!
      await db.put(key, value.with(0, value[0]! ^ 1))
    },
  ],
  [
    'a document under the key of another',
    ['change-log', 'counts', 'damaged-value', 'index'],
    async db => db.put(await documentKey(db, 'lamp'), (await db.get(await documentKey(db, 'torch')))!),
  ],
  [
    'a document with another content and a checksum that fits',
    ['counts'],
    async db => {
      const key = await documentKey(db, 'lamp')
      const value = Buffer.from((await db.get(key))!)
      value[value.lastIndexOf('Brass')] = 'G'.charCodeAt(0)
      seal(key, value)
      await db.put(key, value)
    },
  ],
  [
    'a document that is gone',
    ['change-log', 'counts', 'index'],
    async db => db.del(await documentKey(db, 'lamp')),
  ],
  ['a change log that misses a document', ['change-log'], async db => db.del(await logKey(db, 'lamp'))],
  ['a change log that misses a removal', ['counts'], async db => db.del(await logKey(db, 'gone'))],
  [
    'a change log that tells of a document twice',
    ['change-log'],
    async db => {
      const key = (await logKey(db, 'lamp')).replace(/\d{4}$/, '9999')
      const value = logEntry({ id: 'lamp', kind: 'content' })
      seal(key, value)
      await db.put(key, value)
    },
  ],
  [
    'a damaged entry of the change log',
    ['change-log', 'damaged-value'],
    async db => db.put(await logKey(db, 'torch'), Buffer.from('nonsense')),
  ],
  ['a key that is nothing', ['stray-key'], async db => plant(db, 'zebra', 1)],
  ['a document of no dataset', ['stray-key'], async db => plant(db, 'd/000000ff/x', {})],
  ['an index of no dataset', ['stray-key'], async db => plant(db, 'x/00000001/00000009/record', {})],
  [
    'wrong counts',
    ['counts'],
    async db => {
      const value = Buffer.from((await db.get('checkpoint'))!).toString('utf8', 4)
      const checkpoint = JSON.parse(value)
      checkpoint.counts[0][1].documents++
      checkpoint.counts[0][1].digest++
      await db.put('checkpoint', sealText('checkpoint', JSON.stringify(checkpoint)))
    },
  ],
  [
    'a damaged job',
    ['damaged-value'],
    async db => db.put('p/5e0ee0cd-0000-4000-8000-000000000000', Buffer.from('nonsense')),
  ],
  ['a damaged value of a namespace', ['damaged-value'], async db => db.put('n/http/a', Buffer.from('xxxxx'))],
]

describe('doctor', () => {
  it('finds nothing in a sound store and counts what is there', async () => {
    const store = await closedStore()
    expect(await examine(store)).toEqual({ ok: true, datasets: 1, documents: 3, faults: [], quiet: true })
  })

  it.each(mendable)('finds and mends %s', async (_, expected, planted) => {
    const store = await closedStore()
    await withRaw(store, planted)
    const found = await examine(store)
    expect(found.ok).toBe(false)
    expect(kinds(found)).toEqual(expected)
    for (const fault of found.faults) expect(fault).toMatchObject({ repaired: false })
    const mended = await examine(store, { repair: true })
    expect(kinds(mended)).toEqual(expected)
    for (const fault of mended.faults) expect(fault).toMatchObject({ repaired: true })
    expect(await examine(store)).toMatchObject({ ok: true, faults: [] })
  })

  it('after a repair searches and changes agree with the documents', async () => {
    const store = await closedStore()
    await withRaw(store, async db => {
      await db.del(await documentKey(db, 'lamp'))
      await db.del(await logKey(db, 'torch'))
    })
    await examine(store, { repair: true })
    const { documents, search } = await opened(store)
    expect(documents.count).toBe(2)
    expect(await search('lamp torch kettle')).toEqual(['kettle', 'torch'])
    const alive = (await collected(documents.changes())).filter(({ kind }) => kind !== 'removal')
    expect(alive.map(({ id }) => id).sort()).toEqual(['kettle', 'torch'])
    await expect(collected(documents.changes({ since: 1 }))).rejects.toMatchObject({ code: 'CHANGES_PRUNED' })
  })

  it('finds a tag without its parent, which it cannot mend', async () => {
    const store = await closedStore()
    await withRaw(store, async db => db.del(await keyOf(db, key => /^t\/.*\/light$/.test(key))))
    for (const repair of [false, true]) {
      const report = await examine(store, { repair })
      expect(report.faults).toMatchObject([{ kind: 'tags', subject: 'outdoor', repaired: false }])
    }
  })

  it('rebuilds an index of which a part is gone or damaged without being asked', async () => {
    for (const hurt of ['del', 'put'] as const) {
      const store = await closedStore()
      await withRaw(store, async db => {
        const keys = (await db.keys().all()).filter(key => /^x\/.*\/b\//.test(key))
        expect(keys.length).toBeGreaterThan(0)
        for (const key of keys) await (hurt === 'del' ? db.del(key) : db.put(key, Buffer.from('nonsense')))
      })
      const { engine, search } = await opened(store)
      expect(await search('lamp torch kettle')).toEqual(['kettle', 'lamp', 'torch'])
      await expectHealthy(engine)
    }
  })

  it.each([
    ['document', documentKey],
    ['entry of the change log', logKey],
  ])('is not needed to search beside a damaged %s', async (_, find) => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store: join(store, 'open') })
    const { documents } = await engine.datasets.create('products')
    await documents.bulk(products)
    // As a kill leaves it: nothing of the index is saved.
    const killed = join(store, 'killed')
    await cp(join(store, 'open'), killed, { recursive: true, filter: path => basename(path) !== 'LOCK' })
    await withRaw(killed, async db => db.put(await find(db, 'lamp'), Buffer.from('nonsense')))
    const again = await opened(killed)
    const found = await again.search('torch kettle')
    expect(found).toEqual(['kettle', 'torch'])
    await again.documents.upsert({ id: 'new', title: 'New torch' })
    expect(await again.search('torch')).toEqual(['new', 'torch'])
    expect(kinds(await again.engine.doctor())).toContain('damaged-value')
    await again.engine.doctor({ repair: true })
    await expectHealthy(again.engine)
  })

  it('rebuilds an index of other documents than the store has', async () => {
    const store = await closedStore()
    const engine = await Engine.open({ store })
    await engine.datasets.get('products').documents.bulk([{ id: 'new', title: 'New lamp' }])
    await engine.close()
    await withRaw(store, async db => {
      const key = await documentKey(db, 'new')
      const sum = sumOf((await db.get(key))!)
      await db.batch([
        { type: 'del', key },
        { type: 'del', key: await logKey(db, 'new') },
      ])
      const checkpoint = JSON.parse(Buffer.from((await db.get('checkpoint'))!).toString('utf8', 4))
      checkpoint.counts[0][1].documents--
      checkpoint.counts[0][1].digest = (checkpoint.counts[0][1].digest - sum) >>> 0
      delete checkpoint.counts[0][1].content
      await db.put('checkpoint', sealText('checkpoint', JSON.stringify(checkpoint)))
    })
    expect(kinds(await examine(store, { repair: true }))).toEqual(['index'])
    expect((await examine(store)).ok).toBe(true)
  })

  it('looks at a store that is being written to, and says when it was never quiet', async () => {
    const engine = await openEngine({ store: await temporaryFolder(), durability: 'process' })
    const { documents } = await engine.datasets.create('products')
    await documents.bulk(Array.from({ length: 3000 }, (_, id) => ({ id, title: 'lamp' })))
    let writing = true
    const writes = (async () => {
      for (let n = 0; writing; n++) await documents.upsert({ id: n % 50, title: 'lamp', n })
    })()
    const report = await engine.doctor({ repair: true })
    writing = false
    await writes
    expect(report).toMatchObject({ ok: false, quiet: false, faults: [] })
    expect(documents.count).toBe(3000)
    await expectHealthy(engine)
  })

  it('stops when it is told to', async () => {
    const engine = await openEngine()
    await engine.datasets.create('products')
    await expect(engine.doctor({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})

async function opened(store: string) {
  const engine = await openEngine({ store })
  const products = engine.datasets.get('products')
  const search = async (query: string) => (await products.search(query)).hits.map(({ id }) => id).sort()
  return { engine, documents: products.documents, search }
}
