import fc from 'fast-check'
import { type Database, Engine, type SingleOperation, type WriteOperation, type WriteOutcome } from 'findling'
import { waitingDatabase } from '../engine/engines.ts'

/** One entry of a log: what is written, when, and above which number. */
export interface Entry {
  readonly position: number
  readonly operations: readonly WriteOperation[]
}

/** Between two entries an engine may take so many numbers for itself. */
const APART = 2 ** 20
const START = 1_800_000_000_000

/** Writes an entry, and with it how far the engine is. */
export async function apply(engine: Engine, { position, operations }: Entry): Promise<WriteOutcome[]> {
  const note = { type: 'put', namespace: 'log', key: 'position', value: position } as const
  const outcomes = await engine.write([...operations, note], {
    each: true,
    at: START + 1000 * position,
    seqFrom: APART * position,
  })
  return outcomes.slice(0, -1)
}

/** Writes what an engine has not yet of a log. */
export async function follow(engine: Engine, log: readonly Entry[]): Promise<void> {
  const position = ((await engine.namespace('log').get('position')) as number | undefined) ?? 0
  for (const entry of log) if (entry.position > position) await apply(engine, entry)
}

/**
 * A database of which some batches fail, before they are written or right after it: the first after so many, and the
 * next after as many and up to three more, so that whoever begins again gets on.
 */
export function failingDatabase(
  after: number,
  when: 'before' | 'after',
): { store: Database; heal: () => void } {
  let [left, failures] = [after, 0]
  const heal = () => {
    left = Number.POSITIVE_INFINITY
  }
  const fail = async (at: 'before' | 'after') => {
    if (at === 'before') left--
    if (left > 0 || at !== when) return
    left = after + (++failures % 4)
    throw new Error('the process has ended')
  }
  return { store: waitingDatabase({ batch: () => fail('before'), written: () => fail('after') }), heal }
}

/** The same as follow() in an engine whose process ends again and again. */
export async function followWithKills(store: Database, log: readonly Entry[]): Promise<number> {
  for (let kills = 0; ; kills++) {
    let engine: Engine | undefined
    try {
      engine = await Engine.open({ store })
      await follow(engine, log)
      await engine.close()
      return kills
    } catch (error) {
      if (kills > 1000) throw error
      await engine?.close().catch(() => {})
    }
  }
}

const dataset = fc.constantFrom('one', 'two', 'three')
const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const words = ['desk', 'lamp', 'green', 'garden', 'hose', 'steel', 'rake', 'wireless', 'mouse', 'oak']
const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }).map(list => list.join(' '))
const tag = fc.constantFrom('t1', 't2', 't3', 't4')
const document = fc.record({
  id,
  title: text,
  desc: text,
  tag: fc.uniqueArray(tag, { maxLength: 2 }),
  price: fc.nat(99),
})
/** None, or one of an entry before, which may be right. */
const ifSeq = fc.option(
  fc.oneof(
    fc.constant(0),
    fc
      .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 4 }))
      .map(([at, n]) => APART * at + n),
  ),
  { nil: undefined, freq: 3 },
)
/** As it comes out of a log: members that are undefined are gone. */
const logged = (one: fc.Arbitrary<object>): fc.Arbitrary<WriteOperation> =>
  one.map(operation => JSON.parse(JSON.stringify(operation)) as WriteOperation)

/** Anything that may be written, also what is refused. */
const single = logged(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant('insert' as const), dataset, document }) },
    { weight: 12, arbitrary: fc.record({ type: fc.constant('upsert' as const), dataset, document, ifSeq }) },
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('update' as const),
        dataset,
        id,
        patch: fc.record({ title: text, price: fc.nat(99) }, { requiredKeys: [] }),
        ifSeq,
      }),
    },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('delete' as const), dataset, id, ifSeq }) },
    fc.record({
      type: fc.constant('put' as const),
      namespace: fc.constant('notes'),
      key: id,
      value: fc.nat(9),
    }),
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('createDataset' as const),
        dataset,
        definition: fc.constantFrom({}, { interpretedFields: ['title', 'desc'] }),
      }),
    },
    fc.record({ type: fc.constant('removeDataset' as const), dataset }),
    fc.record({ type: fc.constant('renameDataset' as const), dataset, to: dataset }),
    fc.record({ type: fc.constant('swapDatasets' as const), dataset, with: dataset }),
    fc.record({
      type: fc.constant('configureDataset' as const),
      dataset,
      settings: fc.constantFrom<object>(
        { stopWords: ['green'] },
        { interpretedFields: ['title'] },
        { interpretedFields: ['title', 'desc'], weights: { title: { weight: 3 } } },
      ),
    }),
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('createTag' as const),
        dataset,
        tag: fc.record({ id: tag, name: text, parentId: fc.option(tag) }),
      }),
    },
    fc.record({
      type: fc.constant('updateTag' as const),
      dataset,
      id: tag,
      change: fc.record({ parentId: fc.option(tag) }),
    }),
    fc.record({ type: fc.constant('removeTag' as const), dataset, id: tag, force: fc.boolean() }),
    fc.record({
      type: fc.constant('replaceTags' as const),
      dataset,
      tags: fc.uniqueArray(fc.record({ id: tag, name: text }), { selector: one => one.id }),
    }),
    fc.record({
      type: fc.constant('createService' as const),
      service: fc.record({ id, type: fc.constant('search' as const), name: text, alias: fc.option(id) }),
    }),
    fc.record({
      type: fc.constant('updateService' as const),
      id,
      changes: fc.record({ alias: fc.option(id), name: text }, { requiredKeys: [] }),
    }),
    fc.record({ type: fc.constant('removeService' as const), id }),
  ),
)

/** Some of them together. */
export const operation: fc.Arbitrary<WriteOperation> = fc.oneof(
  { weight: 9, arbitrary: single },
  fc.array(single, { minLength: 1, maxLength: 3 }).map(operations => ({
    type: 'together' as const,
    operations: operations as SingleOperation[],
  })),
)

/** A log that begins with a dataset and some documents. */
export const log: fc.Arbitrary<Entry[]> = fc
  .array(fc.array(operation, { minLength: 1, maxLength: 8 }), { minLength: 3, maxLength: 14 })
  .map(groups => {
    const first: WriteOperation[] = [{ type: 'createDataset', dataset: 'one' }]
    return [first, ...groups].map((operations, i) => ({ position: i + 1, operations }))
  })
