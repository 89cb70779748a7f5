import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import { Engine } from 'findling'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openAccess } from '../../../adapters/http/src/access/access.ts'
import { createApp } from '../../../adapters/http/src/app.ts'
import { readConfig } from '../../../adapters/http/src/config/config.ts'
import { openLicence } from '../../../adapters/http/src/licence/licence.ts'
import { listen } from '../../../adapters/http/src/listening/listen.ts'
import { createSetup } from '../../../adapters/http/src/setup/setup.ts'
import { hashCost } from '../access/hash-cost.ts'
import { hasChromium, launchChromium } from '../chromium.ts'

describe.runIf(hasChromium)('a browser', () => {
  let browser: Browser
  let server: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser?.close())
  beforeEach(async () => {
    server = await start()
  })
  afterEach(() => server.stop())

  test.each([
    [360, 'dark'],
    [1280, 'light'],
  ] as const)(
    'walks through the setup at %d pixels in %s',
    async (width, colorScheme) => {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme })
      const page = await context.newPage()
      const complaints = watch(page, server.url)

      await page.goto(`${server.url}/setup`)
      await expectSound(page, 'Setup token – Findling')
      await page.getByLabel('Setup token').fill('guessed')
      await page.getByRole('button', { name: 'Continue' }).click()
      await expectSound(page, 'Problem: Setup token – Findling')
      await page.getByLabel('Setup token').fill(server.token)
      await page.getByRole('button', { name: 'Continue' }).click()
      await expectSound(page, 'Set up – Findling')

      await page.getByLabel('Email address').fill('nobody')
      await page.getByRole('checkbox').check()
      await page.getByRole('button', { name: 'Create the free licence' }).click()
      await expectSound(page, 'Problem: Set up – Findling')
      expect(page.url()).toBe(`${server.url}/setup`)
      await page.getByLabel('Email address').fill('owner@example.com')
      await page.getByRole('checkbox').check()
      await page.getByRole('button', { name: 'Create the free licence' }).click()
      await page.getByText('Show the licence key').click()
      await expectSound(page, 'Set up – Findling')

      await page.getByRole('textbox', { name: 'Secret', exact: true }).fill('two words')
      await page.getByLabel('Repeat the secret').fill('too words')
      await page.getByLabel('Licence key').fill('nonsense')
      await page.getByRole('button', { name: 'Set the secret and finish' }).click()
      await expectSound(page, 'Problem: Set up – Findling')
      expect(await page.getByRole('alert').getByRole('listitem').count()).toBe(3)

      await page.getByRole('textbox', { name: 'Secret', exact: true }).fill('owners-secret')
      await page.getByLabel('Repeat the secret').fill('owners-secret')
      await page.getByLabel('Licence key').fill('')
      await page.getByRole('button', { name: 'Set the secret and finish' }).click()
      await expectSound(page, 'Setup complete – Findling')

      const state = await fetch(`${server.url}/api/License`, {
        headers: { Authorization: 'Findling owners-secret' },
      })
      expect(await state.json()).toMatchObject({ IsValid: true, Type: 'OpenSource' })
      expect(complaints).toEqual(['the server responded with a status of 403'])
      await context.close()
    },
    120_000,
  )

  test('comes by a link of another site and needs no scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.setContent(`<a href="${server.url}/setup?token=${server.token}">Set up</a>`)
    await page.getByRole('link').click()
    await page.getByLabel('Email address').fill('owner@example.com')
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Create the free licence' }).click()
    await page.getByText('Open source, valid').waitFor()
    await page.getByRole('textbox', { name: 'Secret', exact: true }).fill('owners-secret')
    await page.getByLabel('Repeat the secret').fill('owners-secret')
    await page.getByRole('button', { name: 'Set the secret and finish' }).click()
    await expectTitle(page, 'Setup complete – Findling')
    await context.close()
  }, 120_000)
})

/** The whole server, with an engine in memory. */
async function start() {
  const engine = await Engine.open()
  const config = { ...readConfig({}), filesFolder: join(tmpdir(), 'findling-no-files') }
  const access = await openAccess(engine, { schemes: config.authSchemes, hashCost })
  const licence = await openLicence(engine)
  const setup = createSetup({ access, licence })
  const app = createApp({ engine, config, access, setup, licence })
  const server = await listen(app, { port: 0, host: '127.0.0.1' })
  return {
    url: server.address,
    token: setup.token()!, // no secret is set
    async stop() {
      await server.close(0)
      await app.close()
      await engine.close()
    },
  }
}

/** Requests that leave the server, and what the console of the browser complains of. */
function watch(page: Page, url: string): string[] {
  const complaints: string[] = []
  page.on('request', request => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:'))
      complaints.push(request.url())
  })
  page.on('console', message => {
    const text = message.text()
    complaints.push(/the server responded with a status of \d+/.exec(text)?.[0] ?? text)
  })
  return complaints
}

/** Once the page that a click has asked for is there. */
async function expectTitle(page: Page, title: string): Promise<void> {
  await expect.poll(() => page.title()).toBe(title)
}

async function expectSound(page: Page, title: string): Promise<void> {
  await expectTitle(page, title)
  expect(await page.evaluate('document.scrollingElement.scrollWidth <= innerWidth')).toBe(true)
  const { violations, passes } = (await page.evaluate(`${axe.source}; axe.run()`)) as AxeResults // what run() gives
  expect(passes.length).toBeGreaterThan(10)
  expect(violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))).toEqual([])
}
