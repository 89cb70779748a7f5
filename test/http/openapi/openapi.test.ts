import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { describeRoutes, placed } from '../../../adapters/http/src/openapi/openapi.ts'
import type { Route } from '../../../adapters/http/src/route.ts'

const Part = z.object({ Name: z.string() }).meta({ id: 'Part' })
const Thing = z
  .object({
    Id: z.string(),
    Parts: z.array(Part),
    Size: z.int().default(1),
    Weight: z.int().min(1).max(9).default(1),
    Colour: z.string().default('').describe('Any').meta({ 'x-extension': true }),
  })
  .meta({ id: 'Thing' })
const handle = async () => ({ status: 200 })

const routes: Route[] = [
  {
    method: 'GET',
    path: '/api/Things/{id}',
    action: 'Things/Get',
    summary: 'One thing',
    dataset: true,
    query: z.object({ withDetails: z.boolean().default(false).describe('Counts too'), since: z.int() }),
    members: z.object({ id: z.string().describe('Its id') }),
    example: { path: { id: 'one' }, query: { since: 5 } },
    responses: { 200: { when: 'Found', body: Thing }, 404: { when: 'No such thing' } },
    handle,
  },
  {
    method: 'PUT',
    path: '/api/Things/{id}',
    action: 'Things/Put',
    summary: 'Changes a thing',
    dataset: true,
    writes: true,
    body: Thing,
    bodyOptional: true,
    responses: { 200: { when: 'Changed' }, 400: { when: 'My own words' } },
    handle,
  },
  {
    method: 'DELETE',
    path: '/api/Things/{oldId}',
    action: 'Things/Delete',
    summary: 'Removes a thing',
    responses: { 200: { when: 'Removed' } },
    handle,
  },
  {
    method: 'POST',
    path: '/api/Things/Import',
    action: 'Things/Import',
    summary: 'Many things',
    extension: true,
    stream: ['text/csv', 'application/x-ndjson', 'application/json'],
    example: { body: { 'text/csv': 'id\n1\n' } },
    responses: { 200: { when: 'Stored', body: z.array(Thing) } },
    handle,
  },
  {
    method: 'GET',
    path: '/api/Things/{id}/Export/{year}',
    action: 'Things/Export',
    summary: 'A thing as it is',
    members: z.object({ year: z.string().regex(/^\d{4}$/) }),
    responses: { 200: { when: 'Streamed', types: ['text/csv', 'application/x-ndjson', 'application/json'] } },
    handle,
  },
  {
    method: 'GET',
    path: '/open',
    action: 'Open/Get',
    summary: 'Without a key',
    responses: { 200: { when: 'Always' } },
    handle,
  },
]

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, looked at from outside
const document: any = JSON.parse(
  JSON.stringify(
    placed(await describeRoutes(routes, 'Read this.'), { root: '.', base: 'https://host/client' }),
  ),
)
const get = document.paths['/api/Things/{id}'].get
const put = document.paths['/api/Things/{id}'].put

describe('the description of the API', () => {
  test('is an OpenAPI 3.1 document of version 1.5.0 at the given address', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info.version).toBe('1.5.0')
    expect(document.servers).toMatchObject([{ url: '.' }, { url: 'https://host/client' }])
    expect(document.info.description).toMatch(/^Read this\.\n\nStores/)
  })

  test('keeps the methods of one path together, under names of their own', () => {
    expect(get.operationId).toBe('getThingsById')
    expect(put.operationId).toBe('putThingsById')
    expect(get.tags).toEqual(['Things'])
  })

  test('takes paths that differ in the names of their members for one', () => {
    expect(Object.keys(document.paths)).toEqual([
      '/api/Things/{id}',
      '/api/Things/Import',
      '/api/Things/{id}/Export/{year}',
      '/open',
    ])
    const { parameters } = document.paths['/api/Things/{id}'].delete
    expect(parameters[0]).toMatchObject({ name: 'id', in: 'path' })
  })

  test('has path, query and header as parameters', () => {
    expect(get.parameters).toEqual([
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'Its id',
        schema: { type: 'string' },
        example: 'one',
      },
      {
        name: 'withDetails',
        in: 'query',
        required: false,
        description: 'Counts too',
        schema: { type: 'boolean', default: false },
      },
      { name: 'since', in: 'query', required: true, schema: { type: 'integer' }, example: 5 },
      { $ref: '#/components/parameters/DataSet' },
      { $ref: '#/components/parameters/ParallelLimit' },
      { $ref: '#/components/parameters/SdkVersion' },
    ])
    expect(document.components.parameters.DataSet).toMatchObject({ name: 'X-DataSet', required: false })
  })

  test('describes bodies: what may be left out of a request is there in an answer', () => {
    expect(get.responses[200].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/Thing',
    })
    expect(put.requestBody).toEqual({
      required: false,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/ThingInput' } } },
    })
    expect(document.components.schemas.Thing.required).toEqual(['Id', 'Parts', 'Size', 'Weight', 'Colour'])
    expect(document.components.schemas.ThingInput.required).toEqual(['Id', 'Parts'])
    expect(document.components.schemas.ThingInput.properties.Parts.items).toEqual({
      $ref: '#/components/schemas/PartInput',
    })
  })

  test('names the content types of a stream, of which JSON may hold anything', () => {
    const { requestBody } = document.paths['/api/Things/Import'].post
    expect(requestBody).toEqual({
      required: true,
      content: {
        'text/csv': { schema: { type: 'string' }, example: 'id\n1\n' },
        'application/x-ndjson': { schema: { type: 'string' } },
        'application/json': { schema: {} },
      },
    })
  })

  test('names the media types of an answer that is streamed, of which JSON may hold anything', () => {
    const { responses } = document.paths['/api/Things/{id}/Export/{year}'].get
    const text = { schema: { type: 'string' } }
    expect(responses[200].content).toEqual({
      'text/csv': text,
      'application/x-ndjson': text,
      'application/json': { schema: {} },
    })
  })

  test('says what members of a path must be, where the route does', () => {
    const { parameters } = document.paths['/api/Things/{id}/Export/{year}'].get
    expect(parameters.slice(0, 2)).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'year', in: 'path', required: true, schema: { type: 'string', pattern: '^\\d{4}$' } },
    ])
  })

  test('lists what the stages in front of a route answer, the words of the route winning', () => {
    expect(Object.keys(put.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '412',
      '413',
      '415',
      '429',
      '500',
      '501',
      '503',
      '507',
    ])
    expect(put.responses[400].description).toBe('My own words')
    expect(put.responses[507]).toEqual({ $ref: '#/components/responses/507' })
    expect(document.components.responses[507].description).toBe('The disk is nearly full')
    expect(Object.keys(document.paths['/open'].get.responses)).toEqual(['200', '412', '500'])
  })

  test('has an ErrorsModel for every error', () => {
    const schema = { $ref: '#/components/schemas/ErrorsModel' }
    expect(get.responses[404].content).toEqual({ 'application/json': { schema } })
    expect(document.components.responses[401].content).toEqual({ 'application/json': { schema } })
    expect(put.responses[200].content).toBeUndefined()
  })

  test('says the headers that every answer has', () => {
    for (const methods of Object.values<object>(document.paths)) {
      for (const { responses } of Object.values(methods)) {
        for (const response of Object.values<{ headers: object; $ref?: string }>(responses)) {
          const { headers } = response.$ref
            ? document.components.responses[response.$ref.split('/').at(-1)!]
            : response
          expect(headers).toHaveProperty('X-Api-Version')
          expect(headers).toHaveProperty('X-Request-Id')
        }
      }
    }
  })

  test('wants a key below /api, and marks what is not in 1.5.0', () => {
    expect(document.security).toEqual([{ Key: [] }])
    expect(document.components.securitySchemes.Key).toMatchObject({ type: 'http', scheme: 'bearer' })
    expect(get).not.toHaveProperty('security')
    expect(document.paths['/open'].get.security).toEqual([])
    expect(document.paths['/api/Things/Import'].post['x-extension']).toBe(true)
    expect(get).not.toHaveProperty('x-extension')
  })

  test('marks in words too what is not in 1.5.0', () => {
    expect(document.paths['/api/Things/Import'].post.summary).toBe('Many things (extension)')
    expect(document.components.schemas.Thing.properties.Colour).toMatchObject({
      description: '(extension) Any',
      'x-extension': true,
    })
  })

  test('has no bounds for whole numbers but those of their model', () => {
    expect(document.components.schemas.Thing.properties.Size).toEqual({ type: 'integer', default: 1 })
    expect(document.components.schemas.Thing.properties.Weight).toMatchObject({ minimum: 1, maximum: 9 })
    expect(JSON.stringify(document)).not.toContain('9007199254740991')
  })
})
