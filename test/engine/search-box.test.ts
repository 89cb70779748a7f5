import type { Dataset, HighlightOption } from 'findling'
import { Engine } from 'findling'
import { beforeAll, describe, expect, it } from 'vitest'
import { failureOf } from './engines.ts'

let shop: Dataset

beforeAll(async () => {
  const engine = await Engine.open()
  shop = await engine.datasets.create('shop', { interpretedFields: ['title'], markup: false })
  await shop.documents.bulk([
    { id: 'key', title: 'Wireless key' },
    { id: 'keyboard', title: 'Wireless keyboard' },
    { id: 'html', title: '<b>Tom & Jerry</b> poster, Tom & Jerry mug' },
  ])
  return () => engine.close()
})

const found = async (query: string) => {
  const { hits } = await shop.search(query, { prefix: true, operator: 'and', documents: false })
  return hits.map(({ id }) => id).sort()
}

describe('the last word of what is typed', () => {
  it.each([
    ['wireless key', ['key', 'keyboard']],
    ['wireless key-', ['key', 'keyboard']],
    ['"wireless key', ['key', 'keyboard']],
    ['"wireless" key', ['key', 'keyboard']],
    ['wireless key ', ['key']],
    ['wireless key\t', ['key']],
    ['wireless key "', ['key']],
    ['"wireless key"', ['key']],
    ['"wireless key"~2', ['key']],
    ['"wireless key" ', ['key']],
  ])('of %j may go on or not: %j', async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  it('is marked as far as it was meant', async () => {
    const marks = async (query: string) => {
      const { hits } = await shop.search(query, { prefix: true, highlight: { marks: ['[', ']'] } })
      return hits.map(({ highlights }) => highlights?.title?.[0]?.html).sort()
    }
    expect(await marks('wireless key')).toEqual(['[Wireless] [key]', '[Wireless] [keyboard]'])
    expect(await marks('wireless key ')).toEqual(['[Wireless] [key]', '[Wireless] keyboard'])
    expect(await marks('"wireless key"')).toEqual(['[Wireless key]'])
  })
})

describe('marks', () => {
  const htmlOf = async (query: string, highlight: HighlightOption) =>
    (await shop.search(query, { highlight })).hits[0]?.highlights?.title?.[0]?.html

  it('make a text ready for a page, with nothing of it taken for markup', async () => {
    expect(await htmlOf('jerry', { marks: true })).toBe(
      '&lt;b&gt;Tom &amp; <mark>Jerry</mark>&lt;/b&gt; poster, Tom &amp; <mark>Jerry</mark> mug',
    )
    expect(await htmlOf('"tom jerry" tom', { marks: ['<em class="x">', '</em>'] })).toBe(
      '&lt;b&gt;<em class="x">Tom &amp; Jerry</em>&lt;/b&gt; poster, <em class="x">Tom &amp; Jerry</em> mug',
    )
    expect(await htmlOf('jerry', { marks: false })).toBeUndefined()
    expect(await htmlOf('jerry', true)).toBeUndefined()
  })

  it('are two texts, or not given', async () => {
    for (const marks of ['<b>', ['<b>'], [1, 2], ['<'.repeat(201), '']]) {
      const failure = await failureOf(() => shop.search('x', { highlight: { marks } as never }))
      expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT' })
      expect(failure.details.field).toMatch(/^highlight.marks/)
    }
  })
})

describe('a query longer than is looked at', () => {
  it('says so', async () => {
    const truncated = async (query: string) => (await shop.search(query)).truncated
    expect(await truncated('key')).toBe(false)
    expect(await truncated('key '.repeat(1024))).toBe(false)
    expect(await truncated('key '.repeat(1025))).toBe(true)
    expect(await truncated(' '.repeat(65_536))).toBe(false)
    expect(await truncated(`${' '.repeat(65_536)}key`)).toBe(true)
  })
})
