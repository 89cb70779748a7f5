import { existsSync } from 'node:fs'
import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Engine } from 'findling'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { paste, runServer, startServer, temporary } from './server-process.ts'

const secret = 's3cr3t-of-the-owner'
const key = { Authorization: `Findling ${secret}` }
const owned = { FINDLING_SECRET: secret }

async function json(url: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(url, { ...init, headers: { ...key, ...init.headers } })
  expect(response.status).toBe(200)
  return await response.json()
}

/** Whether the files of the store hold the text, which is what a kill leaves. */
async function isStored(folder: string, text: string): Promise<boolean> {
  const store = join(folder, 'data')
  const contents = await Promise.allSettled(
    (await readdir(store)).map(file => readFile(join(store, file))), // some may be gone meanwhile
  )
  return contents.some(content => content.status === 'fulfilled' && content.value.includes(text))
}

// Some start three servers, each of which takes seconds where others need the processors too.
vi.setConfig({ testTimeout: 120_000 })

describe('the first start', () => {
  test('loads the sample with progress and offers three calls that work when pasted', async () => {
    const server = await startServer({ folder: await temporary() })
    for (const percent of [0, 25, 50, 75, 100]) expect(server.stdout()).toContain(`demo: ${percent} %`)
    expect(server.calls).toHaveLength(3)
    const [found, corrected, filtered] = await Promise.all(server.calls.map(call => paste(`${call} -s`)))
    const [hit] = JSON.parse(found!).Hits
    expect([hit.Document.title, hit.Highlights.title[0].Ranges.length > 0]).toEqual([
      expect.stringMatching(/Cordless .*Drill/),
      true,
    ])
    expect(JSON.parse(corrected!).Suggestions[0].Text).toBe('cordless drill')
    expect(JSON.parse(filtered!)).toMatchObject({ Count: 3, ScrollId: expect.any(String) })
  })

  test('shows a provisional secret and a link to the setup page', async () => {
    const server = await startServer({ folder: await temporary(), args: ['--empty'] })
    const [, provisional] = /^Secret: +(\S+) /m.exec(server.stdout())!
    const [, setup] = /^Setup: +(\S+)$/m.exec(server.stdout())!
    const listed = await fetch(`${server.url}/api/DataSets`, {
      headers: { Authorization: `Service ${provisional}` },
    })
    expect(await listed.json()).toEqual([])
    const page = await fetch(setup!)
    expect(await page.text()).toContain('name="SecretConfirm"')
  })

  test('with --empty has no data, and calls that make some', async () => {
    const server = await startServer({ folder: await temporary(), args: ['--empty'] })
    const answers: string[] = []
    for (const call of server.calls) answers.push(await paste(`${call} -s`))
    expect(answers[0]).toBe('')
    expect(JSON.parse(answers[1]!)).toMatchObject([{ Name: 'first' }])
    expect(JSON.parse(answers[2]!)).toMatchObject({ ApiVersion: '1.5.0' })
  })

  test('takes the secret of the environment and shows it nowhere', async () => {
    const server = await startServer({ folder: await temporary(), args: ['--empty'], env: owned })
    expect(await json(`${server.url}/api/DataSets`)).toEqual([])
    expect(server.stdout()).not.toContain('Setup:')
    expect(JSON.parse(await paste(`${server.calls[2]} -s`, owned))).toMatchObject({ ApiVersion: '1.5.0' })
    const { stdout, stderr } = await server.end('SIGTERM')
    expect(stdout + stderr).not.toContain(secret)
  })

  test('makes the free licence for --licence, which the setup is closed for, and keeps it', async () => {
    const folder = await temporary()
    const args = ['--empty', '--licence', 'owner@example.com']
    const first = await startServer({ folder, args, env: owned })
    const licence = await json(`${first.url}/api/License`)
    expect(licence).toMatchObject({ IsValid: true, Type: 'OpenSource' })
    await first.end('SIGTERM')
    const second = await startServer({
      folder,
      args: ['--empty', '--licence', 'other@example.com'],
      env: owned,
    })
    expect(await json(`${second.url}/api/License`)).toEqual(licence)
    const wrong = await runServer({ folder, args: ['--licence', 'nobody'] })
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('expected an email address') })
  })

  test('takes the secret of a file', async () => {
    const folder = await temporary()
    await writeFile(join(folder, 'secret'), `${secret}\n`)
    const server = await startServer({ folder, args: ['--empty', '--secret-file', 'secret'] })
    expect(await json(`${server.url}/api/DataSets`)).toEqual([])
  })
})

describe('a later start', () => {
  test('has the data, the secret and the counts, and loads the sample only where it was', async () => {
    const folder = await temporary()
    const first = await startServer({ folder, env: owned })
    await json(`${first.url}/api/Status`)
    expect(await first.end('SIGTERM')).toMatchObject({ code: 0 })

    const second = await startServer({ folder })
    expect(second.stdout()).not.toContain('Loading')
    expect(await json(`${second.url}/api/DataSets`)).toMatchObject([
      { Name: 'demo', Statistics: { DocumentsCount: 2400 } },
    ])
    const statistics = JSON.stringify(await json(`${second.url}/api/Statistics`))
    expect(statistics).toContain('{"Name":"Status/Get","Count":1}')
    const removed = await fetch(`${second.url}/api/DataSets/demo`, { method: 'DELETE', headers: key })
    expect(removed.status).toBe(200)
    await second.end('SIGTERM')

    const third = await startServer({ folder })
    expect(await json(`${third.url}/api/DataSets`)).toEqual([])
  })

  test('finishes loading the sample when it was killed while it did', async () => {
    const folder = await temporary()
    const env = { ...owned, FINDLING_LOG_LEVEL: 'silent' }
    const killed = await startServer({ folder, env })
    // As a kill in the middle leaves it: the mark says that loading began, and documents are missing.
    await fetch(`${killed.url}/api/Documents/p-000002`, {
      method: 'DELETE',
      headers: { ...key, 'X-DataSet': 'demo' },
    })
    await killed.end('SIGKILL')
    const engine = await Engine.open({ store: join(folder, 'data') })
    await engine.namespace('http-sample').put('progress', 'loading')
    await engine.close()
    const server = await startServer({ folder, env })
    expect(await json(`${server.url}/api/DataSets/demo`)).toMatchObject({
      Statistics: { DocumentsCount: 2400 },
    })
  })

  test('stays without the sample when the first one was with --empty', async () => {
    const folder = await temporary()
    const first = await startServer({ folder, args: ['--empty'], env: owned })
    await first.end('SIGTERM')
    const second = await startServer({ folder })
    expect(await json(`${second.url}/api/DataSets`)).toEqual([])
  })

  test('does not know a provisional secret any more, only where to set another', async () => {
    const folder = await temporary()
    const first = await startServer({ folder, args: ['--empty'] })
    const [, provisional] = /^Secret: +(\S+) /m.exec(first.stdout())!
    await first.end('SIGTERM')
    const second = await startServer({ folder, args: ['--empty'] })
    expect(second.stdout()).toMatch(/^Setup: +http.*token=/m)
    expect(second.stdout()).not.toContain(provisional!)
    const call = await paste(`${second.calls[2]} -s`, { FINDLING_SECRET: provisional! })
    expect(JSON.parse(call)).toMatchObject({ ApiVersion: '1.5.0' })
  })
})

describe('the end', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s stops it with code 0 and frees the store', async signal => {
    const folder = await temporary()
    for (let i = 0; i < 2; i++) {
      const server = await startServer({ folder, args: ['--empty'] })
      const { code, stdout } = await server.end(signal)
      expect([code, stdout]).toEqual([0, expect.stringContaining(`Stopping on ${signal}`)])
    }
  })

  test('a kill loses no counts but those of the last moment', async () => {
    const folder = await temporary()
    const server = await startServer({ folder, args: ['--empty'], env: owned })
    await json(`${server.url}/api/Status`)
    await expect.poll(() => isStored(folder, 'Status/Get'), { timeout: 20_000 }).toBe(true)
    await server.end('SIGKILL')
    const again = await startServer({ folder, args: ['--empty'] })
    expect(JSON.stringify(await json(`${again.url}/api/Statistics`))).toContain(
      '{"Name":"Status/Get","Count":1}',
    )
  })
})

describe('a start that fails has one line and a code', () => {
  test('1 when the store is in use', async () => {
    const folder = await temporary()
    await startServer({ folder, args: ['--empty'] })
    expect(await runServer({ folder })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'findling-http: The store ./data is in use by another process; stop that process, or choose another folder with FINDLING_STORE.\n',
    })
  })

  test('1 when the port is in use, and then the store is free', async () => {
    const folder = await temporary()
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => {
      other.close()
    })
    await new Promise(resolve => other.once('listening', resolve))
    const { port } = other.address() as { port: number } // listens on TCP
    const { code, stderr } = await runServer({ folder, env: { PORT: String(port) } })
    expect([code, stderr]).toEqual([
      1,
      `findling-http: Port ${port} of 127.0.0.1 is in use; choose another one with PORT.\n`,
    ])
    await startServer({ folder, args: ['--empty'] })
  })

  test('1 when the host is none of this machine', async () => {
    const run = { folder: await temporary(), env: { HOST: '192.0.2.1' }, args: ['--insecure'] }
    const { code, stderr } = await runServer(run)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^findling-http: Cannot listen on port 0 of 192\.0\.2\.1: .*\n$/),
    ])
  })

  test('1 when the folder cannot be written', async () => {
    const folder = await temporary()
    await writeFile(join(folder, 'data'), 'a file in the way')
    const { code, stderr } = await runServer({ folder })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^findling-http: The store .* could not be opened: .*\n$/),
    ])
  })

  test.runIf(existsSync('/proc/self'))('1 where no folder can be made', async () => {
    const { code, stderr } = await runServer({
      folder: await temporary(),
      env: { FINDLING_STORE: '/proc/nope/store' },
    })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^findling-http: .*\/proc\/nope.*not a folder.*\n$/),
    ])
  })

  test('1 when the store has lost datasets, until that is accepted', async () => {
    const folder = await temporary()
    const store = join(folder, 'data')
    await (await Engine.open({ store })).close()
    await cp(store, `${store}-before`, { recursive: true })
    const engine = await Engine.open({ store })
    await engine.datasets.create('shop')
    await engine.close()
    await cp(join(store, 'findling.seq'), join(`${store}-before`, 'findling.seq'))
    const env = { ...owned, FINDLING_STORE: `${store}-before` }
    const { code, stderr } = await runServer({ folder, env })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^findling-http: The store .* has lost datasets: "shop"\. .*--accept-loss.*\n$/),
    ])
    const server = await startServer({ folder, env, args: ['--accept-loss', '--empty'] })
    expect((await server.end('SIGTERM')).code).toBe(0)
    const again = await startServer({ folder, env, args: ['--empty'] })
    expect((await again.end('SIGTERM')).code).toBe(0)
  })

  test('0 when it is asked to stop while it starts', async () => {
    const folder = await temporary()
    const { code, stdout } = await runServer({ folder, env: owned, signalAt: '0 %' })
    expect([code, stdout]).toEqual([0, expect.stringContaining('Stopping on SIGTERM.')])
    expect(stdout).not.toContain('Findling listens')
    const server = await startServer({ folder, env: owned })
    expect(server.stdout()).toContain('100 %')
    await server.end('SIGTERM')
  })

  test('2 when settings are wrong, with a line for each', async () => {
    const env = { PORT: 'x', FINDLING_STATS: 'x', FINDLING_SECRET: 'short' }
    const { code, stderr } = await runServer({ folder: await temporary(), env })
    expect([code, stderr.trimEnd().split('\n')]).toEqual([
      2,
      [
        expect.stringContaining('PORT is "x"'),
        expect.stringContaining('FINDLING_SECRET is not accepted'),
        expect.stringContaining('FINDLING_STATS is "x"'),
      ],
    ])
  })

  test('2 when it would serve plain HTTP to others, before anything is opened', async () => {
    const folder = await temporary()
    const { code, stderr } = await runServer({ folder, env: { ...owned, HOST: '0.0.0.0' } })
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^findling-http: HOST is "0\.0\.0\.0".*--trust-proxy.*\n$/),
    ])
    expect(existsSync(join(folder, 'data'))).toBe(false)
  })

  test('1 when a certificate cannot be used', async () => {
    const folder = await temporary()
    const env = { ...owned, FINDLING_TLS_CERT: 'tls.crt', FINDLING_TLS_KEY: 'tls.key' }
    const { code, stderr } = await runServer({ folder, env, args: ['--empty'] })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^findling-http: The certificate tls\.crt cannot be read: .*\n$/),
    ])
  })

  test('2 when an option does not exist', async () => {
    const { code, stderr } = await runServer({ folder: await temporary(), args: ['--emtpy'] })
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^findling-http: .*--emtpy.*\n$/)])
  })
})

describe('options that only print', () => {
  test('--check-config shows the settings, warns of what is none, and starts nothing', async () => {
    const folder = await temporary()
    const env = { ...owned, FINDLING_SECRT: 'x' }
    const { code, stdout, stderr } = await runServer({ folder, args: ['--check-config'], env })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^FINDLING_SECRET +\(hidden\) +FINDLING_SECRET$/m)
    expect(stderr).toContain('FINDLING_SECRT is not a setting')
    expect(stdout + stderr).not.toContain(secret)
    await expect(readFile(join(folder, 'data', 'CURRENT'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('--check-config says of each thing whether a start would find it, and ends with 1 when one is missing', async () => {
    const folder = await temporary()
    const pairs = fileURLToPath(new URL('../../fixtures/tls/', import.meta.url))
    const env = {
      ...owned,
      FINDLING_TLS_CERT: join(pairs, 'first.crt'),
      FINDLING_TLS_KEY: join(pairs, 'first.key'),
    }
    const server = await startServer({ folder, args: ['--empty'], env })
    const check = (more: Record<string, string> = {}) =>
      runServer({ folder, args: ['--check-config'], env: { ...env, ...more } })
    const running = await check()
    expect([running.code, running.stdout]).toEqual([
      0,
      expect.stringMatching(/^ok +store +is in use by a server/m),
    ])
    await server.end('SIGTERM')
    const stopped = await check()
    expect(stopped.code).toBe(0)
    expect(stopped.stdout.split('\n\n')[1]!.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^ok +address +HTTPS on port 0 of 127\.0\.0\.1$/),
      expect.stringMatching(
        /^ok +certificate +.*first\.crt and its key fit; it ends on \d{4}-\d\d-\d\d, in \d+ days$/,
      ),
      expect.stringMatching(/^ok +folder of the store +.*data can be written$/),
      expect.stringMatching(/^ok +folder for files +.*data-files can be made$/),
      expect.stringMatching(/^ok +disk +\d+ MB are free$/),
      expect.stringMatching(/^ok +store +can be opened; it has 0 datasets$/),
      expect.stringMatching(/^ok +secret +is set by its owner$/),
      expect.stringMatching(/^ok +licence +none is stored; everything works without one$/),
    ])
    const wrong = await check({
      FINDLING_TLS_KEY: join(pairs, 'second.key'),
      FINDLING_DISK_MINIMUM_MB: '1000000000000',
    })
    expect(wrong.code).toBe(1)
    expect(wrong.stdout.match(/^failed +\w+/gm)).toEqual([
      expect.stringContaining('certificate'),
      expect.stringContaining('disk'),
    ])
  })

  test('--check-config ends with 2 when settings are wrong', async () => {
    const run = { folder: await temporary(), args: ['--check-config'], env: { PORT: '-1' } }
    expect(await runServer(run)).toMatchObject({ code: 2, stdout: '' })
    const together = { ...run, env: { FINDLING_STORE: 'a', FINDLING_CLIENTS: 'a/clients' } }
    const stderr = expect.stringMatching(/FINDLING_CLIENTS is "a\/clients", .* FINDLING_STORE, "a"; expected/)
    expect(await runServer(together)).toEqual({ code: 2, stdout: '', stderr })
  })

  test('--help explains', async () => {
    const { code, stdout } = await runServer({ folder: await temporary(), args: ['--help'] })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Usage: findling-http /)])
  })
})

describe('the log', () => {
  test('has a line for each call on standard error, without keys, queries and bodies', async () => {
    const server = await startServer({ folder: await temporary(), env: owned })
    await fetch(`${server.url}/api/Documents/Search?token=in-the-query`, {
      method: 'POST',
      headers: { ...key, 'X-DataSet': 'demo', 'Content-Type': 'application/json' },
      body: '{"Text":"in-the-body"}',
    })
    const { stderr } = await server.end('SIGTERM')
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'request', method: 'POST', path: '/api/documents/search', status: 200 }),
    )
    expect(stderr).not.toMatch(/in-the-query|in-the-body|s3cr3t/)
  })

  test('goes to a file where a folder is set', async () => {
    const folder = await temporary()
    const server = await startServer({ folder, args: ['--empty'], env: { FINDLING_LOG_FOLDER: 'logs' } })
    await fetch(`${server.url}/health`)
    const { stderr } = await server.end('SIGTERM')
    expect(stderr).toBe('')
    expect(await readFile(join(folder, 'logs', 'findling-http.log'), 'utf8')).toContain('"/health"')
  })
})

test('HTTPS is served with a certificate, on any address', async () => {
  const pairs = fileURLToPath(new URL('../../fixtures/tls/', import.meta.url))
  const server = await startServer({
    folder: await temporary(),
    args: ['--empty'],
    env: {
      ...owned,
      HOST: '0.0.0.0',
      FINDLING_TLS_CERT: join(pairs, 'first.crt'),
      FINDLING_TLS_KEY: join(pairs, 'first.key'),
    },
  })
  const ca = join(pairs, 'first.crt')
  expect(JSON.parse(await paste(`${server.calls[2]} -s --cacert ${ca}`, owned))).toMatchObject({
    ApiVersion: '1.5.0',
  })
})

describe('/update', () => {
  const component = (name: string, code: number) => ({
    name,
    check: [process.execPath, '-e', `process.exit(${code})`],
    update: [process.execPath, '-e', 'process.exit(process.env.FINDLING_SECRET ? 1 : 0)'],
  })

  test('updates what is configured, for those who have the key', async () => {
    const update = {
      package: { latest: [process.execPath, '-e', 'console.log("0.0.1")'], install: ['false'] },
      components: [component('proxy', 0), component('certificates', 1)],
    }
    const env = { ...owned, FINDLING_UPDATE: JSON.stringify(update) }
    const server = await startServer({ folder: await temporary(), args: ['--empty'], env })
    for (const method of ['GET', 'POST']) {
      expect((await fetch(`${server.url}/update`, { method })).status).toBe(401)
    }
    const there = await fetch(`${server.url}/update`, { headers: key })
    expect([there.status, await there.text()]).toEqual([200, 'OK'])
    expect(await json(`${server.url}/update`, { method: 'POST' })).toEqual({
      Log: '@findling/http: already up to date\nproxy: already up to date\ncertificates: updated',
    })
  })

  test('answers 500 and says which component failed', async () => {
    const env = { ...owned, FINDLING_UPDATE: JSON.stringify({ components: [component('proxy', 7)] }) }
    const server = await startServer({ folder: await temporary(), args: ['--empty'], env })
    const failed = await fetch(`${server.url}/update`, { method: 'POST', headers: key })
    expect(failed.status).toBe(500)
    expect(await failed.json()).toEqual({
      Errors: [expect.stringContaining('proxy: failed, its check ended with code 7')],
    })
  })

  test('is not there without an updater, even with the key', async () => {
    const server = await startServer({ folder: await temporary(), args: ['--empty'], env: owned })
    for (const method of ['GET', 'POST']) {
      expect((await fetch(`${server.url}/update`, { method, headers: key })).status).toBe(404)
    }
  })
})

test('/docs works from the build', async () => {
  const server = await startServer({ folder: await temporary(), args: ['--empty'] })
  for (const path of ['/docs', '/docs/', '/docs/swagger-ui-bundle.js', '/docs/start.js', '/openapi.json']) {
    expect((await fetch(server.url + path)).status).toBe(200)
  }
})
