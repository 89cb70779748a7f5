import { expect, test } from 'vitest'
import { shopForEach } from './shop.ts'

const here = shopForEach()

const lamps = [
  { id: '1', title: 'Reading lamp', tag: 'a', embedding: [0.9, 0.1] },
  { id: '2', title: 'Ceiling light', tag: 'a', embedding: [0.8, 0.2] },
  { id: '3', title: 'Bookcase', tag: 'a', embedding: [0.1, 0.9] },
]

async function opened(): Promise<string> {
  const Name = `${here.shop}-vectors`
  const created = await here.api.send('POST', '/api/DataSets', {
    body: {
      Name,
      IdField: 'id',
      TagField: 'tag',
      InterpretedFields: ['title'],
      NGramCount: 3,
      SampleDocument: lamps[0],
      Vectors: [{ Field: 'embedding', Dimensions: 2 }],
    },
  })
  expect([created.status, created.body]).toEqual([201, undefined])
  const stored = await here.api.send('POST', '/api/Documents/Bulk', {
    dataset: Name,
    body: { Documents: lamps },
  })
  expect(stored.status).toBe(200)
  return Name
}

test('a search finds the nearest vectors, alone and with words, and tells how near they are', async () => {
  const dataset = await opened()
  const search = async (body: object) =>
    (await here.api.send('POST', '/api/Documents/Search', { dataset, body })).body
  const alone = await search({ Text: '', Vector: { Value: [1, 0], Nearest: 2 } })
  expect(alone.Hits).toMatchObject([
    { Id: '1', Similarity: expect.closeTo(0.994, 3) },
    { Id: '2', Similarity: expect.closeTo(0.97, 3) },
  ])
  expect(alone.Total).toEqual({ Count: 2, Exact: true })
  const both = await search({
    Text: 'bookcase',
    Vector: { Field: 'embedding', Value: [1, 0], Nearest: 1, Ratio: 0.2, Least: 0.5 },
  })
  expect(both.Hits.map(({ Id }: { Id: string }) => Id)).toEqual(['3', '1'])
})

test('a search finds what is like a document, for which no vector has to be sent', async () => {
  const dataset = await opened()
  const search = async (Vector: object) =>
    await here.api.send('POST', '/api/Documents/Search', { dataset, body: { Text: '', Vector } })
  const like = await search({ Like: '2', Nearest: 1 })
  expect(like.body.Hits.map(({ Id }: { Id: string }) => Id)).toEqual(['1'])
  const missing = await search({ Like: 'none' })
  expect([missing.status, missing.body.Errors[0]]).toEqual([404, expect.stringContaining('"none"')])
  const both = await search({ Like: '2', Value: [1, 0] })
  expect([both.status, both.body.Errors[0]]).toEqual([400, expect.stringMatching(/^Vector\.Like .*Value/i)])
})

test('what is wrong with a vector is told by the name of the member', async () => {
  const dataset = await opened()
  const refused = async (Vector: unknown, more = {}) => {
    const body = { Text: 'lamp', Vector, ...more }
    const answer = await here.api.send('POST', '/api/Documents/Search', { dataset, body })
    expect(answer.status).toBe(400)
    return answer.body.Errors[0]
  }
  expect(await refused({ Value: [1] })).toMatch(/^Vector\.Value .*expected a list of 2 numbers/)
  expect(await refused({ Value: [0, 0] })).toMatch(/^Vector\.Value .*zeros/)
  expect(await refused({ Value: [1, 'a'] })).toMatch(/^Vector\.Value\[1\]/)
  expect(await refused({ Value: [1, 2], Field: 'title' })).toMatch(
    /^Vector\.Field .*expected one of embedding/,
  )
  expect(await refused({ Value: [1, 2] }, { Explain: true })).toMatch(/^Explain/)
  const document = { ...lamps[0], embedding: [1, 2, 3] }
  const written = await here.api.send('POST', '/api/Documents', { dataset, body: { Document: document } })
  expect(written.status).toBe(400)
})

test('settings tell the vectors of a dataset, and do not change how long they are', async () => {
  const dataset = await opened()
  const path = `/api/DataSets/${dataset}`
  const told = [{ Field: 'embedding', Dimensions: 2 }]
  expect((await here.api.send('GET', `${path}/Settings`)).body.Vectors).toEqual(told)
  const other = { Vectors: [{ Field: 'embedding', Dimensions: 3 }] }
  const refused = await here.api.send('POST', `${path}/Reconfigure`, { body: other })
  expect([refused.status, refused.body.Errors[0]]).toEqual([
    400,
    expect.stringMatching(/^Vectors.*Dimensions/),
  ])
  const zero = { Vectors: [{ Field: 'embedding', Dimensions: 0 }] }
  expect((await here.api.send('POST', `${path}/Reconfigure`, { body: zero })).status).toBe(400)
  expect((await here.api.send('GET', `${path}/Settings`)).body.Vectors).toEqual(told)
})
