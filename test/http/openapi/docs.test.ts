import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Caller } from '../../../adapters/http/src/access/caller.ts'
import { docsRoutes } from '../../../adapters/http/src/openapi/docs.ts'
import type { Answer, Route } from '../../../adapters/http/src/route.ts'
import { vendorDocs } from '../../../adapters/http/vendor-docs.ts'
import { leastLongestTurn } from '../../longest-turn.ts'
import { routes as apiRoutes } from '../routes/api.ts'

let engine: Engine
let folder: string
let routes: Route[]

beforeAll(async () => {
  engine = await Engine.open()
  folder = await mkdtemp(join(tmpdir(), 'findling-docs-'))
  await vendorDocs(folder)
  routes = docsRoutes([], '', pathToFileURL(`${folder}/`))
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await engine.close()
})

function ask(
  path: string,
  file?: string,
  root = '.',
  route = routes.find(one => one.path === path),
): Promise<Answer> {
  return route!.handle({
    engine,
    path: file === undefined ? {} : { file },
    query: {},
    body: undefined,
    stream: undefined,
    dataset: '',
    headers: new Headers(),
    request: new Request('http://localhost'),
    address: '',
    client: '',
    caller: Caller.stranger,
    base: 'https://elsewhere.example/shop',
    root,
    parallel: 1,
    signal: new AbortController().signal,
    deadline: { signal: new AbortController().signal },
  })
}

async function page(root?: string): Promise<string> {
  const { stream } = await ask('/docs', undefined, root)
  return await text(stream!)
}

describe('/openapi.json', () => {
  test('is made once for all who ask at the same time, and holds up nobody else', async () => {
    const [made] = docsRoutes(apiRoutes.filter(({ example }) => typeof example?.body !== 'function'))
    const ask20 = () =>
      Promise.all(Array.from({ length: 20 }, (_, i) => ask('/openapi.json', undefined, `${i}`, made)))
    const turn = await leastLongestTurn(50, async () => {
      const bodies = (await ask20()).map(({ body }) => body as { paths: object; servers: { url: string }[] })
      expect(bodies.map(({ servers }) => servers[0]!.url)).toEqual(bodies.map((_, i) => `${i}`))
      expect(bodies.every(({ paths }) => paths === bodies[0]!.paths)).toBe(true)
    })
    expect(turn).toBeLessThan(50)
  })
})

describe('/docs', () => {
  test('loads only files that are served beside it, under a policy that allows no others', async () => {
    const html = await page()
    const files = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)
    expect(files).toEqual([
      './docs/favicon-32x32.png',
      './docs/swagger-ui.css',
      './docs/page.css',
      './openapi.json',
      './docs/swagger-ui-bundle.js',
      './docs/start.js',
    ])
    for (const file of [
      'favicon-32x32.png',
      'swagger-ui.css',
      'page.css',
      'swagger-ui-bundle.js',
      'start.js',
    ]) {
      expect(await ask('/docs/{file}', file)).toMatchObject({ status: 200 })
    }
    const { headers } = await ask('/docs')
    expect(headers?.['Content-Security-Policy']).toMatch(/^default-src 'none'; script-src 'self'; /)
    expect(headers?.['Content-Security-Policy']).not.toMatch(/unsafe|http|\*/)
  })

  test('has relative addresses alone, so that a proxy may show it below any path', async () => {
    expect(await page('..')).toBe((await page('.')).replaceAll('"./', '"../'))
    expect(await page()).not.toMatch(/<base|https?:|="\//)
  })
})

describe('/docs/{file}', () => {
  test.each([
    ['swagger-ui.css', 'text/css; charset=utf-8'],
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ['favicon-32x32.png', 'image/png'],
  ])('sends %s whole and as %s', async (file, type) => {
    const { stream, headers } = await ask('/docs/{file}', file)
    const sent = await new Response(stream).arrayBuffer()
    expect(sent.byteLength).toBeGreaterThan(600)
    expect(headers?.['Content-Type']).toBe(type)
  })

  test.each([
    '../serve.js',
    '..\\serve.js',
    '/etc/passwd',
    'missing.js',
    'LICENSE',
    'start.css',
    'http://a/b.js',
    '',
  ])('finds no %j', async file => {
    await expect(ask('/docs/{file}', file)).rejects.toMatchObject({ status: 404 })
  })
})

test('the licences of the vendored files are beside them', async () => {
  expect(await readdir(folder)).toEqual(
    expect.arrayContaining(['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt']),
  )
})
