import { type Dataset, Engine, type EngineDigest } from 'findling'
import { describe, expect, it } from 'vitest'
import { noContent, withContent } from '../../src/store/content-sum.ts'
import { sequence } from '../fulltext/dictionary/made-terms.ts'
import { plant, withRaw } from '../store/raw-store.ts'
import { expectHealthy, openEngine, temporaryFolder } from './engines.ts'

const settings = { interpretedFields: ['title'] }
const clock = () => 1_700_000_000_000

const open = (store?: string) => openEngine({ clock, ...(store !== undefined && { store }) })

async function filled(engine: Engine): Promise<Dataset> {
  const items = await engine.datasets.create('items', settings)
  await items.tags.create({ id: 'a', name: 'One' })
  await items.tags.create({ id: 'b', name: 'Other', parentId: 'a' })
  await items.documents.bulk(
    Array.from({ length: 20 }, (_, i) => ({ id: `p${i}`, title: `Lamp ${i}`, tag: 'a' })),
  )
  return items
}

/** All that is compared; the number of the last change may be another. */
const told = async (engine: Engine): Promise<Omit<EngineDigest, 'seq'>> => {
  const { seq: _, ...digest } = await engine.digest()
  return digest
}

describe('the digest of an engine', () => {
  it('is the same for the same data, also after a restart, a backup, a repair and a rebuild of the index', async () => {
    const [folder, backup, restored] = [
      await temporaryFolder(),
      await temporaryFolder(),
      await temporaryFolder(),
    ]
    const first = await open(folder)
    const items = await filled(first)
    await items.documents.update('p3', { title: 'Shade' })
    await items.documents.delete('p4')
    const before = await told(first)
    const other = await open()
    const others = await filled(other)
    await others.documents.update('p3', { title: 'Shade' })
    await others.documents.delete('p4')
    expect(await told(other)).toEqual(before)
    expect(before.datasets).toMatchObject([{ name: 'items', documents: 19 }])

    await items.optimize().finished
    await items.search('lamp')
    expect(await told(first)).toEqual(before)
    await first.backup(backup).finished
    await first.doctor({ repair: true })
    expect(await told(first)).toEqual(before)
    await first.close()
    expect(await told(await open(folder))).toEqual(before)
    await Engine.restore(backup, restored)
    expect(await told(await open(restored))).toEqual(before)
  })

  it('does not depend on datasets that are gone', async () => {
    const one = await open()
    const gone = await one.datasets.create('gone', settings)
    await gone.documents.insert({ id: 'x', title: 'Nothing' })
    await one.datasets.remove('gone')
    const { seq } = await one.digest()
    await filled(one)
    const other = await open()
    // Documents are to have the same numbers.
    while ((await other.digest()).seq < seq) await other.namespace('test').put('a', 1)
    await filled(other)
    expect(await other.digest()).toEqual(await one.digest())
    await other.datasets.get('items').documents.upsert({ id: 'p19', title: 'Lamp 19', tag: 'a' })
    expect((await other.digest()).digest).not.toBe((await one.digest()).digest)
  })

  it('is another one after every single difference, and that of before when it is taken back', async () => {
    const engine = await open()
    const items = await filled(engine)
    const seen = new Map<string, string>()
    const differs = async (
      what: string,
      parts: ('content' | 'tags' | 'settings' | 'services' | 'name')[],
    ) => {
      const digest = await told(engine)
      expect([what, seen.get(digest.digest)]).toEqual([what, undefined])
      seen.set(digest.digest, what)
      const before = last
      last = digest
      if (!before) return
      const [a, b] = [before.datasets[0]!, digest.datasets[0]!]
      const changed = [
        ...(['content', 'tags', 'settings', 'name'] as const).filter(part => a[part] !== b[part]),
        ...(before.services === digest.services ? [] : (['services'] as const)),
      ]
      expect([what, changed]).toEqual([what, parts])
    }
    let last: Omit<EngineDigest, 'seq'> | undefined
    await differs('nothing', [])
    await items.documents.update('p1', { title: 'Lamp 2' })
    await differs('a byte', ['content'])
    await items.documents.upsert({ id: 'p1', title: 'Lamp 2', tag: 'a' })
    await differs('the number of a change', ['content'])
    await items.tags.update('b', { name: 'Another' })
    await differs('the name of a tag', ['tags'])
    await items.tags.update('b', { parentId: null })
    await differs('the parent of a tag', ['tags'])
    await items.reconfigure({ typoTolerance: { disableOnWords: ['lamp'] } }).finished
    await differs('a setting', ['settings'])
    const service = await engine.services.create({ type: 'search', name: 'Shop' })
    await differs('a service', ['services'])
    await service.prepare({ dataset: 'items' }).finished
    await differs('a prepared service', ['services'])
    await service.activate().finished
    await differs('an active service', ['services'])
    await service.deactivate()
    expect(seen.get((await told(engine)).digest)).toBe('a prepared service')
    await engine.datasets.rename('items', 'goods')
    await differs('a name', ['name', 'services'])
    const tags = await engine.datasets.get('goods').digest()
    await engine.datasets.get('goods').tags.create({ id: 'c', name: 'Third' })
    await engine.datasets.get('goods').tags.remove('c')
    expect((await engine.datasets.get('goods').digest()).tags).toBe(tags.tags)
  })

  it('is as of one moment while documents and tags are written', async () => {
    const engine = await open()
    const items = await filled(engine)
    let isWriting = true
    const digests = new Map<number, string>()
    const writing = (async () => {
      for (let i = 0; i < 300 || (digests.size <= 5 && i < 10_000); i++) {
        await items.documents.upsert({ id: `p${i % 30}`, title: `Lamp ${i}` })
        if (i % 10 === 0) await items.tags.create({ id: `t${i}`, name: `${i}` })
      }
      isWriting = false
    })()
    while (isWriting) {
      const [one, other] = await Promise.all([items.digest(), items.digest()])
      await new Promise(setImmediate)
      for (const { seq, content, documents } of [one, other]) {
        const text = `${content} ${documents}`
        expect(digests.get(seq) ?? text).toBe(text)
        digests.set(seq, text)
      }
    }
    await writing
    expect(digests.size).toBeGreaterThan(5)
    await expectHealthy(engine)
  })

  it('is counted once where an earlier version has not', async () => {
    const folder = await temporaryFolder()
    const before = await open(folder)
    await filled(before)
    const digest = await told(before)
    await before.close()
    await withRaw(folder, async db => {
      const checkpoint = JSON.parse(Buffer.from((await db.get('checkpoint'))!).toString('utf8', 4))
      expect(checkpoint.counts[0][1].content).toHaveLength(2)
      delete checkpoint.counts[0][1].content
      await plant(db, 'checkpoint', checkpoint)
    })
    const after = await open(folder)
    expect(await told(after)).toEqual(digest)
    await after.datasets.get('items').documents.delete('p0')
    await expectHealthy(after)
  })
})

describe('the sum over the values of a set', () => {
  it('is that of a sum made anew, however they came and went, and another for values in exchanged places', () => {
    const next = sequence(17)
    const below = (limit: number) => Math.floor((next() / 2 ** 32) * limit)
    const values = new Map<string, Buffer>()
    let sum = noContent
    for (let step = 0; step < 3000; step++) {
      const name = `n${below(50)}`
      const value = below(3) === 0 ? undefined : Buffer.from(`value ${below(1000)}`)
      sum = withContent(sum, name, values.get(name), value)
      if (value) values.set(name, value)
      else values.delete(name)
    }
    const anew = [...values].reduce(
      (all, [name, value]) => withContent(all, name, undefined, value),
      noContent,
    )
    expect(sum).toEqual(anew)

    const seen = new Set<string>()
    const of = (pairs: [string, Buffer][]) =>
      String(pairs.reduce((all, [name, value]) => withContent(all, name, undefined, value), noContent))
    for (let i = 0; i < 20_000; i++) {
      const [one, other] = [Buffer.from(`v${i}`.padEnd(12)), Buffer.from(`w${i}`.padEnd(12))]
      seen.add(
        of([
          ['a', one],
          ['b', other],
        ]),
      )
      seen.add(
        of([
          ['a', other],
          ['b', one],
        ]),
      )
    }
    expect(seen.size).toBe(40_000)
  })
})
