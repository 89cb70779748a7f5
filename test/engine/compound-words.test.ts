import { type Dataset, Engine } from 'findling'
import { beforeAll, describe, expect, it } from 'vitest'

let shop: Dataset

beforeAll(async () => {
  const engine = await Engine.open()
  shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'desc'], language: 'german' })
  await shop.documents.bulk([
    { id: 'chair', title: 'GARTENSTÜHLE aus Eiche', desc: 'Großer Sitz' },
    { id: 'lamp', title: 'Straßenlampe', desc: 'Für Straße und Garten' },
    { id: 'table', title: 'Gartentisch', desc: 'Tisch für den Garten', secret: 'Küchenstuhl' },
  ])
  return () => engine.close()
})

const marked = async (query: string) => {
  const { hits } = await shop.search(query, { highlight: { marks: ['[', ']'] } })
  return Object.fromEntries(hits.map(({ id, highlights }) => [id, highlights?.title?.[0]?.html]))
}

describe('a part of a word', () => {
  it('is marked alone, in the letters of the text', async () => {
    expect(await marked('stuhl')).toMatchObject({ chair: 'GARTEN[STÜHLE] aus Eiche' })
    expect(await marked('lampe')).toMatchObject({ lamp: 'Straßen[lampe]' })
    expect(await marked('straße')).toMatchObject({ lamp: '[Straße]nlampe' })
  })

  it('is marked with the whole word where another word of the query finds that', async () => {
    expect(await marked('gartentisch tisch')).toMatchObject({ table: '[Gartentisch]' })
  })

  it('is explained as what it is', async () => {
    const { hits } = await shop.search('stuhl', { explain: true })
    const chair = hits.find(({ id }) => id === 'chair')
    expect(chair?.explanation?.words[0]?.expansions.map(({ kind }) => kind)).toContain('part')
  })

  it('is not known from documents that a user does not see', async () => {
    const { words } = await shop.search('stuhl', { visible: 'title:Gartentisch' })
    expect(words).toMatchObject([{ kind: 'none', surfaces: [] }])
  })
})
