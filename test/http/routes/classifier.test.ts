import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { unzipped } from '../files/unzipped.ts'
import { type Api, startApi } from './api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const send = (method: string, path: string, body?: unknown) =>
  api.send(method, `/api/${path}`, body === undefined ? {} : { body })

let shop: string
let shops = 0
beforeEach(async () => {
  shop = `goods-${++shops}`
  const { documents, tags } = await api.engine.datasets.create<object>(shop, {
    sample: { id: '1', title: 'Text', tag: ['a'] },
    interpretedFields: ['title'],
    nGramCount: 2,
    validation: 'strict',
  })
  await tags.replaceAll([
    { id: 'a', name: 'Audio' },
    { id: 'a/1', name: 'Headphones', parentId: 'a' },
    { id: 'a2', name: 'Radio', parentId: 'a' },
    { id: 'b', name: 'Garden' },
  ])
  const titles = { 'a/1': 'wireless headphones', a2: 'wireless radio', b: 'garden hose' }
  const rows = Object.entries(titles).flatMap(([tag, title]) =>
    ['one', 'two', 'three'].map(word => ({ id: `${tag}-${word}`, title: `${title} ${word}`, tag: [tag] })),
  )
  await documents.bulk(rows)
})

async function created(): Promise<string> {
  return (await send('POST', 'Services', { Name: 'Tags', Type: 'classifier' })).body.Id
}

/** The process that a call has started, when it is over. */
async function ended(path: string, body?: unknown) {
  const { status, body: started } = await send('POST', path, body)
  expect([status, started.Status]).toEqual([202, 'InProgress'])
  await expect.poll(() => api.engine.job(started.Id)?.endedAt).not.toBeNull()
  return (await send('GET', `Processes/${started.Id}`)).body
}

async function active(prepare: object = {}, activate?: object) {
  const typed = `Services/Classifier/${await created()}`
  await ended(`${typed}/Prepare`, { DataSetName: shop, NGramList: [1, 2], ...prepare })
  await ended(`${typed}/Activate`, activate)
  return typed
}

interface Explained {
  readonly Margin: number
  readonly Explanation: {
    readonly Margin: number
    readonly Bias: number
    readonly Evidence: readonly { readonly Text: string; readonly Words: number; readonly Weight: number }[]
  }
}

function expectExplained({ Margin, Bias, Evidence }: Explained['Explanation']): void {
  expect(Evidence.length).toBeGreaterThan(0)
  expect(Evidence.reduce((sum, { Weight }) => sum + Weight, Bias)).toBeCloseTo(Margin, 6)
}

const tagsOf = async (typed: string, request: object): Promise<string[]> =>
  (await send('POST', `${typed}/Recommend`, request)).body.map(({ TagId }: { TagId: string }) => TagId)

describe('a classifier', () => {
  test('goes through its states, and shows its settings in those that have them', async () => {
    const typed = `Services/Classifier/${await created()}`
    const look = async () => (await send('GET', typed)).body
    const nothing = { PrepareSettings: null, ActivateSettings: null }
    expect(await look()).toMatchObject({ Type: 'Classifier', Status: 'New', ...nothing })
    const prepared = await ended(`${typed}/Prepare`, { dataSetName: shop, nGramList: ['2', 1] })
    expect(prepared).toMatchObject({
      Type: 'ClassifierPrepare',
      Status: 'Finished',
      Percent: 100,
      ResultMessage: 'Preparing classifier service Tags: done.',
    })
    const settings = {
      DataSetName: shop,
      NGramList: [1, 2],
      TagIdList: ['a/1', 'a2', 'b'],
      CompressLevel: 0,
      CompressSettings: null,
    }
    expect(await look()).toMatchObject({
      Status: 'Prepared',
      PrepareSettings: settings,
      ActivateSettings: null,
    })
    const activated = await ended(`${typed}/Activate`, { TagIdList: ['b', 'a2'], EmphasizedTagIdList: null })
    expect(activated.Type).toBe('ClassifierActivate')
    const activation = { NGramList: [1, 2], TagIdList: ['b', 'a2'], EmphasizedTagIdList: [] }
    expect(await look()).toMatchObject({
      Status: 'Active',
      PrepareSettings: settings,
      ActivateSettings: activation,
    })
    expect((await send('POST', `${typed}/Deactivate`)).status).toBe(200)
    expect(await look()).toMatchObject({ Status: 'Prepared', ActivateSettings: null })
    await ended(`${typed}/Activate`)
    expect((await look()).ActivateSettings).toEqual(activation)
    await send('POST', `${typed}/Deactivate`)
    await ended(`${typed}/Activate`, {})
    expect((await look()).ActivateSettings.TagIdList).toEqual(['a/1', 'a2', 'b'])
  })

  test('shows how it was compressed as that was given', async () => {
    const compressed = async (given: object) => {
      const typed = `Services/Classifier/${await created()}`
      await ended(`${typed}/Prepare`, { DataSetName: shop, NGramList: [1], TagIdList: ['b'], ...given })
      const { CompressLevel, CompressSettings } = (await send('GET', typed)).body.PrepareSettings
      return [CompressLevel, CompressSettings]
    }
    expect(await compressed({ CompressLevel: '2' })).toEqual([2, null])
    const CompressSettings = { CategoryOccurence: 1, DataSetOccurence: 3, Operator: 'or' }
    expect(await compressed({ CompressLevel: 1, CompressSettings })).toEqual([
      0,
      { ...CompressSettings, Operator: 'OR' },
    ])
  })

  test('recommends tags, with the tag itself where that is asked for', async () => {
    const typed = await active()
    const { body } = await send('POST', `${typed}/Recommend`, {
      Text: 'wirless hedphones',
      NeedTagInResult: true,
    })
    expect(body[0]).toEqual({
      TagId: 'a/1',
      Score: expect.any(Number),
      Tag: {
        Id: 'a/1',
        Name: 'Headphones',
        ParentId: 'a',
        ParentTagId: 'a',
        Properties: {
          Paths: [{ Id: 'a', Name: 'Audio', Level: 1 }],
          Level: 2,
          IsLeaf: true,
          DocumentCount: 0,
          WordCount: 0,
        },
      },
      IsEmphasized: false,
    })
    const Text = 'wireless hose'
    const plain = (await send('POST', `${typed}/Recommend`, { Text })).body
    expect(plain.map(({ Tag }: { Tag: unknown }) => Tag)).toEqual([null, null, null])
    expect(await tagsOf(typed, { Text, Count: '1' })).toHaveLength(1)
    expect(await tagsOf(typed, { Text, Count: 0 })).toHaveLength(3)
    expect(await tagsOf(typed, { Text, Count: -1 })).toEqual([])
    expect(await tagsOf(typed, { Text: 'xyzzyx' })).toEqual([])
    const below = await send('POST', `${typed}/Recommend`, { Text, ParentTagIdList: ['a'] })
    expect(below.body).toEqual(plain.filter(({ TagId }: { TagId: string }) => TagId !== 'b'))
    expect(await tagsOf(typed, { Text, ParentTagIdList: [] })).toHaveLength(3)
  })

  test('explains the tags that it recommends', async () => {
    const typed = await active({}, { EmphasizedTagIdList: ['a2'] })
    const request = { Text: 'wireles radio hose', UseEmphasizing: true, Count: 2 }
    const plain = (await send('POST', `${typed}/Recommend`, request)).body
    const found = (await send('POST', `${typed}/Recommend`, { ...request, Explain: true })).body
    expect(found.map(({ Explanation: _, ...one }: Explained) => one)).toEqual(plain)
    for (const one of found) expectExplained(one.Explanation)
    const refused = await send('POST', `${typed}/Recommend`, { ...request, Count: 0, Explain: true })
    expect(refused.status).toBe(400)
  })

  test('puts emphasized tags first that the text names', async () => {
    const typed = await active({}, { EmphasizedTagIdList: ['a2'] })
    const Text = 'garden hose radio garden hose'
    expect(await tagsOf(typed, { Text, Count: 1 })).toEqual(['b'])
    const { body } = await send('POST', `${typed}/Recommend`, { Text, UseEmphasizing: true, Count: 1 })
    expect(body).toMatchObject([{ TagId: 'a2', IsEmphasized: true }])
  })

  test('leaves its dictionaries in a file, which its process links to', async () => {
    const typed = await active()
    const process = await ended(`${typed}/ExportDictionaries`, { NGramList: [2, 1] })
    expect(process.Type).toBe('ClassifierExportDictionaries')
    const [, link] = process.ResultMessage.split('\n')
    expect(link).toMatch(/\/files\/[\w-]{43}\.zip$/)
    const reply = await fetch(link)
    expect(reply.headers.get('Content-Type')).toBe('application/zip')
    const files = unzipped(new Uint8Array(await reply.arrayBuffer()))
    const names = [1, 2].flatMap(size => ['a%2F1', 'a2', 'b'].map(name => `${size}/${name}.csv`))
    expect([...files.keys()]).toEqual(names)
    for (const text of files.values()) expect(text).toMatch(/^\ufeff("[^"]+";"\d+\.\d{6}"\n)*$/)
    const words = (text = '') => [...text.matchAll(/^\ufeff?"(.*)";/gm)].map(([, word]) => word)
    expect(words(files.get('1/b.csv')).slice(0, 2).sort()).toEqual(['garden', 'hose'])
    expect(words(files.get('2/b.csv'))[0]).toBe('garden hose')
    expect((await send('GET', typed)).body.Status).toBe('Active')
    const one = await ended(`${typed}/ExportDictionaries`, { NGramList: [1], TagIdList: ['b'] })
    expect(one.Status).toBe('Finished')
  })

  test('is counted in the memory that is taken', async () => {
    await active()
    const { Loaded } = (await send('GET', 'Status?withMemory=true')).body
    const sizes = Loaded.Services.map(({ Size }: { Size: number }) => Size)
    expect(Math.max(...sizes)).toBeGreaterThan(0)
  })

  test('is told what a search is about, and each corrected text for itself', async () => {
    const typed = await active({}, { EmphasizedTagIdList: ['a2'] })
    const { Id } = (await send('POST', 'Services', { Name: 'Shop', Type: 'Search' })).body
    await ended(`Services/Search/${Id}/Prepare`, { DataSetName: shop })
    await ended(`Services/Search/${Id}/Activate`, {
      ClassifierSettings: { Id: typed.split('/')[2] },
      SearchSettings: { ResponseFieldList: ['title'], Count: 1 },
    })
    const { body } = await send('POST', `Services/Search/${Id}`, { Text: 'gadren radio' })
    const [corrected] = body.AutoCompleteResultList
    expect(corrected).toBeUndefined()
    const found = await send('POST', `Services/Search/${Id}`, { Text: 'gaden hose' })
    expect(found.body.ClassifierResultList[0]).toMatchObject({
      TagId: 'b',
      Tag: { Name: 'Garden' },
      SearchResultMatch: true,
      IsEmphasized: false,
    })
    expect(found.body.ClassifierResultList[1].SearchResultMatch).toBe(false)
    expect(found.body.AutoCompleteResultList[0]).toMatchObject({
      Text: 'garden hose',
      ClassifierResultList: [{ TagId: 'b', SearchResultMatch: true }, {}, {}],
    })
    expect(body.ClassifierResultList[0]).toMatchObject({ TagId: 'a2', IsEmphasized: true })
    const plain = await send('POST', `Services/Search/${Id}`, { Text: 'wireless' })
    const boosted = await send('POST', `Services/Search/${Id}`, {
      Text: 'wireless',
      ClassifierSettings: { Id: typed.split('/')[2], CategoryBoost: 2 },
    })
    const [before, after] = [plain.body.SearchResultList[0], boosted.body.SearchResultList[0]]
    expect([before.CategoryFactor, after.CategoryFactor > 1]).toEqual([undefined, true])
    expect(after.Score / after.CategoryFactor).toBeCloseTo(before.Score, 6)
    await send('POST', `${typed}/Deactivate`)
    const without = await send('POST', `Services/Search/${Id}`, { Text: 'hose' })
    expect(without.body.ClassifierResultList).toBeNull()
  })
})

describe('the classifier of a dataset', () => {
  test('is trained, asked, and examined, without a service', async () => {
    const train = await ended(`DataSets/${shop}/Classifier/Train`, { NGramList: [1], CompressLevel: 1 })
    expect([train.Type, train.Status]).toEqual(['DataSetsTrainClassifier', 'Finished'])
    const classify = async (body: object) =>
      (await api.send('POST', '/api/Documents/Classify', { dataset: shop, body })).body.Recommendations
    const found = await classify({ Text: 'gaden hose', Count: 0 })
    expect(found[0]).toMatchObject({ TagId: 'b', Tag: { Name: 'Garden' }, Margin: expect.any(Number) })
    expect(found).toHaveLength(3)
    const below = await classify({ Text: 'gaden hose', ParentTagIdList: ['a'] })
    expect(below).toEqual(found.slice(1))
    const explained: Explained[] = await classify({ Text: 'gaden hose', Explain: true })
    expect(explained.map(({ Explanation: _, ...one }) => one)).toEqual(found)
    for (const { Explanation, Margin } of explained) {
      expectExplained(Explanation)
      expect(Explanation.Margin).toBe(Margin)
    }
    const tooMany = { dataset: shop, body: { Text: 'hose', Count: 101, Explain: true } }
    expect((await api.send('POST', '/api/Documents/Classify', tooMany)).status).toBe(400)
    const whole = await classify({ Text: 'gaden hose', TagIdList: ['a2'], Renormalise: true })
    expect(whole).toMatchObject([{ TagId: 'a2', Score: 1 }])
    const fileOf = async ({ ResultMessage }: { ResultMessage: string }) =>
      await (await fetch(ResultMessage.split('\n')[1]!)).json()
    const evaluated = await ended(`DataSets/${shop}/Classifier/Evaluate`)
    expect(await fileOf(evaluated)).toMatchObject({
      Accuracy: expect.any(Number),
      MacroF1: expect.any(Number),
      LearningCurve: expect.arrayContaining([
        { Documents: 7, Accuracy: expect.any(Number), Top3: expect.any(Number) },
      ]),
    })
    const { documents } = api.engine.datasets.get<object>(shop)
    await documents.bulk([{ id: 'wrong', title: 'garden hose one two three', tag: ['a2'] }])
    expect(train.ResultMessage.split('\n')[0]).toMatch(/: done\.$/)
    const doubts = await fileOf(await ended(`DataSets/${shop}/Classifier/DoubtfulTags`, { Limit: 1 }))
    expect(doubts).toMatchObject([{ Id: 'wrong', TagId: 'a2', Likelier: 'b' }])
    const { body: usual } = await send('GET', 'Processes?allStatus=true')
    expect(usual.map(({ Type }: { Type: string }) => Type)).not.toContain('DataSetsTrainClassifier')
  })
})

describe('the classifier of a dataset with a field that alone tells the tag', () => {
  test('says so when it is trained and evaluated, until it is trained without that field', async () => {
    const items = await api.engine.datasets.create<object>(`paths-${++shops}`, {
      interpretedFields: ['title', 'path'],
    })
    await items.documents.bulk(
      Array.from({ length: 40 }, (_, i) => {
        const tag = i % 2 === 0 ? 'tools' : 'clothes'
        return { id: i, title: `thing number${i} word${i % 7}`, path: `Shop > ${tag}`, tag }
      }),
    )
    const train = async (body: object) =>
      (await ended(`DataSets/${items.name}/Classifier/Train`, body)).ResultMessage
    const evaluated = async () => {
      const { ResultMessage } = await ended(`DataSets/${items.name}/Classifier/Evaluate`)
      const file = await fetch(ResultMessage.split('\n')[1]!)
      return ((await file.json()) as { TellingFields: unknown }).TellingFields
    }
    expect(await train({})).toContain(
      'done. The field path alone gives away the tag (100 %): train without it, using FieldList.',
    )
    expect(await evaluated()).toEqual([{ Field: 'path', Share: 1 }])
    expect(await train({ FieldList: ['title'] })).not.toContain('FieldList')
    expect(await evaluated()).toEqual([])
  })
})

describe('a classifier refuses', () => {
  test.each([
    ['no n-grams', { NGramList: [] }],
    ['n-grams left out', { NGramList: undefined }],
    ['repeated n-grams', { NGramList: [1, 1] }],
    ['n-grams beyond those of the dataset', { NGramList: [3] }],
    ['an unknown dataset', { DataSetName: 'nothing' }],
    ['unknown tags', { TagIdList: ['a2', 'nothing'] }],
    ['a level beyond all', { CompressLevel: 3 }],
  ])('to be prepared with %s', async (_, wrong) => {
    const typed = `Services/Classifier/${await created()}`
    const settings = { DataSetName: shop, NGramList: [1], ...wrong }
    const { status, body } = await send('POST', `${typed}/Prepare`, settings)
    expect(status).toBe(400)
    if ('TagIdList' in wrong)
      expect(body.Errors).toEqual(['TagIdList[1] is "nothing"; expected the id of a tag of the dataset'])
    expect((await send('GET', typed)).body.Status).toBe('New')
  })

  test('what it was not prepared for, and requests that break their model', async () => {
    const typed = await active({ TagIdList: ['a/1', 'b'] })
    const status = async (call: string, body: unknown) =>
      (await send('POST', `${typed}/${call}`, body)).status
    expect(await status('Recommend', { Text: ' ' })).toBe(400)
    expect(await status('Recommend', { Text: 'x', ParentTagIdList: ['b'] })).toBe(400)
    expect(await status('Recommend', { Text: 'x', ParentTagIdList: ['a', 'nothing'] })).toBe(400)
    expect(await status('Recommend', { Text: 'x'.repeat(100_001) })).toBe(400)
    expect(await status('ExportDictionaries', { NGramList: [1], TagIdList: ['a2'] })).toBe(400)
    expect(await status('ExportDictionaries', { TagIdList: [] })).toBe(400)
    const again = await send('POST', `${typed}/Prepare`, { DataSetName: 'nothing', NGramList: [1] })
    expect(again.body.Errors).toEqual([
      'The service Tags cannot prepare: it is active, but must be new, unless it is prepared again.',
    ])
    await send('POST', `${typed}/Deactivate`)
    expect(await status('Recommend', { Text: 'x' })).toBe(400)
    expect(await status('Activate', { TagIdList: ['a2'] })).toBe(400)
    expect(await status('Activate', { NGramList: [3] })).toBe(400)
    expect(await status('Activate', { EmphasizedTagIdList: ['nothing'] })).toBe(400)
  })
})
