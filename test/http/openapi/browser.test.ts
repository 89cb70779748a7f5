import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Engine } from 'findling'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAccess } from '../../../adapters/http/src/access/access.ts'
import { createApp } from '../../../adapters/http/src/app.ts'
import { readConfig } from '../../../adapters/http/src/config/config.ts'
import { openLicence } from '../../../adapters/http/src/licence/licence.ts'
import { listen } from '../../../adapters/http/src/listening/listen.ts'
import { docsRoutes } from '../../../adapters/http/src/openapi/docs.ts'
import { routesOf } from '../../../adapters/http/src/routes/index.ts'
import { createSetup } from '../../../adapters/http/src/setup/setup.ts'
import { vendorDocs } from '../../../adapters/http/vendor-docs.ts'
import { hashCost } from '../access/hash-cost.ts'
import { hasChromium, launchChromium } from '../chromium.ts'
import { routes } from '../routes/api.ts'

const secret = 's3cr3t-for-tests'

/** An installation for several clients below paths of their own, and the proxy of the client `shop`. */
let direct: string
let proxied: string
let stop: () => Promise<void>

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'findling-docs-'))
  await vendorDocs(folder)
  const engine = await Engine.open()
  const access = await openAccess(engine, { schemes: ['Findling', 'Bearer'], seed: secret, hashCost })
  const licence = await openLicence(engine)
  // Services that only handlers call may be missing: none of these is called.
  const shown = routesOf({ access, licence } as Partial<Parameters<typeof routesOf>[0]> as Parameters<
    typeof routesOf
  >[0])
  const app = createApp({
    engine,
    config: {
      ...readConfig({ FINDLING_BASE_URL_PREFIX: 'https://europe.example.com' }),
      filesFolder: join(folder, 'files'),
    },
    access,
    setup: createSetup({ access, licence }),
    licence,
    routes: [...routesWithStatus(), ...docsRoutes(shown, '', pathToFileURL(`${folder}/`))],
  })
  const server = await listen(app, { port: 0, host: '127.0.0.1' })
  const proxy = await startProxy(server.address)
  direct = server.address
  proxied = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/shop`
  stop = async () => {
    proxy.closeAllConnections()
    proxy.close()
    await server.close(0)
    await app.close()
    await engine.close()
    await rm(folder, { recursive: true, force: true })
  }
})
afterAll(() => stop())

/** What the page tries out: of the whole table that it shows, one call that needs no services. */
function routesWithStatus() {
  return routes
    .filter(({ path }) => path === '/api/Status')
    .map(route => ({ ...route, handle: async () => ({ status: 200, body: { ApiVersion: '1.5.0' } }) }))
}

/** Passes on what lies below /shop, naming the client as the first label of the host. */
async function startProxy(target: string): Promise<Server> {
  const proxy = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith('/shop/')) {
      outgoing.writeHead(404).end()
      return
    }
    const { method, headers } = incoming
    const path = incoming.url.slice('/shop'.length)
    const onward = request(
      target + path,
      { method, headers: { ...headers, host: 'shop.internal' } },
      answer => {
        outgoing.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(outgoing)
      },
    )
    incoming.pipe(onward)
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  return proxy
}

const pages: [string, () => string][] = [
  ['opened directly', () => `${direct}/docs`],
  ['opened directly with a slash', () => `${direct}/docs/`],
  ['behind the proxy', () => `${proxied}/docs`],
  ['behind the proxy with a slash', () => `${proxied}/docs/`],
]

describe('the documentation of an installation with a prefix', () => {
  test.each(pages)('finds all its files, %s', async (_, address) => {
    const html = await (await fetch(address())).text()
    const files = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, file]) => new URL(file!, address()))
    expect(files.length).toBe(6)
    for (const file of files) expect([file.href, (await fetch(file)).status]).toEqual([file.href, 200])
  })

  test.each(pages)('names an address that calls reach, %s', async (_, address) => {
    const document = new URL('openapi.json', address().replace(/\/$/, ''))
    const { servers } = (await (await fetch(document)).json()) as { servers: [{ url: string }] } // OpenAPI 3.1
    const called = new URL(`${servers[0].url}/api/Status`, document)
    expect(called.href).toBe(`${address().replace(/\/docs\/?$/, '')}/api/Status`)
    expect((await fetch(called, { headers: { Authorization: `Bearer ${secret}` } })).status).toBe(200)
  })
})

describe.runIf(hasChromium)('a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser?.close())

  test('shows the calls and tries one out behind the proxy', { timeout: 120_000 }, async () => {
    const page = await browser.newPage()
    const complaints = watch(page)
    await page.goto(`${proxied}/docs/`)
    await page.getByRole('heading', { name: 'Findling' }).waitFor()
    expect(await page.locator('.servers option').allInnerTexts()).toEqual([proxied])
    await page.getByRole('button', { name: 'Authorize' }).click()
    await page.getByText('Enter only the secret').waitFor()
    await page.getByLabel('auth-bearer-value').fill(secret)
    await page.getByRole('button', { name: 'Apply credentials' }).click()
    await page.getByRole('button', { name: 'Close' }).first().click()
    await page.locator('#operations-Status-getStatus').getByRole('button').first().click()
    await page.getByRole('button', { name: 'Try it out' }).click()
    await page.getByRole('button', { name: 'Execute' }).click()
    const answer = page.locator('.live-responses-table .response')
    expect(await answer.locator('.response-col_status').innerText()).toContain('200')
    expect(await answer.locator('.microlight').first().innerText()).toContain('"ApiVersion": "1.5.0"')
    await page.setViewportSize({ width: 360, height: 800 })
    expect(await page.evaluate('document.scrollingElement.scrollWidth <= innerWidth')).toBe(true)
    expect(complaints).toEqual([])
    await page.close()
  })
})

/** What the console of the browser complains of. */
function watch(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  return complaints
}
