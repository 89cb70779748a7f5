import { expect, test } from 'vitest'
import { keyOf } from './named-keys.ts'
import { shopForEach } from './shop.ts'

const here = shopForEach()

// biome-ignore lint/suspicious/noExplicitAny: JSON, looked at from outside and checked against its model
async function ended(id: string): Promise<any> {
  for (;;) {
    const { body } = await here.api.send('GET', `/api/Processes/${id}`)
    if (body.Status !== 'InProgress') return body
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}
const read = () => here.api.send('GET', `/api/DataSets/${here.shop}/Profile`)

/** The same under names that begin with a capital letter. */
function capitalized(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(capitalized)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name[0]!.toUpperCase() + name.slice(1), capitalized(one)]),
  )
}

test('a profile is made by a process of a type that 1.5.0 does not know, and read afterwards', async () => {
  const documents = Array.from({ length: 40 }, (_, i) => ({
    id: `d${i}`,
    title: `Drill number ${i}`,
    desc: 'A drill for walls of stone and wood',
    price: i === 7 ? 99_999 : 50 + i,
    tag: ['a1', ...(i % 2 ? ['b'] : [])],
  }))
  await here.api.engine.datasets.get<object>(here.shop).documents.bulk(documents)
  const started = await here.api.send('POST', `/api/DataSets/${here.shop}/Profile`, {
    body: { CrossTables: [['title', 'tag']] },
  })
  expect([started.status, started.body.Type]).toEqual([202, 'DataSetsProfile'])
  const { Status, ErrorMessages } = await ended(started.body.Id)
  expect([Status, ErrorMessages]).toEqual(['Finished', []])
  const listed = async (query: string) => {
    const { body } = await here.api.send('GET', `/api/Processes?allStatus=true${query}`)
    return body.filter(({ Id }: { Id: string }) => Id === started.body.Id).length
  }
  expect([await listed(''), await listed('&extensions=true')]).toEqual([0, 1])

  const profile = (await here.api.engine.datasets.get(here.shop).latestProfile())!
  const { status, body } = await read()
  expect(status).toBe(200)
  const { DataSet, At, Mistakes, Current, ...same } = body
  const { dataset: _, at: __, mistakes: ___, current, ...others } = profile
  expect([DataSet, Date.parse(At)]).toEqual([here.shop, profile.at])
  expect(same).toEqual(capitalized(others))
  expect({ ...Current, At: Date.parse(Current.At) }).toEqual(capitalized(current!))
  const unusual = Mistakes.find(({ Kind }: { Kind: string }) => Kind === 'UnusualNumber')
  expect(unusual).toMatchObject({ Ids: ['d7'], Field: 'price', Evidence: { Value: 99_999 } })
  expect(same.CrossTables[0].Fields).toEqual(['title', 'tag'])
})

test('there is no profile before the first, and the latest stays with a dataset that is renamed', async () => {
  const none = await read()
  expect([none.status, none.body.Errors]).toEqual([
    404,
    [`The dataset ${here.shop} has no profile yet: start one with POST.`],
  ])
  const { body } = await here.api.send('POST', `/api/DataSets/${here.shop}/Profile`)
  await ended(body.Id)
  await here.api.send('PUT', `/api/DataSets/${here.shop}`, { body: { Name: `${here.shop}-renamed` } })
  const renamed = await here.api.send('GET', `/api/DataSets/${here.shop}-renamed/Profile`)
  expect([renamed.status, renamed.body.Documents]).toEqual([200, 2])
})

test.each<[object, number]>([
  [{ Scopes: ['Analytics'] }, 200],
  [{ Scopes: ['Read'] }, 200],
  [{ Scopes: ['Search'] }, 403],
  [{ Scopes: ['Read'], DataSets: ['another'] }, 403],
  [{ Scopes: ['Read'], DataSets: ['own'], Filter: 'price:>5' }, 403],
])('a key with %j gets %i', async (about, expected) => {
  await here.api.engine.datasets.get(here.shop).profile()
  const DataSets = 'DataSets' in about && [here.shop]
  const own = 'Filter' in about ? { ...about, DataSets } : about
  const { headers } = await keyOf(here.api, own)
  const { status } = await here.api.send('GET', `/api/DataSets/${here.shop}/Profile`, { headers: headers! })
  expect(status).toBe(expected)
})

test.each<[string, object]>([
  ['CrossTables', { CrossTables: Array.from({ length: 11 }, () => ['title', 'tag']) }],
  ['CrossTables[0]', { CrossTables: [['title', 'tag', 'price']] }],
  ['CrossTables[0][1]', { CrossTables: [['title', '']] }],
  ['Judged', { Judged: 1e9 }],
  ['Signal', { Signal: 'x' }],
])('%s that cannot be is refused by its name', async (field, body) => {
  const { status, body: told } = await here.api.send('POST', `/api/DataSets/${here.shop}/Profile`, { body })
  expect([status, told.Errors[0].slice(0, field.length)]).toEqual([400, field])
})
