import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, type Reply, startApi } from './api.ts'
import { openShop } from './shop.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

let made = 0
const newName = () => `made-${++made}`
const sample = { id: 1, tag: 'x', title: 'Text', spec: { Colour: 'red', size: 2.5 } }
const model = { NGramCount: 3, IdField: 'id', TagField: 'tag', InterpretedFields: ['title'] }

function create(changes: object): Promise<Reply> {
  return api.send('POST', '/api/DataSets', {
    body: { Name: newName(), ...model, SampleDocument: sample, ...changes },
  })
}

describe('POST /api/DataSets', () => {
  test('makes a dataset with the rules of the contract, and answers with nothing', async () => {
    const name = newName()
    const { status, body, headers } = await create({ Name: name })
    expect([status, body, headers.get('Location')]).toEqual([201, undefined, null])
    expect(api.engine.datasets.get(name).settings).toMatchObject({ validation: 'strict', nGramCount: 3 })
  })

  test('shows the sample as it was given, members and order', async () => {
    const name = newName()
    await create({ Name: name, SampleDocument: JSON.stringify(sample) })
    const { body } = await api.send('GET', `/api/datasets/${name}/`)
    expect(JSON.stringify(body.SampleDocument)).toBe(JSON.stringify(sample))
    expect(body).toMatchObject({ ...model, Name: name, Schema: null, Statistics: { DocumentsCount: 0 } })
  })

  test('loads no code that a request names', async () => {
    const name = newName()
    const url = 'data:text/javascript,globalThis.wasLoaded = true; export default { stem: term => term }'
    const analyzer = { name: 'own', version: 1, url }
    await create({ Name: name, Analyzer: analyzer })
    const body = { Analyzer: analyzer, analyzers: [analyzer] }
    await api.send('PUT', `/api/DataSets/${name}/Settings`, { body })
    expect(api.engine.datasets.get(name).settings).not.toHaveProperty('analyzer')
    expect(globalThis).not.toHaveProperty('wasLoaded')
  })

  test.each([
    ['/api/DataSets', 'SampleDocument'],
    ['/api/DataSets/Schema', 'Schema'],
  ])(
    'names all that is missing for %s, the %s too, but a taken name before that alone',
    async (path, shape) => {
      const name = newName()
      const missing = async (body: object) => {
        const reply = await api.send('POST', path, { body })
        return [reply.status, ...(reply.body.Errors as string[]).map(text => text.split(' ')[0])]
      }
      expect(await missing({})).toEqual([400, 'Name', 'NGramCount', 'IdField', 'TagField', shape])
      expect(await missing([])).toEqual([400, 'the'])
      expect(await missing({ Name: name, ...model, TagField: 7.5, [shape]: null })).toEqual([
        400,
        'TagField',
        shape,
      ])
      expect(await missing({ Name: name, ...model })).toEqual([400, shape])
      expect(await missing({ Name: name, [shape]: {} })).toEqual([400, 'NGramCount', 'IdField', 'TagField'])
      await create({ Name: name })
      expect((await missing({ Name: name, ...model }))[0]).toBe(409)
    },
  )

  test('takes members in any case and numbers as text', async () => {
    const body = { name: newName(), ngramcount: '2', idfield: 'id', TAGFIELD: 'tag', sampledocument: sample }
    expect((await api.send('POST', '/api/DataSets', { body })).status).toBe(201)
    const { settings } = api.engine.datasets.get(body.name)
    expect(settings).toMatchObject({ nGramCount: 2, interpretedFields: [] })
  })

  test.each([
    ['no n-gram count', { NGramCount: undefined }],
    ['too large an n-gram count', { NGramCount: 7 }],
    ['a blank in the name', { Name: 'a b c' }],
    ['a short name', { Name: 'ab' }],
    ['a path as id field', { IdField: 'spec.size' }],
    ['interpreted fields that are null', { InterpretedFields: null }],
    ['no sample', { SampleDocument: null }],
    ['a sample that is no object', { SampleDocument: [1] }],
    ['a sample with a wrong name deep inside', { SampleDocument: { ...sample, spec: { 'a b': 1 } } }],
    ['a sample without the id', { SampleDocument: { ...sample, id: null } }],
    ['a sample with a fraction as tag', { SampleDocument: { ...sample, tag: 1.5 } }],
    ['a sample with an empty list of tags', { SampleDocument: { ...sample, tag: [] } }],
    ['a sample with an object to interpret', { InterpretedFields: ['spec'] }],
    ['a sample with a fraction to interpret', { InterpretedFields: ['spec.size'] }],
    ['an unknown language', { Language: 'Klingon' }],
    ['a signal with neither pivot nor half-life', { Signals: [{ Field: 'spec.size', Boost: 1 }] }],
    ['weights of a field that is not interpreted', { Weights: [{ Field: 'spec.size', Weight: 2 }] }],
  ])('refuses %s', async (_, changes) => {
    expect((await create(changes)).status).toBe(400)
  })

  test('tells all that breaks the model at once', async () => {
    const { body } = await create({ Name: 'a b', NGramCount: 'three', IdField: ' ' })
    expect(body.Errors.length).toBeGreaterThanOrEqual(3)
  })

  test('takes settings that the contract does not have, and is as ever without them', async () => {
    const [given, plain] = [newName(), newName()]
    const Signals = [{ Field: 'price', Pivot: '50', Boost: 1 }]
    const SampleDocument = { ...sample, price: 1 }
    await create({
      Name: given,
      SampleDocument,
      Language: 'german',
      Weights: [{ Field: 'title', B: 0 }],
      Signals,
    })
    await create({ Name: plain, SampleDocument })
    expect(api.engine.datasets.get(given).settings).toMatchObject({
      language: 'german',
      weights: { title: { weight: 4, b: 0 } },
      signals: { price: { pivot: 50, boost: 1 } },
    })
    const { settings } = api.engine.datasets.get(plain)
    expect(settings).toMatchObject({ language: 'english', signals: {} })
    expect(settings.weights).toEqual({ title: { weight: 4, b: 0.6 } })
  })

  test('says that a name is taken before it looks at the sample, and after it looked at the model', async () => {
    const Name = await openShop(api.engine)
    expect((await create({ Name, SampleDocument: null })).status).toBe(409)
    expect((await create({ Name, NGramCount: 0, SampleDocument: null })).status).toBe(400)
  })
})

describe('POST /api/DataSets/Schema', () => {
  test('shows the schema as it was given and no sample', async () => {
    const Schema = {
      properties: { id: { type: 'long' }, tag: { type: 'integer' }, title: { type: 'string' } },
      type: 'object',
    }
    const Name = newName()
    const reply = await api.send('POST', '/api/DataSets/Schema', { body: { Name, ...model, Schema } })
    expect(reply.status).toBe(201)
    const { body } = await api.send('GET', `/api/DataSets/${Name}`)
    expect(JSON.stringify(body.Schema)).toBe(JSON.stringify(Schema))
    expect(body.SampleDocument).toBeNull()
  })

  test.each([
    ['no object', { type: 'array', items: { type: 'string' } }],
    ['an unknown type', { type: 'object', properties: { id: { type: 'uuid' } } }],
    ['an object as tag', { type: 'object', properties: { id: { type: 'long' }, tag: { type: 'object' } } }],
  ])('refuses a schema of %s', async (_, Schema) => {
    const body = { Name: newName(), ...model, Schema }
    expect((await api.send('POST', '/api/DataSets/Schema', { body })).status).toBe(400)
  })
})

describe('GET /api/DataSets', () => {
  test('lists by name', async () => {
    await create({ Name: 'zzz' })
    await create({ Name: 'AAA' })
    const { body } = await api.send('GET', '/api/DataSets')
    const names = body.map(({ Name }: { Name: string }) => Name)
    expect(names).toEqual([...names].sort())
    expect(names).toEqual(expect.arrayContaining(['AAA', 'zzz']))
  })

  test('counts documents', async () => {
    const name = await openShop(api.engine)
    const { body } = await api.send('GET', `/api/DataSets/${name}`)
    expect(body.Statistics).toEqual({ DocumentsCount: 2 })
  })
})

describe('PUT /api/DataSets/{existingName}', () => {
  const rename = (from: string, to: unknown) =>
    api.send('PUT', `/api/DataSets/${encodeURIComponent(from)}`, { body: { Name: to } })

  test('takes documents and tags along and frees the old name', async () => {
    const [old, name] = [await openShop(api.engine), newName()]
    expect((await rename(old, name)).status).toBe(200)
    expect((await api.send('GET', `/api/DataSets/${old}`)).status).toBe(404)
    expect((await api.send('GET', '/api/Documents/1', { dataset: name })).status).toBe(200)
    expect((await create({ Name: old })).status).toBe(201)
  })

  test('looks at the new name, then at the old, whether they are equal, whether they exist', async () => {
    const taken = await openShop(api.engine)
    expect((await rename('a b', 'c d')).status).toBe(400)
    expect((await rename('a b', 'fine')).status).toBe(400)
    expect(await rename('nothing', 'nothing')).toMatchObject({ status: 304, body: undefined })
    expect((await rename('nothing', taken)).status).toBe(404)
    expect((await rename(taken, taken.toUpperCase())).status).toBe(200)
  })
})

describe('DELETE /api/DataSets/{name}', () => {
  test('removes the dataset with all it holds', async () => {
    const name = await openShop(api.engine)
    expect(await api.send('DELETE', `/api/DataSets/${name}`)).toMatchObject({ status: 200, body: undefined })
    expect((await api.send('GET', '/api/Tags', { dataset: name })).status).toBe(400)
  })
})

describe('POST /api/DataSets/{name}/Swap/{other}', () => {
  test('puts each dataset in the place of the other', async () => {
    const [full, empty] = [await openShop(api.engine), newName()]
    await create({ Name: empty })
    await api.send('POST', `/api/DataSets/${full}/Swap/${empty}`)
    const counts = await Promise.all([full, empty].map(name => api.send('GET', `/api/DataSets/${name}`)))
    expect(counts.map(({ body }) => body.Statistics.DocumentsCount)).toEqual([0, 2])
  })
})
