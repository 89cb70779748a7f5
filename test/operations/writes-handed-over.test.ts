import type { Engine, EngineOptions, WriteOperation, WriteOutcome } from 'findling'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { codeOf, collected, failureOf, openEngine } from '../engine/engines.ts'

interface Entry {
  readonly operations: readonly WriteOperation[]
  readonly at: number
}

/** A log in memory that one engine hands all its writes to. */
class Log {
  readonly entries: Entry[] = []
  engine!: Engine

  readonly write = async (operations: readonly WriteOperation[]): Promise<readonly WriteOutcome[]> => {
    const at = 1_700_000_000_000 + this.entries.length
    this.entries.push(JSON.parse(JSON.stringify({ operations, at })))
    return await this.apply(this.engine, this.entries.length)
  }

  async apply(engine: Engine, position: number): Promise<WriteOutcome[]> {
    const { operations, at } = this.entries[position - 1]!
    return await engine.write(operations, { each: true, at, seqFrom: position * 2 ** 20 })
  }

  async replayed(): Promise<Engine> {
    const engine = await openEngine()
    for (let position = 1; position <= this.entries.length; position++) await this.apply(engine, position)
    return engine
  }

  get types(): string[] {
    return this.entries.flatMap(({ operations }) => operations.map(({ type }) => type))
  }
}

async function openLogged(options: EngineOptions = {}) {
  const log = new Log()
  log.engine = await openEngine({ ...options, writeThrough: log })
  return { log, engine: log.engine }
}

describe('an engine whose writes somebody else makes', () => {
  it('hands over what each of its methods writes, and another engine that makes the same is the same', async () => {
    const { log, engine } = await openLogged()
    const products = await engine.datasets.create('products', { interpretedFields: ['title'] })
    expect(await products.documents.insert({ id: 'a', title: 'Lamp' })).toEqual({
      id: 'a',
      seq: 2 * 2 ** 20 + 1,
    })
    const { seq } = await products.documents.upsert({ id: 'a', title: 'Desk lamp' })
    const updated = await products.documents.update('a', { price: 7 }, { ifSeq: seq })
    expect(updated).toMatchObject({ id: 'a', document: { id: 'a', title: 'Desk lamp', price: 7 } })
    await products.documents.bulk([{ id: 'b', title: 'Hose' }, { id: 'c' }])
    expect(await products.documents.delete('c')).toBe(true)
    expect(await products.documents.delete('c')).toBe(false)
    expect(await products.tags.create({ id: 'g', name: 'Garden' })).toMatchObject({ id: 'g', level: 1 })
    expect(await products.tags.update('g', { name: 'Gardens' })).toMatchObject({ name: 'Gardens' })
    expect(await products.tags.remove('g')).toEqual({ removed: ['g'], cleaning: null })
    expect(await products.tags.replaceAll([{ id: 'x', name: 'X' }])).toEqual({ stored: 1 })
    await products.reconfigure({ interpretedFields: ['title', 'text'] })
    expect(products.settings.interpretedFields).toEqual(['title', 'text'])
    await engine.datasets.create('other')
    await engine.datasets.rename('other', 'next')
    await engine.datasets.swap('products', 'next')
    await engine.datasets.create('gone')
    await engine.datasets.remove('gone')
    const service = await engine.services.create({ type: 'search', name: 'Shop' })
    await service.update({ alias: 'shop' })
    const brief = await engine.services.create({ type: 'search', name: 'Brief' })
    await brief.remove()
    const results = await engine.write([
      { type: 'insert', dataset: 'next', document: { id: 'd', title: 'Nail' } },
      { type: 'together', operations: [{ type: 'put', namespace: 'mine', key: 'k', value: 1 }] },
    ])
    expect(results).toMatchObject([{ id: 'd' }, { id: '', results: [{ id: 'k', seq: null }] }])
    await engine.namespace('mine').write([{ key: 'l', value: 2 }, { key: 'k' }])

    const other = await log.replayed()
    expect((await other.digest()).digest).toBe((await engine.digest()).digest)
    expect(other.datasets.list()).toEqual(engine.datasets.list())
    expect(await collected(other.datasets.get('next').documents.scan())).toEqual(
      await collected(engine.datasets.get('next').documents.scan()),
    )
    expect(other.services.list()).toEqual(engine.services.list())
    expect(await collected(other.namespace('mine').entries())).toEqual([{ key: 'l', value: 2 }])
    expect((await engine.datasets.get('next').search('lamp')).hits.map(({ id }) => id)).toEqual(['a'])
  })

  it('is told what was refused, by the errors of the same calls of any other', async () => {
    const [{ engine, log }, plain] = [await openLogged(), await openEngine()]
    const refusals = async (one: Engine) => {
      const products = await one.datasets.create('products')
      await products.documents.insert({ id: 'a' })
      await products.tags.create({ id: 't', name: 'T' })
      await products.tags.create({ id: 'u', name: 'U', parentId: 't' })
      const calls: (() => Promise<unknown>)[] = [
        () => one.datasets.create('products'),
        () => one.datasets.rename('none', 'some'),
        () => one.datasets.swap('products', 'none'),
        () => one.datasets.remove('none'),
        () => products.documents.insert({ id: 'a' }),
        () => products.documents.upsert({ id: 'a' }, { ifSeq: 1 }),
        () => products.documents.update('none', {}),
        () => products.documents.delete('a', { ifSeq: 1 }),
        () => products.documents.insert({ id: 'n', value: Number.NaN }),
        () => products.tags.create({ id: 't', name: 'T' }),
        () => products.tags.update('none', { name: 'N' }),
        () => products.tags.remove('t'),
        () => products.tags.replaceAll([{ id: 'x', name: 'X', parentId: 'none' }]),
        () => one.services.get('none').update({ name: 'N' }),
        () => one.services.create({ type: 'other' as never, name: 'N' }),
        () => one.namespace('mine').put('k', () => 1),
        () => one.write([{ type: 'insert', dataset: 'products', document: { id: 'a' } }]),
      ]
      const errors: unknown[] = []
      for (const call of calls) {
        const { code, details } = await failureOf(call)
        errors.push([code, details.field])
      }
      return errors
    }
    expect(await refusals(engine)).toEqual(await refusals(plain))
    expect((await (await log.replayed()).digest()).digest).toBe((await engine.digest()).digest)
  })

  it('reads the documents of a dataset by the zod object that it was created with', async () => {
    const { log, engine } = await openLogged()
    const schema = z.object({ id: z.string(), stock: z.number().default(0) })
    const shelf = await engine.datasets.create('shelf', { schema })
    await shelf.documents.insert({ id: 'a' })
    expect(await shelf.documents.get('a')).toEqual({ id: 'a', stock: 0 })
    expect((await log.replayed()).datasets.get('shelf').schema).toEqual(shelf.schema)
  })

  it('takes no time with a write, which somebody else gives', async () => {
    const { engine } = await openLogged()
    expect(await codeOf(() => engine.write([], { at: 7 }))).toBe('INVALID_ARGUMENT')
  })

  it('writes at once what is in local namespaces', async () => {
    const { log, engine } = await openLogged()
    const own = engine.namespace('own', { local: true })
    await own.put('k', 1)
    expect([await own.get('k'), log.types]).toEqual([1, []])
  })

  it('goes on with an index that a setting changes, and answers by it', async () => {
    const { engine } = await openLogged()
    const products = await engine.datasets.create('products', { interpretedFields: ['title'] })
    await products.documents.bulk([{ id: 'a', title: 'Lamp', text: 'brass' }])
    expect((await products.search('brass')).hits).toEqual([])
    const job = products.reconfigure({ interpretedFields: ['title', 'text'] })
    await job
    expect([engine.job(job.id)?.kind, engine.job(job.id)?.status]).toEqual(['reconfigure', 'finished'])
    expect((await products.search('brass')).hits.map(({ id }) => id)).toEqual(['a'])
    const refused = products.reconfigure({ interpretedFields: ['title'] })
    await engine.datasets.remove('products')
    expect(await codeOf(() => refused.finished)).toBe('DATASET_NOT_FOUND')
  })
})

describe('entries of a namespace', () => {
  it('are stored where there is none, by one of those who ask for it at once', async () => {
    for (const engine of [await openEngine(), (await openLogged()).engine]) {
      const notes = engine.namespace('notes')
      const stored = await Promise.all([1, 2, 3].map(n => notes.put('first', n, { ifAbsent: true })))
      expect(stored).toEqual([true, false, false])
      expect(await notes.get('first')).toBe(1)
      expect(await notes.put('first', 4, { ifPresent: true })).toBe(true)
      expect(await notes.put('second', 4, { ifPresent: true })).toBe(false)
      expect(await notes.get('second')).toBeUndefined()
      expect(
        await engine.write([{ type: 'put', namespace: 'notes', key: 'first', value: 5, ifAbsent: true }]),
      ).toEqual([{ id: 'first', seq: null, unchanged: true }])
    }
  })

  it('are replaced only where they still are what was read, if that is asked for', async () => {
    for (const { engine, replayed } of [
      { engine: await openEngine(), replayed: undefined },
      await openLogged().then(({ engine, log }) => ({ engine, replayed: () => log.replayed() })),
    ]) {
      const notes = engine.namespace('notes')
      expect(await notes.put('k', { n: 1 }, { ifValue: null })).toBe(false)
      expect(await notes.get('k')).toBeUndefined()
      await notes.put('k', { n: 0, by: ['a'] })
      const put = (n: number) => notes.put('k', { n }, { ifValue: { by: ['a'], n: 0 } })
      expect(await Promise.all([put(1), put(2)])).toEqual([true, false])
      const operation = { type: 'put', namespace: 'notes', key: 'k' } as const
      const [unchanged] = await engine.write([{ ...operation, ifValue: { n: 2 } }])
      expect([unchanged, await notes.get('k')]).toEqual([{ id: 'k', seq: null, unchanged: true }, { n: 1 }])
      const late = [{ ...operation, value: null, ifValue: { n: 1 } }] as const
      expect(await engine.write(late)).toEqual([{ id: 'k', seq: null }])
      await notes.write([{ key: 'k', value: 'x', ifValue: { n: 1 } }])
      expect(await notes.get('k')).toBeNull()
      expect(await codeOf(() => notes.put('k', 1, { ifValue: () => 1 }))).toBe('INVALID_ARGUMENT')
      const other = await replayed?.()
      if (other)
        expect(await collected(other.namespace('notes').entries())).toEqual([{ key: 'k', value: null }])
    }
  })

  it('are told to those who watch, whoever writes them, until they end it', async () => {
    const engine = await openEngine()
    const [notes, heard] = [engine.namespace('notes'), [] as string[][]]
    const end = notes.watch(keys => heard.push([...keys]))
    await notes.write([
      { key: 'a', value: 1 },
      { key: 'b', value: 2 },
    ])
    await engine.namespace('others').put('c', 3)
    await engine.write([{ type: 'put', namespace: 'notes', key: 'a' }])
    await notes.put('b', 3, { ifAbsent: true })
    end()
    await notes.put('a', 4)
    expect(heard).toEqual([['a', 'b'], ['a']])
    expect(await codeOf(async () => notes.watch('me' as never))).toBe('INVALID_ARGUMENT')
  })
})
