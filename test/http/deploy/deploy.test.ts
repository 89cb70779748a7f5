import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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

/** The words of a line of a Containerfile that is written as a JSON list. */
function listAfter(word: string): string[] {
  return JSON.parse(new RegExp(`^${word} (\\[.*\\])$`, 'm').exec(container)![1]!)
}

const containerEnv = Object.fromEntries(
  /^ENV (.*)$/m
    .exec(container)![1]!
    .split(' ')
    .map(pair => pair.split('=') as [string, string]),
)

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

  test.runIf(existsSync('/usr/bin/systemd-analyze'))('satisfy systemd', async () => {
    const { code, output } = await run('/usr/bin/systemd-analyze', [
      'verify',
      join(folder, 'findling.service'),
    ])
    expect([code, output]).toEqual([0, ''])
  })
})

describe('the entry line of the container', () => {
  test('starts a server as a user without rights, which its health check finds ready', async () => {
    const store = await mkdtemp(join(tmpdir(), 'findling-deploy-'))
    onTestFinished(() => rm(store, { recursive: true, force: true, maxRetries: 5 }))
    // Nobody, where the tests themselves run as root.
    const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
    if (user.uid !== undefined) await chown(store, user.uid, user.gid)
    await chmod(store, 0o700)
    const [command, path] = listAfter('ENTRYPOINT')
    expect([command, path]).toEqual(['node', '/app/node_modules/@findling/http/dist/serve.js'])
    const env = {
      ...containerEnv,
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: '0',
      FINDLING_STORE: join(store, 'data'),
    }
    const child = spawn(process.execPath, [program, ...listAfter('CMD')], {
      ...user,
      cwd: store,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const ended = new Promise<number | null>(resolve => child.once('close', resolve))
    onTestFinished(() => void child.kill('SIGKILL'))
    let printed = ''
    child.stdout!.setEncoding('utf8').on('data', text => {
      printed += text
    })
    await expect.poll(() => printed).toMatch(/listens on http:\/\/127\.0\.0\.1:\d+/)
    const [, port] = /listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)!
    const check = JSON.parse(/^HEALTHCHECK .*? CMD (\[.*\])$/m.exec(container)![1]!) as string[]
    const healthOn = (at: string) => run(process.execPath, check.slice(1), { ...process.env, PORT: at })
    expect(await healthOn(port!)).toEqual({ code: 0, output: '' })
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect((await healthOn(port!)).code).toBe(1)
  })
})
