import { describe, expect, test } from 'vitest'
import { unzipped } from '../files/unzipped.ts'
import type { Reply } from './api.ts'
import { shopForEach } from './shop.ts'

const here = shopForEach()

const exportWords = (body?: unknown): Promise<Reply> =>
  here.api.send('POST', '/api/Tags/ExportWords', { dataset: here.shop, ...(body !== undefined && { body }) })

async function ended(id: string) {
  await expect.poll(() => here.api.engine.job(id)?.endedAt).toEqual(expect.any(Number))
  return (await here.api.send('GET', `/api/Processes/${id}`)).body
}

async function filesOf(body: object) {
  const { status, body: started } = await exportWords(body)
  expect(status).toBe(202)
  const process = await ended(started.Id)
  expect(process).toMatchObject({ Status: 'Finished', Percent: 100, Type: 'TagsExportWords' })
  const [sentence, link] = process.ResultMessage.split('\n')
  expect(link).toMatch(/\/files\/[\w-]{43}\.zip$/)
  const reply = await fetch(link)
  return { sentence, files: unzipped(new Uint8Array(await reply.arrayBuffer())) }
}

describe('POST /api/Tags/ExportWords', () => {
  test('leaves a folder for each number of words, a file for each tag, and a line for each word', async () => {
    const { tags, documents } = here.api.engine.datasets.get(here.shop)
    await tags.create({ id: 'x/"y"', name: 'Odd' })
    await documents.upsert({ id: 'odd', title: 'Café "Lamp" lamp', desc: 'café', tag: ['x/"y"'] })
    await documents.upsert({ id: 'other', title: 'Lamp of a café', desc: '', tag: ['b'] })
    const { sentence, files } = await filesOf({ NGramList: [1, 2], TagIdList: ['x/"y"', 'a'] })
    expect(sentence).toMatch(/: 2 tags\.$/)
    expect([...files.keys()]).toEqual(['1/x%2F%22y%22.csv', '1/a.csv', '2/x%2F%22y%22.csv', '2/a.csv'])
    expect(files.get('1/x%2F%22y%22.csv')).toBe('\ufeff"café";"2";"3"\n"lamp";"2";"3"\n')
    expect(files.get('2/x%2F%22y%22.csv')).toBe('\ufeff"café lamp";"1";"1"\n"lamp lamp";"1";"1"\n')
  })

  test('counts a tag that a text shows, such as &lt;i&gt;, as the tag does that is asked for details', async () => {
    const { documents } = here.api.engine.datasets.get(here.shop)
    await documents.upsert({ id: '2', title: '<b>Hose</b> &lt;i&gt;', desc: '&amp;lt;', tag: ['b'] })
    const { files } = await filesOf({ NGramList: [1], TagIdList: ['b'] })
    expect(files.get('1/b.csv')).toBe('\ufeff"hose";"1";"1"\n"i";"1";"1"\n"lt";"1";"1"\n')
    const { body } = await here.api.send('GET', '/api/Tags/b?withDetails=true', { dataset: here.shop })
    expect(body.Properties.WordCount).toBe(3)
  })

  test.each([{}, { TagIdList: null }, { TagIdList: [] }])('takes all leaves for %j', async given => {
    const leaves = (await here.api.engine.datasets.get(here.shop).tags.list()).filter(({ isLeaf }) => isLeaf)
    const { files } = await filesOf({ NGramList: ['1'], ...given })
    expect([...files.keys()].sort()).toEqual(leaves.map(({ id }) => `1/${id}.csv`).sort())
  })

  test.each([
    [undefined],
    [{}],
    [{ NGramList: null }],
    [{ NGramList: [] }],
    [{ NGramList: [0] }],
    [{ NGramList: [7] }],
    [{ NGramList: [1, 1] }],
    [{ NGramList: [1.5] }],
    [{ NGramList: [6] }],
    [{ NGramList: [1], TagIdList: 'a' }],
  ])('is refused with %j, and starts nothing', async body => {
    const before = here.api.engine.jobs().length
    const reply = await exportWords(body)
    expect(reply).toMatchObject({ status: 400, body: { Errors: [expect.any(String)] } })
    expect(here.api.engine.jobs()).toHaveLength(before)
  })

  test('says how long runs of words the dataset counts', async () => {
    const { NGramCount } = (await here.api.send('GET', `/api/DataSets/${here.shop}`)).body
    const { status, body } = await exportWords({ NGramList: [1, NGramCount + 1] })
    const error = `NGramList[1] is ${NGramCount + 1}; expected at most ${NGramCount}, the maximum of this dataset`
    expect([status, body.Errors]).toEqual([400, [error]])
  })

  test('names the tags that there are not', async () => {
    const { status, body } = await exportWords({ NGramList: [1], TagIdList: ['a', 'no', '__proto__'] })
    const expected = 'expected the id of a tag of the dataset'
    expect([status, body.Errors]).toEqual([
      400,
      [`TagIdList[1] is "no"; ${expected}`, `TagIdList[2] is "__proto__"; ${expected}`],
    ])
  })
})
