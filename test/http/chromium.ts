import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Without one, tests that need a browser are skipped; said once for each file of them. */
export const hasChromium = existsSync(executablePath)
if (!hasChromium) {
  console.warn(`No page is looked at: there is no Chromium at ${executablePath}. Set CHROMIUM to its path.`)
}

/** One that calls nobody. */
export async function launchChromium(): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]
  return await chromium.launch({ executablePath, args, timeout: 60_000 })
}
