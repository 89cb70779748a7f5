import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { commandComponent } from '../../../adapters/http/src/update/commands.ts'
import type { Component } from '../../../adapters/http/src/update/components.ts'
import { packageComponent } from '../../../adapters/http/src/update/npm-package.ts'
import { createUpdater } from '../../../adapters/http/src/update/update.ts'

const env = process.env
const node = (script: string, ...args: string[]) => [process.execPath, '-e', script, ...args]
const ends = (code: number) => node(`process.exit(${code})`)

function component(settings: { check: string[]; update?: string[]; timeoutSeconds?: number }): Component {
  return commandComponent({ name: 'store', update: ends(9), timeoutSeconds: 60, ...settings }, env)
}

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-update-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe('run', () => {
  test('has a line for each component and updates only what is not up to date', async () => {
    const updater = createUpdater([
      { name: 'api', check: async () => true, update: () => Promise.reject(new Error('was not asked')) },
      { name: 'store', check: async () => false, update: async () => 'updated' },
    ])
    expect(await updater.run()).toEqual({ log: 'api: already up to date\nstore: updated' })
  })

  test('tries the other components when one fails, and answers 500 with every line', async () => {
    const updater = createUpdater([
      { name: 'api', check: () => Promise.reject(new Error('no network')), update: async () => 'updated' },
      { name: 'store', check: async () => false, update: async () => 'updated' },
    ])
    const errors = ['api: failed, no network', 'store: updated']
    await expect(updater.run()).rejects.toMatchObject({ status: 500, errors })
  })

  test('refuses a second run while one is under way, and takes one afterwards', async () => {
    let resolve: (isUpToDate: boolean) => void = () => {}
    const checked = new Promise<boolean>(settle => {
      resolve = settle
    })
    const updater = createUpdater([{ name: 'api', check: () => checked, update: async () => 'updated' }])
    const first = updater.run()
    await expect(updater.run()).rejects.toMatchObject({ status: 500 })
    resolve(true)
    expect(await first).toEqual({ log: 'api: already up to date' })
    expect(await updater.run()).toEqual({ log: 'api: already up to date' })
  })
})

describe('a component of commands', () => {
  test('is up to date when its check ends with 0, and not when it ends with 1', async () => {
    expect(await component({ check: ends(0) }).check()).toBe(true)
    expect(await component({ check: ends(1) }).check()).toBe(false)
  })

  test('fails when its check ends otherwise, or its update with anything but 0', async () => {
    await expect(component({ check: ends(3) }).check()).rejects.toThrow('code 3')
    await expect(component({ check: ends(1), update: ends(1) }).update()).rejects.toThrow('code 1')
    await expect(component({ check: ['no-such-program-here'] }).check()).rejects.toThrow(
      'could not be started',
    )
  })

  test('passes arguments on as they are, without a shell', async () => {
    const file = join(await temporary(), 'seen')
    const odd = '$HOME; rm -rf "x" && `y` *'
    const write = node('fs.writeFileSync(process.argv[1], process.argv[2])', file, odd)
    expect(await component({ check: ends(1), update: write }).update()).toBe('updated')
    expect(await readFile(file, 'utf8')).toBe(odd)
  })

  test('is ended, together with what it started, when it takes too long', async () => {
    const file = join(await temporary(), 'signs-of-life')
    await writeFile(file, '')
    const started = `setInterval(() => fs.appendFileSync(process.argv[1], '.'), 20)`
    const script = `
      require('node:child_process').spawn(process.execPath, ['-e', process.argv[2], process.argv[1]])
      setInterval(() => {}, 1000)`
    // Until it is given time enough to begin at all.
    for (let timeoutSeconds = 2; (await readFile(file, 'utf8')) === ''; timeoutSeconds *= 2) {
      const slow = component({ check: node(script, file, started), timeoutSeconds })
      await expect(slow.check()).rejects.toThrow(`took longer than ${timeoutSeconds} s`)
    }
    let [before, after] = ['', await readFile(file, 'utf8')]
    while (after !== before) {
      await pause(300)
      before = after
      after = await readFile(file, 'utf8')
    }
  })
})

describe('the package itself', () => {
  const own = (version: string, latest: string[], install = ends(0)) =>
    packageComponent({ name: '@findling/http', version }, { latest, install, timeoutSeconds: 60 }, env)

  test.each([
    ['1.2.3', '1.2.3', true],
    ['1.2.3', '1.2.4', false],
    ['1.2.3', '1.10.0', false],
    ['1.2.3', '2.0.0', false],
    ['1.10.0', '1.9.9', true],
    ['2.0.0', '1.9.9', true],
  ])('%s is compared with %s by its numbers', async (installed, newest, isUpToDate) => {
    expect(await own(installed, node(`console.log('${newest}')`)).check()).toBe(isUpToDate)
  })

  test('fails when the command prints anything but a version', async () => {
    await expect(own('1.0.0', node(`console.log('<html>')`)).check()).rejects.toThrow('printed no version')
    await expect(own('1.0.0', ends(1)).check()).rejects.toThrow('code 1')
  })

  test('installs and says that a restart is needed', async () => {
    const file = join(await temporary(), 'installed')
    await writeFile(file, 'old')
    const install = node(`fs.writeFileSync(process.argv[1], 'new')`, file)
    expect(await own('1.0.0', ends(0), install).update()).toBe('updated from 1.0.0; restart to use it')
    expect(await readFile(file, 'utf8')).toBe('new')
  })
})
