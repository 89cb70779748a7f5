import fc from 'fast-check'
import {
  type Adoption,
  type Database,
  Engine,
  FindlingError,
  type SingleOperation,
  type WriteOperation,
  type WriteOutcome,
} from 'findling'
import { collected, waitingDatabase } from '../engine/engines.ts'

/** One entry of a log: what is written, when, and above which number. */
export interface Entry {
  readonly position: number
  /** What is adopted before its operations: one of the artifacts, by its number. */
  readonly adoption?: { readonly what: Adoption; readonly artifact: number } | undefined
  readonly operations: readonly WriteOperation[]
}

/** Between two entries an engine may take so many numbers for itself. */
const APART = 2 ** 20
const START = 1_800_000_000_000

/** None has constants of its own: what it finds follows from what it was given. */
export const alike = { rankingConstants: 'adopted' } as const

/** What is adopted: by kind, made of two different lots of documents. */
export type Artifacts = Readonly<Record<Adoption['kind'], readonly Buffer[]>>

export async function makeArtifacts(): Promise<Artifacts> {
  const made: Record<Adoption['kind'], Buffer[]> = { service: [], classifier: [], ranking: [] }
  for (const [lot, size] of [40, 60].entries()) {
    await using engine = await Engine.open()
    const dataset = await engine.datasets.create('one', { interpretedFields: ['title', 'desc'] })
    await dataset.documents.bulk(
      Array.from({ length: size }, (_, i) => ({
        id: i,
        title: `${words[i % 10]} ${words[(i * 3 + lot) % 10]}`,
        desc: Array.from({ length: 1 + (i % 7) }, (_, n) => words[(i * n + lot) % 10]).join(' '),
        tag: `t${1 + (i % 3)}`,
      })),
    )
    const service = await engine.services.create({ type: 'classifier', name: 'Tags' })
    await service.prepare({ dataset: 'one' })
    await dataset.classifier()
    made.service.push(Buffer.concat(await collected(service.exportModel())))
    made.classifier.push(Buffer.concat(await collected(dataset.exportClassifier())))
    made.ranking.push(Buffer.concat(await collected(dataset.ranking.export())))
  }
  return made
}

/** What is refused is refused everywhere; the rest is no fault of the artifact. */
const decided = new Set(['SERVICE_NOT_FOUND', 'DATASET_NOT_FOUND', 'INVALID_ARGUMENT', 'ARTIFACT_MISMATCH'])

/** Adopts what an entry brings; what it was refused for. */
export async function adopt(
  engine: Engine,
  { adoption }: Entry,
  artifacts: Artifacts,
): Promise<string | undefined> {
  if (!adoption) return undefined
  const { what, artifact } = adoption
  try {
    await engine.adopt(what, artifacts[what.kind][artifact]!)
    return 'adopted'
  } catch (error) {
    if (error instanceof FindlingError && decided.has(error.code)) return error.code
    throw error
  }
}

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
export async function follow(engine: Engine, log: readonly Entry[], artifacts: Artifacts): Promise<void> {
  const position = ((await engine.namespace('log').get('position')) as number | undefined) ?? 0
  for (const entry of log) {
    if (entry.position <= position) continue
    await adopt(engine, entry, artifacts)
    await apply(engine, entry)
  }
}

/**
 * A database of which some batches fail, before they are written or right after it: the first after so many, and the
 * next after as many and one more each time, up to 39 more, so that whoever begins again gets on, also with what takes
 * many batches, such as adopting.
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
    left = after + (++failures % 40)
    throw new Error('the process has ended')
  }
  return { store: waitingDatabase({ batch: () => fail('before'), written: () => fail('after') }), heal }
}

/** The same as follow() in an engine whose process ends again and again. */
export async function followWithKills(
  store: Database,
  log: readonly Entry[],
  artifacts: Artifacts,
): Promise<number> {
  for (let kills = 0; ; kills++) {
    let engine: Engine | undefined
    try {
      engine = await Engine.open({ ...alike, store })
      await follow(engine, log, artifacts)
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
      type: fc.constantFrom('configureDataset' as const, 'prepareDataset' as const),
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
      service: fc.record({
        id,
        type: fc.constantFrom('search' as const, 'classifier' as const),
        name: text,
        alias: fc.option(id),
      }),
    }),
    fc.record({
      type: fc.constant('activateService' as const),
      id,
      settings: fc.constantFrom<object>({}, { nGrams: [1] }, { search: { limit: 3 } }),
    }),
    fc.record({ type: fc.constant('deactivateService' as const), id }),
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

const adoption: fc.Arbitrary<Entry['adoption']> = fc.record({
  what: fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('service' as const), id, dataset }) },
    fc.record({ kind: fc.constant('classifier' as const), dataset }),
    fc.record({ kind: fc.constant('ranking' as const), dataset, from: fc.constant('one') }),
  ),
  artifact: fc.nat(1),
})

/** A log that begins with a dataset and a service. */
export const log: fc.Arbitrary<Entry[]> = fc
  .array(
    fc.record({
      operations: fc.array(operation, { minLength: 1, maxLength: 8 }),
      adoption: fc.option(adoption, { nil: undefined, freq: 2 }),
    }),
    { minLength: 3, maxLength: 14 },
  )
  .map(groups => {
    const first: WriteOperation[] = [
      { type: 'createDataset', dataset: 'one', definition: { interpretedFields: ['title', 'desc'] } },
      { type: 'createService', service: { id: 'a', type: 'classifier', name: 'Tags' } },
      { type: 'activateService', id: 'a' },
    ]
    return [{ operations: first }, ...groups].map((entry, i) => ({ position: i + 1, ...entry }))
  })
