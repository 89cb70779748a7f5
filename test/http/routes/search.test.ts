import { describe, expect, test } from 'vitest'
import { secret } from './api.ts'
import { openShop, sample, shopForEach } from './shop.ts'

const here = shopForEach()

const reply = (body: object, dataset = here.shop) =>
  here.api.send('POST', '/api/Documents/Search', { dataset, body: { Text: 'wireless headphones', ...body } })
const search = async (body: object, dataset?: string) => (await reply(body, dataset)).body
const ids = ({ Hits }: { Hits: { Id: string }[] }) => Hits.map(({ Id }) => Id)

test.each([
  ['POST', '/api/Documents/Search', { Text: 'hose', Limits: 3 }, 'Limits', 'Limit'],
  [
    'POST',
    '/api/Documents/Search',
    { Text: 'hose', Highlight: { Snipet: 40 } },
    'Highlight.Snipet',
    'Snippet',
  ],
  ['POST', '/api/Documents/Search', { Text: 'hose', Filter: { Qery: 'price:<9' } }, 'Filter.Qery', 'Query'],
  ['POST', '/api/Documents/Complete', { Text: 'ho', Kind: ['Title'] }, 'Kind', 'Kinds'],
  [
    'POST',
    '/api/DataSets/{shop}/Classifier/Train',
    { CompressSettings: { Operater: 'OR' } },
    'CompressSettings.Operater',
    'Operator',
  ],
  ['POST', '/api/DataSets/{shop}/Reconfigure', { Langage: 'German' }, 'Langage', 'Language'],
  ['GET', '/api/Documents/Export?fromat=csv', undefined, 'fromat', 'format'],
])('%s %s refuses a member that it does not have: %j', async (method, path, body, member, meant) => {
  const refused = await here.api.send(method, path.replace('{shop}', here.shop), {
    dataset: here.shop,
    ...(body && { body }),
  })
  expect(refused.status).toBe(400)
  expect(refused.body.Errors).toEqual([
    expect.stringMatching(new RegExp(`^${member} is .*no such member \\(did you mean "${meant}"`)),
  ])
})

describe('POST /api/Documents/Search', () => {
  test('finds in spite of typos, says what each word was taken for, and leaves documents as they are', async () => {
    const { Hits, Words, Total } = await search({ text: 'wirless' })
    expect(Hits).toEqual([
      {
        Id: '1',
        Score: expect.any(Number),
        Document: {
          id: '1',
          title: 'Wireless headphones',
          desc: 'Noise cancelling',
          price: 89,
          tag: ['a1'],
        },
      },
    ])
    expect(Words).toEqual([
      {
        Word: 'wirless',
        Kind: 'Typo',
        Surfaces: ['wireless'],
        Suggestion: 'wireless',
        Idf: expect.closeTo(Math.LN2),
      },
    ])
    expect(Total).toEqual({ Count: 1, Exact: true })
  })

  test.each([
    ['Limit', { Limit: '1' }, 1],
    ['Offset', { Offset: 1 }, 1],
    ['Operator', { operator: 'AND' }, 0],
    ['TypoTolerance', { Text: 'wirless', TypoTolerance: 0 }, 0],
    ['Prefix', { Text: 'wire', TypoTolerance: 0, Prefix: 'true' }, 1],
    ['no Prefix', { Text: 'wire', TypoTolerance: 0 }, 0],
    ['phrases', { Text: '"headphones wireless"' }, 0],
    ['Fields as a list', { Text: 'wireless brass', Fields: ['desc'] }, 1],
    ['Fields as weights, also as text', { Text: 'wireless brass', fields: { title: '0' } }, 1],
    ['Fields that are null', { Fields: null }, 2],
    ['nothing more', {}, 2],
  ])('heeds %s', async (_, options, hits) => {
    expect((await search({ Text: 'wireless garden', ...options })).Hits).toHaveLength(hits)
  })

  test.each([
    [{ Text: 'headphones' }, 'Exact'],
    [{ Text: 'headphone' }, 'Stem'],
    [{ Text: 'hea', Prefix: true }, 'Prefix'],
    [{ Text: 'gardenhose' }, 'Compound'],
    [{ Text: 'hoze' }, 'Typo'],
    [{ Text: 'zzzzzzzz' }, 'None'],
  ])('says of %o that the word is taken as %s', async (body, kind) => {
    // Two words make one where they have met before.
    await here.api.engine.datasets
      .get<object>(here.shop)
      .documents.insert({ ...sample, id: '3', title: 'Garden hose' })
    const { Words } = await search(body)
    expect(Words.map(({ Kind }: { Kind: string }) => Kind)).toEqual([kind])
  })

  test('gives ids and scores alone where no documents are asked for', async () => {
    const { Hits } = await search({ Text: 'hose', Documents: false })
    expect(Hits).toEqual([{ Id: '2', Score: expect.any(Number) }])
  })

  test('weighs fields as it is asked to', async () => {
    const { documents } = here.api.engine.datasets.get<object>(here.shop)
    await documents.bulk([
      { ...sample, id: 'in-title', title: 'Lantern' },
      { ...sample, id: 'in-text', desc: 'Lantern' },
    ])
    const first = async (Fields: object) => ids(await search({ Text: 'lantern', Fields }))[0]
    expect(await first({ title: 100, desc: 1 })).toBe('in-title')
    expect(await first({ title: 1, desc: 100 })).toBe('in-text')
  })

  test('leaves signals out where it is told to', async () => {
    const dataset = here.api.engine.datasets.get<object>(here.shop)
    await dataset.documents.bulk([
      { ...sample, id: 'cheap', title: 'Lantern', price: 1 },
      { ...sample, id: 'dear', title: 'Lantern', price: 1000 },
    ])
    await dataset.reconfigure({ signals: { price: { pivot: 10, boost: 1 } } }).finished
    expect(ids(await search({ Text: 'lantern' }))).toEqual(['dear', 'cheap'])
    expect(ids(await search({ Text: 'lantern', Signals: false }))).toEqual(['cheap', 'dear'])
  })

  test('counts all that match where an exact total is asked for', async () => {
    const { Hits, Total } = await search({ Text: 'wireless garden', Limit: 1, Total: 'exact' })
    expect([Hits.length, Total]).toEqual([1, { Count: 2, Exact: true }])
  })

  test('marks what was found, in passages of long texts and in each text of a list', async () => {
    const dataset = await here.api.engine.datasets.create(`${here.shop}-lists`, {
      interpretedFields: ['notes', 'text'],
    })
    const text = `${'Something else. '.repeat(10)}A red lantern. ${'Nothing more. '.repeat(10)}`
    await dataset.documents.insert({ id: '1', notes: ['none', 'a lantern'], text })
    const { Hits } = await search({ Text: 'lantern', Highlight: { snippet: 20 } }, dataset.name)
    const { notes, text: found } = Hits[0].Highlights
    expect(notes).toEqual([
      { Item: 1, Text: 'a lantern', Start: 0, Ranges: [{ Start: 2, End: 9 }], Before: false, After: false },
    ])
    expect(found).toMatchObject([{ Before: true, After: true }])
    const [{ Text, Start, Ranges }] = found
    expect(text.slice(Start, Start + Text.length)).toBe(Text)
    expect(Text.slice(Ranges[0].Start, Ranges[0].End)).toBe('lantern')
    const { Hits: other } = await search({ Text: 'lantern', Highlight: { Fields: ['notes'] } }, dataset.name)
    expect(Object.keys(other[0].Highlights)).toEqual(['notes'])
  })

  test('keeps the names of fields as they are, whatever they are called', async () => {
    const interpretedFields = ['Title', 'title', 'constructor', '__proto__']
    const dataset = await here.api.engine.datasets.create(`${here.shop}-named`, { interpretedFields })
    const document = Object.fromEntries(interpretedFields.map(name => [name, 'lantern']))
    await dataset.documents.insert({ ...document, ['__proto__']: 'lantern', id: '1' })
    const Fields = JSON.stringify(Object.fromEntries(interpretedFields.map((name, i) => [name, i + 1])))
    const response = await fetch(`${here.api.url}/api/Documents/Search`, {
      method: 'POST',
      body: `{"Text":"lantern","Highlight":true,"Explain":true,"Fields":${Fields}}`,
      headers: {
        Authorization: `Findling ${secret}`,
        'Content-Type': 'application/json',
        'X-DataSet': dataset.name,
      },
    })
    const { Hits } = JSON.parse(await response.text())
    expect(Object.keys(Hits[0].Highlights)).toEqual(interpretedFields)
    const [{ Expansions }] = Hits[0].Explanation.Words
    expect(Expansions[0].Fields.map(({ Field }: { Field: string }) => Field)).toEqual(interpretedFields)
  })

  test('explains scores that add up', async () => {
    const { Hits } = await search({ Text: 'wireless hedphones', Explain: true, Documents: false })
    const [{ Score, Explanation }] = Hits
    expect(Explanation).toMatchObject({
      Score,
      Signals: [],
      Words: [
        { Word: 'wireless', Occurrences: 1, Expansions: [{ Kind: 'Exact', Surfaces: ['wireless'] }] },
        { Word: 'hedphones', Expansions: [{ Kind: 'Typo', Fields: [{ Field: 'title', Length: 2 }] }] },
      ],
    })
    const sum = Explanation.Words.reduce((sum: number, word: { Score: number }) => sum + word.Score, 0)
    expect(sum * Explanation.TitleFactor).toBeCloseTo(Score)
  })

  test.each([
    ['a field that is not interpreted', { Fields: ['price'] }, 'price'],
    ['no fields at all', { Fields: [] }, 'Fields is an empty list'],
    ['a weight of such a field', { Fields: { price: 1 } }, 'price'],
    ['a weight that is none', { Fields: { title: 'much' } }, 'Fields.title is "much"'],
    ['a weight that is too large', { Fields: { title: 101 } }, 'Fields.title is 101'],
    ['fields that are a number', { Fields: 5 }, 'Fields is 5; expected a list or an object'],
    ['marks in another field', { Highlight: { Fields: ['price'] } }, 'price'],
    ['a short passage', { Highlight: { Snippet: 5 } }, 'Highlight.Snippet is 5'],
    ['another total', { Total: 'Rough' }, 'Total is "Rough"'],
    ['to mark very many', { Limit: 1001, Highlight: true }, 'Limit is 1001; expected at most 1000'],
    ['to explain very many', { Limit: 10_000, Explain: true }, 'Limit is 10000; expected at most 1000'],
  ])('refuses %s', async (_, body, text) => {
    const { status, body: refusal } = await reply(body)
    expect(status).toBe(400)
    expect(refusal.Errors.join()).toContain(text)
  })

  test('takes very many where nothing is marked or explained', async () => {
    expect((await reply({ Limit: 10_000 })).status).toBe(200)
  })
})

describe('search settings', () => {
  const indexed = async (settings: object) => {
    await here.api.engine.datasets.get(here.shop).reconfigure(settings).finished
  }

  test.each([
    [
      'Synonyms',
      { Text: 'speakers', TypoTolerance: 0, Synonyms: [{ Root: 'speakers', Synonyms: ['headphones'] }] },
      ['1'],
    ],
    ['no StopWords', { Text: 'wireless garden', StopWords: ['garden'] }, ['1']],
    ['Hidden', { Text: 'wireless garden', Hidden: ['1'] }, ['2']],
    ['Pinned', { Text: 'wireless', Pinned: [{ Id: '2', Position: 1 }] }, ['2', '1']],
    ['Relax', { Text: 'wireless garden unheard', Operator: 'And', Relax: true }, ['1']],
    ['TypoTolerance', { Text: 'wirless', TypoTolerance: { DisableOnWords: ['wirless'] } }, []],
    ['Edits', { Text: 'wirless', TypoTolerance: { Edits: 0 } }, []],
  ])('are heeded: %s', async (_, body, found) => {
    expect(ids(await search(body))).toEqual(found)
  })

  test('are those of the dataset unless a search says otherwise', async () => {
    await indexed({
      synonyms: [{ root: 'speakers', synonyms: ['headphones'] }],
      stopWords: ['garden'],
      curations: [{ query: 'hose', hidden: ['2'], pinned: [{ id: '1', position: 1 }] }],
    })
    const { Hits, Words } = await search({ Text: 'speakers garden' })
    expect(ids({ Hits })).toEqual(['1'])
    expect(Words).toMatchObject([{ Kind: 'Synonym' }, { Kind: 'Stop' }])
    expect(ids(await search({ Text: 'speakers', Synonyms: false, TypoTolerance: 0 }))).toEqual([])
    expect(ids(await search({ Text: 'garden speakers', StopWords: false }))).toHaveLength(2)
    expect((await search({ Text: 'hose' })).Hits).toMatchObject([{ Id: '1', Score: 0, Pinned: true }])
    expect(ids(await search({ Text: 'hose', Curations: false }))).toEqual(['2'])
  })

  test('group hits and say which words were dropped', async () => {
    const all = { Text: 'wireless garden' }
    const [first] = (await search({ ...all, GroupBy: 'price' })).Hits
    expect(first.Group).toEqual({ Value: first.Document.price, Documents: 1 })
    await indexed({ groupBy: 'tag' })
    expect((await search({ ...all, GroupBy: '' })).Hits[0]).not.toHaveProperty('Group')
    expect(await search({ Text: 'wireless unheard', Operator: 'And', Relax: true })).toMatchObject({
      Relaxed: ['unheard'],
    })
    expect(await search({ Text: 'wireless' })).not.toHaveProperty('Relaxed')
  })
})

describe('POST /api/Search/Multi', () => {
  const multi = (...Searches: object[]) => here.api.send('POST', '/api/Search/Multi', { body: { Searches } })

  test('answers several searches as each would be answered alone', async () => {
    const other = await openShop(here.api.engine)
    await here.api.engine.datasets.get(other).documents.delete('1')
    const { status, body } = await multi(
      { DataSet: here.shop, Text: 'wireless', Limit: 1 },
      { dataSet: other, text: 'garden wireless', documents: false },
      { DataSet: here.shop, Text: '' },
    )
    expect(status).toBe(200)
    expect(body.Results).toEqual([
      await search({ Text: 'wireless', Limit: 1 }),
      await search({ Text: 'garden wireless', Documents: false }, other),
      await search({ Text: '' }),
    ])
    expect((await multi()).body).toEqual({ Results: [] })
  })

  test.each([
    [
      404,
      { DataSet: 'nowhere', Text: 'a' },
      /^Searches\[1\].DataSet is "nowhere"; expected the name of a dataset/,
    ],
    [400, { DataSet: 'a', Text: 'a' }, /^Searches\[1\].DataSet is "a"/],
    [400, { Text: 'a' }, /^Searches\[1\].DataSet is missing/],
  ])('refuses all with %i where one is wrong', async (status, wrong, message) => {
    const refused = await multi({ DataSet: here.shop, Text: 'a' }, wrong)
    expect(refused.status).toBe(status)
    expect(refused.body.Errors).toEqual([expect.stringMatching(message)])
  })

  test('says which of them has an expired cursor', async () => {
    const expired = { DataSet: here.shop, Text: '', Cursor: '7b2c1a52-5f0e-4e0a-9a77-0b2a8f1f5d11' }
    const { body } = await multi({ DataSet: here.shop, Text: 'a' }, expired)
    expect(body.Errors).toEqual([expect.stringMatching(/^Searches\[1\]: The cursor has expired/)])
  })
})
