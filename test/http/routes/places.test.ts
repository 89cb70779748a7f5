import { expect, test } from 'vitest'
import { shopForEach, stock } from './shop.ts'

const here = shopForEach()

const places = [
  { id: '1', title: 'Lamp shop', desc: 'Berlin', tag: ['a'], location: { lat: 52.52, lon: 13.405 } },
  { id: '2', title: 'Lamp store', desc: 'Potsdam', tag: ['a'], location: { lat: 52.39, lon: 13.065 } },
  { id: '3', title: 'Lamp house', desc: 'München', tag: ['a'], location: { lat: 48.137, lon: 11.576 } },
]

async function opened(): Promise<string> {
  const name = `${here.shop}-places`
  await stock(here.api.engine, name, {
    fields: { sample: places[0]! },
    tags: [{ id: 'a', name: 'A' }],
    documents: places,
  })
  return name
}

test('searches and lists know how far things are away, in bodies and addresses', async () => {
  const dataset = await opened()
  const search = (body: object) => here.api.send('POST', '/api/Documents/Search', { dataset, body })
  const near = 'location:within(52.5, 13.4, 50km)'
  const asked = { Text: 'lamp', Filter: { Query: near }, Sort: ['location(52.39, 13.0)', 'title'] }
  const { status, body } = await search(asked)
  expect(status).toBe(200)
  expect(
    body.Hits.map(({ Id, Distance }: { Id: string; Distance: number }) => [Id, Math.round(Distance)]),
  ).toEqual([
    ['2', 4411],
    ['1', 31_017],
  ])
  expect((await search({ ...asked, Sort: 'location(52.39, 13.0),title' })).body).toEqual(body)
  const query = new URLSearchParams({ q: 'lamp', filter: near, sort: 'location(52.39, 13.0):asc, title' })
  expect((await here.api.send('GET', `/api/Documents/Search?${query}`, { dataset })).body).toEqual(body)
  const list = await here.api.send('POST', '/api/Documents/Filter', {
    dataset,
    body: { Filter: { Query: 'location:box(47, 9, 50.5, 13.8)' }, Pagination: { Offset: 0, Limit: 10 } },
  })
  expect(list.body.Items.map(({ id }: { id: string }) => id)).toEqual(['3'])
})

test('what is no area or point is refused by the name of the member', async () => {
  const dataset = await opened()
  const refused = async (body: object) => {
    const answer = await here.api.send('POST', '/api/Documents/Search', {
      dataset,
      body: { Text: 'lamp', ...body },
    })
    return [answer.status, answer.body.Errors[0]]
  }
  expect(await refused({ Filter: 'location:within(52.5)' })).toEqual([
    400,
    expect.stringMatching(/^Filter.* expected within\(latitude, longitude, meters\)/),
  ])
  expect(await refused({ Sort: ['location(95, 3)'] })).toEqual([
    400,
    expect.stringMatching(
      /^Sort\[0\] is "location\(95, 3\)"; expected location\(latitude, longitude\), in degrees/,
    ),
  ])
  expect(await refused({ Sort: 'title(5, 3)' })).toEqual([
    400,
    expect.stringMatching(/expected a field of points/),
  ])
})
