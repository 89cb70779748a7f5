import { describe, expect, test } from 'vitest'
import { type Reply, secret } from './api.ts'
import { sample, shopForEach } from './shop.ts'

const here = shopForEach()

const send = (method: string, path: string, body?: unknown): Promise<Reply> =>
  here.api.send(method, path, { dataset: here.shop, ...(body !== undefined && { body }) })
const stored = (id: string) => here.api.engine.datasets.get(here.shop).documents.get(id)

describe('a document', () => {
  test('comes back as it was sent: order, names and values of its members', async () => {
    const text = '{"title":"Löwe \\u0000 \\"q\\"","tag":[],"price":1.50,"desc":"","id":"x/ü"}'
    expect((await send('POST', '/api/Documents', text)).status).toBe(201)
    const { body } = await send('GET', `/api/Documents/${encodeURIComponent('x/ü')}`)
    expect(JSON.stringify(body)).toBe(JSON.stringify(JSON.parse(text)))
  })

  test.each([
    ['no object', '[1]'],
    ['a number', '1'],
    ['null', 'null'],
    ['nothing', ''],
    ['an unknown field', { ...sample, id: '3', Colour: 'red' }],
    ['a field in another case', { ...sample, id: '3', title: undefined, Title: 'T' }],
    ['no id', { ...sample, id: undefined }],
    ['a blank id', { ...sample, id: ' ' }],
    ['no tag', { ...sample, id: '3', tag: undefined }],
    ['a single tag where the dataset has lists', { ...sample, id: '3', tag: 'a' }],
    ['null as interpreted field', { ...sample, id: '3', title: null }],
  ])('is refused when it is %s', async (_, body) => {
    expect((await send('POST', '/api/Documents', body)).status).toBe(400)
    expect(here.api.engine.datasets.get(here.shop).documents.count).toBe(2)
  })

  test.each(['__proto__', 'constructor'])('may have the id %s, and no field of that name', async id => {
    expect((await send('GET', `/api/Documents/${id}`)).status).toBe(404)
    expect((await send('POST', '/api/Documents', { ...sample, id })).status).toBe(201)
    expect((await send('GET', `/api/Documents/${id}`)).body).toEqual({ ...sample, id })
    const field = `{"id":"f","title":"T","desc":"","tag":[],"${id}":1}`
    expect((await send('POST', '/api/Documents', field)).status).toBe(400)
  })

  test.each([
    ['a blank one', '%20'],
    ['one of more than 1024 bytes', 'ä'.repeat(513)],
  ])('is not found under an id that none can have: %s', async (_, id) => {
    for (const [method, body] of [
      ['GET'],
      ['PUT', { price: 2 }],
      ['PUT', { price: 'x' }],
      ['DELETE'],
    ] as const) {
      const reply = await send(method, `/api/Documents/${id}`, body)
      expect([reply.status, reply.body.Errors]).toEqual([404, [expect.stringContaining('has no document')]])
    }
  })

  test.each([
    ['.', '%252E'],
    ['..', '%252E%252E'],
    ['%2E', '%25252E'],
  ])('with the id %s, which no address keeps, is read, changed and removed as %s', async (id, escaped) => {
    expect((await send('POST', '/api/Documents', { ...sample, id })).status).toBe(201)
    expect((await send('GET', `/api/Documents/${escaped}`)).body).toEqual({ ...sample, id })
    expect((await send('PUT', `/api/Documents/${escaped}`, { price: 2 })).body).toMatchObject({
      id,
      price: 2,
    })
    expect((await send('DELETE', `/api/Documents/${escaped}`)).status).toBe(200)
    expect(await stored(id)).toBeUndefined()
  })

  test('is taken from curl, which calls its JSON a form, but from no form that a page of another site posts', async () => {
    const post = (id: string, headers: Record<string, string>) =>
      fetch(`${here.api.url}/api/Documents`, {
        method: 'POST',
        body: JSON.stringify({ ...sample, id }),
        headers: { 'X-DataSet': here.shop, 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      })
    expect((await post('3', { Authorization: `Findling ${secret}` })).status).toBe(201)
    expect(
      (await post('4', { Origin: 'https://elsewhere.example', Cookie: 'findling-setup=x' })).status,
    ).toBe(401)
    expect([await stored('3'), await stored('4')]).toEqual([{ ...sample, id: '3' }, undefined])
  })

  test.each(['Export', 'Changes'])(
    'with the id %s, where an extension answers a GET, is read by a change of nothing',
    async id => {
      const document = { ...sample, id }
      expect((await send('POST', '/api/Documents', document)).status).toBe(201)
      expect((await send('GET', `/api/Documents/${id}`)).body).not.toEqual(document)
      expect((await send('PUT', `/api/Documents/${id}`, {})).body).toEqual(document)
      expect((await send('DELETE', `/api/Documents/${id}`)).status).toBe(200)
    },
  )

  test('names every field that is not known', async () => {
    const { body } = await send('POST', '/api/Documents', { ...sample, id: '3', colour: 1, size: { w: 1 } })
    expect(body.Errors.join()).toMatch(/colour.*size/)
  })
})

describe('PUT /api/Documents/{id}', () => {
  test('changes the given fields and answers with the whole document', async () => {
    const { body } = await send('PUT', '/api/Documents/1', { price: 5, tag: null })
    expect(body).toEqual({
      id: '1',
      title: 'Wireless headphones',
      desc: 'Noise cancelling',
      price: 5,
      tag: null,
    })
    expect(await stored('1')).toEqual(body)
  })

  test('moves the document to a new id', async () => {
    expect((await send('PUT', '/api/Documents/1', { id: 9 })).body).toMatchObject({ id: 9 })
    expect((await send('GET', '/api/Documents/1')).status).toBe(404)
    expect((await send('GET', '/api/Documents/9')).status).toBe(200)
  })

  test('says that there is no such document before it looks at the fields, after it looked at the body', async () => {
    expect((await send('PUT', '/api/Documents/none', { title: null })).status).toBe(404)
    expect((await send('PUT', '/api/Documents/none', '[]')).status).toBe(400)
  })
})

describe('DELETE /api/Documents/{id}', () => {
  test('removes the document', async () => {
    expect(await send('DELETE', '/api/Documents/1')).toMatchObject({ status: 200, body: undefined })
    expect((await send('DELETE', '/api/Documents/1')).status).toBe(404)
  })
})

describe('numbers', () => {
  const long = {
    type: 'object',
    properties: { id: { type: 'string' }, d: { type: 'double' }, n: { type: 'long' } },
  }
  const open = async () => {
    const { documents } = await here.api.engine.datasets.create(`numbers-${++datasets}`, { schema: long })
    const dataset = `numbers-${datasets}`
    const post = (body: string) => here.api.send('POST', '/api/Documents', { dataset, body })
    const bulk = (body: string) => here.api.send('POST', '/api/Documents/Bulk', { dataset, body })
    return { documents, post, bulk }
  }
  let datasets = 0

  test.each([
    ['"d":1e20', { d: 1e20 }],
    ['"d":1.7e308', { d: 1.7e308 }],
    ['"d":123456789012345678901234567890.0', { d: 1.2345678901234568e29 }, 400],
    ['"n":9007199254740992', { n: 2 ** 53 }],
    ['"n":9223372036854774784', { n: 2 ** 63 - 1024 }],
    ['"n":"9223372036854775807"', { n: '9223372036854775807' }],
    ['"n":9007199254740993', {}, 400],
    ['"n":9223372036854775808', {}, 400],
    ['"d":9223372036854775808', { d: 2 ** 63 }],
    ['"d":1e400', {}, 400],
  ])('of %s are stored as they were sent or refused', async (members, expected, status = 201) => {
    const { documents, post } = await open()
    const reply = await post(`{"id":"1",${members}}`)
    expect(reply.status).toBe(status)
    if (status === 201) expect(await documents.get('1')).toEqual({ id: '1', ...expected })
    else expect(reply.body.Errors[0]).toMatch(/^(document: )?[dn] is /)
  })

  test('that would lose digits cost a bulk their document alone', async () => {
    const { documents, bulk } = await open()
    const { body } = await bulk(
      '{"Documents":[{"id":"1","n":9007199254740993},{"id":"2","n":9007199254740994}]}',
    )
    expect(body.Results).toEqual([
      { StatusCode: 400, Id: '1', Error: expect.stringContaining('n is 9007199254740993; expected') },
      { StatusCode: 200, Id: '2', Error: '' },
    ])
    expect(await documents.get('2')).toEqual({ id: '2', n: 2 ** 53 + 2 })
  })
})

describe('POST /api/Documents/Bulk', () => {
  const bulk = async (documents: unknown) => (await send('POST', '/api/Documents/Bulk', { documents })).body

  test('answers each document for itself, refused ones first', async () => {
    const { Results } = await bulk([
      { ...sample, id: 3 },
      { ...sample, id: '4', title: null },
      'no object',
      { ...sample, id: '5' },
    ])
    expect(Results).toEqual([
      { StatusCode: 400, Id: '4', Error: expect.stringContaining('title') },
      { StatusCode: 400, Id: null, Error: expect.stringContaining('object') },
      { StatusCode: 200, Id: '3', Error: '' },
      { StatusCode: 200, Id: '5', Error: '' },
    ])
  })

  test('overwrites, and of a repeated id takes the last', async () => {
    const titles = ['first', 'second', 'last']
    const { Results } = await bulk(titles.map(title => ({ ...sample, id: '1', title })))
    expect(Results.map(({ StatusCode }: { StatusCode: number }) => StatusCode)).toEqual([200, 200, 200])
    expect(await stored('1')).toMatchObject({ title: 'last' })
  })

  test('takes no documents for an empty list', async () => {
    expect(await bulk([])).toEqual({ Results: [] })
    expect((await send('POST', '/api/Documents/Bulk', {})).body).toEqual({ Results: [] })
  })
})
