import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { unwrap } from '../../adapters/client/src/result.ts'
import { hasChromium, launchChromium } from '../http/chromium.ts'
import { secret } from '../http/routes/api.ts'
import { fillShop, products, type Server, startServer } from './server.ts'

const packaged = (path: string) => fileURLToPath(new URL(`../../adapters/client/${path}`, import.meta.url))

describe.runIf(hasChromium)('the page of the examples, in another origin than the server', () => {
  let browser: Browser
  let server: Server

  beforeAll(async () => {
    browser = await launchChromium()
    server = await startServer()
    await fillShop(server.client())
  })

  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  /** Where a shop would have the page and the package. */
  async function shopSite(): Promise<string> {
    const site = createServer(async (request, response) => {
      const { pathname } = new URL(request.url!, 'http://localhost')
      const file = /^\/findling-client\/([\w-]+\.js)$/.exec(pathname)
      const path = file ? packaged(`dist/${file[1]}`) : packaged('examples/page.html')
      response.setHeader('Content-Type', file ? 'text/javascript' : 'text/html')
      response.end(await readFile(path))
    })
    await once(site.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => {
      site.closeAllConnections()
      site.close()
    })
    return `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  }

  it('searches as somebody types, marks what was found, and says when there is no connection', async () => {
    const { key } = await unwrap(
      server.client().keys.create({ name: 'page', scopes: ['Search'], dataSets: ['shop'] }),
    )
    const site = await shopSite()
    const page = await browser.newPage({ viewport: { width: 360, height: 640 } })
    onTestFinished(() => page.close())
    const complaints: string[] = []
    page.on('pageerror', error => complaints.push(String(error)))
    page.on('console', message => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    const searched: string[] = []
    page.on('request', request => {
      if (request.method() === 'POST') searched.push(request.postData()!)
    })
    const settings = new URLSearchParams({ server: server.url, key, dataset: 'shop' })
    await page.goto(`${site}/?${settings}`)
    await page.getByRole('searchbox').pressSequentially('gardn hose', { delay: 10 })
    await expect.poll(() => page.getByRole('status').textContent()).toBe('2 found')
    expect(await page.getByRole('listitem').allTextContents()).toEqual(['Garden hose', 'Garden hose reel'])
    expect(await page.locator('li').first().locator('mark').allTextContents()).toEqual(['Garden', 'hose'])
    expect(searched.length).toBeLessThan(10)
    expect(complaints).toEqual([])

    const markup = { ...products[0]!, id: 'markup', title: '<b>Ball</b> &amp; pump' }
    await unwrap(server.client().dataset('shop').documents.create(markup))
    await page.getByRole('searchbox').fill('pump')
    await expect.poll(() => page.getByRole('listitem').allTextContents()).toEqual(['Ball & pump'])
    expect(await page.locator('mark').allTextContents()).toEqual(['pump'])

    await page.getByRole('searchbox').fill('drill')
    await expect.poll(() => page.getByRole('listitem').count()).toBe(2)
    await page.context().setOffline(true)
    await page.getByRole('searchbox').fill('hammer')
    await expect
      .poll(() => page.getByRole('status').textContent())
      .toBe('There is no connection at the moment.')
    await page.context().setOffline(false)
    await page.getByRole('searchbox').fill('hammer drill')
    await expect.poll(() => page.getByRole('status').textContent()).toMatch(/found$/)
    expect(await page.getByRole('listitem').first().textContent()).toBe('Hammer drill')
  })

  it('can import from a browser, which sends no stream', async () => {
    const site = await shopSite()
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    await page.goto(site)
    // As text: what a function imports would be looked for where the tests are.
    const status = await page.evaluate(`(async () => {
      const { createClient } = await import('/findling-client/index.js')
      const client = createClient(${JSON.stringify({ baseAddress: server.url, secret })})
      async function* rows() {
        yield { id: 'browser', title: 'From a browser', brand: 'Any', price: 1, tag: ['garden'] }
      }
      const { documents } = client.dataset('shop')
      const process = await client.processes.wait(documents.import(rows()))
      const found = await documents.get('browser')
      return [process.isSuccessful, found.responseObject?.title, found.apiVersion, found.requestId.length]
    })()`)
    expect(status).toEqual([true, 'From a browser', '1.5.0', 32])
  })
})
