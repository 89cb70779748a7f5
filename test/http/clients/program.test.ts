import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../engine/engines.ts'
import { paste, runCommand, startServer } from '../serve/server-process.ts'

vi.setConfig({ testTimeout: 120_000 })

const env = { FINDLING_CLIENTS: 'clients', FINDLING_MEMORY_MB: '512' }
const statusOf = async (url: string, key = '') =>
  (await fetch(url, { headers: { Authorization: `Findling ${key}` } })).status

describe('a server of clients', () => {
  test('begins with a demo client, which has the sample and a secret of its own', async () => {
    const folder = await temporaryFolder()
    const first = await startServer({ folder, env })
    expect(first.stdout()).toContain('demo: 100 %')
    const [operator, demo] = [...first.stdout().matchAll(/^Secret: +(\S+) /gm)].map(([, secret]) => secret!)
    expect(first.calls.every(call => call.includes('/demo/api/'))).toBe(true)
    expect(JSON.parse(await paste(`${first.calls[0]} -s`)).Hits).toHaveLength(3)
    expect(first.stdout().match(/^Setup: +\S+\/setup\?token=\S+$/gm)).toHaveLength(2)
    const statuses = [
      await statusOf(`${first.url}/demo/api/DataSets`, demo),
      await statusOf(`${first.url}/demo/api/DataSets`, operator),
      await statusOf(`${first.url}/metrics`, demo),
      await statusOf(`${first.url}/metrics`, operator),
    ]
    expect(statuses).toEqual([200, 401, 401, 200])
    expect(await first.end('SIGTERM')).toMatchObject({ code: 0 })

    const second = await startServer({ folder, env })
    expect(second.stdout()).not.toContain('Loading')
    expect(await statusOf(`${second.url}/demo/api/DataSets/demo`, demo)).toBe(200)
  })

  test('takes clients in that are added beside it, and lets those go that are removed', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'secret'), 's3cr3t-of-the-shop\n')
    const run = (...args: string[]) => runCommand({ folder, env, args: ['clients', ...args] })
    expect(await run('list')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await run('add', 'first')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Secret: +\S{32} /m),
    })
    const server = await startServer({ folder, env })
    expect(server.stdout()).not.toContain('Loading')
    const added = await run('add', 'shop', '--secret-file', 'secret')
    expect(added).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('/shop') })
    expect(added.stdout).not.toContain('s3cr3t')
    const status = () => statusOf(`${server.url}/shop/api/DataSets`, 's3cr3t-of-the-shop')
    // Asked again and again, a server answers those who are refused ever later.
    await expect.poll(server.stdout).toContain(`Address:        ${server.url}/shop`)
    expect(await status()).toBe(200)
    expect(await run('list')).toMatchObject({ stdout: 'first\nshop\n' })
    expect(await run('remove', 'shop')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('shop.removed-'),
    })
    expect([await status(), await run('list')]).toMatchObject([401, { stdout: 'first\n' }])
    expect((await readdir(join(folder, 'clients'))).sort()).toEqual([
      'first',
      expect.stringMatching(/^shop\.removed/),
    ])
  })
})

test.each([
  [['clients', 'add', 'Shop'], env, 1, /The id of a client is "Shop"/],
  [['clients', 'remove', 'shop'], env, 1, /There is no client shop/],
  [['clients', 'add', 'shop'], {}, 2, /FINDLING_CLIENTS is not set/],
  [['clients', 'drop', 'shop'], env, 2, /clients takes one of: list, add <id>, remove <id>/],
])('%j with %j ends with %i and a line', async (args, given, code, line) => {
  const ended = await runCommand({
    folder: await temporaryFolder(),
    args,
    env: given as Record<string, string>,
  })
  expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(line) })
  expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1)
})
