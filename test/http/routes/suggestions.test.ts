import { describe, expect, test } from 'vitest'
import { shopForEach } from './shop.ts'

const here = shopForEach()

const reply = (body: object) => here.api.send('POST', '/api/Documents/Suggest', { dataset: here.shop, body })

describe('POST /api/Documents/Suggest', () => {
  test('corrects a text', async () => {
    const { status, body } = await reply({ text: 'Wirless hedphones' })
    expect(status).toBe(200)
    expect(body).toEqual({ Suggestions: [{ Text: 'wireless headphones', Score: expect.any(Number) }] })
  })

  test.each([
    ['Count', { Count: 0 }],
    ['Confidence', { Text: 'garden hose', Confidence: 10_000 }],
    ['MaximumErrors', { MaximumErrors: 1 }],
  ])('heeds %s', async (_, options) => {
    expect((await reply({ Text: 'wirless hedphones', ...options })).body).toEqual({
      Suggestions: [],
    })
  })

  test.each([
    ['no text', {}],
    ['a count above 100', { Text: 'a', Count: 101 }],
    ['a negative confidence', { Text: 'a', Confidence: -1 }],
    ['too many errors', { Text: 'a', MaximumErrors: 10_001 }],
  ])('refuses %s', async (_, body) => {
    expect((await reply(body)).status).toBe(400)
  })
})
