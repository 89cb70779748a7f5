import { type Dataset, Engine, errorCodes } from 'findling'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codeOf, collected, expectHealthy, failureOf, openEngine } from './engines.ts'

/** What callers in plain JavaScript can do: call anything with anything. */
type Loose = { [method: string]: (...values: unknown[]) => unknown }
// Every public method is a function; what it accepts is what these tests are about.
const loose = (target: object) => target as Loose

let engine: Engine
let dataset: Dataset
let before: unknown

const state = async () => [
  await collected(dataset.documents.scan()),
  await dataset.tags.list(),
  engine.datasets.list(),
]

beforeEach(async () => {
  engine = await openEngine()
  dataset = await engine.datasets.create('products', { interpretedFields: ['title', 'desc'] })
  await dataset.documents.bulk([
    { id: '1', title: 'Lamp' },
    { id: '2', title: 'Desk' },
  ])
  await dataset.tags.create({ id: 'a', name: 'A' })
  before = await state()
})

afterEach(async () => {
  expect(await state()).toEqual(before)
  await expectHealthy(engine)
})

const nested = (depth: number): object => {
  let value: object = { end: true }
  for (let i = 1; i < depth; i++) value = { in: value }
  return value
}

type Case = [what: string, call: () => unknown, code: string, field: string]

async function expectRefused(cases: Case[]) {
  for (const [what, call, code, field] of cases) {
    const error = await failureOf(async () => {
      const answer = await call()
      // Jobs tell in their promise, generators at the first step.
      if (answer instanceof Object && 'finished' in answer) await answer.finished
      if (answer instanceof Object && Symbol.asyncIterator in answer)
        await collected(answer as AsyncIterable<unknown>)
    })
    expect([what, error.code, error.details.field ?? '']).toEqual([what, code, field])
    expect(errorCodes).toContain(error.code)
    expect(error.details.received ?? error.message).not.toBe('')
    expect(error.message.length).toBeLessThan(600)
  }
}

describe('calls with no arguments at all', () => {
  it('are refused or mean nothing', async () => {
    const { documents, tags, datasets } = { ...dataset, datasets: engine.datasets }
    const mine = engine.namespace('mine')
    await mine.put('key', 1)
    await expectRefused([
      ['create', () => loose(datasets).create!(), 'INVALID_ARGUMENT', 'name'],
      ['get', () => loose(datasets).get!(), 'INVALID_ARGUMENT', 'name'],
      ['rename', () => loose(datasets).rename!(), 'INVALID_ARGUMENT', 'name'],
      ['swap', () => loose(datasets).swap!(), 'INVALID_ARGUMENT', 'name'],
      ['remove', () => loose(datasets).remove!(), 'INVALID_ARGUMENT', 'name'],
      ['insert', () => loose(documents).insert!(), 'INVALID_DOCUMENT', ''],
      ['upsert', () => loose(documents).upsert!(), 'INVALID_DOCUMENT', ''],
      ['update', () => loose(documents).update!(), 'INVALID_ARGUMENT', 'id'],
      ['update without a patch', () => loose(documents).update!('1'), 'INVALID_DOCUMENT', ''],
      ['delete', () => loose(documents).delete!(), 'INVALID_ARGUMENT', 'id'],
      ['get', () => loose(documents).get!(), 'INVALID_ARGUMENT', 'id'],
      ['record', () => loose(documents).record!(), 'INVALID_ARGUMENT', 'id'],
      ['getMany', () => loose(documents).getMany!(), 'INVALID_ARGUMENT', ''],
      ['records', () => loose(documents).records!(), 'INVALID_ARGUMENT', ''],
      ['bulk', () => loose(documents).bulk!(), 'INVALID_ARGUMENT', ''],
      ['deleteWhere', () => loose(documents).deleteWhere!(), 'INVALID_ARGUMENT', 'where'],
      ['updateWhere', () => loose(documents).updateWhere!(), 'INVALID_DOCUMENT', 'patch'],
      ['copy', () => loose(documents).copy!(), 'INVALID_ARGUMENT', 'target'],
      ['move', () => loose(documents).move!(), 'INVALID_ARGUMENT', 'target'],
      ['import', () => loose(documents).import!(), 'INVALID_ARGUMENT', 'source'],
      ['tags.get', () => loose(tags).get!(), 'INVALID_ARGUMENT', 'id'],
      ['tags.create', () => loose(tags).create!(), 'INVALID_ARGUMENT', ''],
      ['tags.update', () => loose(tags).update!(), 'INVALID_ARGUMENT', 'id'],
      ['tags.remove', () => loose(tags).remove!(), 'INVALID_ARGUMENT', 'id'],
      ['tags.replaceAll', () => loose(tags).replaceAll!(), 'INVALID_ARGUMENT', ''],
      ['tags.suggest', () => loose(tags).suggest!(), 'INVALID_ARGUMENT', ''],
      ['tags.counts', () => loose(tags).counts!(null), 'INVALID_ARGUMENT', ''],
      ['namespace.put', () => loose(mine).put!('key'), 'INVALID_ARGUMENT', 'value'],
      ['namespace.write', () => loose(mine).write!(null), 'INVALID_ARGUMENT', ''],
      ['namespace.write a list of null', () => loose(mine).write!([null]), 'INVALID_ARGUMENT', '[0]'],
      ['search', () => loose(dataset).search!(), 'INVALID_ARGUMENT', ''],
      ['reconfigure', () => loose(dataset).reconfigure!(), 'INVALID_ARGUMENT', ''],
      ['write', () => loose(engine).write!(), 'INVALID_ARGUMENT', ''],
      ['namespace', () => loose(engine).namespace!(), 'INVALID_ARGUMENT', ''],
      ['cancelJob', () => loose(engine).cancelJob!(), 'JOB_NOT_FOUND', 'id'],
      ['startJob', () => loose(engine).startJob!(), 'INVALID_ARGUMENT', ''],
    ])
    expect(loose(engine).job!()).toBeUndefined()
    expect(await mine.get('key')).toBe(1)
    expect(['', 'ab', 'no name', '__proto__'].map(name => engine.datasets.has(name))).not.toContain(true)
  })
})

describe('documents', () => {
  it('that cannot be stored as they are given are refused by the field that is wrong', async () => {
    const cycle: { id: string; self?: object } = { id: '3' }
    cycle.self = cycle
    const refused: [document: unknown, field: string][] = [
      [null, ''],
      [5, ''],
      [[], ''],
      [new Map(), ''],
      [{}, 'id'],
      [{ id: null }, 'id'],
      [{ id: '' }, 'id'],
      [{ id: '  ' }, 'id'],
      [{ id: true }, 'id'],
      [{ id: Number.NaN }, 'id'],
      [{ id: 2 ** 53 + 2 }, 'id'],
      [{ id: 'x\ud800' }, 'id'],
      [{ id: 'é'.repeat(513) }, 'id'],
      [{ id: '3', price: Number.NaN }, 'price'],
      [{ id: '3', price: Number.POSITIVE_INFINITY }, 'price'],
      [{ id: '3', price: 2n ** 53n + 1n }, 'price'],
      [{ id: '3', price: 5n }, 'price'],
      [{ id: '3', sizes: [1, undefined] }, 'sizes[1]'],
      [{ id: '3', when: new Date('no date') }, 'when'],
      [{ id: '3', deep: { list: [{ run: () => 1 }] } }, 'deep.list[0].run'],
      [{ id: '3', title: { en: 'Lamp' } }, 'title'],
      [{ id: '3', tag: [['a']] }, 'tag[0]'],
    ]
    for (const [document, field] of refused) {
      for (const method of ['insert', 'upsert'])
        await expectRefused([
          [String(field), () => loose(dataset.documents)[method]!(document), 'INVALID_DOCUMENT', field],
        ])
      const rows = await dataset.documents.bulk([document as never])
      expect(rows).toMatchObject([
        { status: 'failed', error: { code: 'INVALID_DOCUMENT', details: { field } } },
      ])
      const failure = await failureOf(() => dataset.documents.import([document]).finished)
      const report = { stored: 0, failed: 1, errors: [{ line: 1, code: 'INVALID_DOCUMENT' }] }
      expect(failure).toMatchObject({ code: 'INVALID_ROW', details: { report } })
    }
    expect(await codeOf(() => dataset.documents.insert(cycle as never))).toBe('INVALID_DOCUMENT')
    expect(await codeOf(() => dataset.documents.insert({ ...nested(1000), id: '3' } as never))).toBe(
      'INVALID_DOCUMENT',
    )
  })

  it('that are only unusual come back as they went in', async () => {
    const documents = [
      { id: '__proto__', title: '' },
      { id: 'constructor', tag: '' },
      JSON.parse('{"id":"own","__proto__":{"x":1},"constructor":{"prototype":2},"":"empty name"}'),
      { id: 'a/b/../c', title: 'x' },
      { id: 'nul\0nul', title: 'a\0b' },
      { id: 'é'.repeat(512), title: 'long id' },
      { id: ' padded ', title: 'lone \ud800 surrogate' },
      { ...nested(100), id: 'deep' },
      { id: 'exact', price: Number.MAX_SAFE_INTEGER, tiny: 5e-324, fraction: 0.1 + 0.2, zero: 0 },
    ]
    const rows = await dataset.documents.bulk(documents)
    expect(rows.map(({ id, status }) => [id, status])).toEqual(documents.map(({ id }) => [id, 'stored']))
    expect(await dataset.documents.getMany(documents.map(({ id }) => id))).toEqual(documents)
    await expectHealthy(engine)
    await dataset.documents.deleteWhere({ id: { in: documents.map(({ id }) => id) } }).finished
    expect(Object.prototype).not.toHaveProperty('x')
    before = await state()
  })
})

describe('arguments', () => {
  it('of a wrong kind are refused by their name', async () => {
    const { documents, tags } = dataset
    await expectRefused([
      ['name', () => loose(engine.datasets).create!('ab'), 'INVALID_ARGUMENT', 'name'],
      ['name', () => loose(engine.datasets).create!('with space'), 'INVALID_ARGUMENT', 'name'],
      ['name', () => loose(engine.datasets).create!(5), 'INVALID_ARGUMENT', 'name'],
      ['name', () => loose(engine.datasets).rename!('products', '../x'), 'INVALID_ARGUMENT', 'to'],
      [
        'setting',
        () => loose(engine.datasets).create!('name', { idfield: 'x' }),
        'INVALID_ARGUMENT',
        'idfield',
      ],
      ['setting', () => loose(engine.datasets).create!('name', null), 'INVALID_ARGUMENT', ''],
      ['schema', () => loose(engine.datasets).get!('products', { type: 'object' }), 'INVALID_ARGUMENT', ''],
      ['id', () => loose(documents).get!('x'.repeat(1025)), 'INVALID_ARGUMENT', 'id'],
      ['id', () => loose(documents).get!('\udc00'), 'INVALID_ARGUMENT', 'id'],
      ['id', () => loose(documents).delete!({}), 'INVALID_ARGUMENT', 'id'],
      ['ids', () => loose(documents).getMany!(['1', '']), 'INVALID_ARGUMENT', 'ids[1]'],
      ['ids', () => loose(documents).getMany!('12'), 'INVALID_ARGUMENT', ''],
      ['ids', () => loose(documents).copy!(['1', null], documents), 'INVALID_ARGUMENT', '[1]'],
      ['rows', () => loose(documents).bulk!('rows'), 'INVALID_ARGUMENT', ''],
      ['mode', () => loose(documents).bulk!([], { mode: 'replace' }), 'INVALID_ARGUMENT', 'mode'],
      ['ifSeq', () => loose(documents).upsert!({ id: '1' }, { ifSeq: -1 }), 'INVALID_ARGUMENT', 'ifSeq'],
      ['ifSeq', () => loose(documents).delete!('1', { ifSeq: '5' }), 'INVALID_ARGUMENT', 'ifSeq'],
      ['option', () => loose(documents).update!('1', {}, { seq: 1 }), 'INVALID_ARGUMENT', 'seq'],
      ['option', () => loose(documents).insert!([]), 'INVALID_DOCUMENT', ''],
      ['patch', () => loose(documents).update!('1', { price: Number.NaN }), 'INVALID_DOCUMENT', 'price'],
      ['signal', () => loose(documents).scan!({ signal: 5 }), 'INVALID_ARGUMENT', 'signal'],
      ['since', () => loose(documents).changes!({ since: -1 }), 'INVALID_ARGUMENT', 'since'],
      ['format', () => loose(documents).export!({ format: 'xml' }), 'INVALID_ARGUMENT', 'format'],
      ['format', () => loose(documents).import!([], { format: 'xml' }), 'INVALID_ARGUMENT', 'format'],
      ['delimiter', () => loose(documents).import!([], { delimiter: '||' }), 'INVALID_ARGUMENT', 'delimiter'],
      [
        'source',
        () => loose(documents).import!(new URL('http://localhost/x.csv')),
        'INVALID_ARGUMENT',
        'source',
      ],
      ['tag', () => loose(tags).create!({ id: 'b' }), 'INVALID_ARGUMENT', 'name'],
      ['tag', () => loose(tags).create!({ id: 'x\ud800', name: 'x' }), 'INVALID_ARGUMENT', 'id'],
      ['force', () => loose(tags).remove!('a', { force: 1 }), 'INVALID_ARGUMENT', 'force'],
      ['limit', () => loose(tags).suggest!('a', { limit: 0 }), 'INVALID_ARGUMENT', 'limit'],
      ['status', () => loose(engine).jobs!({ status: 'running' }), 'INVALID_ARGUMENT', 'status'],
      ['filter', () => loose(engine).jobs!(null), 'INVALID_ARGUMENT', ''],
      [
        'kind',
        () => loose(engine).startJob!({ kind: 'import', description: 'x' }),
        'INVALID_ARGUMENT',
        'kind',
      ],
      ['body', () => loose(engine).startJob!({ kind: 'a:b', description: 'x' }), 'INVALID_ARGUMENT', ''],
      ['to', () => loose(dataset).similar!({ id: null }), 'INVALID_ARGUMENT', 'id'],
      ['to', () => loose(dataset).similar!({ id: '1', limit: 5 }), 'INVALID_ARGUMENT', 'limit'],
      [
        'filter',
        () => dataset.search('lamp', { filter: new Array(2000).fill('lamp') }),
        'INVALID_ARGUMENT',
        'filter',
      ],
      [
        'visible',
        () => dataset.count('lamp', { visible: new Array(2000).fill('lamp') }),
        'INVALID_ARGUMENT',
        'visible',
      ],
      [
        'ifValue',
        () => loose(engine.namespace('mine')).put!('key', 1, { ifValue: Number.NaN }),
        'INVALID_ARGUMENT',
        'ifValue',
      ],
      ['repair', () => loose(engine).doctor!({ repair: 'yes' }), 'INVALID_ARGUMENT', 'repair'],
      ['type', () => loose(engine).write!([{ type: 'replace' }]), 'INVALID_ARGUMENT', '[0].type'],
      [
        'dataset',
        () => loose(engine).write!([{ type: 'delete', dataset: 'nothing', id: 1 }]),
        'DATASET_NOT_FOUND',
        'dataset',
      ],
      [
        'document',
        () => engine.write([{ type: 'insert', dataset: 'products', document: {} }]),
        'INVALID_DOCUMENT',
        'id',
      ],
    ])
  })

  it('that are lists far too long are refused as a whole, before their elements are read', async () => {
    const long = new Array(70_000).fill({})
    const { documents, tags } = dataset
    const service = await engine.services.create({ type: 'classifier', name: 'Tags' })
    const cases: [call: () => unknown, field: string][] = [
      [() => loose(dataset).complete!('la', { kinds: long }), 'kinds'],
      [() => loose(dataset).classifier!({ nGrams: long }), 'nGrams'],
      [() => loose(tags).words!({ nGrams: long }), 'nGrams'],
      [() => loose(documents).export!({ format: 'csv', columns: long }), 'columns'],
      [() => loose(engine).jobs!({ status: long }), 'status'],
      [() => loose(tags).words!({ tags: long }), 'tags'],
      [() => loose(dataset).search!('la', { highlight: { fields: long } }), 'highlight.fields'],
      [() => loose(dataset).search!('la', { fields: long }), 'fields'],
      [() => loose(service).exportDictionaries!(async () => {}, { tags: long }), 'tags'],
    ]
    for (const [call, field] of cases) {
      const { details } = await failureOf(async () => {
        const answer = await call()
        if (answer instanceof Object && Symbol.asyncIterator in answer)
          await collected(answer as AsyncIterable<unknown>)
      })
      expect([details.field, details.received]).toEqual([field, 'a list of 70000'])
    }
    await service.remove()
  })

  it('that are lists with very many wrong elements are read until enough problems are known', async () => {
    const long = new Array(70_000).fill(true)
    const readTooFar = () => {
      throw new Error('read too far')
    }
    Object.defineProperty(long, 69_999, { get: readTooFar })
    const others = await engine.datasets.create('others')
    const calls: (() => unknown)[] = [
      () => loose(engine).write!(long),
      () => loose(engine.namespace('my-app')).write!(long),
      () => loose(dataset.documents).copy!(long, others.documents),
      () => loose(dataset.documents).move!(long, others.documents),
    ]
    for (const call of calls) {
      const { details, message } = await failureOf(async () => await call())
      expect(details).toMatchObject({ field: '[0]', received: 'true' })
      expect(details.issues).toHaveLength(100)
      expect(message).toMatch(/\(and \d+ more\)$/)
    }
    await engine.datasets.remove('others')
  })

  it('that are long lists inside of a write are read until enough problems are known', async () => {
    const wrong = Array.from({ length: 300_000 }, () => ({ type: 'delete', dataset: 'products', id: null }))
    const ids = new Array(300_000).fill(true)
    const texts = Object.fromEntries(ids.map((value, i) => [`name${i}`, value]))
    const writes: [member: string, write: object][] = [
      ['operations[0].id', { type: 'together', operations: wrong }],
      ['tags[0]', { type: 'declareDeadTags', dataset: 'products', tags: ids }],
      ['tags[0]', { type: 'forgetDeadTags', dataset: 'products', tags: ids }],
      ['ids[0]', { type: 'cleanDocuments', dataset: 'products', ids }],
      ['texts.name0', { type: 'insert', dataset: 'products', document: {}, texts }],
    ]
    for (const [member, write] of writes) {
      const { code, details } = await failureOf(async () => await loose(engine).write!([write, write]))
      expect([code, details.field]).toEqual(['INVALID_ARGUMENT', `[0].${member}`])
      expect(details.expected).toBe(member === 'texts.name0' ? 'text' : 'text or a number')
      expect(details.issues).toHaveLength(100)
    }
    const groups = new Array(256).fill({ type: 'together', operations: wrong })
    // A hundred of each group would be 25,600.
    await expect(loose(engine).write!(groups)).rejects.toThrow('(and 99 more)')
  })

  it('that are paths far too long are refused without repeating them', async () => {
    const long = `/${'x'.repeat(100_000)}.csv`
    const here = './no-such-folder'
    await expectRefused([
      ['backup', () => engine.backup(long), 'INVALID_ARGUMENT', ''],
      ['restore from', () => Engine.restore(long, here), 'INVALID_ARGUMENT', ''],
      ['restore into', () => Engine.restore(here, long), 'INVALID_ARGUMENT', ''],
      ['verifyBackup', () => Engine.verifyBackup(long), 'INVALID_ARGUMENT', ''],
      ['describeBackup', () => Engine.describeBackup(long), 'INVALID_ARGUMENT', ''],
      ['open', () => Engine.open({ store: long }), 'INVALID_ARGUMENT', 'store'],
      ['import', () => dataset.documents.import(long), 'INVALID_ARGUMENT', 'source'],
      [
        'import of a URL',
        () => dataset.documents.import(new URL(`file://${long}`)),
        'INVALID_ARGUMENT',
        'source',
      ],
    ])
  })

  it('that nobody has awaited are refused by their name', async () => {
    const vectors = await engine.datasets.create('vectors', { vectors: { direction: { dimensions: 2 } } })
    const language = Promise.resolve('german')
    const vector = { value: Promise.resolve([1, 0]) }
    await expectRefused([
      ['language', () => loose(dataset).reconfigure!({ language }), 'INVALID_ARGUMENT', 'language'],
      ['vector', () => loose(vectors).search!('', { vector }), 'INVALID_ARGUMENT', 'vector.value'],
    ])
    await engine.datasets.remove('vectors')
  })

  it('of Engine.open are refused by their name', async () => {
    const refused: [options: unknown, field: string][] = [
      [null, ''],
      ['folder', ''],
      [{ path: 'folder' }, 'path'],
      [{ store: '' }, 'store'],
      [{ store: 5 }, 'store'],
      [{ durability: 'none' }, 'durability'],
      [{ memoryBudget: 1024 }, 'memoryBudget'],
      [{ clock: 5 }, 'clock'],
      [{ logger: {} }, 'logger.warn'],
    ]
    for (const [options, field] of refused)
      await expectRefused([[field, () => loose(Engine).open!(options), 'INVALID_ARGUMENT', field]])
    expect(await codeOf(() => loose(Engine).open!({ store: {} }))).toBe('STORE_UNSUPPORTED')
  })
})

describe('after close', () => {
  it('everything that reads or writes is refused', async () => {
    const other = await openEngine()
    const closed = await other.datasets.create('closed')
    await closed.documents.insert({ id: '1', title: 'Lamp' })
    await closed.tags.create({ id: 'a', name: 'A' })
    await closed.search('lamp')
    await other.close()
    await other.close()
    const calls: (() => unknown)[] = [
      () => closed.documents.insert({ id: '2' }),
      () => closed.documents.bulk([{ id: '2' }]),
      () => closed.documents.update('1', {}),
      () => closed.documents.delete('1'),
      () => closed.documents.get('1'),
      () => collected(closed.documents.scan()),
      () => collected(closed.documents.changes()),
      () => collected(closed.documents.export()),
      () => closed.documents.deleteWhere({}),
      () => closed.documents.import([]),
      () => closed.search('lamp'),
      () => closed.reconfigure({ language: 'none' }),
      () => closed.tags.list(),
      () => closed.tags.create({ id: 'b', name: 'B' }),
      () => closed.tags.counts(),
      () => other.datasets.create('another'),
      () => other.datasets.remove('closed'),
      () => other.write([]),
      () => other.doctor(),
      () => other.namespace('mine').get('key'),
    ]
    for (const call of calls) expect(await codeOf(call)).toBe('CLOSED')
  })
})
