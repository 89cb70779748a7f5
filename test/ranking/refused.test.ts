import { type Dataset, Engine } from 'findling'
import { beforeAll, describe, expect, it } from 'vitest'
import { afterBlock, collected, failureOf, openEngine, waitingDatabase } from '../engine/engines.ts'
import { keysOf } from '../store/raw-store.ts'
import { answersOf, catalogueOf, madeDataset, questions } from './made-catalogue.ts'

const adopting = { rankingConstants: 'adopted' } as const
const documents = catalogueOf(1200)

describe('ranking constants', () => {
  const afterwards = afterBlock()
  let constants: Buffer
  let others: Buffer

  beforeAll(async () => {
    const source = await Engine.open(adopting)
    afterwards(() => source.close())
    const dataset = await madeDataset(source)
    const learn = async () => {
      let pieces: Uint8Array[] = []
      await dataset.ranking.learn(async given => {
        pieces = await collected(given)
      }).finished
      return Buffer.concat(pieces)
    }
    await dataset.documents.bulk(documents)
    constants = await learn()
    await dataset.documents.bulk(
      catalogueOf(1300, 6).map(one => ({ ...one, title: `${one.title} more of it` })),
    )
    others = await learn()
    expect(others.equals(constants)).toBe(false)
  }, 60_000)

  it('that are damaged or were made for something else are refused, and change nothing', async () => {
    const engine = await openEngine(adopting)
    const dataset = await madeDataset(engine)
    await dataset.documents.bulk(documents)
    await dataset.ranking.adopt(others)
    const before = await answersOf(dataset)
    const refused = async (source: Uint8Array, from: Dataset = dataset, options = {}) => {
      const { code, details } = await failureOf(() => from.ranking.adopt(source, options))
      return [code, details.field]
    }
    const changed = Buffer.from(constants)
    changed[constants.byteLength >> 1]! ^= 4
    expect(await refused(changed)).toEqual(['ARTIFACT_DAMAGED', 'source'])
    expect(await refused(constants.subarray(0, -7))).toEqual(['ARTIFACT_DAMAGED', 'source'])
    expect(await refused(constants, dataset, { from: 'articles' })).toEqual(['ARTIFACT_MISMATCH', 'dataset'])
    const otherFields = await engine.datasets.create('fields', { interpretedFields: ['title'] })
    expect(await refused(constants, otherFields, { from: 'products' })).toEqual([
      'ARTIFACT_MISMATCH',
      'interpretedFields',
    ])
    const german = await engine.datasets.create('german', {
      interpretedFields: ['title', 'desc'],
      language: 'german',
    })
    expect(await refused(constants, german, { from: 'products' })).toEqual(['ARTIFACT_MISMATCH', 'analyzer'])
    expect(await answersOf(dataset)).toEqual(before)

    const own = await openEngine()
    expect(await refused(constants, await madeDataset(own))).toEqual(['INVALID_ARGUMENT', 'rankingConstants'])
  }, 60_000)

  it('are the old or the new after the process has ended, wherever that was', async () => {
    // Of each kind some: all would be most of the time.
    const some = questions.filter((_, i) => i % 5 === 0)
    const answersTo = (dataset: Dataset) => answersOf(dataset, some)
    const outcomes: string[] = []
    let answers: { old: string[]; new: string[] } | undefined
    for (let batches = 0, isDone = false; !isDone; batches++) {
      let left = Number.POSITIVE_INFINITY
      const change = async () => {
        if (left-- <= 0) throw new Error('the process has ended')
      }
      const store = waitingDatabase({ batch: change, clear: change })
      const first = await Engine.open({ store, ...adopting })
      const dataset = await madeDataset(first)
      await dataset.documents.bulk(documents)
      await dataset.ranking.adopt(others)
      if (!answers) {
        const old = await answersTo(dataset)
        await dataset.ranking.adopt(constants)
        answers = { old, new: await answersTo(dataset) }
        expect(answers.new.filter((answer, i) => answer !== old[i]).length).toBeGreaterThan(20)
        await dataset.ranking.adopt(others)
      }
      left = batches
      isDone = await dataset.ranking.adopt(constants).then(
        () => true,
        () => false,
      )
      left = isDone ? Number.POSITIVE_INFINITY : 0
      await first.close().catch(() => undefined)
      left = Number.POSITIVE_INFINITY
      await using second = await Engine.open({ store, ...adopting })
      const after = await answersTo(second.datasets.get('products'))
      const same = (['old', 'new'] as const).find(one =>
        after.every((answer, i) => answer === answers![one][i]),
      )
      outcomes.push(same ?? `neither after ${batches}`)
      // Nothing of the others is left.
      const generations = (await keysOf(store)).flatMap(key => (key.startsWith('r/') ? key.slice(0, 19) : []))
      expect(new Set(generations).size).toBe(1)
    }
    expect(outcomes.at(-1)).toBe('new')
    expect(outcomes.slice(0, 3)).toEqual(['old', 'old', 'old'])
    expect(outcomes.join(' ')).toMatch(/^(old )+(new ?)+$/)
  }, 120_000)
})
