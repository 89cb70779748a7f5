import { readFile } from 'node:fs/promises'
import type { Dataset, JsonObject, TagInput } from 'findling'
import { describe, expect, it } from 'vitest'
import { FaultyLevel } from '../contract/faulty-level.ts'
import {
  codeOf,
  collected,
  expectHealthy,
  failureOf,
  memoryDatabase,
  openEngine,
  temporaryFolder,
} from './engines.ts'

const shop: TagInput[] = [
  { id: 'home', name: 'Home' },
  { id: 'lamps', name: 'Lamps', parentId: 'home' },
  { id: 'desk', name: 'Desk lamps', parentId: 'lamps' },
  { id: 'sofas', name: 'Sofas', parentId: 'home' },
  { id: 'garden', name: 'Garden', parentId: null },
]

async function openShop(now = { ms: 1000 }) {
  const engine = await openEngine({ clock: () => now.ms })
  const dataset = await engine.datasets.create('shop', { interpretedFields: ['title'] })
  for (const tag of shop) await dataset.tags.create(tag)
  return { engine, dataset, now }
}

const parents = async ({ tags }: Dataset) => (await tags.list()).map(({ id, parentId }) => [id, parentId])

const tagOf = async ({ documents }: Dataset, id: string) => (await documents.get(id))?.tag

describe('a member that tags do not have', () => {
  it('is refused with a suggestion, and changes nothing', async () => {
    const { dataset } = await openShop()
    const before = await dataset.tags.list()
    const calls = [
      () => dataset.tags.create({ id: 'new', name: 'New', parent: 'home' } as TagInput),
      () => dataset.tags.update('home', { nam: 'House' } as Partial<TagInput>),
      () => dataset.tags.replaceAll([{ id: 'new', name: 'New', parent: 'home' } as TagInput]),
    ]
    for (const call of calls) {
      const { code, message } = await failureOf(call)
      expect([code, /did you mean "(parentId|name)"/.test(message)]).toEqual(['INVALID_ARGUMENT', true])
    }
    expect(await dataset.tags.list()).toEqual(before)
  })
})

describe('create, get and list', () => {
  it('place a tag in the tree', async () => {
    const { dataset } = await openShop()
    expect(await dataset.tags.get('desk')).toEqual({
      id: 'desk',
      name: 'Desk lamps',
      parentId: 'lamps',
      level: 3,
      isLeaf: true,
      path: [
        { id: 'home', name: 'Home', level: 1 },
        { id: 'lamps', name: 'Lamps', level: 2 },
      ],
    })
    expect(await dataset.tags.create({ id: 7, name: 'Seven', parentId: 'garden' })).toMatchObject({
      id: '7',
      level: 2,
    })
    expect(await dataset.tags.get('garden')).toMatchObject({ isLeaf: false })
    expect(await dataset.tags.get('none')).toBeUndefined()
  })

  it('answer with the tag as made, also when it is removed at once', async () => {
    const { dataset } = await openShop()
    const [made] = await Promise.all([
      dataset.tags.create({ id: 'brief', name: 'Brief' }),
      dataset.tags.remove('brief'),
    ])
    expect(made).toMatchObject({ id: 'brief', level: 1 })
    const [moved] = await Promise.all([
      dataset.tags.update('garden', { id: 'yard' }),
      dataset.tags.create({ id: 'garden', name: 'Another' }),
      dataset.tags.remove('yard'),
    ])
    expect(moved).toMatchObject({ id: 'yard', name: 'Garden' })
  })

  it('refuse taken ids and unknown parents', async () => {
    const { dataset } = await openShop()
    expect(await codeOf(() => dataset.tags.create({ id: 'home', name: 'x' }))).toBe('TAG_EXISTS')
    expect(await codeOf(() => dataset.tags.create({ id: 'x', name: 'x', parentId: 'y' }))).toBe(
      'TAG_PARENT_NOT_FOUND',
    )
    expect(await dataset.tags.list()).toHaveLength(5)
  })

  it('keep the tree over a reopen of a folder, also ids like __proto__', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('shop')
    for (const tag of [...shop, { id: '__proto__', name: 'constructor', parentId: 'desk' }])
      await dataset.tags.create(tag)
    const listed = await dataset.tags.list()
    await engine.close()
    const again = await openEngine({ store })
    expect(await again.datasets.get('shop').tags.list()).toEqual(listed)
    expect(listed.map(({ id }) => id)).toContain('__proto__')
  })

  it('decide one after the other what comes at the same time', async () => {
    const { dataset } = await openShop()
    const outcomes = await Promise.allSettled([
      dataset.tags.create({ id: 'new', name: 'A' }),
      dataset.tags.create({ id: 'new', name: 'B' }),
      dataset.tags.create({ id: 'child', name: 'C', parentId: 'new' }),
      dataset.tags.remove('new'),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected'])
  })
})

describe('update', () => {
  it('changes name, parent and id; children follow a changed id and documents keep the old one', async () => {
    const { dataset } = await openShop()
    await dataset.documents.insert({ id: '1', tag: ['lamps'] })
    expect(await dataset.tags.update('lamps', { id: 'lights', parentId: 'garden' })).toMatchObject({
      id: 'lights',
      name: 'Lamps',
      path: [{ id: 'garden' }],
    })
    expect(await parents(dataset)).toEqual([
      ['desk', 'lights'],
      ['garden', null],
      ['home', null],
      ['lights', 'garden'],
      ['sofas', 'home'],
    ])
    expect(await tagOf(dataset, '1')).toEqual(['lamps'])
  })

  it('refuses cycles, unknown tags and taken ids, and changes nothing then', async () => {
    const { engine, dataset } = await openShop()
    const before = await dataset.tags.list()
    expect(await codeOf(() => dataset.tags.update('home', { parentId: 'desk' }))).toBe('TAG_CYCLE')
    expect(await codeOf(() => dataset.tags.update('home', { parentId: 'home' }))).toBe('TAG_CYCLE')
    expect(await codeOf(() => dataset.tags.update('none', { name: 'x' }))).toBe('TAG_NOT_FOUND')
    expect(await codeOf(() => dataset.tags.update('home', { id: 'sofas' }))).toBe('TAG_EXISTS')
    expect(await codeOf(() => dataset.tags.update('home', { name: ' ' }))).toBe('INVALID_ARGUMENT')
    expect(await dataset.tags.list()).toEqual(before)
    await expectHealthy(engine)
  })
})

describe('remove', () => {
  it('needs force to take what is below', async () => {
    const { dataset } = await openShop()
    expect(await codeOf(() => dataset.tags.remove('lamps'))).toBe('TAG_HAS_CHILDREN')
    const { removed, cleaning } = await dataset.tags.remove('lamps', { force: true })
    expect([removed, cleaning]).toEqual([['lamps', 'desk'], null])
    expect((await dataset.tags.list()).map(({ id }) => id)).toEqual(['garden', 'home', 'sofas'])
    expect(await codeOf(() => dataset.tags.remove('lamps'))).toBe('TAG_NOT_FOUND')
  })

  it('takes the removed ids out of the documents on demand and leaves their modification times', async () => {
    const { engine, dataset, now } = await openShop()
    await dataset.documents.bulk([
      { id: '1', title: 'Lamp', tag: ['lamps', 'sofas', 'unknown'] },
      { id: '2', title: 'Lamp', tag: 'desk' },
      { id: '3', title: 'Lamp', tag: 'garden' },
    ])
    const before = (await dataset.documents.record('1'))!
    now.ms = 9000
    const { cleaning } = await dataset.tags.remove('lamps', { force: true, cleanDocuments: true })
    expect(await cleaning?.finished).toBe(2)
    const tags = (await collected(dataset.documents.scan())).map(({ document }) => document.tag)
    expect(tags).toEqual([['sofas', 'unknown'], '', 'garden'])
    const after = (await dataset.documents.record('1'))!
    expect(after.modifiedAt).toBe(1000)
    expect(after.seq).toBeGreaterThan(before.seq)
    const changes = await collected(dataset.documents.changes({ since: before.seq + 2 }))
    expect(changes.map(({ id, kind }) => [id, kind])).toEqual([
      ['1', 'tags'],
      ['2', 'tags'],
    ])
    expect((await dataset.search('lamp')).hits).toHaveLength(3)
    await expectHealthy(engine)
  })

  it('finishes a clean-up after a reopen that it was closed before', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('shop')
    await dataset.tags.create({ id: 'dead', name: 'Dead' })
    await dataset.documents.bulk(Array.from({ length: 1200 }, (_, i) => ({ id: i, tag: ['dead', 'alive'] })))
    await dataset.tags.remove('dead', { cleanDocuments: true })
    await engine.close()
    const again = await openEngine({ store })
    const resumed = again.jobs({ status: ['running'] }).find(({ kind }) => kind === 'clean-tags')
    expect(resumed).toBeDefined()
    while (again.job(resumed!.id)?.status === 'running') await new Promise(resolve => setTimeout(resolve, 1))
    expect(again.job(resumed!.id)).toMatchObject({ status: 'finished', result: 1200 })
    const tags = await collected(again.datasets.get('shop').documents.scan())
    expect(tags.every(({ document }) => JSON.stringify(document.tag) === '["alive"]')).toBe(true)
    await again.close()
    const third = await openEngine({ store })
    expect(third.jobs({ status: ['running'] })).toEqual([])
  })

  it('is over for good when the clean-up is cancelled, at once or half way', async () => {
    for (const steps of [0, 1]) {
      const store = memoryDatabase()
      const engine = await openEngine({ store })
      const { documents, tags } = await engine.datasets.create('shop')
      await tags.create({ id: 'dead', name: 'Dead' })
      await documents.bulk(Array.from({ length: 3000 }, (_, i) => ({ id: i, tag: ['dead'] })))
      const { cleaning } = await tags.remove('dead', { cleanDocuments: true })
      while (steps > 0 && cleaning?.state.progress.done === 0) await new Promise(setImmediate)
      engine.cancelJob(cleaning!.id)
      await engine.close()
      expect(cleaning?.state.status).toBe('cancelled')
      const again = await openEngine({ store })
      const shop = again.datasets.get('shop')
      expect(again.jobs({ status: ['running'] })).toEqual([])
      await shop.documents.upsert({ id: 'late', tag: ['dead'] })
      await shop.tags.create({ id: 'other', name: 'Other' })
      await (await shop.tags.remove('other', { cleanDocuments: true })).cleaning?.finished
      expect([await tagOf(shop, 'late'), await tagOf(shop, '2999')]).toEqual([['dead'], ['dead']])
    }
  })

  it('spares documents that still have the tag when it is made again', async () => {
    const { dataset } = await openShop()
    await dataset.documents.insert({ id: '1', tag: ['sofas'] })
    const { cleaning } = await dataset.tags.remove('sofas', { cleanDocuments: true })
    cleaning?.cancel()
    await cleaning?.finished.catch(() => undefined)
    await dataset.tags.create({ id: 'sofas', name: 'Sofas again' })
    await dataset.tags.cleanDocuments().finished
    expect(await tagOf(dataset, '1')).toEqual(['sofas'])
  })
})

describe('cleanDocuments', () => {
  it('removes the ids that are no tags and touches nothing else', async () => {
    const { engine, dataset, now } = await openShop()
    const documents: JsonObject[] = [
      { id: '1', tag: ['home', 'dead', 5] },
      { id: '2', tag: 'home' },
      { id: '3', tag: '__proto__' },
      { id: '4' },
    ]
    await dataset.documents.bulk(documents)
    const untouched = await dataset.documents.records(['2', '4'])
    now.ms = 5000
    expect(await dataset.tags.cleanDocuments().finished).toBe(2)
    expect(await dataset.documents.getMany(['1', '3'])).toEqual([
      { id: '1', tag: ['home'] },
      { id: '3', tag: '' },
    ])
    expect(await dataset.documents.records(['2', '4'])).toEqual(untouched)
    expect((await dataset.documents.record('1'))?.modifiedAt).toBe(1000)
    expect(await dataset.tags.cleanDocuments().finished).toBe(0)
    await expectHealthy(engine)
  })
})

describe('replaceAll', () => {
  it('replaces the whole tree by a list in any order', async () => {
    const { dataset } = await openShop()
    const next = [
      { id: 'b', name: 'B', parentId: 'a' },
      { id: 'a', name: 'A', parentId: 'NULL' },
    ]
    expect(await dataset.tags.replaceAll(next)).toEqual({ stored: 2 })
    expect(await parents(dataset)).toEqual([
      ['a', null],
      ['b', 'a'],
    ])
    expect(await dataset.tags.suggest('lamps')).toEqual([])
  })

  it('changes nothing when one tag does not fit, and says which', async () => {
    const { dataset } = await openShop()
    const before = await dataset.tags.list()
    const lost = [
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B', parentId: 'none' },
      { id: 'c', name: 'C', parentId: 'd' },
      { id: 'd', name: 'D', parentId: 'c' },
    ]
    const { code, message, details } = await failureOf(() => dataset.tags.replaceAll(lost))
    expect([code, message]).toEqual([
      'TAG_PARENT_NOT_FOUND',
      'tag "b" is not below any root: its parent, or one above, does not exist (and 2 more)',
    ])
    expect(details.refused).toMatchObject([
      { id: 'b', code: 'TAG_PARENT_NOT_FOUND' },
      { id: 'c', code: 'TAG_CYCLE' },
      { id: 'd', code: 'TAG_CYCLE' },
    ])
    expect(await codeOf(() => dataset.tags.replaceAll([]))).toBe('INVALID_ARGUMENT')
    expect(
      await codeOf(() =>
        dataset.tags.replaceAll([
          { id: 'a', name: 'A' },
          { id: ' a ', name: 'B' },
        ]),
      ),
    ).toBe('INVALID_ARGUMENT')
    expect(await dataset.tags.list()).toEqual(before)
  })
})

describe('counts', () => {
  it('are those of counting by hand, for each tag and all below it', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('catalogue', { interpretedFields: ['title', 'description'] })
    const folder = new URL('../fixtures/catalogue/', import.meta.url)
    const rows = async (name: string) =>
      (await readFile(new URL(name, folder), 'utf8'))
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
    const products: { id: string; title: string; description: string; tag: string[] }[] =
      await rows('products.jsonl')
    const tags: { id: string; name: string; parentId: string | null }[] = await rows('tags.jsonl')
    await dataset.documents.bulk(products)
    expect(await dataset.tags.replaceAll(tags)).toMatchObject({ stored: tags.length })

    const parentOf = new Map(tags.map(({ id, parentId }) => [id, parentId]))
    const expected = new Map(tags.map(({ id }) => [id, { documents: 0, words: 0 }]))
    for (const { title, description, tag } of products) {
      const words = `${title} ${description}`.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
      for (const own of new Set(tag)) {
        for (let id: string | null = own; id !== null; id = parentOf.get(id) ?? null) {
          const before: { documents: number; words: number } = expected.get(id)!
          expected.set(id, { documents: before.documents + 1, words: before.words + words })
        }
      }
    }
    const counted = await dataset.tags.counts()
    expect([...counted].sort()).toEqual([...expected].sort())
  })
})

describe('suggest', () => {
  it('finds tags by the beginnings of words and follows every change', async () => {
    const { dataset } = await openShop()
    const suggested = async (text: string) => (await dataset.tags.suggest(text)).map(({ id }) => id)
    expect(await suggested('LAM')).toEqual(['lamps', 'desk'])
    expect(await suggested('lamps de')).toEqual(['desk'])
    expect(await suggested('amps')).toEqual([])
    expect(await suggested('')).toEqual([])
    await dataset.tags.update('desk', { name: 'Office' })
    await dataset.tags.create({ id: 'x', name: 'Lampshades' })
    await dataset.tags.remove('sofas')
    expect(await suggested('lam')).toEqual(['lamps', 'x'])
    expect(await suggested('sof')).toEqual([])
    expect(await dataset.tags.suggest('lam', { limit: 1 })).toHaveLength(1)
  })
})

describe('a change that is decided and not yet durable', () => {
  it('is not told, and the changes behind it are decided as if it were', async () => {
    const store = new FaultyLevel()
    const engine = await openEngine({ store })
    const { tags } = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    await tags.create({ id: 'home', name: 'Home' })
    await tags.suggest('ho')
    let open = () => {}
    store.beforeBatch = () => new Promise<void>(resolve => (open = resolve))
    const made = tags.create({ id: 'lamps', name: 'Lamps', parentId: 'home' })
    const below = tags.create({ id: 'desk', name: 'Desk lamps', parentId: 'lamps' })
    const gone = codeOf(() => tags.remove('home'))
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    expect((await tags.list()).map(({ id }) => id)).toEqual(['home'])
    expect([await tags.get('lamps'), await tags.suggest('lam')]).toEqual([undefined, []])
    store.beforeBatch = () => {}
    open()
    expect([await gone, (await made).level, (await below).level]).toEqual(['TAG_HAS_CHILDREN', 2, 3])
    expect((await tags.suggest('lam')).map(({ id }) => id)).toEqual(['lamps', 'desk'])
  })

  it('was never there when it could not be stored', async () => {
    const store = new FaultyLevel()
    const engine = await openEngine({ store })
    const { tags } = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    await tags.list()
    store.failNext = new Error('disk full')
    expect(await codeOf(() => tags.create({ id: 'home', name: 'Home' }))).toBe('STORE_FAILED')
    expect(await tags.list()).toEqual([])
  })
})
