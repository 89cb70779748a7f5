import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { docsRoutes } from '../../../adapters/http/src/openapi/docs.ts'
import { createUpdater } from '../../../adapters/http/src/update/update.ts'
import { routes } from '../routes/api.ts'
import {
  type Answered,
  add,
  emptyFolder,
  operatorsSecret,
  type Sent,
  type Several,
  secretOf,
  several,
} from './several.ts'

// Names of the same length, so that not even lengths differ.
const [known, unknown] = ['alpha', 'omega']

let all: Several
let folder: string
beforeAll(async () => {
  folder = await emptyFolder(() => {})
  await add(folder, known)
  all = await several(folder, {}, { updater: createUpdater([]) })
})
afterAll(async () => {
  await all.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** All of an answer that does not have to differ: the name that was asked for, ids of installations and requests, and times. */
function comparable({ status, headers, text }: Answered): unknown {
  const ids = /[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g
  const rest = [...headers]
    .filter(([name]) => name !== 'x-elapsedtime' && name !== 'x-request-id')
    .map(([name, value]) => [
      name,
      name === 'content-length' && Number(value) === Buffer.byteLength(text) ? 'that of the text' : value,
    ])
  // Some examples are new for each who asks.
  const plain = text
    .replaceAll(known, unknown)
    .replaceAll(ids, 'an id')
    .replaceAll(/Search box \d+|"(?:License|Secret)":"[^"]{20,}"/g, 'an example')
  return [status, rest, plain.slice(0, 500), createHash('sha256').update(plain).digest('hex')]
}

async function expectAlike(method: string, path: string, sent: Sent): Promise<number> {
  const [one, other] = [
    await all.send(method, `/${known}${path}`, sent),
    await all.send(method, `/${unknown}${path}`, sent),
  ]
  expect([method, path, comparable(other)]).toEqual([method, path, comparable(one)])
  return other.status
}

const table = [...routes, ...docsRoutes([])].filter(({ path }) => !/^\/(setup|update|metrics)\b/.test(path))

describe('a client that there is not answers as one that there is answers a wrong key', () => {
  test.each<[string, string | undefined]>([
    ['no key', undefined],
    ['a wrong secret', 'Findling wrong-secret'],
    ['what can be no secret', 'Findling x'],
    ['a wrong key', `Findling findling_${'x'.repeat(43)}`],
    ['a word that is none', 'Basic abcdefgh'],
    ['three words', 'Findling one two'],
  ])('at every route, with %s', async (_, Authorization) => {
    const statuses = new Map<string, number>()
    for (const { method, path } of table) {
      const asked = path.replaceAll(/\{\w+\}/g, 'none')
      const headers = {
        Origin: 'https://shop.example',
        ...(Authorization !== undefined && { Authorization }),
      }
      statuses.set(`${method} ${path}`, await expectAlike(method, asked, { headers }))
    }
    const refused = [...statuses].filter(([, status]) => status === 401)
    expect(refused.map(([endpoint]) => endpoint)).toEqual(
      table.filter(({ path }) => path.startsWith('/api/')).map(({ method, path }) => `${method} ${path}`),
    )
  })

  test.each<[string, string, Sent]>([
    ['GET', '/nowhere', {}],
    ['GET', '/api', {}],
    ['GET', '/API//status/', {}],
    ['GET', '', {}],
    ['HEAD', '/', {}],
    ['PATCH', '/api/Status', {}],
    ['GET', '/setup', {}],
    ['POST', '/setup', { body: {} }],
    ['GET', '/update', {}],
    ['POST', '//Update/', {}],
    ['HEAD', '/update', {}],
    ['PUT', '/update', {}],
    ['OPTIONS', '/update', { headers: { 'Access-Control-Request-Method': 'POST', Origin: 'null' } }],
    ['GET', '/update/more', {}],
    ['GET', '/metrics', {}],
    ['GET', '/api/Tags/%ff', {}],
    ['OPTIONS', '/api/Status', { headers: { 'Access-Control-Request-Method': 'GET', Origin: 'null' } }],
    ['GET', '/api/Status', { headers: { 'Accept-Encoding': 'gzip' } }],
    ['GET', '/api/Status', { headers: { 'X-Sdk-Version': '2.0.0' } }],
    ['POST', '/api/Documents/Bulk', { headers: { 'Content-Length': '999999999999' } }],
    ['GET', '/files/aaaaaaaaaaaaaaaaaaaaaaaa.json', {}],
    ['GET', '/files/aaaaaaaaaaaaaaaaaaaaaaaa.none', {}],
  ])('for %s %s', async (method, path, sent) => {
    await expectAlike(method, path, sent)
    for (const key of ['wrong-secret', operatorsSecret, secretOf('nobody')])
      await expectAlike(method, path, { ...sent, key })
  })

  test('also where its own pages tell ids: always the same ones', async () => {
    const idOf = async (client: string) => (await all.send('GET', `/${client}/`)).body.InstanceId
    const [first, other] = [await idOf(unknown), await idOf('other')]
    expect(new Set([first, other, await idOf(known)]).size).toBe(3)
    expect([await idOf(unknown), await idOf(unknown.toUpperCase())]).toEqual([first, first])
  })

  test('and takes no key at all, not even that of another', async () => {
    expect((await all.send('GET', `/${unknown}/api/Status`, { key: secretOf(known) })).status).toBe(401)
    expect((await all.send('GET', `/${known}/api/Status`, { key: secretOf(known) })).status).toBe(200)
    const updating = { key: secretOf(known) }
    expect(await expectAlike('POST', '/update', updating)).toBe(401)
  })
})

let networks = 0

/** How many of twelve wrong secrets that come together are told that too many wait: none where a guess costs no hash. */
async function waitingTooLong({ served }: Several, client: string): Promise<number> {
  const remoteAddress = `192.0.2.${networks++}`
  const guesses = Array.from({ length: 12 }, (_, at) => {
    const headers = { Authorization: `Findling wrong-${networks}-${at}` }
    return served.fetch(new Request(`http://localhost/${client}/api/Status`, { headers }), { remoteAddress })
  })
  const answers = await Promise.all(guesses)
  expect(answers.every(({ status }) => status === 401 || status === 503)).toBe(true)
  return answers.filter(({ status }) => status === 503).length
}

test('what a wrong secret costs does not tell whether there is a client, before and after secrets were seen', async () => {
  const folder = await emptyFolder()
  await add(folder, 'first', 'second')
  const all = await several(folder)
  onTestFinished(all.stop)
  const costs = async () => {
    const found: number[] = []
    for (const client of ['first', 'second', 'third']) found.push(await waitingTooLong(all, client))
    return found
  }
  const see = async (id: string) => (await all.send('GET', `/${id}/api/Status`, { key: secretOf(id) })).status
  // One is under way and ten wait.
  expect(await costs()).toEqual([1, 1, 1])
  expect(await see('first')).toBe(200)
  expect(await costs()).toEqual([1, 1, 1])
  expect(await see('second')).toBe(200)
  expect(await costs()).toEqual([0, 0, 0])
})
