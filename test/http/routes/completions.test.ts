import { describe, expect, test } from 'vitest'
import { sample, shopForEach } from './shop.ts'

const here = shopForEach()

const reply = (body: object) => here.api.send('POST', '/api/Documents/Complete', { dataset: here.shop, body })
const complete = async (body: object) => (await reply(body)).body

describe('POST /api/Documents/Complete', () => {
  test('completes titles and names of tags, and says what of them was typed', async () => {
    const { documents } = here.api.engine.datasets.get<object>(here.shop)
    await documents.insert({ ...sample, id: '3', title: 'Garden hose' })
    const { Completions } = await complete({ text: 'gard' })
    const Ranges = [{ Start: 0, End: 4 }]
    expect(Completions).toEqual([
      { Text: 'Garden', Kind: 'Tag', Id: 'b', Ranges, Corrected: false },
      { Text: 'Garden hose', Kind: 'Title', Count: 2, Ranges, Corrected: false },
    ])
  })

  test('has the tags that begin so besides, as they are read', async () => {
    const { Tags } = await complete({ Text: 'hea' })
    expect(Tags).toEqual([(await here.api.send('GET', '/api/Tags/a1', { dataset: here.shop })).body])
  })

  test.each([
    ['Limit', { Text: 'gard', Limit: '1' }, ['Garden']],
    ['Kinds, of titles', { Text: 'gard', Kinds: ['title'] }, ['Garden hose']],
    ['Kinds, of tags', { Text: 'gard', Kinds: ['Tag'] }, ['Garden']],
    ['TypoTolerance', { Text: 'gxrd', TypoTolerance: 0 }, []],
    ['nothing more', { Text: 'gxrd' }, ['Garden', 'Garden hose']],
  ])('heeds %s', async (_, body, texts) => {
    const { Completions } = await complete(body)
    expect(Completions.map(({ Text }: { Text: string }) => Text)).toEqual(texts)
  })

  test('has no tags beside where only titles are asked for', async () => {
    expect(await complete({ Text: 'gard', Kinds: ['Title'] })).toMatchObject({ Tags: [] })
  })

  test('says what was corrected', async () => {
    const { Completions } = await complete({ Text: 'gxrd' })
    expect(Completions.map(({ Corrected }: { Corrected: boolean }) => Corrected)).toEqual([true, true])
  })

  test.each([
    ['no text', {}],
    ['a limit of none', { Text: 'a', Limit: 0 }],
    ['a limit above 100', { Text: 'a', Limit: 101 }],
    ['no kinds', { Text: 'a', Kinds: [] }],
    ['another kind', { Text: 'a', Kinds: ['Brand'] }],
    ['two typos', { Text: 'a', TypoTolerance: 2 }],
  ])('refuses %s', async (_, body) => {
    expect((await reply(body)).status).toBe(400)
  })
})
