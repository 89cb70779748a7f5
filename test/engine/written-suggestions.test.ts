import { type Dataset, Engine } from 'findling'
import { beforeAll, describe, expect, it } from 'vitest'

let shop: Dataset

beforeAll(async () => {
  const engine = await Engine.open()
  shop = await engine.datasets.create('shop', { interpretedFields: ['title'], language: 'german' })
  await shop.documents.bulk([
    { id: '1', title: 'RASENMÄHER grün', to: 'all' },
    { id: '2', title: 'Rasenmäher &amp; Größe 40', to: 'all' },
    { id: '3', title: 'Rasenmaher alt', to: 'all' },
    { id: '4', title: "L'Oréal Creme", to: 'all' },
    { id: '5', title: 'Straßenkehrer', to: 'some' },
    { id: '6', title: 'Strassenkehrer Besen', to: 'all' },
    { id: '7', title: 'Straßenkehrer neu', to: 'some' },
  ])
  return () => engine.close()
})

const suggested = async (query: string, options: object = {}) =>
  (await shop.search(query, options)).words.map(({ suggestion }) => suggestion)

describe('what was probably meant', () => {
  it('is written as most documents write it, in lower case', async () => {
    expect(await suggested('rasnmäher')).toEqual(['rasenmäher'])
    expect(await suggested('Rasnmaher')).toEqual(['rasenmäher'])
    expect(await suggested('grööße')).toEqual(['größe'])
    expect(await suggested('orael')).toEqual(['oréal'])
  })

  it('is the same where it is asked again', async () => {
    expect(await suggested('rasnmäher')).toEqual(await suggested('rasnmäher'))
  })

  it('is written as the documents that are there write it', async () => {
    expect(await suggested('strassenkerer')).toEqual(['straßenkehrer'])
    expect(await suggested('strassenkerer', { visible: 'to:all' })).toEqual(['strassenkehrer'])
  })

  it('keeps the words that were right, in suggested phrases', async () => {
    const [first] = await shop.suggest('rasnmäher grün')
    expect(first?.text).toBe('rasenmäher grün')
    const [other] = await shop.suggest('rasnmaher grun')
    expect(other?.text).toBe('rasenmäher grün')
  })
})
