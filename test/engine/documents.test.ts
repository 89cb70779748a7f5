import fc from 'fast-check'
import type { Dataset } from 'findling'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  codeOf,
  collected,
  expectHealthy,
  failureOf,
  memoryDatabase,
  openEngine,
  temporaryFolder,
} from './engines.ts'

const lamp = { id: '1', title: 'Brass desk lamp', size: { height: 40, width: 20 }, tag: ['lamps'] }

async function openProducts(now = { ms: 1000 }) {
  const engine = await openEngine({ clock: () => now.ms })
  return { engine, now, products: await engine.datasets.create('products', { interpretedFields: ['title'] }) }
}

describe('insert and get', () => {
  it('give back what was stored, sharing nothing with it', async () => {
    const { products } = await openProducts()
    const given = structuredClone(lamp)
    expect(await products.documents.insert(given)).toEqual({ id: '1', seq: expect.any(Number) })
    given.size.height = 0
    expect(await products.documents.get('1')).toEqual(lamp)
    expect(await products.documents.get(1)).toEqual(lamp)
    expect(await products.documents.get('2')).toBeUndefined()
    expect(products.documents.count).toBe(1)
  })

  it('refuse a list, and say what takes lists', async () => {
    const { products } = await openProducts()
    const list = [{ id: 'a', title: 'Lamp' }]
    for (const write of ['insert', 'upsert'] as const) {
      const failure = await failureOf(() => products.documents[write](list as never))
      expect(failure).toMatchObject({ code: 'INVALID_DOCUMENT' })
      expect(failure.message).toBe(
        'the document is a list of 1; expected one document; for a list of documents, use bulk()',
      )
    }
  })

  it('refuse a taken id and leave the document that has it', async () => {
    const { products } = await openProducts()
    await products.documents.insert(lamp)
    const taken = await failureOf(() => products.documents.insert({ id: 1, title: 'Other' }))
    expect(taken).toMatchObject({ code: 'DOCUMENT_EXISTS', details: { field: 'id', received: '"1"' } })
    expect(await products.documents.get('1')).toEqual(lamp)
  })

  it('fail with a stack that leads to the caller', async () => {
    const { products } = await openProducts()
    async function storeAgain() {
      await products.documents.insert(lamp)
    }
    async function changeMissing() {
      await products.documents.update('2', { title: 'Other' })
    }
    await storeAgain()
    expect((await failureOf(storeAgain)).stack).toMatch(/^FindlingError: .*already has[\s\S]*storeAgain/)
    expect((await failureOf(changeMissing)).stack).toContain('changeMissing')
  })

  it('keep every document over a reopen of a folder', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store })
    const products = await engine.datasets.create('products')
    await products.documents.insert(lamp)
    const record = await products.documents.record('1')
    await engine.close()
    const again = (await openEngine({ store })).datasets.get('products')
    expect(await again.documents.record('1')).toEqual(record)
  })

  it('of two inserts of one id at the same time one wins', async () => {
    const { products } = await openProducts()
    const both = await Promise.allSettled([products.documents.insert(lamp), products.documents.insert(lamp)])
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(products.documents.count).toBe(1)
  })
})

describe('record, getMany and records', () => {
  it('tell number and time of the last change', async () => {
    const { products, now } = await openProducts()
    const { seq } = await products.documents.insert(lamp)
    now.ms = 2000
    await products.documents.update('1', { title: 'Lamp' })
    expect(await products.documents.record('1')).toEqual({
      id: '1',
      seq: seq + 1,
      modifiedAt: 2000,
      document: { ...lamp, title: 'Lamp' },
    })
    expect(await products.documents.record('2')).toBeUndefined()
  })

  it('answer in the order asked for, with gaps and repetitions', async () => {
    const { products } = await openProducts()
    const { seq } = await products.documents.insert({ id: 'a' })
    await products.documents.insert({ id: 'b' })
    expect(await products.documents.getMany(['b', 'x', 'a', 'b'])).toEqual([
      { id: 'b' },
      undefined,
      { id: 'a' },
      { id: 'b' },
    ])
    expect(await products.documents.getMany([])).toEqual([])
    expect((await products.documents.records(['b', 'a'])).map(record => record?.seq)).toEqual([seq + 1, seq])
  })
})

describe('update', () => {
  it('merges objects at every depth, replaces lists and takes null as a value', async () => {
    const { products } = await openProducts()
    const { seq } = await products.documents.insert(lamp)
    const answer = await products.documents.update('1', { size: { width: 25 }, tag: ['desks'], title: null })
    const expected = { id: '1', title: null, size: { height: 40, width: 25 }, tag: ['desks'] }
    expect(answer).toEqual({ id: '1', seq: seq + 1, document: expected })
    expect(await products.documents.get('1')).toEqual(expected)
  })

  it('moves a document whose id changes', async () => {
    const { products } = await openProducts()
    await products.documents.insert(lamp)
    expect(await products.documents.update('1', { id: '9', title: 'Moved lamp' })).toMatchObject({ id: '9' })
    expect(await products.documents.get('1')).toBeUndefined()
    expect(await products.documents.get('9')).toEqual({ ...lamp, id: '9', title: 'Moved lamp' })
    expect((await products.search('lamp')).hits.map(({ id }) => id)).toEqual(['9'])
    expect(products.documents.count).toBe(1)
  })

  it('refuses a taken id, a missing document and a patch that breaks a rule, and changes nothing then', async () => {
    const { engine, products } = await openProducts()
    const { seq } = await products.documents.insert(lamp)
    await products.documents.insert({ id: '2', title: 'Other' })
    expect(await codeOf(() => products.documents.update('1', { id: '2' }))).toBe('DOCUMENT_EXISTS')
    expect(await codeOf(() => products.documents.update('3', { title: 'x' }))).toBe('DOCUMENT_NOT_FOUND')
    expect(await codeOf(() => products.documents.update('1', { id: '' }))).toBe('INVALID_DOCUMENT')
    expect(await codeOf(() => products.documents.update('1', { title: { no: 'text' } }))).toBe(
      'INVALID_DOCUMENT',
    )
    expect(await collected(products.documents.scan())).toMatchObject([
      { seq, document: lamp },
      { seq: seq + 1 },
    ])
    await expectHealthy(engine)
  })
})

describe('upsert and delete', () => {
  it('replace a document whole, and take it away', async () => {
    const { products } = await openProducts()
    await products.documents.upsert(lamp)
    await products.documents.upsert({ id: '1', title: 'Chair' })
    expect(await products.documents.get('1')).toEqual({ id: '1', title: 'Chair' })
    expect(await products.documents.delete('1')).toBe(true)
    expect(await products.documents.delete('1')).toBe(false)
    expect(products.documents.count).toBe(0)
  })
})

describe('ifSeq', () => {
  it('writes only over the change it names', async () => {
    const { products } = await openProducts()
    const { seq } = await products.documents.insert(lamp)
    const stale = { ifSeq: seq + 1 }
    for (const call of [
      () => products.documents.upsert(lamp, stale),
      () => products.documents.update('1', { title: 'x' }, stale),
      () => products.documents.delete('1', stale),
    ]) {
      expect(await failureOf(call)).toMatchObject({
        code: 'SEQUENCE_MISMATCH',
        details: { field: 'ifSeq', received: `${seq + 1}`, expected: `${seq}` },
      })
    }
    const updated = await products.documents.update('1', { title: 'x' }, { ifSeq: seq })
    expect(await products.documents.delete('1', { ifSeq: updated.seq })).toBe(true)
  })

  it('of 0 means that there is no document yet', async () => {
    const { products } = await openProducts()
    await products.documents.upsert(lamp, { ifSeq: 0 })
    expect(await codeOf(() => products.documents.upsert(lamp, { ifSeq: 0 }))).toBe('SEQUENCE_MISMATCH')
    await products.documents.delete('1')
    await products.documents.upsert(lamp, { ifSeq: 0 })
  })

  it('lets one of many writers win who read the same', async () => {
    const { products } = await openProducts()
    await products.documents.insert({ id: '1', stock: 0 })
    const buy = async () => {
      for (;;) {
        const record = (await products.documents.record('1'))!
        const stock = Number(record.document.stock) + 1
        const won = await products.documents.update('1', { stock }, { ifSeq: record.seq }).then(
          () => true,
          () => false,
        )
        if (won) return
      }
    }
    await Promise.all(Array.from({ length: 12 }, buy))
    expect(await products.documents.get('1')).toEqual({ id: '1', stock: 12 })
  })
})

describe('scan', () => {
  it('goes by id in byte order and shows the moment it began', async () => {
    const { products } = await openProducts()
    await products.documents.bulk(['b', 'a', 'ä', 'B', '10', '9', '😀', '\uffee'].map(id => ({ id })))
    const seen: string[] = []
    for await (const { id } of products.documents.scan()) {
      if (seen.length === 0) await products.documents.bulk([{ id: 'zz' }])
      seen.push(id)
    }
    expect(seen).toEqual(['10', '9', 'B', 'a', 'b', 'ä', '\uffee', '😀'])
  })

  it('ends with CANCELLED when its signal aborts', async () => {
    const { products } = await openProducts()
    await products.documents.bulk(Array.from({ length: 1200 }, (_, i) => ({ id: i })))
    const abort = new AbortController()
    let seen = 0
    const reading = async () => {
      for await (const _ of products.documents.scan({ signal: abort.signal }))
        if (++seen === 10) abort.abort()
    }
    expect(await codeOf(reading)).toBe('CANCELLED')
    expect(seen).toBeLessThan(1200)
  })
})

describe('changes', () => {
  it('tell the newest change of each document, oldest first, from a number on', async () => {
    const { products } = await openProducts()
    const { documents } = products
    await documents.bulk([{ id: 'a' }, { id: 'b' }, { id: 'c' }])
    const { seq } = (await documents.record('c'))!
    await documents.update('a', { title: 'x' })
    await documents.delete('b')
    await documents.update('a', { title: 'y' })
    expect(await collected(documents.changes({ since: seq }))).toEqual([
      { seq: seq + 2, id: 'b', kind: 'removal' },
      { seq: seq + 3, id: 'a', kind: 'content' },
    ])
    expect((await collected(documents.changes())).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
  })

  it('of a document removed and stored again may tell both, and end with what is there', async () => {
    const { products } = await openProducts()
    const { documents } = products
    for (const title of ['x', 'y']) {
      await documents.insert({ id: 'a', title })
      await documents.delete('a')
    }
    const { seq } = await documents.insert({ id: 'a', title: 'z' })
    const told = await collected(documents.changes())
    expect(told.map(({ seq }) => seq)).toEqual([...told.map(({ seq }) => seq)].sort((a, b) => a - b))
    expect(told.at(-1)).toEqual({ seq, id: 'a', kind: 'content' })
    expect(told.filter(({ kind }) => kind === 'content')).toHaveLength(1)
  })

  it('say so when removals have been forgotten, and lose no living document', async () => {
    const { products } = await openProducts()
    const { documents } = products
    await documents.bulk(Array.from({ length: 1501 }, (_, i) => ({ id: i })))
    await documents.deleteWhere({ id: { ne: 7 } }).finished
    while ((await collected(documents.changes())).length > 1501) await documents.delete('none')
    const { seq } = (await documents.record('7'))!
    const asked = () => collected(documents.changes({ since: seq }))
    while (
      (await asked().then(
        () => 'told',
        ({ code }) => code,
      )) === 'told'
    )
      await documents.delete('none')
    expect(await codeOf(asked)).toBe('CHANGES_PRUNED')
    const told = await collected(documents.changes())
    expect(told.filter(({ kind }) => kind === 'content')).toEqual([{ seq, id: '7', kind: 'content' }])
    expect(told.length).toBeLessThan(1501)
  })
})

describe('engine.write', () => {
  it('writes across datasets all or nothing', async () => {
    const { engine, products } = await openProducts()
    const orders = await engine.datasets.create('orders')
    const { seq } = await products.documents.insert({ id: '1', stock: 1 })
    const buy = (orderId: string, ifSeq: number) =>
      engine.write([
        { type: 'update', dataset: 'products', id: 1, patch: { stock: 0 }, ifSeq },
        { type: 'insert', dataset: 'orders', document: { id: orderId, product: '1' } },
        { type: 'upsert', dataset: 'orders', document: { id: 'latest', order: orderId } },
        { type: 'delete', dataset: 'orders', id: 'none' },
      ])
    expect(await buy('A', seq)).toEqual([
      { id: '1', seq: seq + 1 },
      { id: 'A', seq: seq + 2 },
      { id: 'latest', seq: seq + 3 },
      { id: 'none', seq: null },
    ])
    expect(await codeOf(() => buy('B', seq))).toBe('SEQUENCE_MISMATCH')
    expect(await codeOf(() => buy('A', seq + 1))).toBe('DOCUMENT_EXISTS')
    expect(await products.documents.record('1')).toMatchObject({ seq: seq + 1, document: { stock: 0 } })
    expect(await orders.documents.getMany(['A', 'B', 'latest'])).toMatchObject([
      { id: 'A' },
      undefined,
      { order: 'A' },
    ])
    expect(await engine.write([])).toEqual([])
  })
})

type Model = Map<string, { id: string; n: number; text?: string }>
type Step = (
  documents: Dataset<{ id: string; n: number; text?: string }>['documents'],
  model: Model,
) => Promise<void>

const id = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'x/y', 'ä')
const n = fc.integer({ min: 0, max: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(id, n).map(
    ([id, n]): Step =>
      async (documents, model) => {
        const done = await documents.insert({ id, n }).then(
          () => true,
          () => false,
        )
        expect(done).toBe(!model.has(id))
        if (done) model.set(id, { id, n })
      },
  ),
  fc.array(fc.record({ id, n }), { maxLength: 4 }).map(
    (rows): Step =>
      async (documents, model) => {
        await documents.bulk(rows)
        for (const row of rows) model.set(row.id, row)
      },
  ),
  fc.tuple(id, id, n).map(
    ([from, to, n]): Step =>
      async (documents, model) => {
        const done = await documents.update(from, { id: to, n, text: 'moved' }).then(
          () => true,
          () => false,
        )
        expect(done).toBe(model.has(from) && (from === to || !model.has(to)))
        if (!done) return
        model.delete(from)
        model.set(to, { id: to, n, text: 'moved' })
      },
  ),
  id.map(
    (id): Step =>
      async (documents, model) => {
        expect(await documents.delete(id)).toBe(model.delete(id))
      },
  ),
  n.map(
    (n): Step =>
      async (documents, model) => {
        const found = [...model.values()].filter(document => document.n === n)
        expect(await documents.updateWhere({ n }, { text: 'found' }).finished).toBe(found.length)
        for (const document of found) model.set(document.id, { ...document, text: 'found' })
      },
  ),
  n.map(
    (n): Step =>
      async (documents, model) => {
        const found = [...model.values()].filter(document => document.n < n)
        expect(await documents.deleteWhere({ n: { lt: n } }).finished).toBe(found.length)
        for (const { id } of found) model.delete(id)
      },
  ),
)

describe('any sequence of writes', () => {
  it('leaves what a Map would hold, also after a reopen', async () => {
    const check = async (steps: Step[]) => {
      const store = memoryDatabase()
      const model: Model = new Map()
      const engine = await openEngine({ store })
      const { documents } = await engine.datasets.create<{ id: string; n: number; text?: string }>('model')
      for (const step of steps) await step(documents, model)
      await engine.close()
      const again = await openEngine({ store })
      const { documents: stored } = again.datasets.get('model')
      const found = (await collected(stored.scan())).map(({ document }) => document)
      const bytewise = (a: { id: string }, b: { id: string }) =>
        Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))
      expect(found).toEqual([...model.values()].sort(bytewise))
      expect(stored.count).toBe(model.size)
      await expectHealthy(again)
      await again.close()
    }
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), check), { numRuns: 40 })
  })
})

describe('with a zod object', () => {
  it('what it makes of a document is stored: defaults, transforms, and known members only', async () => {
    const engine = await openEngine()
    const schema = z.object({
      id: z.string().trim(),
      title: z.string().trim().toLowerCase().default('none'),
      tag: z.array(z.string()).default(['new']),
      at: z
        .string()
        .transform(text => text.length)
        .pipe(z.number())
        .or(z.number())
        .optional(),
    })
    const { documents } = await engine.datasets.create('products', { schema })
    await documents.insert({ id: ' 1 ', title: ' LAMP ', other: 1, at: 'four' } as never)
    await documents.bulk([{ id: '2' } as never])
    expect(await documents.getMany(['1', '2'])).toEqual([
      { id: '1', title: 'lamp', tag: ['new'], at: 4 },
      { id: '2', title: 'none', tag: ['new'] },
    ])
    const { document } = await documents.update('1', { title: ' DESK' })
    expect(document).toEqual({ id: '1', title: 'desk', tag: ['new'], at: 4 })
    expect(await documents.get('1')).toEqual(document)
  })

  it('refuses what it makes that is not valid JSON, and a document under another id', async () => {
    const engine = await openEngine()
    const big = z.object({ id: z.string(), n: z.string().transform(text => new Map([[text, 1]])) })
    const { documents } = await engine.datasets.create('maps', { schema: big as never })
    expect(await codeOf(() => documents.insert({ id: '1', n: 'x' } as never))).toBe('INVALID_DOCUMENT')
    let prefix = ''
    const moving = z.object({ id: z.string().transform(id => prefix + id) })
    const moved = (await engine.datasets.create('moving', { schema: moving })).documents
    await moved.insert({ id: '1' })
    prefix = 'x'
    expect(await codeOf(() => moved.update('1', {}))).toBe('INVALID_DOCUMENT')
    expect(await moved.get('1')).toEqual({ id: '1' })
  })
})
