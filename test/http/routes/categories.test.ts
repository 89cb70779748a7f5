import { expect, test } from 'vitest'
import { openShop, shopForEach } from './shop.ts'

const here = shopForEach()

const titles = {
  a1: ['Wireless headphones', 'Headphones over ear', 'Earbuds, noise cancelling'],
  b: ['Garden hose', 'Hose reel, brass', 'Lawn sprinkler'],
}
const products = Object.entries(titles).flatMap(([tag, names]) =>
  Array.from({ length: 600 }, (_, i) => {
    return { id: `${tag}-${i}`, title: `${names[i % 3]} ${i}`, desc: 'New', price: i, tag: [tag] }
  }),
)

test('a search tells what it is about, to those who see all documents and their tags', async () => {
  const { api } = here
  const shop = await openShop(api.engine)
  const dataset = api.engine.datasets.get(shop)
  await dataset.documents.bulk(products)
  while (!(await dataset.info()).categories) await new Promise(resolve => setTimeout(resolve, 20))
  const asked = async (body: object, key?: string) => {
    const answer = await api.send('POST', '/api/Documents/Search', {
      dataset: shop,
      body: { Text: 'brass hose for the lawn', ...body },
      ...(key !== undefined && { headers: { Authorization: `Bearer ${key}` } }),
    })
    expect(answer.status).toBe(200)
    return answer.body
  }
  const { Categories, Hits } = await asked({ Explain: true })
  expect(Categories[0]).toEqual({ Tag: 'b', Path: ['Garden'], Probability: expect.any(Number) })
  expect(Categories[0].Probability).toBeGreaterThan(0.8)
  expect(Hits[0].Explanation.CategoryFactor).toBeGreaterThan(1.2)
  expect(await asked({ Categories: false })).not.toHaveProperty('Categories')

  const held = async (more: object): Promise<string> => {
    const { status, body } = await api.send('POST', '/api/Keys', {
      body: { Name: JSON.stringify(more), Scopes: ['Search'], DataSets: [shop], ...more },
    })
    expect(status).toBe(201)
    return body.Key
  }
  expect(await asked({}, await held({}))).toHaveProperty('Categories')
  expect(await asked({}, await held({ Filter: 'price:<300' }))).not.toHaveProperty('Categories')
  expect(await asked({}, await held({ ResponseFields: ['title', 'desc'] }))).not.toHaveProperty('Categories')
})
