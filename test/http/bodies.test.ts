import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { memoryDatabase, openEngine } from '../engine/engines.ts'
import { longestTurn } from '../longest-turn.ts'
import { type Api, secret, startApi } from './routes/api.ts'

/** Milliseconds that one turn of the event loop may take. Work stops after 8 and goes on in the next turn. */
const LONGEST_TURN = 250

let api: Api
let engine: Engine
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'findling-bodies-'))
  engine = await Engine.open({ store: folder, durability: 'process', documentLimits: { text: 2_000_000 } })
  await engine.datasets.create('shop', { interpretedFields: ['title'] })
  await engine.datasets.get('shop').search('begun')
  api = await startApi({ engine, config: { maxRows: 50_000, maxValues: 1_000_000 } })
})
afterAll(async () => {
  await api.stop()
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

async function post(path: string, body: string): Promise<{ status: number; text: string }> {
  const headers = {
    Authorization: `Findling ${secret}`,
    'X-DataSet': 'shop',
    'Content-Type': 'application/json',
  }
  const response = await fetch(`${api.url}${path}`, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}

const errorsOf = ({ text }: { text: string }): string[] => (JSON.parse(text) as { Errors: string[] }).Errors
const times = (count: number, part: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join()
const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i.toString(36)}`).join(' ')
const documents = () => engine.datasets.get('shop').documents

describe('a large body', () => {
  const bodies: [what: string, path: string, body: () => string, status: number][] = [
    [
      'empty rows, as many as may come',
      '/api/Documents/Bulk',
      () => `{"Documents":[${times(50_000, () => '{}')}]}`,
      200,
    ],
    [
      'rows that are too many',
      '/api/Documents/Bulk',
      () => `{"Documents":[${times(50_001, () => '{}')}]}`,
      400,
    ],
    [
      'values that are too many',
      '/api/Documents/Bulk',
      () => `{"Documents":[${times(1_000_001, () => '{}')}]}`,
      413,
    ],
    [
      'members that a search does not have',
      '/api/Documents/Search',
      () => `{"Text":"a",${times(60_000, i => `"a${i}":1`)}}`,
      400,
    ],
    [
      'faults in a list of a search',
      '/api/Documents/Search',
      () => `{"Text":"a","GroupBy":"b","Facets":[${times(90_000, () => '{}')}]}`,
      400,
    ],
    ['empty tags', '/api/Tags/Bulk', () => `{"Tags":[${times(50_000, () => '{}')}]}`, 400],
    [
      'tags that make a tree',
      '/api/Tags/Bulk',
      () =>
        `{"Tags":[${times(50_000, i => `{"Id":"t${i}","Name":"n${i}","ParentId":${i ? `"t${(i - 1) >> 3}"` : null}}`)}]}`,
      200,
    ],
    [
      'tags without parents',
      '/api/Tags/Bulk',
      () => `{"Tags":[${times(50_000, i => `{"Id":"t${i}","Name":"n","ParentId":"none"}`)}]}`,
      200,
    ],
    [
      'the same tag',
      '/api/Tags/Bulk',
      () => `{"Tags":[${times(50_000, i => `{"Id":"t${i >> 1}","Name":"n"}`)}]}`,
      400,
    ],
    ['nesting', '/api/Documents', () => '{"a":'.repeat(2_000_000), 400],
    ['nesting in few bytes', '/api/Documents', () => '{"a":'.repeat(40_000), 400],
    ['members in one object', '/api/Documents', () => `{${times(300_000, i => `"a${i}":1`)}}`, 400],
    [
      'a long text',
      '/api/Documents',
      () => `{"id":"long","title":"${words(300_000).slice(0, 1_900_000)}"}`,
      201,
    ],
    [
      'a text that is too long',
      '/api/Documents',
      () => `{"id":"longer","title":"${'word '.repeat(500_000)}"}`,
      400,
    ],
    ['a text without blanks', '/api/Documents', () => `{"id":"run","title":"${'é'.repeat(900_000)}"}`, 201],
    ['Han letters', '/api/Documents', () => `{"id":"han","title":"${'漢字'.repeat(450_000)}"}`, 201],
    [
      'many texts',
      '/api/Documents',
      () => `{"id":"texts","title":[${times(90_000, i => `"text ${i}"`)}]}`,
      201,
    ],
    [
      'many tags',
      '/api/Documents',
      () => `{"id":"tags","title":"a","tag":[${times(99_000, i => `"t${i}"`)}]}`,
      201,
    ],
    [
      'too many tags',
      '/api/Documents',
      () => `{"id":"more","title":"a","tag":[${times(500_000, i => `"t${i}"`)}]}`,
      400,
    ],
    [
      'rows of long texts',
      '/api/Documents/Bulk',
      () => `{"Documents":[${times(100, i => `{"id":"r${i}","title":"${words(20_000)}"}`)}]}`,
      200,
    ],
  ] // prettier-ignore

  it.each(bodies)(
    'of %s holds nobody up, and is answered briefly where it is refused',
    async (_, path, body, status) => {
      const sent = body()
      const before = documents().count
      let answer = { status: 0, text: '' }
      expect(
        await longestTurn(async () => {
          answer = await post(path, sent)
        }),
      ).toBeLessThan(LONGEST_TURN)
      expect([answer.status, answer.text.slice(0, status < 400 ? 0 : 200)]).toEqual([
        status,
        expect.anything(),
      ])
      if (status < 400) return
      expect(answer.text.length).toBeLessThan(20_000)
      expect(documents().count).toBe(before)
    },
  )

  it('of as many rows as may come has a result for each', async () => {
    const rows = times(50_000, i => (i % 2 ? `{"id":"row${i}","title":"row ${i}"}` : '{"title":3}'))
    const { Results } = JSON.parse((await post('/api/Documents/Bulk', `{"Documents":[${rows}]}`)).text)
    expect(Results).toHaveLength(50_000)
    expect(Results.filter((one: { StatusCode: number }) => one.StatusCode === 400)).toHaveLength(25_000)
    expect(Results[0]).toMatchObject({
      StatusCode: 400,
      Id: null,
      Error: expect.stringContaining('id is missing'),
    })
    expect(Results.at(-1)).toEqual({ StatusCode: 200, Id: 'row49999', Error: '' })
    expect(await documents().get('row49999')).toMatchObject({ title: 'row 49999' })
  })

  it('stores nothing when it breaks off, or is broken at its end', async () => {
    const before = documents().count
    const rows = `{"Documents":[${times(20_000, i => `{"id":"broken${i}","title":"a"}`)}]`
    expect(errorsOf(await post('/api/Documents/Bulk', rows))[0]).toContain('not valid JSON: Unexpected end')
    expect(errorsOf(await post('/api/Documents/Bulk', `${rows}]`))[0]).toContain(
      `Unexpected ] at position ${rows.length}`,
    )
    expect(documents().count).toBe(before)
  })

  it('is told its limit, and the setting that allows more', async () => {
    const tooMany = `{"Documents":[${times(50_001, () => '{}')}]}`
    expect(errorsOf(await post('/api/Documents/Bulk', tooMany))).toEqual([
      'Documents is a list of 50001; expected at most 50000 entries. Split it into several calls, or raise the server setting FINDLING_MAX_ROWS.',
    ])
    const question = await post('/api/Documents/Search', JSON.stringify({ Text: 'a'.repeat(2 ** 20) }))
    expect(question.status).toBe(413)
    expect(errorsOf(question)[0]).toMatch(/at most 1048576 bytes.* FINDLING_MAX_QUERY_MB /)
    const copied = await post(
      '/api/Documents/Copy',
      JSON.stringify({ DocumentIdList: Array(50_001).fill('a'), TargetDataSetName: 'shop' }),
    )
    expect(errorsOf(copied)[0]).toContain('DocumentIdList is a list of 50001; expected at most 50000 entries')
  })

  it('is not read to its end where a list is ten times as long as any may be', async () => {
    const { send, stop } = await startApi({ engine, config: { maxRows: 1_000, maxDocumentValues: 900 } })
    onTestFinished(stop)
    const rows = (count: number) =>
      send('POST', '/api/Documents/Bulk', {
        dataset: 'shop',
        body: { Documents: Array(count).fill('x'.repeat(30)) },
      })
    expect(await rows(10_000)).toMatchObject({
      status: 400,
      body: {
        Errors: [expect.stringContaining('Documents is a list of 10000; expected at most 1000 entries')],
      },
    })
    expect(await rows(10_001)).toMatchObject({
      status: 413,
      body: {
        Errors: [expect.stringContaining('a list with more than 10000 entries; send it in several parts')],
      },
    })
  })

  it('has the first ten members named that are not known, and a hundred faults of a list', async () => {
    const unknown = errorsOf(
      await post('/api/Documents/Search', `{"Text":"a",${times(60_000, i => `"a${i}":1`)}}`),
    )
    expect(unknown).toHaveLength(11)
    expect(unknown[10]).toBe('59990 more problems were found and are not listed.')
    const tags = errorsOf(
      await post(
        '/api/Tags/Bulk',
        `{"Tags":[${times(20_000, i => (i < 300 ? '{"Id":"a","Name":"n"}' : '{}'))}]}`,
      ),
    )
    expect(tags).toHaveLength(101)
    expect(tags.slice(0, 2)).toEqual([
      'Tags[300].Id is missing; expected text',
      'Tags[300].Name is missing; expected text',
    ])
  })
})

describe('a long document', () => {
  it('is found by words at its beginning and in its middle', async () => {
    const shop = engine.datasets.get('shop')
    await shop.documents.upsert({
      id: 'found',
      title: `firstword ${'filler '.repeat(60_000)} lastword ${'filler '.repeat(60_000)}`,
    })
    expect((await shop.search('firstword', { fields: ['title'] })).hits.map(({ id }) => id)).toEqual([
      'found',
    ])
    expect((await shop.search('lastword')).hits.map(({ id }) => id)).toEqual(['found'])
  })

  it('is refused when changes of it make it too large', async () => {
    await documents().upsert({ id: 'grows', title: 'a', list: Array(60_000).fill(1) })
    const grown = documents().update('grows', { other: Array(60_000).fill(1) })
    await expect(grown).rejects.toMatchObject({
      code: 'INVALID_DOCUMENT',
      message:
        'the document is too large; expected at most 100000 members and list entries (documentLimits.values)',
    })
    expect(await documents().get('grows')).not.toHaveProperty('other')
  })

  it('that is larger than it may be now can still be changed', async () => {
    const store = memoryDatabase()
    const before = await Engine.open({ store, documentLimits: { values: 300_000 } })
    const large = await before.datasets.create('large', { sample: { id: '1', title: 'a' } })
    await large.documents.upsert({ id: 'old', title: 'a', list: Array(150_000).fill(1) })
    await before.close()
    const after = await openEngine({ store })
    const { documents } = after.datasets.get('large')
    expect((await documents.update('old', { title: 'b' })).document).toMatchObject({ title: 'b' })
  })

  it('names the setting of the server over HTTP', async () => {
    const { body } = await api.send('POST', '/api/Documents/Bulk', {
      dataset: 'shop',
      body: { Documents: [{ id: 'l', title: 'a', list: Array(100_001).fill(1) }] },
    })
    const text = 'at most 100000 members and list entries (FINDLING_MAX_DOCUMENT_VALUES)'
    expect(body.Results[0].Error).toContain(text)
    const one = { id: 'l', title: 'a', list: Array(100_001).fill(1) }
    const refused = await api.send('POST', '/api/Documents', { dataset: 'shop', body: one })
    expect([refused.status, refused.body.Errors.join()]).toEqual([400, expect.stringContaining(text)])
  })

  it('may be larger where the engine says so', async () => {
    const larger = await Engine.open({ documentLimits: { values: 300_000 } })
    const shop = await larger.datasets.create('shop', { interpretedFields: ['title'] })
    await shop.documents.upsert({ id: 'large', title: 'a', list: Array(250_000).fill(1) })
    await expect(shop.documents.upsert({ id: 'larger', list: Array(300_000).fill(1) })).rejects.toMatchObject(
      { code: 'INVALID_DOCUMENT' },
    )
    await larger.close()
  })
})
