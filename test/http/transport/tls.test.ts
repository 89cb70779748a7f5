import { copyFile, mkdtemp, readFile, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { key, type Server, serve } from './fixture.ts'

const pairs = fileURLToPath(new URL('../../fixtures/tls/', import.meta.url))
const certificates = await Promise.all(['first', 'second'].map(name => readFile(join(pairs, `${name}.crt`))))

async function pairOf(name: string): Promise<{ cert: string; key: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-tls-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') }
  await replace(files, name)
  return files
}

/** One file after the other, as every program that renews certificates does. */
async function replace(files: { cert: string; key: string }, name: string): Promise<void> {
  await copyFile(join(pairs, `${name}.crt`), files.cert)
  await copyFile(join(pairs, `${name}.key`), files.key)
}

async function served(files: { cert: string; key: string }): Promise<Server> {
  return await serve({ listen: { tls: files, lookEvery: 15, ...heard() } })
}

let messages: { reason?: string; message: string }[] = []
function heard() {
  messages = []
  const take = (details: object, message: string) => messages.push({ ...details, message })
  return { logger: { info: take, warn: take, error: take } }
}

/** The name in the certificate that a new connection gets. */
function presented(url: string): Promise<string> {
  const { port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', ca: certificates }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

function get(
  url: string,
  agent: Agent,
  headers: Record<string, string> = key,
): Promise<{ status?: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers }, response => {
      let body = ''
      response.setEncoding('utf8').on('data', text => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode!, body }))
    })
    sent.on('error', reject).end()
  })
}

describe('HTTPS', () => {
  test('is spoken with a certificate, and links in answers begin with it', async () => {
    const { url } = await served(await pairOf('first'))
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const agent = new Agent({ ca: certificates })
    const { status, body } = await get(`${url}/api/Shown/1`, agent)
    expect([status, JSON.parse(body).base]).toEqual([200, url])
    expect((await get(`${url}/api/Shown/1`, agent, {})).status).toBe(401)
    agent.destroy()
  })

  test('is not spoken with TLS 1.1, and plain HTTP gets no answer', async () => {
    const { url } = await served(await pairOf('first'))
    const old = new Agent({ ca: certificates, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })
    await expect(get(url, old)).rejects.toThrow()
    const plain = new Promise((resolve, reject) => {
      httpRequest(url.replace('https', 'http'), resolve).on('error', reject).end()
    })
    await expect(plain).rejects.toThrow()
    expect(await presented(url)).toBe('first.example')
  })

  test('takes a renewed pair for new connections and keeps those that are open', async () => {
    const files = await pairOf('first')
    const { url } = await served(files)
    const agent = new Agent({ ca: certificates, keepAlive: true, maxSockets: 1 })
    await get(`${url}/health`, agent)
    const [socket] = Object.values(agent.freeSockets).flat()
    await replace(files, 'second')
    await expect.poll(() => presented(url)).toBe('second.example')
    expect((await get(`${url}/health`, agent)).status).toBe(200)
    expect(Object.values(agent.freeSockets).flat()).toEqual([socket])
    expect(messages).toEqual([
      expect.objectContaining({ message: 'new connections use the new certificate' }),
    ])
    agent.destroy()
  })

  test('takes a pair that links lead to from now on', async () => {
    const files = await pairOf('first')
    const { url } = await served(files)
    for (const [file, name] of [
      [files.cert, 'second.crt'],
      [files.key, 'second.key'],
    ] as const) {
      await unlink(file)
      await symlink(join(pairs, name), file)
    }
    await expect.poll(() => presented(url)).toBe('second.example')
  })

  test.each<[string, (files: { cert: string; key: string }) => Promise<void>, RegExp]>([
    [
      'has a key of another',
      ({ cert }) => copyFile(join(pairs, 'second.crt'), cert),
      /does not belong to the certificate/,
    ],
    [
      'is no certificate',
      ({ cert }) => writeFile(cert, 'nothing of the kind'),
      /^The certificate .* cannot be used/,
    ],
    ['is gone', ({ key }) => unlink(key), /^The private key .* cannot be read/],
  ])(
    'keeps the old pair where the new one %s, says so once, and takes the next good one',
    async (_, spoil, reason) => {
      const files = await pairOf('first')
      const { url } = await served(files)
      await spoil(files)
      await expect.poll(() => messages.length).toBe(1)
      expect(messages).toEqual([
        { reason: expect.stringMatching(reason), message: expect.stringContaining('remains in use') },
      ])
      expect(await presented(url)).toBe('first.example')
      await replace(files, 'second')
      await expect.poll(() => presented(url)).toBe('second.example')
      expect(messages).toHaveLength(2)
    },
  )

  test.each<[string, { cert?: string; key?: string }, RegExp]>([
    [
      'is not there',
      { cert: '/nowhere/tls.crt' },
      /^The certificate \/nowhere\/tls\.crt cannot be read: ENOENT/,
    ],
    [
      'has a key of another',
      { key: join(pairs, 'second.key') },
      /^The private key .*second\.key does not belong to/,
    ],
    ['is a certificate twice', { key: join(pairs, 'first.crt') }, /^The private key .* cannot be used/],
  ])('does not begin where the pair %s', async (_, wrong, message) => {
    const tls = { cert: join(pairs, 'first.crt'), key: join(pairs, 'first.key'), ...wrong }
    await expect(serve({ listen: { tls } })).rejects.toThrow(message)
  })
})

describe('X-Forwarded-For', () => {
  const forwarded = { ...key, 'X-Forwarded-For': '198.51.100.7, 203.0.113.9' }
  const addressOf = ({ logged }: Server) =>
    logged.find(({ message }) => message === 'request')?.details.address

  test('names the client where the proxy is trusted: by what the proxy itself has added', async () => {
    const server = await serve({ config: { trustProxy: true } })
    await server.get('/api/Shown/1', forwarded)
    expect(addressOf(server)).toBe('203.0.113.9')
  })

  test.each<[string, boolean, string]>([
    ['without a trusted proxy', false, '203.0.113.9'],
    ['when it names no address', true, 'unknown'],
    ['when it is empty', true, ''],
  ])('means nothing %s', async (_, trustProxy, header) => {
    const server = await serve({ config: { trustProxy } })
    await server.get('/api/Shown/1', { ...key, 'X-Forwarded-For': header })
    expect(addressOf(server)).toBe('127.0.0.1')
  })
})
