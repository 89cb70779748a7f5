import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'findling'
import { beforeAll, describe, expect, test } from 'vitest'
import { openAccess } from '../../../adapters/http/src/access/access.ts'
import { createApp } from '../../../adapters/http/src/app.ts'
import { readConfig } from '../../../adapters/http/src/config/config.ts'
import { openLicence } from '../../../adapters/http/src/licence/licence.ts'
import { createSetup } from '../../../adapters/http/src/setup/setup.ts'
import { createUpdater } from '../../../adapters/http/src/update/update.ts'
import { hashCost } from '../access/hash-cost.ts'

interface Operation {
  operationId: string
  'x-extension'?: boolean
  requestBody?: { content: Record<string, { schema: Schema }> }
  security?: unknown[]
  parameters: { name: string; in: string; $ref?: string }[]
  responses: Record<string, { description: string; headers?: object; $ref?: string }>
}

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: Schema[]
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>> & { responses: Operation['responses'] }
}

let document: Document
let operations: { path: string; method: string; operation: Operation }[]

beforeAll(async () => {
  const engine = await Engine.open()
  const access = await openAccess(engine, { schemes: ['Findling'], seed: 's3cr3t', hashCost })
  const licence = await openLicence(engine)
  const setup = createSetup({ access, licence })
  const config = readConfig({ FINDLING_FILES_FOLDER: join(tmpdir(), 'findling-no-files') })
  const app = createApp({ engine, config, access, setup, licence, updater: createUpdater([]) })
  const response = await app.fetch(new Request('http://localhost/openapi.json'))
  document = (await response.json()) as Document // what the assertions below are about
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  await app.close()
  await engine.close()
})

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    name === '$ref' ? [String(member)] : referencesIn(member),
  )
}

/** Where a schema takes objects that may have members which it does not describe. */
function openObjectsIn(schema: Schema, at: string): string[] {
  const { $ref, properties = {}, additionalProperties: others, items, anyOf = [] } = schema
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    return openObjectsIn(document.components.schemas![name] as Schema, `${at}<${name}>`)
  }
  return [
    ...(schema.properties && others !== false ? [at] : []),
    ...Object.entries(properties).flatMap(([name, member]) => openObjectsIn(member, `${at}.${name}`)),
    ...[...anyOf, items, others].flatMap(inner =>
      typeof inner === 'object' ? openObjectsIn(inner, at) : [],
    ),
  ]
}

describe('the document of all routes (OpenAPI 3.1.0)', () => {
  test('refers only to what it has', () => {
    const references = referencesIn(document)
    expect(references.length).toBeGreaterThan(50)
    for (const reference of references) {
      const [root, group = '', name = ''] = reference.split('/').slice(1)
      expect([root, Object.keys(document.components[group] ?? {})]).toEqual([
        'components',
        expect.arrayContaining([name]),
      ])
    }
  })

  test('has components that something refers to, under names that it allows', () => {
    const used = new Set(referencesIn(document))
    for (const name of Object.keys(document.components.schemas ?? {})) {
      expect(name).toMatch(/^[a-zA-Z0-9._-]+$/)
      expect(used).toContain(`#/components/schemas/${name}`)
    }
  })

  test('has no pattern with classes of Unicode, which not all programs know', () => {
    expect(JSON.stringify(document)).not.toMatch(/\\\\p\{/)
  })

  test('says that documents which are exported or imported as JSON are no text', () => {
    const json = { 'application/json': { schema: {} } }
    expect(document.paths['/api/Documents/Export']!.get).toMatchObject({
      responses: { 200: { content: json } },
    })
    expect(document.paths['/api/Documents/Import']!.post).toMatchObject({ requestBody: { content: json } })
    const schemas = JSON.stringify([document.paths['/api/Documents/Export'], document.paths['/files/{name}']])
    expect(schemas).not.toContain('"application/json":{"schema":{"type"')
  })

  test('gives each operation a name of its own', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('has no two paths that differ only in the names of their members', () => {
    const shapes = Object.keys(document.paths).map(path => path.replaceAll(/\{\w+\}/g, '{}'))
    expect(new Set(shapes).size).toBe(shapes.length)
  })

  test('declares every member of a path, and every parameter once', () => {
    for (const { path, operation } of operations) {
      const members = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
      const inPath = operation.parameters.filter(parameter => parameter.in === 'path')
      expect(inPath.map(({ name }) => name)).toEqual(members)
      const all = operation.parameters.map(parameter => parameter.$ref ?? `${parameter.in} ${parameter.name}`)
      expect(new Set(all).size).toBe(all.length)
    }
  })

  test('describes every answer of every operation', () => {
    for (const { operation } of operations) {
      expect(Object.keys(operation.responses).some(status => Number(status) < 400)).toBe(true)
      for (const [status, response] of Object.entries(operation.responses)) {
        const { description } = response.$ref
          ? document.components.responses![response.$ref.split('/').at(-1)!]!
          : response
        expect(status).toMatch(/^[2-5]\d\d$/)
        expect(description).not.toBe('')
      }
    }
  })

  test('says the time on every answer of a call, and on none of a file', () => {
    for (const { path, operation } of operations)
      for (const [status, { headers }] of Object.entries(operation.responses))
        if (headers && Number(status) < 400)
          expect([path, status, 'X-ElapsedTime' in headers]).toEqual([
            path,
            status,
            !path.startsWith('/files/'),
          ])
  })

  test('marks the members that are not in 1.5.0 of models that are', () => {
    const { DataSetInput } = document.components.schemas as Record<string, { properties: object }> // JSON schemas
    const marked = Object.entries(DataSetInput!.properties).filter(([, schema]) => schema['x-extension'])
    expect(marked.map(([name]) => name)).toEqual([
      ...[
        'Language',
        'Weights',
        'Signals',
        'Vectors',
        'Baskets',
        'Synonyms',
        'StopWords',
        'Curations',
        'TypoTolerance',
      ],
      ...['GroupBy', 'Relax', 'Topics', 'Categories', 'Markup'],
    ])
  })

  test('has one model for the two ways to create a dataset', () => {
    const models = operations.flatMap(({ path, method, operation }) =>
      /^\/api\/DataSets(\/Schema)?$/.test(path) && method === 'post'
        ? Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema)
        : [],
    )
    expect(models).toEqual(Array(2).fill({ $ref: '#/components/schemas/DataSetInput' }))
  })

  test('lets no extension take a member that it does not know, at any depth of its body', () => {
    const bodies = operations.flatMap(({ path, operation }) =>
      operation['x-extension']
        ? Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => ({ path, schema }))
        : [],
    )
    expect(bodies.length).toBeGreaterThan(15)
    expect(bodies.flatMap(({ path, schema }) => openObjectsIn(schema, path))).toEqual([])
  })

  test('describes members that the user names', () => {
    expect(document.components.schemas).toMatchObject({
      SearchRequest: {
        properties: {
          Fields: {
            anyOf: [
              { type: 'array', items: { type: 'string' } },
              { type: 'object', additionalProperties: { type: 'number', minimum: 0, maximum: 100 } },
            ],
          },
        },
      },
      SearchResult: {
        properties: {
          Hits: {
            items: {
              properties: { Highlights: { type: 'object', additionalProperties: { type: 'array' } } },
            },
          },
        },
      },
    })
  })

  test('has the pages and what programs ask without a key, as every line of the table', () => {
    const open = operations.filter(({ operation }) => operation.security?.length === 0)
    expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'get /',
      'get /docs',
      'get /docs/{file}',
      'get /files/{name}',
      'get /health',
      'get /openapi.json',
      'get /ready',
      'get /setup',
      'post /setup',
      'post /setup/RequestOpenSourceLicense',
    ])
  })

  test('says the rules of names that stand in a path', () => {
    const [name] = document.paths['/api/DataSets/{name}']!.get!.parameters
    expect(name).toMatchObject({
      name: 'name',
      schema: { minLength: 3, maxLength: 50, pattern: expect.any(String) },
    })
  })

  test('has the update, which exists only where there is an updater', () => {
    expect(Object.keys(document.paths['/update'] ?? {})).toEqual(['get', 'post'])
  })
})
