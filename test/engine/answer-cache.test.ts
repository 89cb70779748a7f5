import { describe, expect, it } from 'vitest'
import { answerCacheOf } from '../../src/engine-options.ts'
import { type Dataset, Engine, type SearchOptions } from '../../src/index.ts'
import { bytesOfKeptAnswers, lampsIn } from './kept-answers.ts'

const products = Array.from({ length: 300 }, (_, i) => ({
  id: `${i}`,
  title: `${['Oak', 'Brass', 'Glass'][i % 3]} ${['lamp', 'desk', 'chair', 'sofa'][i % 4]} w${i}`,
  tag: i % 2 === 0 ? 'even' : 'odd',
}))

async function shop(answerCache?: number): Promise<{ engine: Engine; dataset: Dataset }> {
  const engine = await Engine.open(answerCache === undefined ? {} : { answerCache })
  const dataset = await engine.datasets.create('products', { sample: { id: '1', title: 'A', tag: 'a' } })
  await dataset.documents.bulk(products)
  return { engine, dataset }
}

async function askThrice(dataset: Dataset, text: string, options: SearchOptions) {
  await dataset.search(text, options)
  await dataset.search(text, options)
  return await dataset.search(text, options)
}

describe('a search that comes again', () => {
  it('has the answer of an engine that keeps none, after writes, new settings and new rules, too', async () => {
    const [keeping, plain] = [await shop(), await shop(0)]
    const compare = async () => {
      const ways: SearchOptions[] = [{}, { operator: 'and' }, { limit: 3, offset: 1 }, { highlight: true }]
      for (const text of ['oak lamp', 'lapm', 'brass', 'w17', '', 'nothing', '"glass chair"'])
        for (const options of ways)
          expect(await askThrice(keeping.dataset, text, options)).toEqual(
            await plain.dataset.search(text, options),
          )
    }
    await compare()
    const steps: ((dataset: Dataset) => Promise<unknown>)[] = [
      dataset => dataset.documents.insert({ id: 'new', title: 'Oak lamp w17 nothing', tag: 'odd' }),
      dataset => dataset.documents.delete('0'),
      dataset => dataset.documents.upsert({ id: '4', title: 'Velvet lamp', tag: 'odd' }),
      async dataset => await dataset.reconfigure({ synonyms: [{ synonyms: ['lamp', 'sofa'] }] }),
      async dataset =>
        await dataset.reconfigure({ synonyms: [], curations: [{ query: 'brass', hidden: ['1'] }] }),
      async dataset => await dataset.reconfigure({ curations: [], weights: { title: { b: 0 } } }),
      async dataset => await dataset.documents.deleteWhere({ tag: 'odd' }),
    ]
    for (const step of steps) {
      for (const { dataset } of [keeping, plain]) await step(dataset)
      await compare()
    }
    await keeping.engine.close()
    await plain.engine.close()
  })

  it('takes memory that memory() counts, and none without a cache', async () => {
    const taken: number[] = []
    for (const answerCache of [2 ** 20, 0]) {
      const engine = await Engine.open({ answerCache })
      taken.push(await bytesOfKeptAnswers(engine, await lampsIn(engine)))
      await engine.close()
    }
    expect(taken[0]).toBeGreaterThan(200_000)
    expect(taken[0]).toBeLessThan(2 ** 21)
    expect(taken[1]).toBeLessThan(50_000)
  })

  it('takes no more than a 64th of a small memory', async () => {
    const engine = await Engine.open({ memoryBudget: 32 * 2 ** 20 })
    expect(answerCacheOf({ memoryBudget: 32 * 2 ** 20 })).toBe(2 ** 19)
    expect(await bytesOfKeptAnswers(engine, await lampsIn(engine))).toBeLessThan(2 ** 19)
    await engine.close()
  })

  it('is not changed by what somebody has done to an earlier answer', async () => {
    const { engine, dataset } = await shop()
    const ask = () => dataset.search('oak lmap', { documents: false })
    const expected = structuredClone(await ask())
    for (let time = 0; time < 4; time++) {
      const answer = await ask()
      expect(answer).toEqual(expected)
      for (const hit of answer.hits) hit.id = 'spoilt'
      answer.hits.reverse()
      for (const { surfaces } of answer.words) Object.assign(surfaces, { 0: 'spoilt' })
      Object.assign(answer.total, { count: -1 })
    }
    await engine.close()
  })

  it('accepts only a whole number of bytes', async () => {
    await expect(Engine.open({ answerCache: -1 })).rejects.toThrow('answerCache')
    await expect(Engine.open({ answerCache: 1.5 })).rejects.toThrow('answerCache')
  })
})
