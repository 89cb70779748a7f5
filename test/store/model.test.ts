import fc from 'fast-check'
import { type Engine, FindlingError, type JsonObject, type JsonValue } from 'findling'
import { describe, expect, it } from 'vitest'
import { collected, expectHealthy, openEngine, temporaryFolder } from '../engine/engines.ts'

type Shelf = Map<string, JsonObject>
interface Model {
  shelves: Map<string, Shelf>
}
interface Real {
  folder: string
  engine: Engine
}

const names = ['one', 'two', 'three']
const copy = <T>(value: T): T => structuredClone(value)

/** Objects merge at every depth; everything else is replaced. */
function merged(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  const isObject = (value: JsonValue | undefined): value is JsonObject =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(target) || !isObject(patch)) return patch
  const all = new Map(Object.entries(target))
  for (const [name, value] of Object.entries(patch)) all.set(name, merged(all.get(name), value))
  return Object.fromEntries(all)
}

async function outcome<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work
  } catch (error) {
    if (error instanceof FindlingError) return error.code
    throw error
  }
}

const documentsOf = ({ engine }: Real, name: string) => engine.datasets.get(name).documents

type Change = { type: 'insert' | 'upsert' | 'update' | 'delete'; id: string; body: JsonObject }

/** What a change makes of a shelf: an error's code, or nothing. */
function apply(shelf: Shelf, { type, id, body }: Change): string | undefined {
  const newId = type === 'update' && 'id' in body ? String(body.id) : id
  if (type === 'insert' && shelf.has(id)) return 'DOCUMENT_EXISTS'
  if (type === 'update' && !shelf.has(id)) return 'DOCUMENT_NOT_FOUND'
  if (type === 'update' && newId !== id && shelf.has(newId)) return 'DOCUMENT_EXISTS'
  const document = type === 'update' ? (merged(shelf.get(id), body) as JsonObject) : { ...body, id }
  shelf.delete(id)
  if (type !== 'delete') shelf.set(newId, copy(document))
  return undefined
}

class One implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly dataset: string,
    readonly change: Change,
  ) {}
  check = (model: Model) => model.shelves.has(this.dataset)
  async run(model: Model, real: Real): Promise<void> {
    const documents = documentsOf(real, this.dataset)
    const { type, id, body } = this.change
    const calls = {
      insert: () => documents.insert({ ...body, id }),
      upsert: () => documents.upsert({ ...body, id }),
      update: () => documents.update(id, body),
      delete: () => documents.delete(id),
    }
    const had = model.shelves.get(this.dataset)!.has(id)
    const expected = apply(model.shelves.get(this.dataset)!, this.change)
    const result = await outcome<unknown>(calls[type]())
    if (expected) expect(result).toBe(expected)
    else if (type === 'delete') expect(result).toBe(had)
    else expect(result).toMatchObject({ seq: expect.any(Number) })
  }
  toString = () => `${this.change.type} ${this.dataset} ${JSON.stringify(this.change)}`
}

class Together implements fc.AsyncCommand<Model, Real> {
  constructor(readonly changes: { dataset: string; change: Change }[]) {}
  check = (model: Model) => this.changes.every(({ dataset }) => model.shelves.has(dataset))
  async run(model: Model, { engine }: Real): Promise<void> {
    const shelves = copy(model.shelves)
    let expected: string | undefined
    for (const { dataset, change } of this.changes) expected ??= apply(shelves.get(dataset)!, change)
    const operations = this.changes.map(({ dataset, change: { type, id, body } }) => {
      if (type === 'delete') return { type, dataset, id }
      if (type === 'update') return { type, dataset, id, patch: body }
      return { type, dataset, document: { ...body, id } }
    })
    const result = await outcome(engine.write(operations))
    if (expected) expect(result).toBe(expected)
    else {
      expect(result).toHaveLength(operations.length)
      model.shelves = shelves
    }
  }
  toString = () => `write ${JSON.stringify(this.changes)}`
}

class Bulk implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly dataset: string,
    readonly mode: 'insert' | 'upsert',
    readonly rows: { id: string; body: JsonObject }[],
  ) {}
  check = (model: Model) => model.shelves.has(this.dataset)
  async run(model: Model, real: Real): Promise<void> {
    const shelf = model.shelves.get(this.dataset)!
    const rows = this.rows.map(({ id, body }) => ({ ...body, id }))
    const refused = this.rows.map(row => apply(shelf, { type: this.mode, ...row }))
    const results = await documentsOf(real, this.dataset).bulk([...rows, { id: [] }], { mode: this.mode })
    expect(results.map(({ error }) => error?.code)).toEqual([...refused, 'INVALID_DOCUMENT'])
  }
  toString = () => `bulk ${this.mode} ${this.dataset} ${JSON.stringify(this.rows)}`
}

class Create implements fc.AsyncCommand<Model, Real> {
  constructor(readonly dataset: string) {}
  check = () => true
  async run(model: Model, { engine }: Real): Promise<void> {
    const result = await outcome<unknown>(engine.datasets.create(this.dataset))
    if (model.shelves.has(this.dataset)) expect(result).toBe('DATASET_EXISTS')
    else model.shelves.set(this.dataset, new Map())
  }
  toString = () => `create ${this.dataset}`
}

class Remove implements fc.AsyncCommand<Model, Real> {
  constructor(readonly dataset: string) {}
  check = (model: Model) => model.shelves.size > 1 && model.shelves.has(this.dataset)
  async run(model: Model, { engine }: Real): Promise<void> {
    await engine.datasets.remove(this.dataset)
    model.shelves.delete(this.dataset)
  }
  toString = () => `remove ${this.dataset}`
}

class Rename implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly from: string,
    readonly to: string,
  ) {}
  check = (model: Model) => model.shelves.has(this.from)
  async run({ shelves }: Model, { engine }: Real): Promise<void> {
    const result = await outcome(engine.datasets.rename(this.from, this.to))
    if (this.to !== this.from && shelves.has(this.to)) return expect(result).toBe('DATASET_EXISTS')
    const shelf = shelves.get(this.from)!
    shelves.delete(this.from)
    shelves.set(this.to, shelf)
  }
  toString = () => `rename ${this.from} ${this.to}`
}

class Swap implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly one: string,
    readonly other: string,
  ) {}
  check = ({ shelves }: Model) => shelves.has(this.one) && shelves.has(this.other)
  async run({ shelves }: Model, { engine }: Real): Promise<void> {
    await engine.datasets.swap(this.one, this.other)
    const [first, second] = [shelves.get(this.one)!, shelves.get(this.other)!]
    shelves.set(this.one, second)
    shelves.set(this.other, first)
  }
  toString = () => `swap ${this.one} ${this.other}`
}

class Reopen implements fc.AsyncCommand<Model, Real> {
  check = () => true
  async run(_: Model, real: Real): Promise<void> {
    await real.engine.close()
    real.engine = await openEngine({ store: real.folder, durability: 'process' })
  }
  toString = () => 'reopen'
}

class Compare implements fc.AsyncCommand<Model, Real> {
  check = () => true
  async run({ shelves }: Model, real: Real): Promise<void> {
    expect(real.engine.datasets.list().map(({ name }) => name)).toEqual([...shelves.keys()].sort())
    for (const [name, shelf] of shelves) await compare(documentsOf(real, name), shelf)
  }
  toString = () => 'compare'
}

async function compare(documents: ReturnType<typeof documentsOf>, shelf: Shelf): Promise<void> {
  const inOrder = [...shelf.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const scanned = await collected(documents.scan())
  expect(scanned.map(({ id }) => id)).toEqual(inOrder)
  expect(scanned.map(({ document }) => document)).toEqual(inOrder.map(id => shelf.get(id)))
  expect(documents.count).toBe(shelf.size)
  expect(await documents.getMany(ids)).toEqual(ids.map(id => shelf.get(id)))
  for (const id of ids.slice(0, 3)) expect(await documents.get(id)).toEqual(shelf.get(id))
  const alive = new Map<string, number>()
  for await (const { id, seq, kind } of documents.changes()) {
    if (kind === 'removal') alive.delete(id)
    else alive.set(id, seq)
  }
  expect(alive).toEqual(new Map(scanned.map(({ id, seq }) => [id, seq])))
}

const ids = ['a', 'b', 'c', '/', 'a/b', '\0', '__proto__', '\u{1f600}', '\uffff', '7']
const id = fc.constantFrom(...ids)
const dataset = fc.constantFrom(...names)
const leaf = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(fc.boolean(), { maxLength: 2 }))
const body: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom('x', 'y', 'z'),
  fc.oneof(leaf, fc.dictionary(fc.constantFrom('x', 'y'), leaf)),
)
const patch = fc.oneof(
  { weight: 4, arbitrary: body },
  { weight: 1, arbitrary: fc.tuple(body, id).map(([rest, moved]) => ({ ...rest, id: moved })) },
)
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ type: fc.constantFrom('insert' as const, 'upsert' as const, 'delete' as const), id, body }),
  fc.record({ type: fc.constant('update' as const), id, body: patch }),
)
const commands = [
  fc.tuple(dataset, change).map(([name, one]) => new One(name, one)),
  fc.tuple(dataset, change).map(([name, one]) => new One(name, one)),
  fc.array(fc.record({ dataset, change }), { minLength: 1, maxLength: 4 }).map(all => new Together(all)),
  fc
    .tuple(dataset, fc.constantFrom('insert' as const, 'upsert' as const), fc.array(fc.record({ id, body })))
    .map(([name, mode, rows]) => new Bulk(name, mode, rows)),
  dataset.map(name => new Create(name)),
  dataset.map(name => new Remove(name)),
  fc.tuple(dataset, dataset).map(([from, to]) => new Rename(from, to)),
  fc.tuple(dataset, dataset).map(([one, other]) => new Swap(one, other)),
  fc.constant(new Reopen()),
  fc.constant(new Compare()),
]

describe('a folder of documents', () => {
  it('holds after any history what a Map holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), async run => {
        const folder = await temporaryFolder()
        const engine = await openEngine({ store: folder, durability: 'process' })
        await engine.datasets.create('one')
        const real: Real = { folder, engine }
        const model: Model = { shelves: new Map([['one', new Map()]]) }
        try {
          await fc.asyncModelRun(() => ({ model, real }), run)
          await new Compare().run(model, real)
          await expectHealthy(real.engine)
          await new Reopen().run(model, real)
          await new Compare().run(model, real)
          await expectHealthy(real.engine)
        } finally {
          await real.engine.close()
        }
      }),
      { numRuns: 40 },
    )
  })
})
