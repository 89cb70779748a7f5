import { type Dataset, Engine } from 'findling'
import { beforeAll, describe, expect, it } from 'vitest'
import { openEngine, temporaryFolder } from './engines.ts'

const documents = [
  { id: '1', title: 'RASENMÄHER grün', secret: 'x', to: 'all' },
  { id: '2', title: 'Rasenmäher alt', secret: 'Straßenlampe', to: 'all' },
  { id: '3', title: 'Rasenmaher neu', secret: 'x', to: 'all' },
  { id: '4', title: 'Straßenlampe', secret: 'x', to: 'some' },
  { id: '5', title: "Women's café", secret: 'x', to: 'all' },
]
const settings = { interpretedFields: ['title', 'secret'], language: 'german' as const }

let shop: Dataset

beforeAll(async () => {
  const engine = await Engine.open()
  shop = await engine.datasets.create('shop', settings)
  await shop.documents.bulk(documents)
  return () => engine.close()
})

const surfaces = async (query: string, options: object = {}, dataset = shop) =>
  (await dataset.search(query, options)).words.flatMap(({ surfaces }) => surfaces)

describe('the words that a word was taken for', () => {
  it('are written as most documents write them, in lower case', async () => {
    expect(await surfaces('rasenmaher')).toEqual(['rasenmäher'])
    expect(await surfaces('Rasnmäher')).toEqual(['rasenmäher'])
    expect(await surfaces('womens cafe')).toEqual(["women's", 'café'])
  })

  it('have their parts where these stand in the word as it is written', async () => {
    const { words } = await shop.search('lampe')
    expect(words).toMatchObject([
      { surfaces: ['straßenlampe'], parts: [{ surface: 'straßenlampe', from: 7, to: 12 }] },
    ])
    expect('straßenlampe'.slice(7, 12)).toBe('lampe')
  })

  it('are the same in an explanation', async () => {
    const { hits } = await shop.search('rasenmaher', { explain: true })
    const told = hits.map(({ explanation }) => explanation!.words[0]!.expansions.map(one => one.surfaces))
    expect(new Set(told.flat(2))).toEqual(new Set(['rasenmäher']))
  })

  it('are marked in every way of writing', async () => {
    const { hits } = await shop.search('rasenmaher', { highlight: { marks: ['[', ']'] } })
    const marked = hits.map(({ highlights }) => highlights?.title?.[0]?.html).sort()
    expect(marked).toEqual(['[RASENMÄHER] grün', '[Rasenmaher] neu', '[Rasenmäher] alt'])
  })

  it('are told without accents where some documents are hidden', async () => {
    expect(await surfaces('strassenlampe', { visible: 'to:all' })).toEqual(['strassenlampe'])
    expect(await surfaces('strassenlampe', { visible: 'to:some' })).toEqual(['strassenlampe'])
    const { hits } = await shop.search('rasenmaher', { visible: 'to:all', explain: true })
    expect(hits[0]!.explanation!.words[0]!.expansions[0]!.surfaces).toEqual(['rasenmaher'])
  })

  it('are no other to whom goes on with a cursor, or may change what was given', async () => {
    const first = await shop.search('rasenmaher', { limit: 1, cursor: true })
    ;(first.words[0]!.surfaces as string[]).push('changed')
    const next = await shop.search('', { cursor: first.cursor! })
    expect(next.words[0]!.surfaces[0]).toBe('rasenmäher')
    expect(await surfaces('rasenmaher')).toEqual(['rasenmäher'])
  })

  it('are told an observer so', async () => {
    const seen: unknown[] = []
    const engine = await openEngine({ observer: one => void seen.push(one) })
    const dataset = await engine.datasets.create('shop', { ...settings, interpretedFields: ['title'] })
    await dataset.documents.bulk(documents)
    await dataset.search('rasnmaher')
    const word = { kind: 'typo', surfaces: ['rasenmäher'] }
    await expect
      .poll(() => seen)
      .toContainEqual(expect.objectContaining({ type: 'search', words: [expect.objectContaining(word)] }))
  })

  it('stay so after the store is opened again and after the index is built anew', async () => {
    const folder = await temporaryFolder()
    const engine = await Engine.open({ store: folder })
    const stored = await engine.datasets.create('shop', settings)
    await stored.documents.bulk(documents)
    await engine.close()
    const again = await openEngine({ store: folder })
    const dataset = again.datasets.get('shop')
    expect(await surfaces('rasenmaher', {}, dataset)).toEqual(['rasenmäher'])
    await dataset.documents.bulk(
      [5, 6, 7].map(i => ({ id: `m${i}`, title: 'Rasenmaher', secret: '', to: '' })),
    )
    expect(await surfaces('rasenmaher', {}, dataset)).toEqual(['rasenmaher'])
    for (const i of [5, 6, 7]) await dataset.documents.delete(`m${i}`)
    await dataset.reconfigure({ interpretedFields: ['title'] }).finished
    expect(await surfaces('rasenmaher lampe', {}, dataset)).toEqual(['rasenmäher', 'straßenlampe'])
  })
})
