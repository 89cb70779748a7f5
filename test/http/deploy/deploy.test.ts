import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Engine } from 'findling'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readArguments } from '../../../adapters/http/src/config/arguments.ts'
import { readConfig } from '../../../adapters/http/src/config/config.ts'
import { describeSettings } from '../../../adapters/http/src/config/describe.ts'

const folder = fileURLToPath(new URL('../../../adapters/http/deploy/', import.meta.url))
const program = fileURLToPath(new URL('../../../adapters/http/dist/serve.js', import.meta.url))

const read = (name: string) => readFile(join(folder, name), 'utf8')
const unit = await read('findling.service')
const container = await read('Containerfile')
const compose = await read('compose.yaml')
const several = await read('several-servers.compose.yml')

/** The words of a line of a Containerfile that is written as a JSON list. */
function listAfter(word: string): string[] {
  return JSON.parse(new RegExp(`^${word} (\\[.*\\])$`, 'm').exec(container)![1]!)
}

const pairsIn = (text: string) => text.split(/\s+/).map(pair => pair.split('=') as [string, string])

const containerEnv = Object.fromEntries(
  pairsIn(/^ENV ((?:.*\\\n)*.*)$/m.exec(container)![1]!.replaceAll('\\\n', '')),
)

/** What the unit sets, but no line that is a comment. */
const unitEnv = () =>
  Object.fromEntries([...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, pairs = '']) => pairsIn(pairs)))

interface Result {
  readonly code: unknown
  readonly output: string
}

function run(file: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Result> {
  return new Promise(resolve => {
    execFile(file, [...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })
}

describe('the files for deployment', () => {
  test('set variables that are settings', async () => {
    const known = new Set(['FINDLING_CONFIG', ...describeSettings().map(({ variable }) => variable)])
    for (const name of await readdir(folder)) {
      const named = (await read(name)).match(/\bFINDLING_[A-Z_]+/g) ?? []
      expect([name, named.filter(variable => !known.has(variable))]).toEqual([name, []])
    }
  })

  test('make settings that are taken, plain HTTP behind a proxy only', () => {
    expect(readConfig(containerEnv)).toMatchObject({
      host: '0.0.0.0',
      trustProxy: true,
      store: '/data/store',
    })
    expect(() => readConfig({ ...containerEnv, FINDLING_TRUST_PROXY: undefined })).toThrow(/no TLS/)
  })

  test('start with options that there are', () => {
    const [, words = ''] = /^ExecStart=\/usr\/bin\/env findling-http (.*) \$OPTIONS$/m.exec(unit)!
    const [, secretFile = ''] = /^#Environment=OPTIONS=(\S+)$/m.exec(unit)!
    expect(readArguments([...words.split(' '), secretFile])).toMatchObject({
      empty: true,
      secretFile: '%d/secret',
    })
    const command = JSON.parse(/^ {4}command: (\[.*\])$/m.exec(compose)![1]!.replaceAll("'", '"'))
    expect(readArguments(command)).toMatchObject({ empty: true, secretFile: '/run/secrets/findling' })
    expect(readArguments(listAfter('CMD'))).toMatchObject({ empty: true })
  })

  test('name a folder for backups that is not the store, and can be written where the store can', () => {
    for (const [text, parent] of [
      [unit, '/var/lib/findling'],
      [container, '/data'],
      [compose, '/data'],
    ] as const)
      expect(text).toMatch(new RegExp(`^[^#\n]*FINDLING_BACKUP_FOLDER(?:=|: )${parent}/backup\\b`, 'm'))
    expect(unit).toMatch(/^StateDirectory=findling$/m)
    expect(container).toMatch(/^RUN mkdir .*\/data\/backup .*chown node:node .*\/data\/backup$/m)
    expect(readConfig(unitEnv())).toMatchObject({ backupFolder: '/var/lib/findling/backup' })
    expect(readConfig(containerEnv)).toMatchObject({ backupFolder: '/data/backup' })
  })

  test('make servers of one cluster with names of their own, and say that nobody has run them', () => {
    expect(several.split('\n')[0]).toMatch(/nobody has run it/)
    const settings = Object.fromEntries(
      [...several.matchAll(/^ +(FINDLING_(?!NODE)[A-Z_]+): (.*)$/gm)].map(([, name, value]) => [name, value]),
    )
    const cluster = settings.FINDLING_CLUSTER.replace(/\$\{.*?\}/, 'hidden')
    const names = [...several.matchAll(/^ +FINDLING_NODE: (.*)$/gm)].map(([, name]) => name!)
    const servers = [...several.matchAll(/^ +server (\w+) \w+:8080$/gm)].map(([, name]) => name)
    expect([names, servers]).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ])
    for (const FINDLING_NODE of names)
      expect(
        readConfig({ ...containerEnv, ...settings, FINDLING_CLUSTER: cluster, FINDLING_NODE }),
      ).toMatchObject({ node: FINDLING_NODE, snapshots: '/snapshots', trustProxy: true })
    const command = JSON.parse(/^ {2}command: (\[.*\])$/m.exec(several)![1]!.replaceAll("'", '"'))
    expect(readArguments(command)).toMatchObject({ empty: true, secretFile: '/run/secrets/findling' })
  })

  test('take the settings of a cluster from the environment file, and start again after exit code 1', () => {
    const lines = [...unit.matchAll(/^# {3}(FINDLING_[A-Z]+)=(.*)$/gm)].map(([, name, value]) => [
      name,
      value,
    ])
    expect(readConfig({ ...unitEnv(), ...Object.fromEntries(lines) })).toMatchObject({
      node: 'one',
      snapshots: '/mnt/findling',
      cluster: expect.stringMatching(/^postgres:/),
    })
    expect(unit).toMatch(/^Restart=on-failure$/m)
    expect(/^RestartPreventExitStatus=(.*)$/m.exec(unit)![1]).toBe('2')
  })

  test('satisfy systemd', async ({ skip }) => {
    const program = '/usr/bin/systemd-analyze'
    skip(!existsSync(program), `There is no ${program}.`)
    expect(await run(program, ['verify', join(folder, 'findling.service')])).toEqual({ code: 0, output: '' })
  })

  test('satisfy nginx, without a warning, which then tells the server who calls by what scheme', async ({
    skip,
  }) => {
    const program = ['/usr/sbin/nginx', '/usr/bin/nginx'].find(path => existsSync(path))
    skip(program === undefined, 'There is no nginx.')
    const server = createServer(({ headers }, answer) => answer.end(JSON.stringify(headers)))
    const upstream = await new Promise<number>(resolve =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    )
    onTestFinished(() => void server.close())
    const place = await writableFolder()
    const [plain, secure] = [await freePort(), await freePort()]
    const own = (await read('nginx.conf'))
      .replace('server findling:8080;', `server 127.0.0.1:${upstream};`)
      .replace(/(?<=^ *listen )80(?= )/m, `127.0.0.1:${plain}`)
      .replace(/(?<=^ *listen )443(?= )/m, `127.0.0.1:${secure}`)
      .replaceAll('/etc/nginx/tls/', `${place}/`)
    const pair = fileURLToPath(new URL('../../fixtures/tls/first', import.meta.url))
    await copyFile(`${pair}.crt`, join(place, 'tls.crt'))
    await copyFile(`${pair}.key`, join(place, 'tls.key'))
    await writeFile(join(place, 'findling.conf'), own)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map(name => `${name}_temp_path ${place}/${name};`)
      .join(' ')
    const around = `pid ${place}/pid; events {} http { access_log off; ${temporary} include ${place}/findling.conf; }`
    await writeFile(join(place, 'nginx.conf'), around)
    const args = ['-e', 'stderr', '-c', join(place, 'nginx.conf')]
    const { code, output } = await run(program!, ['-t', ...args])
    expect([code, output]).toEqual([0, expect.not.stringMatching(/warn|deprecated/)])

    const nginx = spawn(program!, [...args, '-g', 'daemon off;'], { stdio: 'ignore' })
    const ended = new Promise(resolve => nginx.once('close', resolve))
    onTestFinished(async () => {
      nginx.kill('SIGTERM')
      await ended
    })
    const ca = await readFile(join(place, 'tls.crt'))
    const get = (path: string) =>
      new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
        const headers = { 'X-Forwarded-For': '203.0.113.9' }
        request({ host: '127.0.0.1', port: secure, path, ca, headers }, async answer =>
          resolve({ status: answer.statusCode, body: await text(answer) }),
        )
          .on('error', reject)
          .end()
      })
    await expect
      .poll(() =>
        get('/').then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200)
    expect(JSON.parse((await get('/shop/api/Status')).body)).toMatchObject({
      host: '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '127.0.0.1',
    })
    expect((await get('/metrics')).status).toBe(404)
    const led = await fetch(`http://127.0.0.1:${plain}/docs`, { redirect: 'manual' })
    expect([led.status, led.headers.get('Location')]).toEqual([308, 'https://127.0.0.1/docs'])
  })
})

describe('a server without rights is started', () => {
  test('by the line of the unit, with its variables, in a folder of its own', async () => {
    const place = await writableFolder()
    // What npm install --global puts on the path.
    await mkdir(join(place, 'bin'))
    await symlink(program, join(place, 'bin', 'findling-http'))
    const state = join(place, 'state')
    await mkdir(state)
    await own(state)
    const env = Object.fromEntries(
      Object.entries(unitEnv()).map(([name, value]) => [name, value.replace('/var/lib/findling', state)]),
    )
    await writeFile(join(place, 'secret'), secret)
    await own(join(place, 'secret'))
    const [, options = ''] = /^#Environment=OPTIONS=(.*)$/m.exec(unit)!
    const [, line = ''] = /^ExecStart=(.*)$/m.exec(unit)!
    const [file = '', ...args] = line.replace('$OPTIONS', options.replace('%d', place)).split(' ')
    const path = [join(place, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':')
    const server = await started(file, args, state, { ...env, PATH: path, PORT: '0' })
    await expectBackup(server.port, join(state, 'backup'))
    expect(await server.end()).toBe(0)
  })

  test('by the lines of the container, and its health check finds it ready', async () => {
    const place = await writableFolder()
    const [command = '', path = ''] = listAfter('ENTRYPOINT')
    expect([command, path]).toEqual(['node', '/app/node_modules/@findling/http/dist/serve.js'])
    const inside = Object.fromEntries(
      Object.entries(containerEnv).map(([name, value]) => [name, value.replace(/^\/data\//, `${place}/`)]),
    )
    const env = { ...inside, PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', FINDLING_SECRET: secret }
    // As `install` lays it out: the packages of the repository are the built ones.
    const installed = path.replace('/app/', fileURLToPath(new URL('../../../', import.meta.url)))
    const server = await started(process.execPath, [installed, ...listAfter('CMD')], place, env)
    const check = JSON.parse(/^HEALTHCHECK .*? CMD (\[.*\])$/m.exec(container)![1]!) as string[]
    const health = () => run(process.execPath, check.slice(1), { ...process.env, PORT: server.port })
    expect(await health()).toEqual({ code: 0, output: '' })
    await expectBackup(server.port, join(place, 'backup'))
    expect(await server.end()).toBe(0)
    expect((await health()).code).toBe(1)
  })
})

const secret = 's3cr3t-of-the-owner'

/** The backup can be made where the files for deployment say. */
async function expectBackup(port: string, backup: string): Promise<void> {
  const call = (method: string, path: string) =>
    fetch(`http://127.0.0.1:${port}/api/${path}`, {
      method,
      headers: { Authorization: `Findling ${secret}` },
    })
  const { Id } = (await (await call('POST', 'Maintenance/Backup')).json()) as { Id: string }
  const status = async () =>
    ((await (await call('GET', `Processes/${Id}`)).json()) as { Status: string }).Status
  await expect.poll(status).toBe('Finished')
  expect(await Engine.verifyBackup(backup)).toMatchObject({ entries: expect.any(Number) })
}

/** Nobody, where the tests themselves run as root. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

async function own(path: string): Promise<void> {
  if (user.uid !== undefined) await chown(path, user.uid, user.gid)
}

async function writableFolder(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'findling-deploy-'))
  onTestFinished(() => rm(place, { recursive: true, force: true, maxRetries: 5 }))
  await own(place)
  await chmod(place, 0o700)
  return place
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await new Promise<number>(resolve =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  )
  await new Promise(resolve => server.close(resolve))
  return port
}

async function started(file: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn(file, [...args], { ...user, cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', piece => {
      printed += piece
    })
  await expect.poll(() => printed, { timeout: 20_000 }).toMatch(/listens on http:\/\/127\.0\.0\.1:\d+/)
  const [, port = ''] = /listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)!
  return {
    port,
    end() {
      child.kill('SIGTERM')
      return ended
    },
  }
}
