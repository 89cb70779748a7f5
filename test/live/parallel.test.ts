import type { Dataset } from 'findling'
import { describe, expect, it } from 'vitest'
import { expectHealthy, failureOf, openEngine } from '../engine/engines.ts'

const kinds = ['lamp', 'table', 'chair', 'shelf', 'door', 'lamps', 'chairs']

const products = Array.from({ length: 3000 }, (_, i) => ({
  id: i,
  title: `${kinds[i % 7]} model${i % 997}`,
  desc: [`with ${kinds[(i * 3) % 7]}`, `and ${kinds[(i * 5) % 7]} running`],
  sold: i % 31,
}))

const settings = { signals: { sold: { pivot: 10, boost: 1 } } }

const queries = ['lamp', 'chair running', 'modle17', '"with door"', 'table shelf']

const answersOf = (dataset: Dataset) =>
  Promise.all(
    queries.map(async query => {
      const { hits } = await dataset.search(query, { limit: 500, documents: false })
      return hits.map(({ id, score }) => [id, score])
    }),
  )

describe('parallel', () => {
  it('changes nothing about what is found and how it ranks', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products', settings)
    await dataset.documents.bulk(products)
    const answers: unknown[] = []
    for (const parallel of [1, 2, 5, 1000]) {
      await dataset.optimize({ parallel }).finished
      answers.push(await answersOf(dataset))
    }
    expect(answers.slice(1)).toEqual(Array(3).fill(answers[0]))
    const { hits } = await dataset.search('model5', { limit: 4 })
    expect(hits.map(({ document }) => document.title)).toEqual(
      Array(4).fill(expect.stringMatching(/ model5$/)),
    )
    await expectHealthy(engine)
  })

  it('changes nothing about which documents have long texts, and fields beyond those that are kept', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products', { topics: false })
    const note = (i: number) => `${i % 3 === 0 ? 'a short note' : 'a note that is long '.repeat(12)}`
    await dataset.documents.bulk(
      Array.from({ length: 6000 }, (_, i) => ({ id: i, title: kinds[i % 7]!, note: note(i) })),
    )
    const counts = async () => [
      await dataset.count({ note: { eq: note(0) } }),
      await dataset.count({ note: { eq: note(1) } }),
    ]
    const before = await counts()
    expect(before).toEqual([2000, 4000])
    for (const parallel of [1, 4]) {
      await dataset.optimize({ parallel }).finished
      expect(await counts()).toEqual(before)
    }
  })

  it('lets more datasets be built at a time than there are threads', async () => {
    const engine = await openEngine()
    const datasets: Dataset[] = []
    for (let n = 0; n < 12; n++) {
      const dataset = await engine.datasets.create(`products${n}`)
      await dataset.documents.bulk(products.slice(0, 600))
      datasets.push(dataset)
    }
    await Promise.all(datasets.map(dataset => dataset.reconfigure({ interpretedFields: ['desc'] }).finished))
    for (const dataset of datasets)
      expect((await dataset.search('running', { limit: 1000 })).hits).toHaveLength(600)
  })

  it('is a positive whole number', async () => {
    const dataset = await (await openEngine()).datasets.create('products')
    for (const parallel of [0, -1, 1.5, Number.NaN, '2', null]) {
      const asked = { parallel } as { parallel: number }
      const failure = { code: 'INVALID_ARGUMENT', details: { field: 'parallel' } }
      expect(await failureOf(() => dataset.optimize(asked))).toMatchObject(failure)
      expect(await failureOf(() => dataset.reconfigure({ language: 'none' }, asked))).toMatchObject(failure)
    }
    expect(dataset.settings.language).toBe('english')
  })
})
