import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, launchChromium } from '../../http/chromium.ts'
import { openShop, products, type Shop } from './shop.ts'

const folder = new URL('pages/', import.meta.url)
const screenshots = process.env.FINDLING_SCREENSHOTS

describe.runIf(hasChromium)('pages of the libraries themselves', () => {
  let shop: Shop
  let site: { readonly url: string; readonly server: Server }
  let browser: Browser
  beforeAll(async () => {
    shop = await openShop()
    site = await openSite(shop)
    browser = await launchChromium()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    site?.server.close()
    await shop?.stop()
  })

  async function opened(path: string, width = 1280): Promise<{ page: Page; complaints: string[] }> {
    const context = await browser.newContext({ viewport: { width, height: 900 } })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', message => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', error => complaints.push(String(error)))
    await page.goto(site.url + path)
    return { page, complaints }
  }

  it.each([
    ['instantsearch.js', 'page', 1280],
    ['instantsearch.js', 'page', 360],
    ['react-instantsearch', 'react', 1280],
    ['react-instantsearch', 'react', 360],
  ])(
    '%s (%s.js, %d pixels) searches, refines, orders and turns pages',
    async (_, name, width) => {
      const { page, complaints } = await opened(`/${name}.html`, width)
      const stats = page.locator('.ais-Stats-text')
      await expect.poll(() => stats.textContent()).toContain(products.length.toLocaleString('en'))
      expect(await page.locator('.ais-Hits-item').count()).toBe(12)

      // Typed with a mistake, it still finds drills, and marks them.
      await page.getByPlaceholder('Search products').fill('cordles drill')
      await expect
        .poll(() => page.locator('.ais-Hits-item mark').first().textContent())
        .toMatch(/cordless|drill/i)
      const drills = products.filter(({ title }) => /cordless.*drill/i.test(title))
      await expect.poll(async () => countIn(await stats.textContent())).toBeLessThan(products.length / 4)
      expect(countIn(await stats.textContent())).toBeGreaterThanOrEqual(drills.length)

      // A brand, and then another beside it.
      const brands = page.locator('#brands')
      const [first, second] = [
        brands.locator('.ais-RefinementList-label').nth(0),
        brands.locator('.ais-RefinementList-label').nth(1),
      ]
      const counts = [
        countIn(await first.locator('.ais-RefinementList-count').textContent()),
        countIn(await second.locator('.ais-RefinementList-count').textContent()),
      ]
      const names = [
        await first.locator('.ais-RefinementList-labelText').textContent(),
        await second.locator('.ais-RefinementList-labelText').textContent(),
      ]
      await first.click()
      await expect.poll(async () => countIn(await stats.textContent())).toBe(counts[0])
      await brands.locator('.ais-RefinementList-label', { hasText: names[1]! }).first().click()
      await expect.poll(async () => countIn(await stats.textContent())).toBe(counts[0]! + counts[1]!)
      const chosen = page.locator('#chosen')
      expect(await chosen.textContent()).toContain(names[0]!)
      await brands.locator('.ais-SearchBox-input').fill(names[0]!.slice(0, 3))
      await expect
        .poll(() => brands.locator('.ais-RefinementList-label').first().textContent())
        .toContain(names[0]!.slice(3))
      await page.locator('.ais-ClearRefinements-button').click()
      await expect.poll(() => chosen.locator('.ais-CurrentRefinements-item').count()).toBe(0)

      // Down the categories.
      await page.getByPlaceholder('Search products').fill('')
      const menu = page.locator('#categories')
      await menu.getByRole('link', { name: /^Electronics/ }).click()
      await menu.getByRole('link', { name: /^Audio/ }).click()
      await menu.getByRole('link', { name: /^Headphones/ }).click()
      const headphones = products.filter(({ tag }) => tag.includes('headphones'))
      await expect.poll(async () => countIn(await stats.textContent())).toBe(headphones.length)
      expect(await chosen.textContent()).toContain('Headphones')

      // By price, and within a range of it.
      await page.locator('#order select').selectOption({ label: 'Cheapest' })
      const cheapest = Math.min(...headphones.map(({ price }) => price))
      await expect
        .poll(() => page.locator('.ais-Hits-item .price').first().textContent())
        .toBe(` ${cheapest}`)
      const [from, to] = [Math.ceil(cheapest) + 10, Math.ceil(cheapest) + 60]
      await page.locator('.ais-RangeInput-input--min').fill(String(from))
      await page.locator('.ais-RangeInput-input--max').fill(String(to))
      await page.locator('.ais-RangeInput-submit').click()
      const within = headphones.filter(({ price }) => price >= from && price <= to)
      await expect.poll(async () => countIn(await stats.textContent())).toBe(within.length)
      if (screenshots) await page.screenshot({ path: `${screenshots}/${name}-${width}.png`, fullPage: true })

      await page.locator('.ais-ClearRefinements-button').click()
      await expect.poll(async () => countIn(await stats.textContent())).toBe(products.length)
      await page.locator('.ais-Pagination-item--page', { hasText: '3' }).first().click()
      await expect.poll(() => page.locator('.ais-Pagination-item--selected').textContent()).toBe('3')
      expect(await page.evaluate('document.scrollingElement.scrollWidth <= innerWidth')).toBe(true)
      expect(complaints).toEqual([])
      await page.context().close()
    },
    120_000,
  )

  it.each(['product', 'react-product'])(
    'the page of a product (%s.js) recommends others',
    async name => {
      const { page, complaints } = await opened(`/${name}.html`)
      const expected = await shop.engine.datasets
        .get('products')
        .similar({ id: products[0]!.id }, { limit: 6, filter: 'stock:>0' })
      const titles = expected.map(({ document }) => String(document.title))
      const related = page.locator('.ais-RelatedProducts-item')
      await expect.poll(() => related.locator('strong').allTextContents()).toEqual(titles)
      const similar = page.locator('.ais-LookingSimilar-item')
      await expect.poll(() => similar.count()).toBe(4)
      if (screenshots) await page.screenshot({ path: `${screenshots}/${name}.png`, fullPage: true })
      const clicks = async () => (await shop.engine.analytics.overview({ call: 'similar' })).clicks
      const before = await clicks()
      await related.nth(1).locator('strong').click()
      await page.goto('about:blank')
      await expect.poll(clicks).toBe(before + 1)
      expect(complaints).toEqual([])
      await page.context().close()
    },
    60_000,
  )

  it('what visitors click and buy is counted, also as they leave the page', async () => {
    const { page, complaints } = await opened('/page.html')
    await page.getByPlaceholder('Search products').fill('headphones')
    await expect.poll(() => page.locator('.ais-Hits-item mark').first().textContent()).toMatch(/headphones/i)
    const third = page.locator('.ais-Hits-item').nth(2)
    await third.locator('strong').click()
    await third.getByRole('button', { name: 'Buy' }).click()
    await third.getByRole('button', { name: 'Buy' }).click()
    await page.goto('about:blank')
    const figures = async () => {
      const { rows } = await shop.engine.analytics.queries({ limit: 1000 })
      return rows.find(({ text }) => text === 'headphones')
    }
    await expect.poll(async () => (await figures())?.conversions).toBe(1)
    expect(await figures()).toMatchObject({ calls: 1, clicked: 1, clicks: 1, meanPlace: 3 })
    expect((await figures())!.value).toBeGreaterThan(0)
    expect((await shop.engine.analytics.overview()).users.count).toBeGreaterThan(0)
    expect(complaints).toEqual([])
    await page.context().close()
  }, 60_000)

  it('a link to a category deep down shows it at once', async () => {
    const query = new URLSearchParams([
      ['products[hierarchicalMenu][categories.lvl0][0]', 'Electronics'],
      ['products[hierarchicalMenu][categories.lvl0][1]', 'Audio'],
    ])
    const { page, complaints } = await opened(`/page.html?${query}`)
    const audio = products.filter(({ tag }) =>
      tag.some(id => ['audio', 'headphones', 'speakers', 'radios'].includes(id)),
    )
    await expect
      .poll(async () => countIn(await page.locator('.ais-Stats-text').textContent()))
      .toBe(audio.length)
    expect(complaints).toEqual([])
    await page.context().close()
  }, 60_000)

  it.each([1280, 360])(
    '@algolia/autocomplete-js (%d pixels) shows what is found as somebody types',
    async width => {
      const { page, complaints } = await opened('/autocomplete.html', width)
      await page.locator('.aa-Input, .aa-DetachedSearchButton').first().click()
      await page.locator('.aa-Input').last().pressSequentially('hedphon', { delay: 20 })
      await expect.poll(() => page.locator('.aa-title').first().textContent()).toMatch(/headphone/i)
      await expect.poll(() => page.locator('.aa-title mark').first().textContent()).toMatch(/headphone/i)
      if (screenshots) await page.screenshot({ path: `${screenshots}/autocomplete-${width}.png` })
      expect(complaints).toEqual([])
      await page.context().close()
    },
    60_000,
  )

  it('says on the page why a search fails', async () => {
    const { page } = await opened('/wrong-key.html')
    await expect.poll(() => page.title()).toMatch(/^Problem: 401/)
    await page.context().close()
  }, 60_000)
})

const countIn = (text: string | null): number =>
  Number(/[\d,]+/.exec(text ?? '')?.[0].replace(/,/g, '') ?? Number.NaN)

/** A shop of its own origin, with its pages as a bundler makes them. */
async function openSite({ url, key }: Shop): Promise<{ url: string; server: Server }> {
  const names = ['page', 'react', 'autocomplete', 'product', 'react-product']
  const client = (file: string) =>
    fileURLToPath(new URL(`../../../adapters/client/src/${file}`, import.meta.url))
  const { outputFiles } = await build({
    entryPoints: names.map(name => fileURLToPath(new URL(`${name}.js`, folder))),
    bundle: true,
    write: false,
    outdir: '/',
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"production"' },
    alias: {
      '@findling/client/search': client('search.ts'),
      '@findling/client/instantsearch': client('instantsearch/index.ts'),
    },
    logLevel: 'silent',
  })
  const files = new Map(outputFiles.map(({ path, contents }) => [path, Buffer.from(contents)]))
  const html = readFileSync(new URL('shop.html', folder), 'utf8')
  const withShop = (name: string, shown: string) =>
    html.replace(
      '<script src="page.js">',
      `<script>window.shop = ${JSON.stringify({ baseAddress: url, key: shown, product: products[0]!.id })}</script><script src="${name}.js">`,
    )
  for (const name of names) files.set(`/${name}.html`, Buffer.from(withShop(name, key)))
  files.set('/wrong-key.html', Buffer.from(withShop('page', 'findling_wrong')))
  files.set('/style.css', readFileSync(new URL('style.css', folder)))
  const types: Record<string, string> = { html: 'text/html', css: 'text/css', js: 'text/javascript' }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://shop')
    const file = files.get(pathname)
    response.writeHead(file || pathname === '/favicon.ico' ? 200 : 404, {
      'Content-Type': types[pathname.split('.').at(-1) ?? ''] ?? 'text/plain',
    })
    response.end(file)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}
