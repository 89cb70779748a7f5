import { join } from 'node:path'
import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findCatalogue, loadSample } from '../../../adapters/http/src/sample/catalogue.ts'
import { createUpdater } from '../../../adapters/http/src/update/update.ts'
import { afterBlock, temporaryFolder } from '../../engine/engines.ts'
import { type Api, secret, startApi } from '../routes/api.ts'

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  example?: unknown
}

interface Operation {
  operationId: string
  parameters: (Parameter | { $ref: string })[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<string, object>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { parameters: Record<string, Parameter> }
}

let api: Api
let key = secret
let document: Document

const afterwards = afterBlock()
beforeAll(async () => {
  const engine = await Engine.open({ analytics: { mode: 'full' } })
  const folder = await temporaryFolder(afterwards)
  const catalogue = await findCatalogue(new URL('../../fixtures/catalogue/', import.meta.url))
  await loadSample(engine, catalogue!, () => {})
  api = await startApi({
    engine,
    updater: createUpdater([]),
    config: { backupFolder: join(folder, 'backup') },
  })
  document = (await (await fetch(`${api.url}/openapi.json`)).json()) as Document // as the other tests hold
})
afterAll(async () => {
  await api.stop()
  await api.engine.close()
})

interface TriedOut {
  readonly operationId: string
  readonly status: number
  readonly body: string
}

/** What the page sends when nothing is changed in its forms, once for each type that a body may have. */
async function tryOut(
  path: string,
  method: string,
  operation: Operation,
  given: Record<string, string> = {},
) {
  const parameters = operation.parameters.map(one =>
    '$ref' in one ? document.components.parameters[one.$ref.split('/').at(-1)!]! : one,
  )
  const missing = parameters.filter(
    ({ name, required, example }) => required && example === undefined && given[name] === undefined,
  )
  expect([operation.operationId, missing.map(({ name }) => name)]).toEqual([operation.operationId, []])
  const sentAs = ({ name, example }: Parameter) =>
    given[name] ?? (example === undefined ? undefined : String(example))
  const headers: Record<string, string> = { Authorization: `Bearer ${key}` }
  const query = new URLSearchParams()
  let address = path
  for (const parameter of parameters) {
    const value = sentAs(parameter)
    if (value === undefined) continue
    if (parameter.in === 'path') address = address.replace(`{${parameter.name}}`, encodeURIComponent(value))
    else if (parameter.in === 'query') query.set(parameter.name, value)
    else headers[parameter.name] = value
  }
  const tried: TriedOut[] = []
  for (const [type, { example }] of Object.entries(operation.requestBody?.content ?? { '': {} })) {
    const body = typeof example === 'string' ? example : example && JSON.stringify(example)
    const response = await fetch(`${api.url}${address}?${query}`, {
      method: method.toUpperCase(),
      redirect: 'manual',
      headers: type === '' ? headers : { ...headers, 'Content-Type': type },
      ...(body !== undefined && { body: body as string }),
    })
    tried.push({ operationId: operation.operationId, status: response.status, body: await response.text() })
  }
  return tried
}

/** Where an id comes from that no example can have. */
const fromOtherAnswers = new Map<string, () => Promise<Record<string, string>>>([
  ['getProcessesById', async () => ({ id: (await copied()).id })],
  [
    'postProcessesByIdCancel',
    async () => {
      const { readable } = new TransformStream<Uint8Array, Uint8Array>()
      return { id: api.engine.datasets.get('first').documents.import(readable, { format: 'jsonl' }).id }
    },
  ],
  [
    'postDocumentsFilterByScrollId',
    async () => ({
      scrollId: (await api.engine.datasets.get('demo').filter({}, { cursor: true })).cursor!,
    }),
  ],
  ['postKeysByIdExchange', async () => ({ id: (await listed('/api/Keys'))[0]!.Id })],
  ['deleteKeysById', async () => ({ id: (await listed('/api/Keys'))[0]!.Id })],
  [
    'getFilesByName',
    async () => {
      const { ResultMessage } = await answered(`/api/Processes/${(await copied()).id}`)
      return { name: ResultMessage.split('/').at(-1)! }
    },
  ],
])

async function answered<Body = { ResultMessage: string }>(path: string): Promise<Body> {
  const answer = await fetch(api.url + path, { headers: { Authorization: `Bearer ${key}` } })
  return (await answer.json()) as Body // as the document says
}

const listed = (path: string) => answered<{ Id: string }[]>(path)

async function copied() {
  return api.engine.jobs().find(({ kind }) => kind === 'copy')!
}

/** What one call has begun is over before the next, as it is for people. */
async function idle(): Promise<void> {
  await expect.poll(() => api.engine.jobs({ status: ['running'] })).toEqual([])
}

describe('the documentation page', () => {
  test('has no call that fails when it is tried out as it stands, from top to bottom', {
    timeout: 120_000,
  }, async () => {
    const failed: unknown[] = []
    let count = 0
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (path.startsWith('/docs') || path === '/openapi.json') continue // tried below, where their files are
        const given = await fromOtherAnswers.get(operation.operationId)?.()
        for (const tried of await tryOut(path, method, operation, given)) {
          count += 1
          const declared = Object.keys(operation.responses).map(Number)
          if (tried.status >= 400 || !declared.includes(tried.status)) failed.push(tried)
          // The next call needs the secret that this one has set.
          if (operation.operationId === 'postMaintenanceChangeSecret') key = exampleSecret(operation)
        }
        await idle()
      }
    }
    expect(failed).toEqual([])
    expect(count).toBeGreaterThan(50)
  })

  test('finds something with the examples of its searches', async () => {
    for (const call of ['Search', 'Complete', 'Suggest', 'Filter', 'Sample']) {
      const path = `/api/Documents/${call}`
      const [{ body }] = (await tryOut(path, 'post', document.paths[path]!.post!)) as [TriedOut]
      const { Hits, Completions, Suggestions, Items } = JSON.parse(body)
      const found = Hits ?? Completions ?? Suggestions ?? Items
      expect([call, found.length > 0]).toEqual([call, true])
    }
  })

  test('changes nothing in the sample but what it says: no product and no tag is gone', async () => {
    const { documents, tags } = api.engine.datasets.get('demo')
    expect(documents.count).toBe(2400 + 4)
    expect((await tags.list()).length).toBe(125)
  })

  test('has a new secret in the example for each who reads it', async () => {
    const next = (await (await fetch(`${api.url}/openapi.json`)).json()) as Document
    const of = ({ paths }: Document) => exampleSecret(paths['/api/Maintenance/ChangeSecret']!.post!)
    expect(of(next)).toMatch(/^[\w-]{24}$/)
    expect(of(next)).not.toBe(of(document))
  })
})

function exampleSecret({ requestBody }: Operation): string {
  return (requestBody!.content['application/json']!.example as { Secret: string }).Secret
}
