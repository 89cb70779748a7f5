import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Engine } from 'findling'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { afterBlock, temporaryFolder } from '../../engine/engines.ts'
import { paste, runCommand, runServer, type ServerProcess, startServer } from './server-process.ts'

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

describe('a server with the sample', () => {
  const afterwards = afterBlock()
  let folder: string
  let server: ServerProcess
  beforeAll(async () => {
    folder = await temporaryFolder(afterwards)
    server = await startServer({ folder, afterwards, env: owned, costlySecrets: true })
  })

  test('loads it with progress and offers three calls that work when pasted', async () => {
    for (const percent of [0, 25, 50, 75, 100]) expect(server.stdout()).toContain(`demo: ${percent} %`)
    expect(server.calls).toHaveLength(3)
    const [found, corrected, filtered] = await Promise.all(
      server.calls.map(call => paste(`${call} -s`, owned)),
    )
    const [hit] = JSON.parse(found!).Hits
    expect([hit.Document.title, hit.Highlights.title[0].Ranges.length > 0]).toEqual([
      expect.stringMatching(/Cordless .*Drill/),
      true,
    ])
    expect(JSON.parse(corrected!).Suggestions[0].Text).toBe('cordless drill')
    expect(JSON.parse(filtered!)).toMatchObject({ Count: 3, ScrollId: expect.any(String) })
  })

  test('has a line for each call on standard error, without keys, queries and bodies', async () => {
    await fetch(`${server.url}/api/Documents/Search?token=in-the-query`, {
      method: 'POST',
      headers: { ...key, 'X-DataSet': 'demo', 'Content-Type': 'application/json' },
      body: '{"Text":"in-the-body"}',
    })
    const called = { msg: 'request', method: 'POST', path: '/api/documents/search', status: 200 }
    const lines = () =>
      server
        .stderr()
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line))
    await expect.poll(lines).toContainEqual(expect.objectContaining(called))
    expect(server.stderr()).not.toMatch(/in-the-query|in-the-body|s3cr3t/)
  })

  test('has the documentation of the build, and no /update without an updater, even with the key', async () => {
    for (const path of ['/docs', '/docs/', '/docs/swagger-ui-bundle.js', '/docs/start.js', '/openapi.json']) {
      expect((await fetch(server.url + path)).status).toBe(200)
    }
    for (const method of ['GET', 'POST']) {
      expect((await fetch(`${server.url}/update`, { method, headers: key })).status).toBe(404)
    }
  })

  test('keeps its store from another server', async () => {
    expect(await runCommand({ folder })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'findling-http: The store ./data is in use by another process; stop that process, or choose another folder with FINDLING_STORE.\n',
    })
  })

  test.skipIf(process.platform === 'win32')(
    'says in one line that its store cannot be closed because the folder is gone',
    async () => {
      const other = await temporaryFolder()
      const running = await startServer({ folder: other, env: owned, args: ['--empty'] })
      await rename(join(other, 'data'), join(other, 'gone'))
      const { code, stderr } = await running.end('SIGTERM')
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^findling-http: The store could not be closed: .*\n$/m),
      ])
      expect(stderr).not.toMatch(/^ +at /m)
    },
  )

  test('says in one line that its log has no folder', async () => {
    const other = await temporaryFolder()
    await writeFile(join(other, 'taken'), '')
    const { code, stderr } = await runCommand({ folder: other, env: { FINDLING_LOG_FOLDER: 'taken' } })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^findling-http: .* cannot be used: .*taken'\n$/),
    ])
  })

  test('takes the secret of the environment, shows it nowhere, and has it, the data and the counts at later starts', async () => {
    await json(`${server.url}/api/Status`)
    const { code, stdout, stderr } = await server.end('SIGTERM')
    expect([code, stdout]).toEqual([0, expect.stringContaining('Stopping on SIGTERM')])
    expect(stdout).not.toContain('Setup:')
    expect(stdout + stderr).not.toContain(secret)

    const second = await startServer({ folder, costlySecrets: true })
    expect(second.stdout()).not.toContain('Loading')
    expect(await json(`${second.url}/api/DataSets`)).toMatchObject([
      { Name: 'demo', Statistics: { DocumentsCount: 2400 } },
      { Name: 'demo-orders', Statistics: { DocumentsCount: 3000 } },
    ])
    const statistics = JSON.stringify(await json(`${second.url}/api/Statistics`))
    expect(statistics).toContain('{"Name":"Status/Get","Count":1}')
    const removed = await fetch(`${second.url}/api/DataSets/demo`, { method: 'DELETE', headers: key })
    expect(removed.status).toBe(200)
    await second.end('SIGTERM')

    const third = await startServer({ folder, costlySecrets: true })
    expect(await json(`${third.url}/api/DataSets`)).toMatchObject([{ Name: 'demo-orders' }])
  })
})

describe('a server with a certificate that nobody else knows', () => {
  test.each([
    ['first', /^https:\/\/127\.0\.0\.1:/],
    ['named', /^https:\/\/www\.shop\.example:/],
  ])('offers calls that work when pasted, for a certificate like %s', async (name, base) => {
    const folder = await temporaryFolder()
    const [cert, key] = [join(folder, "the owner's.crt"), join(folder, 'tls.key')]
    for (const [ending, to] of [
      ['crt', cert],
      ['key', key],
    ] as const)
      await cp(fileURLToPath(new URL(`../../fixtures/tls/${name}.${ending}`, import.meta.url)), to)
    const env = { ...owned, FINDLING_TLS_CERT: "the owner's.crt", FINDLING_TLS_KEY: key }
    const { calls } = await startServer({ folder, args: ['--empty'], env })
    expect(calls[1]!.split(' ').at(-1)).toMatch(base)
    const answers: string[] = []
    for (const call of calls) answers.push(await paste(`${call} -s`, owned))
    expect(JSON.parse(answers[1]!)).toMatchObject([{ Name: 'first' }])
    expect(JSON.parse(answers[2]!)).toMatchObject({ ApiVersion: '1.5.0' })
  })
})

describe('the package, which has no sample', () => {
  const afterwards = afterBlock()
  let folder: string
  /** The built server as it lies in a project: without the files of the repository. */
  let program: string
  beforeAll(async () => {
    folder = await temporaryFolder(afterwards)
    const [repository, place] = [fileURLToPath(new URL('../../../', import.meta.url)), join(folder, 'a', 'b')]
    await mkdir(place, { recursive: true })
    await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'), 'junction')
    for (const part of ['dist', 'package.json'])
      await cp(join(repository, 'adapters/http', part), join(place, part), { recursive: true })
    program = join(place, 'dist/serve.js')
  })

  test('says so in --help, and where somebody asks for it', async () => {
    const run = (args: string[]) =>
      runCommand({ folder, program, args, env: { FINDLING_CLIENTS: 'clients' } })
    expect((await run(['--help'])).stdout).toMatch(
      /--sample .*comes with the repository, not with the package/,
    )
    const { code, stdout, stderr } = await run(['clients', 'add', 'shop', '--sample'])
    expect([code, stdout, stderr.trimEnd().split('\n').length]).toEqual([1, '', 1])
    expect(stderr).toMatch(/not with this package.* Leave --sample out.*POST \/api\/Documents\/Import/)
    expect(await run(['clients', 'list'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('has documentation that says where its examples work', async () => {
    const { url } = await startServer({ folder, program })
    const { info } = (await (await fetch(`${url}/openapi.json`)).json()) as { info: { description: string } }
    expect(info.description).toContain(
      'sample catalogue, which comes with the repository, not with the packages',
    )
  })
})

describe('a server without the sample and without a secret', () => {
  const afterwards = afterBlock()
  let folder: string
  let server: ServerProcess
  let provisional: string
  beforeAll(async () => {
    folder = await temporaryFolder(afterwards)
    server = await startServer({ folder, afterwards, args: ['--empty'] })
    provisional = /^Secret: +(\S+) /m.exec(server.stdout())![1]!
  })

  test('has no data, a provisional secret and a link to the setup page', async () => {
    const listed = await fetch(`${server.url}/api/DataSets`, {
      headers: { Authorization: `Service ${provisional}` },
    })
    expect(await listed.json()).toEqual([])
    const [, setup] = /^Setup: +(\S+)$/m.exec(server.stdout())!
    const page = await fetch(setup!)
    expect(await page.text()).toContain('name="SecretConfirm"')
  })

  test('offers calls that make some data', async () => {
    const answers: string[] = []
    for (const call of server.calls) answers.push(await paste(`${call} -s`))
    expect(answers[0]).toBe('')
    expect(JSON.parse(answers[1]!)).toMatchObject([{ Name: 'first' }])
    expect(JSON.parse(answers[2]!)).toMatchObject({ ApiVersion: '1.5.0' })
  })

  test('ends on SIGINT, and at later starts tells where to set a secret and never loads the sample', async () => {
    await server.end('SIGTERM')
    const second = await startServer({ folder })
    expect(second.stdout()).toMatch(/^Setup: +http.*token=/m)
    for (const text of [provisional, 'Loading']) expect(second.stdout()).not.toContain(text)
    const call = await paste(`${second.calls[2]} -s`, { FINDLING_SECRET: provisional })
    expect(JSON.parse(call)).toMatchObject({ ApiVersion: '1.5.0' })
    const { code, stdout } = await second.end('SIGINT')
    expect([code, stdout]).toEqual([0, expect.stringContaining('Stopping on SIGINT')])
    // As a terminal sends it that is closed.
    const third = await startServer({ folder })
    expect(await third.end('SIGHUP')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Stopping on SIGHUP'),
    })
    const engine = await Engine.open({ store: join(folder, 'data') })
    expect(engine.datasets.has('demo')).toBe(false)
    await engine.close()
  })
})

describe('a server with options', () => {
  const afterwards = afterBlock()
  const updating = {
    name: 'proxy',
    check: [process.execPath, '-e', 'process.exit(fs.existsSync("broken") ? 7 : 0)'],
    update: ['false'],
  }
  const outdated = {
    name: 'certificates',
    check: [process.execPath, '-e', 'process.exit(1)'],
    update: [process.execPath, '-e', 'process.exit(process.env.FINDLING_SECRET ? 1 : 0)'],
  }
  const env = {
    FINDLING_LOG_FOLDER: 'logs',
    FINDLING_UPDATE: JSON.stringify({
      package: { latest: [process.execPath, '-e', 'console.log("0.0.1")'], install: ['false'] },
      components: [updating, outdated],
    }),
  }
  const args = ['--empty', '--secret-file', 'secret', '--licence', 'owner@example.com']
  let folder: string
  let server: ServerProcess
  beforeAll(async () => {
    folder = await temporaryFolder(afterwards)
    await writeFile(join(folder, 'secret'), `${secret}\n`)
    server = await startServer({ folder, afterwards, args, env })
  })

  test('takes the secret of a file', async () => {
    expect(await json(`${server.url}/api/DataSets`)).toEqual([])
  })

  test('writes its log to a file where a folder is set', async () => {
    await fetch(`${server.url}/health`)
    const log = () => readFile(join(folder, 'logs', 'findling-http.log'), 'utf8')
    await expect.poll(log).toContain('"/health"')
    expect(server.stderr()).toBe('')
  })

  test('updates what is configured, for those who have the key, and answers 500 when a component failed', async () => {
    for (const method of ['GET', 'POST']) {
      expect((await fetch(`${server.url}/update`, { method })).status).toBe(401)
    }
    const there = await fetch(`${server.url}/update`, { headers: key })
    expect([there.status, await there.text()]).toEqual([200, 'OK'])
    expect(await json(`${server.url}/update`, { method: 'POST' })).toEqual({
      Log: '@findling/http: already up to date\nproxy: already up to date\ncertificates: updated',
    })
    await writeFile(join(folder, 'broken'), '')
    const failed = await fetch(`${server.url}/update`, { method: 'POST', headers: key })
    expect([failed.status, await failed.json()]).toEqual([
      500,
      {
        Errors: expect.arrayContaining([
          expect.stringMatching(/proxy: failed, its check exited with code 7/),
        ]),
      },
    ])
  })

  test('makes the free licence for --licence and keeps it, and of its counts, though killed, all but the last moment', async () => {
    const licence = await json(`${server.url}/api/License`)
    expect(licence).toMatchObject({ IsValid: true, Type: 'OpenSource' })
    await json(`${server.url}/api/Status`)
    await expect.poll(() => isStored(folder, 'Status/Get')).toBe(true)
    await server.end('SIGKILL')
    const second = await startServer({ folder, args: args.with(-1, 'other@example.com'), env })
    expect(await json(`${second.url}/api/License`)).toEqual(licence)
    expect(JSON.stringify(await json(`${second.url}/api/Statistics`))).toContain(
      '{"Name":"Status/Get","Count":1}',
    )
  })
})

test('a server that was killed while it loaded the sample finishes that at the next start', async () => {
  const folder = await temporaryFolder()
  const killed = await runServer({ folder, env: owned, signalAt: { text: '25 %', signal: 'SIGKILL' } })
  expect(killed.stdout).not.toContain('Findling listens')
  const server = await startServer({ folder, env: owned })
  expect(server.stdout()).toContain('100 %')
  expect(await json(`${server.url}/api/DataSets/demo`)).toMatchObject({
    Statistics: { DocumentsCount: 2400 },
  })
})

describe('a start that fails has one line and a code', () => {
  test('1 when the port is in use, and then the store is free', async () => {
    const folder = await temporaryFolder()
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => {
      other.close()
    })
    await new Promise(resolve => other.once('listening', resolve))
    const { port } = other.address() as { port: number } // listens on TCP
    const inUse = async (env = {}) => {
      const { code, stdout, stderr } = await runServer({ folder, env: { PORT: String(port), ...env } })
      expect([code, stderr]).toEqual([
        1,
        `findling-http: Port ${port} of 127.0.0.1 is in use; choose another port with PORT.\n`,
      ])
      return stdout
    }
    // It has been stored, and cannot be shown later.
    const secret = /^The secret is (\S{32}) {3}\(provisional, shown only once\)\n$/.exec(await inUse())?.[1]
    expect(await inUse()).toBe('')
    await (await Engine.open({ store: join(folder, 'data') })).close()
    const { url } = await startServer({ folder, args: ['--empty'] })
    const headers = { Authorization: `Findling ${secret}` }
    expect((await fetch(`${url}/api/DataSets`, { headers })).status).toBe(200)

    expect(await inUse({ FINDLING_CLIENTS: 'clients', FINDLING_STORE: 'operator' })).toMatch(
      /^The secret is \S+ /,
    )
  })

  test('1 when the host is none of this machine', async () => {
    const run = { folder: await temporaryFolder(), env: { HOST: '192.0.2.1' }, args: ['--insecure'] }
    const { code, stderr } = await runCommand(run)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^findling-http: Cannot listen on port 0 of 192\.0\.2\.1: .*\n$/),
    ])
  })

  test('1 when the folder cannot be written', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'data'), 'a file in the way')
    const { code, stderr } = await runCommand({ folder })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^findling-http: The store .* could not be opened: .*\n$/),
    ])
  })

  test.runIf(existsSync('/proc/self'))('1 where no folder can be made', async () => {
    const { code, stderr } = await runCommand({
      folder: await temporaryFolder(),
      env: { FINDLING_STORE: '/proc/nope/store' },
    })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^findling-http: .*\/proc\/nope.*not a folder.*\n$/),
    ])
  })

  test('1 when the store has lost datasets, until that is accepted', async () => {
    const folder = await temporaryFolder()
    const store = join(folder, 'data')
    await (await Engine.open({ store })).close()
    await cp(store, `${store}-before`, { recursive: true })
    const engine = await Engine.open({ store })
    await engine.datasets.create('shop')
    await engine.close()
    await cp(join(store, 'findling.seq'), join(`${store}-before`, 'findling.seq'))
    const env = { ...owned, FINDLING_STORE: `${store}-before` }
    const { code, stderr } = await runCommand({ folder, env })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^findling-http: The store .* has lost datasets: "shop"\. .*--accept-loss.*\n$/),
    ])
    const server = await startServer({ folder, env, args: ['--accept-loss', '--empty'] })
    expect((await server.end('SIGTERM')).code).toBe(0)
    await (await Engine.open({ store: `${store}-before` })).close()
  })

  test('0 when it is asked to stop while it starts', async () => {
    const folder = await temporaryFolder()
    const signalAt = { text: '0 %', signal: 'SIGTERM' } as const
    const { code, stdout } = await runServer({ folder, env: owned, signalAt })
    expect([code, stdout]).toEqual([0, expect.stringContaining('Stopping on SIGTERM.')])
    expect(stdout).not.toContain('Findling listens')
  })

  test('0 when it is asked to stop and nobody reads any more what it prints', async () => {
    const server = await startServer({ folder: await temporaryFolder(), env: owned, args: ['--empty'] })
    server.stopReading()
    expect(await json(`${server.url}/api/Status`)).toMatchObject({ ApiVersion: '1.5.0' })
    expect((await server.end('SIGTERM')).code).toBe(0)
  })

  test('2 when settings are wrong, with a line for each', async () => {
    const env = { PORT: 'x', FINDLING_STATS: 'x', FINDLING_SECRET: 'short' }
    const { code, stderr } = await runCommand({ folder: await temporaryFolder(), env })
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
    const folder = await temporaryFolder()
    const { code, stderr } = await runCommand({ folder, env: { ...owned, HOST: '0.0.0.0' } })
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^findling-http: HOST is "0\.0\.0\.0".*--trust-proxy.*\n$/),
    ])
    expect(existsSync(join(folder, 'data'))).toBe(false)
  })

  test('1 when a certificate cannot be used', async () => {
    const folder = await temporaryFolder()
    const env = { ...owned, FINDLING_TLS_CERT: 'tls.crt', FINDLING_TLS_KEY: 'tls.key' }
    const { code, stderr } = await runCommand({ folder, env, args: ['--empty'] })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^findling-http: The certificate tls\.crt cannot be read: .*\n$/),
    ])
  })

  test.each([
    [['--emtpy'], /^findling-http: .*--emtpy.*\n$/],
    [['--licence', 'nobody'], /^findling-http: .*expected an email address.*\n$/],
    [['cluster', 'status'], /^findling-http: FINDLING_CLUSTER is not set; expected .*\n$/],
    [['cluster', 'recover'], /^findling-http: FINDLING_SNAPSHOTS is not set; expected .*\n$/],
  ])('2 when an option is wrong, or a setting missing: %j', async (args, line) => {
    const { code, stderr } = await runCommand({ folder: await temporaryFolder(), args })
    expect([code, stderr]).toEqual([2, expect.stringMatching(line)])
  })
})

describe('options that only print', () => {
  test('--check-config shows the settings, warns of what is none, and starts nothing', async () => {
    const folder = await temporaryFolder()
    const env = { ...owned, FINDLING_SECRT: 'x', FINDLING_PORT: '80', FINDLING_COLOUR: 'red' }
    const { code, stdout, stderr } = await runServer({ folder, args: ['--check-config'], env })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^FINDLING_SECRET +\(hidden\) +FINDLING_SECRET$/m)
    for (const line of [
      'FINDLING_SECRT is not a setting and has no effect; did you mean FINDLING_SECRET? (see --help)',
      'FINDLING_PORT is not a setting and has no effect; did you mean PORT? (see --help)',
      'FINDLING_COLOUR is not a setting and has no effect (see --help)',
    ])
      expect(stderr).toContain(line)
    expect(stdout + stderr).not.toContain(secret)
    await expect(readFile(join(folder, 'data', 'CURRENT'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('--check-config ends with 2 when settings are wrong', async () => {
    const run = { folder: await temporaryFolder(), args: ['--check-config'], env: { PORT: '-1' } }
    expect(await runCommand(run)).toMatchObject({ code: 2, stdout: '' })
  })

  test('--help explains', async () => {
    const { code, stdout } = await runServer({ folder: await temporaryFolder(), args: ['--help'] })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Usage: findling-http /)])
  })
})

test('a server with a certificate serves HTTPS on any address, and --check-config says of each thing whether a start would find it', async () => {
  const folder = await temporaryFolder()
  const pairs = fileURLToPath(new URL('../../fixtures/tls/', import.meta.url))
  const [certificate, ...keys] = ['first.crt', 'first.key', 'second.key'].map(name => join(pairs, name))
  const env = { ...owned, HOST: '0.0.0.0', FINDLING_TLS_CERT: certificate!, FINDLING_TLS_KEY: keys[0]! }
  const server = await startServer({ folder, args: ['--empty'], env })
  expect(JSON.parse(await paste(`${server.calls[2]} -s --cacert ${certificate}`, owned))).toMatchObject({
    ApiVersion: '1.5.0',
  })
  const check = (more: Record<string, string> = {}) =>
    runCommand({ folder, args: ['--check-config'], env: { ...env, ...more } })
  const running = await check()
  expect([running.code, running.stdout]).toEqual([
    0,
    expect.stringMatching(/^ok +store +is in use by a running server/m),
  ])
  await server.end('SIGTERM')
  const stopped = await check()
  expect(stopped.code).toBe(0)
  expect(stopped.stdout.split('\n\n')[1]!.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^ok +address +HTTPS on port 0 of 0\.0\.0\.0$/),
    expect.stringMatching(
      /^ok +certificate +.*first\.crt and its key match; it expires on \d{4}-\d\d-\d\d, in \d+ days$/,
    ),
    expect.stringMatching(/^ok +folder of the store +.*data is writable$/),
    expect.stringMatching(/^ok +folder for files +.*data-files can be created$/),
    expect.stringMatching(/^ok +disk +\d+ MB are free$/),
    expect.stringMatching(/^ok +store +can be opened; it has 0 datasets$/),
    expect.stringMatching(/^ok +secret +is set by its owner$/),
    expect.stringMatching(/^ok +licence +none is stored; everything works without one$/),
  ])
  const wrong = await check({ FINDLING_TLS_KEY: keys[1]!, FINDLING_DISK_MINIMUM_MB: '1000000000000' })
  expect(wrong.code).toBe(1)
  expect(wrong.stdout.match(/^failed +\w+/gm)).toEqual([
    expect.stringContaining('certificate'),
    expect.stringContaining('disk'),
  ])
})
