import { createHash } from 'node:crypto'
import type { Dataset, DatasetDefinition, Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import {
  codeOf,
  collected,
  expectHealthy,
  failureOf,
  memoryDatabase,
  openEngine,
  waitingDatabase,
} from '../engine/engines.ts'
import {
  catalogueOf,
  type MadeDocument,
  madeDataset,
  questions,
  shuffled,
} from '../ranking/made-catalogue.ts'

const documents = catalogueOf(400)
const texts = questions.slice(0, 100)

async function filled(engine: Engine, written: readonly MadeDocument[] = documents): Promise<Dataset> {
  const dataset = await madeDataset(engine)
  await dataset.documents.bulk(written)
  return dataset
}

const bytesOf = async (pieces: AsyncIterable<Uint8Array>): Promise<Buffer> =>
  Buffer.concat(await collected(pieces))

/** Another with one bit changed in the middle. */
function damaged(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes)
  changed[bytes.byteLength >> 1]! ^= 16
  return changed
}

/** Other contents under a seal of their own. */
function resealed(bytes: Buffer, change: (contents: ArtifactContents) => void): Buffer {
  const end = 16 + bytes.readUInt32LE(12)
  const head = JSON.parse(bytes.subarray(16, end).toString())
  change(head.contents)
  const text = Buffer.from(JSON.stringify(head))
  const preamble = Buffer.from(bytes.subarray(0, 16))
  preamble.writeUInt32LE(text.byteLength, 12)
  const body = Buffer.concat([preamble, text, bytes.subarray(end, -32)])
  return Buffer.concat([body, createHash('sha256').update(body).digest()])
}

/** Of a service's model. */
interface ArtifactContents {
  prepared: Record<string, unknown>
  recommended: Record<string, unknown>
  model: { contents: Record<string, unknown>; sums: [name: string, sum: number][] }
}

const refusal = async (call: () => unknown) => {
  const { code, details } = await failureOf(call)
  return [code, details.field]
}

describe('a classifier that was adopted', () => {
  it('answers as where it was trained, also when it is opened again, and is handed on as it came', async () => {
    const source = await filled(await openEngine())
    const trained = await source.classifier()
    const answers = await Promise.all(texts.map(text => trained.recommend(text, { explain: true })))
    const bytes = await bytesOf(source.exportClassifier())

    const store = memoryDatabase()
    const engine = await openEngine({ store })
    const dataset = await filled(engine, shuffled(documents, 7).slice(0, 50))
    await dataset.classifier()
    const adopted = await dataset.adoptClassifier([bytes.subarray(0, 99), bytes.subarray(99)])
    expect(await Promise.all(texts.map(text => adopted.recommend(text, { explain: true })))).toEqual(answers)
    expect(adopted.facts).toEqual(trained.facts)
    expect(await bytesOf(dataset.exportClassifier())).toEqual(bytes)
    await expectHealthy(engine)
    await engine.close()
    const again = await openEngine({ store })
    const reopened = (await again.datasets.get('products').savedClassifier())!
    expect(await Promise.all(texts.map(text => reopened.recommend(text, { explain: true })))).toEqual(answers)
  })

  it('is refused when it is damaged, or from a dataset whose documents are read otherwise', async () => {
    const engine = await openEngine()
    const dataset = await filled(engine)
    expect(await codeOf(() => bytesOf(dataset.exportClassifier()))).toBe('NOT_TRAINED')
    await dataset.classifier()
    const bytes = await bytesOf(dataset.exportClassifier())
    const before = await dataset.classify('lamp')
    expect(await refusal(() => dataset.adoptClassifier(damaged(bytes)))).toEqual([
      'ARTIFACT_DAMAGED',
      'source',
    ])
    const half = bytes.subarray(0, bytes.byteLength >> 1)
    expect(await refusal(() => dataset.adoptClassifier(half))).toEqual(['ARTIFACT_DAMAGED', 'source'])
    expect(await refusal(() => dataset.adoptClassifier(bytes, { parallel: 1 } as object))).toEqual([
      'INVALID_ARGUMENT',
      'parallel',
    ])
    const others: Record<string, DatasetDefinition> = {
      analyzer: { interpretedFields: ['title', 'desc'], language: 'german' },
      interpretedFields: { interpretedFields: ['title'] },
      tagField: { interpretedFields: ['title', 'desc'], tagField: 'kind' },
      markup: { interpretedFields: ['title', 'desc'], markup: false },
    }
    for (const [field, settings] of Object.entries(others)) {
      const other = await engine.datasets.create(`other-${field.toLowerCase()}`, settings)
      expect(await refusal(() => other.adoptClassifier(bytes))).toEqual(['ARTIFACT_MISMATCH', field])
    }
    const constants = await bytesOf(dataset.ranking.export())
    expect(await refusal(() => dataset.adoptClassifier(constants))).toEqual(['ARTIFACT_MISMATCH', 'kind'])
    expect(await dataset.classify('lamp')).toEqual(before)
    await expectHealthy(engine)
  })

  it('is the old or the new one after the process has ended, wherever that was', async () => {
    const donor = await openEngine()
    const source = await filled(donor)
    await source.classifier()
    const bytes = await bytesOf(source.exportClassifier())
    const expected = JSON.stringify(await source.classify('steel handle'))
    const outcomes: boolean[] = []
    for (let batches = 0, isDone = false; !isDone; batches++) {
      let left = Number.POSITIVE_INFINITY
      const change = async () => {
        if (left-- <= 0) throw new Error('the process has ended')
      }
      const store = waitingDatabase({ batch: change, clear: change })
      const first = await openEngine({ store })
      const dataset = await filled(first, documents.slice(0, 60))
      await dataset.classifier()
      const old = JSON.stringify(await dataset.classify('steel handle'))
      expect(old).not.toBe(expected)
      left = batches
      isDone = await dataset.adoptClassifier(bytes).then(
        () => true,
        () => false,
      )
      left = isDone ? Number.POSITIVE_INFINITY : 0
      await first.close().catch(() => undefined)
      left = Number.POSITIVE_INFINITY
      const second = await openEngine({ store })
      const after = JSON.stringify(await second.datasets.get('products').classify('steel handle'))
      expect([old, expected]).toContain(after)
      await expectHealthy(second)
      outcomes.push(after === expected)
    }
    expect(outcomes.slice(0, 2)).toEqual([false, false])
    expect(outcomes.at(-1)).toBe(true)
    expect(outcomes).toEqual([...outcomes].sort())
  }, 60_000)
})

describe('the model of a service that was adopted', () => {
  it('answers as where it was prepared: a classifier', async () => {
    const donor = await openEngine()
    await filled(donor)
    const source = await donor.services.create({ type: 'classifier', name: 'Tags' })
    await source.prepare({ dataset: 'products' })
    const bytes = await bytesOf(source.exportModel())
    await source.activate()
    const answers = await Promise.all(texts.map(text => source.recommend(text)))

    const store = memoryDatabase()
    const engine = await openEngine({ store })
    await filled(engine, documents.slice(0, 30))
    const service = await engine.services.create({ type: 'classifier', name: 'The same', alias: 'same' })
    await service.adoptModel(bytes, { dataset: 'products' })
    expect([service.status, service.info().prepareSettings]).toEqual([
      'prepared',
      source.info().prepareSettings,
    ])
    await service.activate()
    expect(await Promise.all(texts.map(text => service.recommend(text)))).toEqual(answers)
    await expectHealthy(engine)
    await engine.close()
    const again = await openEngine({ store })
    const reopened = again.services.get('same', 'classifier')
    expect(await Promise.all(texts.map(text => reopened.recommend(text)))).toEqual(answers)
  })

  it('answers as where it was prepared, and goes on with what is written: similar documents', async () => {
    const clock = () => 1_700_000_000_000
    const preparedIn = async (engine: Engine, written: readonly MadeDocument[]) => {
      const dataset = await filled(engine, written)
      const service = await engine.services.create({ type: 'similar', name: 'Alike' })
      await service.prepare({ dataset: 'products' })
      await service.activate()
      return { dataset, service }
    }
    const donor = await openEngine({ clock })
    const source = await preparedIn(donor, documents)
    const bytes = await bytesOf(source.service.exportModel())
    const engine = await openEngine({ clock })
    const same = await filled(engine)
    expect((await same.digest()).content).toBe((await source.dataset.digest()).content)
    const service = await engine.services.create({ type: 'similar', name: 'Alike' })
    await service.adoptModel(bytes, { dataset: 'products' })
    await service.activate()
    const answersOf = (one: typeof service) =>
      Promise.all(texts.map(text => one.recommend(text, { tag: 'lamps' })))
    expect(await answersOf(service)).toEqual(await answersOf(source.service))
    for (const dataset of [source.dataset, same]) {
      await dataset.documents.upsert({
        id: 'new',
        title: 'hanging lamp of steel',
        desc: 'bulb',
        tag: 'lamps',
      })
      await dataset.documents.delete('d3')
    }
    const after = await answersOf(source.service)
    expect(await answersOf(service)).toEqual(after)

    // An active one, of documents with other numbers, of which it has to read all.
    const elsewhere = await openEngine()
    await elsewhere.datasets.create('before', {})
    const other = await preparedIn(elsewhere, shuffled(documents, 3).slice(100))
    await other.service.adoptModel(bytes, { dataset: 'products' })
    expect(other.service.status).toBe('active')
    const there = new Set(
      shuffled(documents, 3)
        .slice(100)
        .map(({ id }) => id),
    )
    const found = (await answersOf(other.service)).flat().map(({ id }) => id)
    expect(found.length).toBeGreaterThan(100)
    expect(found.filter(id => !there.has(id))).toEqual([])
    await expectHealthy(engine)
    await expectHealthy(elsewhere)
  })

  it('is refused for a service of another type or dataset, and when it is damaged; the service stays as it was', async () => {
    const engine = await openEngine()
    await filled(engine)
    await engine.datasets.create('titles', { interpretedFields: ['title'] })
    const source = await engine.services.create({ type: 'classifier', name: 'Tags' })
    expect(await codeOf(() => bytesOf(source.exportModel()))).toBe('SERVICE_STATE')
    await source.prepare({ dataset: 'products' })
    const bytes = await bytesOf(source.exportModel())
    const service = await engine.services.create({ type: 'classifier', name: 'Others' })
    const similar = await engine.services.create({ type: 'similar', name: 'Alike' })
    const adopting = (one: typeof service | typeof similar, given: Uint8Array, dataset: string) =>
      refusal(() => one.adoptModel(given, { dataset }))
    expect(await adopting(similar, bytes, 'products')).toEqual(['ARTIFACT_MISMATCH', 'type'])
    expect(await adopting(service, bytes, 'titles')).toEqual(['ARTIFACT_MISMATCH', 'interpretedFields'])
    expect(await adopting(service, bytes, 'nowhere')).toEqual(['DATASET_NOT_FOUND', 'dataset'])
    expect(await adopting(service, bytes, 'x')).toEqual(['INVALID_ARGUMENT', 'dataset'])
    expect(await refusal(() => service.prepare({ dataset: 'nowhere' }))).toEqual([
      'DATASET_NOT_FOUND',
      'dataset',
    ])
    expect(await adopting(service, damaged(bytes), 'products')).toEqual(['ARTIFACT_DAMAGED', 'source'])
    expect(await adopting(service, bytes.subarray(0, -1), 'products')).toEqual(['ARTIFACT_DAMAGED', 'source'])
    expect(await adopting(source, bytes, 'titles')).toEqual(['INVALID_ARGUMENT', 'dataset'])
    expect([service.status, similar.status, source.status]).toEqual(['new', 'new', 'prepared'])
    await expectHealthy(engine)
  })

  it('is refused when it is sealed, but has settings or contents that no model has', async () => {
    const engine = await openEngine()
    await filled(engine)
    const settings: ((contents: ArtifactContents) => void)[] = [
      contents => Object.assign(contents, { prepared: 5 }),
      contents => Object.assign(contents, { recommended: null }),
      contents => Object.assign(contents, { recommended: {} }),
    ]
    const changes = {
      search: [
        ...settings,
        ({ recommended }) => Object.assign(recommended, { search: {} }),
        ({ recommended }) => Object.assign(recommended.search as object, { limit: 'many' }),
      ],
      classifier: [
        ...settings,
        contents => Object.assign(contents, { prepared: {} }),
        ({ prepared }) => Object.assign(prepared, { tags: 5 }),
        ({ recommended }) => Object.assign(recommended, { nGrams: 5 }),
        ({ model }) => Object.assign(model, { contents: {} }),
        ({ model }) => Object.assign(model.contents, { model: {} }),
        ({ prepared }) => (prepared.tags as unknown[]).pop(),
        ({ model }) => model.sums[0]![1]--,
      ],
      similar: [
        ...settings,
        ({ prepared }) => Object.assign(prepared, { compression: 'all' }),
        ({ recommended }) => Object.assign(recommended, { fields: 5 }),
        ({ model }) => Object.assign(model, { contents: null }),
        ({ model }) => Object.assign(model.contents, { index: {} }),
        ({ model }) => (model.contents.tags as unknown[]).push(['nowhere', 1]),
        ({ model }) => (model.contents.blobs as unknown[]).push('nothing'),
        ({ prepared }) => (prepared.tags as unknown[]).push('nowhere'),
        ({ model }) => model.sums.at(-1)![1]--,
      ],
    } satisfies Record<string, ((contents: ArtifactContents) => void)[]>
    for (const type of ['search', 'classifier', 'similar'] as const) {
      const source = await engine.services.create({ type, name: `Source of ${type}` })
      await source.prepare({ dataset: 'products' })
      const bytes = await bytesOf(source.exportModel())
      const service = await engine.services.create({ type, name: `Target of ${type}` })
      for (const change of changes[type])
        expect(
          await refusal(() => service.adoptModel(resealed(bytes, change), { dataset: 'products' })),
          `${change}`,
        ).toEqual(['ARTIFACT_DAMAGED', 'source'])
      expect(service.status).toBe('new')
      await service.adoptModel(
        resealed(bytes, () => {}),
        { dataset: 'products' },
      )
      expect(service.status).toBe('prepared')
    }
    await expectHealthy(engine)
  })
})
