import { languages } from 'findling'
import { describe, expect, test } from 'vitest'
import { sample, shopForEach } from './shop.ts'

const here = shopForEach()

const read = async () => (await here.api.send('GET', `/api/DataSets/${here.shop}/Settings`)).body
const reconfigure = (body: object) =>
  here.api.send('POST', `/api/DataSets/${here.shop}/Reconfigure`, { body })

async function ended({ Id }: { Id: string }) {
  await expect.poll(() => here.api.engine.job(Id)?.status).toBe('finished')
  return (await here.api.send('GET', `/api/Processes/${Id}`)).body
}

describe('GET /api/DataSets/{name}/Settings', () => {
  test('tells how a dataset is searched', async () => {
    expect(await read()).toEqual({
      InterpretedFields: ['title', 'desc'],
      NGramCount: 3,
      Language: 'English',
      Validation: 'Strict',
      Weights: [
        { Field: 'title', Weight: 4, B: 0.6 },
        { Field: 'desc', Weight: 1, B: 0.7 },
      ],
      Signals: [],
      Topics: true,
      Categories: true,
      Markup: true,
      Synonyms: [],
      StopWords: [],
      Curations: [],
      TypoTolerance: { DisableOnFields: [], DisableOnWords: [], DisableOnCodes: false },
      GroupBy: '',
      Relax: false,
    })
  })

  test('shows search settings as Reconfigure takes them', async () => {
    const given = {
      Synonyms: [{ Root: 'seat', Synonyms: ['bench'] }, { Synonyms: ['tv', 'television'] }],
      StopWords: ['the'],
      Curations: [
        { Query: 'hose', Match: 'Contains', Pinned: [{ Id: '1', Position: 1 }], Hidden: ['2'] },
        { Match: 'Exact', Pinned: [], Hidden: ['3'] },
      ],
      TypoTolerance: { DisableOnFields: ['desc'], DisableOnWords: ['xl'], DisableOnCodes: true },
      GroupBy: 'price',
      Relax: true,
    }
    await ended((await reconfigure(given)).body)
    expect(await read()).toMatchObject(given)
    await ended((await reconfigure({ GroupBy: '' })).body)
    expect(await read()).toMatchObject({ ...given, GroupBy: '' })
  })

  test('gives what Reconfigure takes, which then changes nothing', async () => {
    const signals = { price: { pivot: 50, boost: 1 }, desc: { halfLifeDays: 30, boost: 0.5 } }
    await here.api.engine.datasets.get(here.shop).reconfigure({ language: 'german', signals }).finished
    const before = await read()
    expect(before.Signals).toEqual([
      { Field: 'price', Pivot: 50, Boost: 1 },
      { Field: 'desc', HalfLifeDays: 30, Boost: 0.5 },
    ])
    await ended((await reconfigure(before)).body)
    expect(await read()).toEqual(before)
  })
})

describe('POST /api/DataSets/{name}/Reconfigure', () => {
  test('changes what is given and leaves the rest', async () => {
    const { body: process } = await reconfigure({
      interpretedFields: ['desc', 'title'],
      weights: [{ field: 'desc', weight: '5' }],
      language: 'none',
      validation: 'LENIENT',
      signals: [{ field: 'price', halflifedays: 7, boost: '2' }],
    })
    expect(process).toMatchObject({ Type: 'DataSetsReconfigure', Status: 'InProgress', ResultMessage: null })
    expect(await ended(process)).toMatchObject({
      Status: 'Finished',
      ResultMessage: `Reindexing ${here.shop}: done.`,
    })
    expect(here.api.engine.datasets.get(here.shop).settings).toMatchObject({
      idField: 'id',
      nGramCount: 3,
      language: 'none',
      validation: 'lenient',
      interpretedFields: ['desc', 'title'],
      weights: { desc: { weight: 5 } },
      signals: { price: { halfLifeDays: 7, boost: 2 } },
    })
  })

  test('takes every language that the engine has', async () => {
    const names = languages.map(language => language[0]!.toUpperCase() + language.slice(1))
    for (const [i, Language] of names.entries()) {
      await ended((await reconfigure({ Language })).body)
      expect([here.api.engine.datasets.get(here.shop).settings.language, await read()]).toMatchObject([
        languages[i],
        { Language },
      ])
    }
  })

  test('names a new searched field that the sample does not have', async () => {
    const { status, body } = await reconfigure({ InterpretedFields: ['title', 'nowhere'] })
    expect([status, body.Errors]).toEqual([
      400,
      [expect.stringMatching(/^SampleDocument\.nowhere is missing; .* because it is a searched field$/)],
    ])
  })

  test('refuses weights of fields that are not interpreted, whatever they are called', async () => {
    for (const Field of ['price', '__proto__', 'constructor']) {
      expect((await reconfigure({ Weights: [{ Field, Weight: 2 }] })).status).toBe(400)
    }
  })

  test.each([
    ['Weights', { Weight: 2 }, 'title', 'desc'],
    ['Signals', { Pivot: 1, Boost: 1 }, 'price', 'stock'],
    ['Vectors', { Dimensions: 2 }, 'direction', 'position'],
  ])('refuses a field that is twice in %s, and names the place', async (name, members, field, other) => {
    const before = await read()
    const entries = [field, other, field].map(Field => ({ Field, ...members }))
    const { status, body } = await reconfigure({ [name]: entries })
    expect([status, body.Errors]).toEqual([
      400,
      [`${name}[2].Field is "${field}"; expected a field that no entry before has`],
    ])
    expect(await read()).toEqual(before)
  })

  test.each([
    ['without either form', { Field: 'price', Boost: 1 }],
    ['of both forms', { Field: 'price', Pivot: 1, HalfLifeDays: 1, Boost: 1 }],
    ['without a boost', { Field: 'price', Pivot: 1 }],
    ['with too large a boost', { Field: 'price', Pivot: 1, Boost: 11 }],
    ['of no field', { Field: 'a b', Pivot: 1, Boost: 1 }],
  ])('refuses a signal %s', async (_, signal) => {
    expect((await reconfigure({ Signals: [signal] })).status).toBe(400)
    expect((await read()).Signals).toEqual([])
  })
})

describe('POST /api/DataSets/{name}/Optimize', () => {
  test.each(['1', '2', '64', 'many'])('finds the same with a limit of %s cores', async limit => {
    const { documents } = here.api.engine.datasets.get<object>(here.shop)
    await documents.bulk(Array.from({ length: 500 }, (_, i) => ({ ...sample, id: `more-${i}` })))
    const body = { Text: 'headphones sample', Limit: 20, Total: 'Exact' }
    const search = async () =>
      (await here.api.send('POST', '/api/Documents/Search', { dataset: here.shop, body })).body
    const before = await search()
    const headers = { 'X-Api-Parallel-Limit': limit }
    const { body: process } = await here.api.send('POST', `/api/DataSets/${here.shop}/Optimize`, { headers })
    expect(await ended(process)).toMatchObject({ Status: 'Finished' })
    expect(await search()).toEqual(before)
  })

  test('indexes anew and changes no setting', async () => {
    const before = await read()
    const { body: process } = await here.api.send('POST', `/api/DataSets/${here.shop}/Optimize`)
    expect(process).toMatchObject({ Type: 'DataSetsOptimize', Status: 'InProgress' })
    expect(await ended(process)).toMatchObject({
      Status: 'Finished',
      ResultMessage: `Optimizing the index of ${here.shop}: done.`,
    })
    expect(await read()).toEqual(before)
    const body = { Text: 'headphones' }
    const found = await here.api.send('POST', '/api/Documents/Search', { dataset: here.shop, body })
    expect(found.body.Hits).toMatchObject([{ Id: '1' }])
  })
})
