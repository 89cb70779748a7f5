import { beforeEach, expect, test } from 'vitest'
import { type Api, secret, startApi } from './api.ts'
import { openShop } from './shop.ts'

let api: Api
beforeEach(async () => {
  api = await startApi()
  return api.stop
})

test('a changed secret holds from the next request on', async () => {
  await api.send('POST', '/api/maintenance/changesecret', { body: { secret: 'another-one' } })
  const statusWith = async (key: string) =>
    (await api.send('GET', '/api/Status', { headers: { Authorization: `Findling ${key}` } })).status
  expect([await statusWith(secret), await statusWith('another-one')]).toEqual([401, 200])
})

test('a secret of no length is missing, one of too little is not acceptable, and neither changes anything', async () => {
  const change = async (Secret: unknown) =>
    (await api.send('POST', '/api/Maintenance/ChangeSecret', { body: { Secret } })).status
  expect([await change(''), await change(null), await change(undefined)]).toEqual([400, 400, 400])
  expect([await change('12345'), await change('x'.repeat(33))]).toEqual([406, 406])
  expect((await api.send('GET', '/api/Status')).status).toBe(200)
})

test('a stored licence is told in the words of the contract', async () => {
  expect((await api.send('GET', '/api/License')).body).toMatchObject({ IsValid: false, Type: 'Not set' })
  const License = await api.licence.issueOpenSource('someone@example.org')
  await api.send('POST', '/api/License', { body: { License } })
  expect((await api.send('GET', '/api/License')).body).toEqual({
    IsValid: true,
    Message: '',
    Type: 'OpenSource',
    Base64: License,
  })
})

test('statistics count valid requests by action, this one included', async () => {
  const shop = await openShop(api.engine)
  await api.send('GET', '/api/Tags', { dataset: shop })
  await api.send('GET', '/api/Tags/none', { dataset: shop })
  await api.send('GET', '/api/Tags/none') // without a dataset, but with a valid model
  await api.send('POST', '/api/Tags', { dataset: shop, body: {} }) // no valid model
  await api.send('GET', '/api/Statistics/13/99') // neither year nor month
  const { body } = await api.send('GET', '/api/Statistics/-1/-1')
  expect(body.Sum).toBe(4)
  expect(Object.values(body.Statistics)).toEqual([
    {
      Sum: 4,
      Actions: [
        { Name: 'Statistics/Get', Count: 1 },
        { Name: 'Tags/Get', Count: 3 },
      ],
    },
  ])
})

test.each([
  ['/api/Statistics/1999', 200, 0],
  ['/api/Statistics/1999/-1', 200, 0],
  ['/api/Statistics/-1/07', 200, undefined],
  ['/api/Statistics/0999', 400, undefined],
  ['/api/Statistics/20260', 400, undefined],
  ['/api/Statistics/2026/0', 400, undefined],
  ['/api/Statistics/2026/1.0', 400, undefined],
])('%s is answered with %i', async (path, status, months) => {
  const reply = await api.send('GET', path)
  expect(reply.status).toBe(status)
  if (status === 400)
    expect(reply.body.Errors).toEqual([expect.stringMatching(/^(year|month) is ".*expected a/)])
  if (months !== undefined) expect(Object.keys(reply.body.Statistics)).toHaveLength(months)
})

test('the status names the version of every answer', async () => {
  const { body, headers } = await api.send('GET', '/api/Status')
  expect(body.ApiVersion).toBe(headers.get('X-Api-Version'))
})
