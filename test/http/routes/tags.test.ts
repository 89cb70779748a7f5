import { describe, expect, test } from 'vitest'
import type { Reply } from './api.ts'
import { openStrictShop, sample, shopForEach } from './shop.ts'

const here = shopForEach()

const send = (method: string, path: string, body?: unknown, dataset = here.shop): Promise<Reply> =>
  here.api.send(method, path, { dataset, ...(body !== undefined && { body }) })
const ids = async (): Promise<string[]> =>
  (await send('GET', '/api/Tags')).body.map(({ Id }: { Id: string }) => Id)
const statusOf = async (reply: Promise<Reply>): Promise<number> => (await reply).status

describe('a tag with an id that no address keeps', () => {
  test('is found where Location says, under a dot that is escaped twice', async () => {
    const { status, headers } = await here.api.send('POST', '/api/Tags', {
      dataset: here.shop,
      body: { Id: '..', Name: 'Up' },
    })
    expect([status, headers.get('Location')]).toEqual([201, `${here.api.url}/api/tags/%252E%252E`])
    const { body } = await here.api.send('GET', '/api/Tags/%252E%252E', { dataset: here.shop })
    expect(body).toMatchObject({ Id: '..', Name: 'Up' })
  })
})

describe('GET /api/Tags', () => {
  test('shows where each tag stands, its parent under both names, and counts nothing', async () => {
    const { body } = await send('GET', '/api/Tags')
    expect(body[1]).toEqual({
      Id: 'a1',
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
    })
    expect(body[0]).toMatchObject({ ParentId: null, ParentTagId: null, Properties: { Paths: [], Level: 1 } })
  })

  test.each(['withDetails=true', 'WITHDETAILS=True'])('counts documents and words with %s', async query => {
    const { body } = await send('GET', `/api/Tags?${query}`)
    const counts = body.map(
      ({ Properties }: { Properties: { DocumentCount: number; WordCount: number } }) => [
        Properties.DocumentCount,
        Properties.WordCount,
      ],
    )
    expect(counts).toEqual([
      [1, 4],
      [1, 4],
      [1, 6],
    ])
  })

  test('counts the same for a single tag', async () => {
    const { body } = await send('GET', '/api/Tags/a?withDetails=true')
    expect(body.Properties).toMatchObject({ DocumentCount: 1, WordCount: 4 })
  })
})

describe('POST /api/Tags', () => {
  test('answers with the tag and where it is', async () => {
    const reply = await send('POST', '/api/tags', {
      Id: ' Ü/1 ',
      Name: 'New',
      ParentTagId: 'b',
      Properties: null,
    })
    expect(reply.body).toMatchObject({ Id: 'Ü/1', ParentId: 'b', Properties: { Level: 2, IsLeaf: true } })
    const location = reply.headers.get('Location')
    expect(location).toBe(`${here.api.url}/api/tags/%C3%9C%2F1`)
    expect((await send('GET', new URL(location!).pathname)).body.Name).toBe('New')
    expect((await send('GET', '/api/Tags/b')).body.Properties.IsLeaf).toBe(false)
  })

  test.each([
    [{ ParentId: 'a' }, 'a'],
    [{ ParentTagId: 'a' }, 'a'],
    [{ ParentId: 'a', ParentTagId: 'b' }, 'a'],
    [{ ParentId: null, ParentTagId: 'b' }, null],
    [{ ParentId: ' ' }, null],
    [{}, null],
  ])('with %j has the parent %j', async (parents, parent) => {
    const { body } = await send('POST', '/api/Tags', { Id: 5, Name: 'Five', ...parents })
    expect([body.Id, body.ParentId]).toEqual(['5', parent])
  })

  test('checks the model, then the id, then whether it is taken, then the parent', async () => {
    const numbers = await openStrictShop(here.api.engine)
    const post = (body: unknown, dataset = here.shop) => statusOf(send('POST', '/api/Tags', body, dataset))
    expect(await post({ Id: 'a', Name: ' ', ParentId: 'none' })).toBe(400)
    expect(await post({ Id: 'x1', Name: 'X', ParentId: 'none' }, numbers)).toBe(400)
    expect(await post({ Id: 'a', Name: 'X', ParentId: 'none' })).toBe(409)
    expect(await post({ Id: 'c', Name: 'X', ParentId: 'none' })).toBe(406)
    expect(await ids()).toEqual(['a', 'a1', 'b'])
  })
})

describe('PUT /api/Tags/{id}', () => {
  test('changes id, name and parent; children follow, documents stay', async () => {
    expect(await send('PUT', '/api/Tags/a', { Id: 'z', Name: 'Sound', ParentTagId: 'b' })).toMatchObject({
      status: 200,
      body: undefined,
    })
    expect((await send('GET', '/api/Tags/a1')).body.Properties.Paths).toEqual([
      { Id: 'b', Name: 'Garden', Level: 1 },
      { Id: 'z', Name: 'Sound', Level: 2 },
    ])
    expect((await send('GET', '/api/Documents/1')).body.tag).toEqual(['a1'])
  })

  test('refuses a tag as its own ancestor', async () => {
    for (const ParentId of ['a', 'a1']) {
      expect(await statusOf(send('PUT', '/api/Tags/a', { Id: 'a', Name: 'A', ParentId }))).toBe(406)
    }
  })

  test('checks the model, then the tag itself, then whether the new id is taken', async () => {
    expect(await statusOf(send('PUT', '/api/Tags/none', { Id: 'a' }))).toBe(400)
    expect(await statusOf(send('PUT', '/api/Tags/none', { Id: 'a', Name: 'A' }))).toBe(404)
    expect(await statusOf(send('PUT', '/api/Tags/b', { Id: 'a', Name: 'A', ParentId: 'none' }))).toBe(406)
  })
})

describe('an id that is sent as a number', () => {
  test('is its digits, however many', async () => {
    const tag = (id: string) => `{"Id":${id},"Name":"N","ParentId":null}`
    for (const id of ['7', '9007199254740993', '12345678901234567890']) {
      const { status, body } = await send('POST', '/api/Tags', tag(id))
      expect([status, body.Id]).toEqual([201, id])
      expect((await send('GET', `/api/Tags/${id}`)).body.Id).toBe(id)
    }
    const long = `{"Tags":[${tag('9007199254740993')},${tag('9007199254740992')}]}`
    const { body } = await send('POST', '/api/Tags/Bulk', long)
    expect(body.Results.map(({ Id }: { Id: string }) => Id)).toEqual(['9007199254740993', '9007199254740992'])
  })
})

describe('an id that no tag can have', () => {
  test.each([
    ['blank', '%20'],
    ['of more than 1024 bytes', 'ä'.repeat(513)],
  ])('is unknown like any other: %s', async (_, id) => {
    for (const [method, body] of [['GET'], ['PUT', { Id: 'a', Name: 'A' }], ['DELETE']] as const) {
      const reply = await send(method, `/api/Tags/${id}`, body)
      expect([reply.status, reply.body.Errors]).toEqual([404, [expect.stringContaining('has no tag')]])
    }
  })
})

describe('DELETE /api/Tags/{id}', () => {
  test('asks for force where there are children', async () => {
    const { status, body } = await send('DELETE', '/api/Tags/a')
    expect([status, body.Errors[0]]).toEqual([409, expect.stringContaining('force')])
    expect(await statusOf(send('DELETE', '/api/Tags/a?force=True'))).toBe(200)
    expect(await ids()).toEqual(['b'])
    expect((await send('GET', '/api/Documents/1')).body.tag).toEqual(['a1'])
  })

  test('takes the tag and all below it out of the documents before it answers', async () => {
    await send('PUT', '/api/Documents/2', { tag: ['a', 'b', 'gone'] })
    await send('DELETE', '/api/Tags/a?force=true&cleanDocuments=true')
    expect((await send('GET', '/api/Documents/1')).body.tag).toEqual([])
    expect((await send('GET', '/api/Documents/2')).body.tag).toEqual(['b', 'gone'])
  })
})

describe('POST /api/Tags/Bulk', () => {
  const bulk = (Tags: unknown, dataset = here.shop) => send('POST', '/api/Tags/Bulk', { Tags }, dataset)

  test('replaces the whole tree, in whatever order it comes', async () => {
    const { body } = await bulk([
      { Id: 2, Name: 'Child', ParentId: '1' },
      null,
      { Id: ' 1 ', Name: 'Root', ParentTagId: 'NULL' },
    ])
    expect(body.Results).toEqual([
      { StatusCode: 200, Id: '2', Error: '' },
      { StatusCode: 200, Id: '1', Error: '' },
    ])
    expect(await ids()).toEqual(['1', '2'])
  })

  test.each([
    ['no list', null],
    ['an empty list', []],
    ['nothing but null', [null]],
    ['a tag without a name', [{ Id: 'x', Name: 'X' }, { Id: 'y' }]],
    ['a blank id', [{ Id: ' ', Name: 'X' }]],
  ])('refuses %s and changes nothing', async (_, tags) => {
    expect(await statusOf(bulk(tags))).toBe(400)
    expect(await ids()).toEqual(['a', 'a1', 'b'])
  })

  test('names a tag that does not fit by its place in the list as it was sent, null among it', async () => {
    const { status, body } = await bulk([
      null,
      { Id: 'x', Name: 'X' },
      null,
      { Id: 'y'.repeat(1025), Name: 'Y' },
    ])
    expect([status, body.Errors]).toEqual([400, [expect.stringMatching(/^Tags\[3\]\.Id is "y/)]])
  })

  test('names a tag with a name that is too long', async () => {
    const Name = 'x'.repeat(1_001)
    for (const [sent, name] of [
      [bulk([null, { Id: 'x', Name }]), 'Tags[1].Name'],
      [send('POST', '/api/Tags', { Id: 'x', Name }), 'Name'],
      [send('PUT', '/api/Tags/a', { Id: 'a', Name }), 'Name'],
    ] as const) {
      const { status, body } = await sent
      expect(status).toBe(400)
      expect(body.Errors).toEqual([
        expect.stringContaining(`${name} is "${'x'.repeat(60)}"… (1001 characters); expected`),
      ])
    }
  })

  test('says of every repeated id that it is', async () => {
    const { status, body } = await bulk(['x', 'y', ' x', 'y', 'z'].map(Id => ({ Id, Name: 'Same' })))
    expect([status, body.Errors.length]).toEqual([400, 2])
    expect(body.Errors.join()).toMatch(/"x".*"y"/)
  })

  test('names the tags that no root leads to, and saves nothing', async () => {
    const { status, body } = await bulk([
      { Id: 'ok', Name: 'Root' },
      { Id: 'lost', Name: 'Lost', ParentId: 'none' },
      { Id: 'c1', Name: 'Circle', ParentId: 'c2' },
      { Id: 'c2', Name: 'Circle', ParentId: 'c1' },
    ])
    expect(status).toBe(200)
    expect(
      body.Results.map(({ StatusCode, Id }: { StatusCode: number; Id: string }) => [StatusCode, Id]),
    ).toEqual([
      [404, 'lost'],
      [404, 'c1'],
      [404, 'c2'],
    ])
    expect(await ids()).toEqual(['a', 'a1', 'b'])
  })

  test('names the ids that are no numbers where tags are numbers', async () => {
    const numbers = await openStrictShop(here.api.engine)
    const { body } = await bulk(
      [
        { Id: '1', Name: 'One' },
        { Id: 'two', Name: 'Two' },
      ],
      numbers,
    )
    expect(body.Results).toEqual([{ StatusCode: 400, Id: 'two', Error: expect.stringContaining('two') }])
    expect((await send('GET', '/api/Tags', undefined, numbers)).body).toEqual([])
  })
})

describe('POST /api/Tags/CleanDocuments', () => {
  test('takes what is no tag out of all documents before it answers', async () => {
    const { documents } = here.api.engine.datasets.get<object>(here.shop)
    await documents.insert({ ...sample, id: '3', tag: ['never', 'a'] })
    expect(await send('POST', '/api/Tags/CleanDocuments')).toMatchObject({ status: 200, body: undefined })
    const cleaned = await documents.getMany(['1', '2', '3'])
    expect(cleaned).toMatchObject([{ tag: ['a1'] }, { tag: ['b'] }, { tag: ['a'] }])
  })

  test('is nobody’s process', async () => {
    await send('POST', '/api/Tags/CleanDocuments')
    expect(here.api.engine.jobs().some(({ kind }) => kind === 'clean-tags')).toBe(true)
    const { body } = await send('GET', '/api/Processes?allStatus=true&allTime=true')
    const internal = here.api.engine.jobs().filter(({ kind }) => kind === 'clean-tags')
    const listed = new Set(body.map(({ Id }: { Id: string }) => Id))
    expect(internal.filter(({ id }) => listed.has(id))).toEqual([])
    expect(await statusOf(send('GET', `/api/Processes/${internal[0]!.id}`))).toBe(404)
    expect(await statusOf(send('POST', `/api/Processes/${internal[0]!.id}/Cancel`))).toBe(404)
  })
})
