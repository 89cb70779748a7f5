import { type Dataset, Engine } from 'findling'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  afterBlock,
  collected,
  expectHealthy,
  memoryDatabase,
  openEngine,
  temporaryFolder,
} from '../engine/engines.ts'
import {
  answersOf,
  catalogueOf,
  type MadeDocument,
  madeConstants,
  madeDataset,
  questions,
  settled,
  shuffled,
} from './made-catalogue.ts'

const documents = catalogueOf(2400)
/** Of each kind some, where all would be most of the time. */
const isSome = (_: unknown, i: number) => i % 5 === 0
const some = questions.filter(isSome)
const adopting = { rankingConstants: 'adopted' } as const

describe('an engine that adopts the ranking constants of another', () => {
  const afterwards = afterBlock()
  let answers: string[]
  let constants: Uint8Array[]
  let source: Engine

  beforeAll(async () => {
    source = await Engine.open()
    afterwards(() => source.close())
    const dataset = await madeDataset(source)
    await dataset.documents.bulk(documents.slice(0, 1500))
    await madeConstants(source, dataset)
    await dataset.documents.bulk(documents.slice(1500))
    await madeConstants(source, dataset)
    ;({ constants, answers } = await settled(dataset))
  }, 60_000)

  async function replicaOf(written: readonly MadeDocument[], engine: Engine): Promise<Dataset> {
    const dataset = await madeDataset(engine)
    for (let at = 0; at < written.length; at += 700) await dataset.documents.bulk(written.slice(at, at + 700))
    return dataset
  }

  it('answers 200 questions as that does, scores included, whenever and in whichever order it was written', async () => {
    const late = await openEngine(adopting)
    const written = await replicaOf(shuffled(documents, 3), late)
    const before = await answersOf(written)
    expect(before.filter((answer, i) => answer !== answers[i]).length).toBeGreaterThan(150)
    await written.ranking.adopt(constants)
    expect(await answersOf(written)).toEqual(answers)

    const early = await openEngine(adopting)
    const first = await madeDataset(early)
    await first.ranking.adopt(Buffer.concat(constants))
    // Some are written, changed and removed on the way.
    for (const document of shuffled(documents, 4).slice(0, 300))
      await first.documents.insert({ ...document, title: 'other words' })
    await first.documents.bulk(catalogueOf(900, 8).map(one => ({ ...one, id: `gone${one.id}` })))
    await first.documents.bulk(shuffled(documents, 9))
    await first.documents.deleteWhere('id:gone*').finished
    expect(first.documents.count).toBe(documents.length)
    expect(await answersOf(first)).toEqual(answers)
    expect([...late.jobs(), ...early.jobs()].map(({ kind }) => kind)).not.toContain('topics')
    // What it has adopted it hands on as it came.
    const exported = Buffer.concat(await collected(first.ranking.export()))
    expect(exported.equals(Buffer.concat(constants))).toBe(true)
    await expectHealthy(early)
  }, 60_000)

  it('keeps them when it is opened again, rebuilt, evicted, and restored from a backup', async () => {
    const [store, backup, restored] = [
      await temporaryFolder(),
      await temporaryFolder(),
      await temporaryFolder(),
    ]
    const engine = await openEngine({ store, durability: 'process', ...adopting })
    const dataset = await replicaOf(documents, engine)
    await dataset.ranking.adopt(constants)
    await dataset.optimize().finished
    expect(await answersOf(dataset, some)).toEqual(answers.filter(isSome))
    await engine.backup(backup).finished
    await engine.close()

    const again = await openEngine({ store, memoryBudget: 32 * 2 ** 20, ...adopting })
    const reopened = again.datasets.get('products')
    expect(await answersOf(reopened, some)).toEqual(answers.filter(isSome))
    // Its index has to make room for others.
    const others = await again.datasets.create('others', { language: 'none' })
    const words = (i: number) => Array.from({ length: 100 }, (_, n) => `w${i}x${n}`).join(' ')
    await others.documents.bulk(Array.from({ length: 3000 }, (_, i) => ({ id: i, title: words(i) })))
    await others.search('w1x1')
    expect(again.memory().datasets.find(({ name }) => name === 'products')!.index).toBe(0)
    expect(await answersOf(reopened, some)).toEqual(answers.filter(isSome))
    await expectHealthy(again)
    await again.close()

    await Engine.restore(backup, restored)
    const copy = await openEngine({ store: restored, ...adopting })
    expect(await answersOf(copy.datasets.get('products'), some)).toEqual(answers.filter(isSome))
  }, 60_000)

  it('scores a large index again in the background, and answers as one that had them all along', async () => {
    const many = catalogueOf(6000, 21)
    const [early, late] = [await openEngine(adopting), await openEngine(adopting)]
    const first = await madeDataset(early)
    await first.ranking.adopt(constants)
    await first.documents.bulk(many)
    const second = await replicaOf(shuffled(many, 2), late)
    await second.search('lamp')
    await second.ranking.adopt(constants)
    expect(await answersOf(second, some)).toEqual(await answersOf(first, some))
  }, 60_000)

  it('answers by the old ones or the new while it adopts, with searches and writes going on', async () => {
    const engine = await openEngine(adopting)
    const dataset = await replicaOf(documents, engine)
    const singles = questions.filter((_, i) => i % 8 === 0)
    const scoresOf = async (question: string) => {
      // Categories are told before the index is asked.
      const { hits } = await dataset.search(question, { limit: 30, categories: false })
      return JSON.stringify(hits.map(({ id, score }) => [id, score]))
    }
    const scoresOfAll = () => Promise.all(singles.map(scoresOf))
    const old = await scoresOfAll()
    let isAdopting = true
    const seen: [question: number, scores: string][] = []
    const searching = async () => {
      for (let i = 0; isAdopting; i = (i + 1) % singles.length) {
        seen.push([i, await scoresOf(singles[i]!)])
        await new Promise(setImmediate)
      }
    }
    const writing = async () => {
      for (let i = 0; isAdopting; i++) {
        await dataset.documents.upsert(documents[i % documents.length]!)
        await new Promise(setImmediate)
      }
    }
    const others = [searching(), writing()]
    await dataset.ranking.adopt(slowly(constants))
    expect(await answersOf(dataset, some)).toEqual(answers.filter(isSome))
    isAdopting = false
    await Promise.all(others)
    const adopted = await scoresOfAll()
    expect(seen.filter(([i, scores]) => scores === old[i] && scores !== adopted[i]).length).toBeGreaterThan(0)
    expect(seen.filter(([i, scores]) => scores !== old[i] && scores !== adopted[i])).toEqual([])
  }, 60_000)

  it('follows what it has learnt when it is asked to, and nothing before', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store, ...adopting })
    const dataset = await replicaOf(documents, engine)
    const before = await answersOf(dataset, some)
    let learnt: Uint8Array[] = []
    await dataset.ranking.learn(async pieces => {
      learnt = await collected(pieces)
    }).finished
    expect(await answersOf(dataset, some)).toEqual(before)
    await dataset.ranking.adopt(learnt)
    const after = await answersOf(dataset, some)
    expect(after.filter((answer, i) => answer !== before[i]).length).toBeGreaterThan(30)
    expect(after.some(answer => answer.includes('"categories"'))).toBe(true)

    const other = await openEngine(adopting)
    const same = await replicaOf(shuffled(documents, 12), other)
    await same.ranking.adopt(learnt)
    expect(await answersOf(same, some)).toEqual(after)
  }, 60_000)
})

async function* slowly(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    await new Promise(resolve => setTimeout(resolve, 5))
    yield piece
  }
}
