import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { add, emptyFolder, several } from '../clients/several.ts'
import { chunk, key, request, type Server, serve, start, statusOf } from './fixture.ts'

let plain: Server

beforeAll(async () => {
  plain = await start()
  return plain.stop
})

const made = /^[0-9a-f]{32}$/

/** Of an answer as it came over the wire, which has one. */
function idIn(answer: string): string {
  const [head = ''] = answer.split('\r\n\r\n')
  const lines = head.split('\r\n').filter(line => /^x-request-id:/i.test(line))
  expect([answer.slice(0, 40), lines.length]).toEqual([answer.slice(0, 40), 1])
  return lines[0]!.split(': ')[1]!
}

describe('the id of a request', () => {
  test.each(['a', 'A-proxy.has_made-1', 'f'.repeat(128), '550e8400-e29b-41d4-a716-446655440000'])(
    'is the one that it came with: %s',
    async id => {
      const server = await serve()
      const answer = await server.get('/api/Shown/1', { ...key, 'X-Request-Id': id })
      expect([answer.status, answer.headers.get('X-Request-Id')]).toEqual([200, id])
      expect(server.logged.map(({ details }) => details.requestId)).toEqual([id])
    },
  )

  test.each<[string, string]>([
    ['empty', ''],
    ['blank', ' '],
    ['too long', 'f'.repeat(129)],
    ['very long', 'f'.repeat(10_000)],
    ['of two words', 'one two'],
    ['of other signs', '{"level":60}'],
    ['the end of a line, escaped', 'one%0d%0aSet-Cookie:x'],
    ['a tab', 'one\ttwo'],
    ['of other letters', '\u00e9'],
    ['of other alphabets', Buffer.from('\u4e2d\u{1f600}').toString('latin1')],
    ['two in one', 'one, two'],
  ])('is a new one where it came with one that is %s', async (_, id) => {
    const server = await serve()
    const first = idIn(await server.raw([request('GET /api/Shown/1', { 'X-Request-Id': id })]))
    const second = idIn(await server.raw([request('GET /api/Shown/1', { 'X-Request-Id': id })]))
    expect([first, second]).toEqual([expect.stringMatching(made), expect.stringMatching(made)])
    expect(first).not.toBe(second)
    expect(server.logged.map(({ details }) => details.requestId)).toEqual([first, second])
    if (id.trim() !== '') expect(JSON.stringify(server.logged)).not.toContain(JSON.stringify(id).slice(1, -1))
  })

  test('that came twice is a new one, and one that ends its line is refused', async () => {
    const twice = await plain.raw([
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Request-Id: one\r\nX-Request-Id: two\r\n\r\n',
    ])
    expect(idIn(twice)).toMatch(made)
    const broken = await plain.raw(['GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: one\rtwo: 3\r\n\r\n'])
    expect([statusOf(broken), idIn(broken)]).toEqual([400, expect.stringMatching(made)])
  })

  test('is on every answer, and the log of a failure has it', async () => {
    const server = await serve()
    const headers = { ...key, 'Content-Type': 'application/json', 'X-Request-Id': 'mine' }
    const answers = [
      await server.post('/api/Fails', '{}', headers),
      await server.get('/nowhere', { 'X-Request-Id': 'mine' }),
      await server.get('/api/Shown/1', { 'X-Request-Id': 'mine' }),
      await server.get('/setup', { 'X-Request-Id': 'mine' }),
    ]
    expect(answers.map(({ status, headers }) => [status, headers.get('X-Request-Id')])).toEqual(
      [500, 404, 401, 200].map(status => [status, 'mine']),
    )
    // The contract has this text, and no other member of an error.
    expect(await answers[0]!.json()).toEqual({ Errors: ['Internal Server Error'] })
    const [failed] = server.logged.filter(({ message }) => message === 'request failed')
    expect(failed!.details.requestId).toBe('mine')
  })

  test('is on answers to what no router sees', async () => {
    const server = await serve({ listen: { headersTimeout: 500, requestTimeout: 500 } })
    const named = { 'X-Request-Id': 'mine' }
    const slow = { ...named, 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json' }
    const answers: [string[] | (string | Buffer)[], number, unknown][] = [
      [['nonsense\r\n\r\n'], 400, expect.stringMatching(made)],
      [
        [`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
        431,
        expect.stringMatching(made),
      ],
      [[request('GET http://[half', named)], 400, 'mine'],
      [[request('GET /', { ...named, Host: 'a b' })], 400, 'mine'],
      [[request('POST /api/body', slow), chunk('{')], 408, 'mine'],
    ]
    const { 'X-Request-Id': _, ...unnamed } = slow
    for (const [parts, status, id] of answers) {
      const answer = await server.raw(parts)
      expect([statusOf(answer), idIn(answer)]).toEqual([status, id])
    }
    // What the log has of it, it calls by the same name.
    const newOne = idIn(await server.raw([request('POST /api/body', unnamed), chunk('{')]))
    await expect.poll(() => server.logged.map(({ details }) => details.requestId)).toContain(newOne)
  })

  test('may be read by pages of any origin, and sent by them', async () => {
    const headers = { ...key, Origin: 'https://shop.example' }
    const answer = await plain.get('/api/Shown/1', headers)
    expect(answer.headers.get('Access-Control-Expose-Headers')).toContain('X-Request-Id')
    const asked = { 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'x-request-id' }
    const preflight = await fetch(`${plain.url}/api/Shown/1`, {
      method: 'OPTIONS',
      headers: { ...headers, ...asked },
    })
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toBe('x-request-id')
    expect(preflight.headers.get('X-Request-Id')).toMatch(made)
  })

  test('is on answers for clients, also one that is not there or cannot be read', async () => {
    const folder = await emptyFolder()
    await add(folder, 'shop', 'other')
    await writeFile(join(folder, 'clients', 'other', 'store', 'CURRENT'), 'nonsense\n')
    const all = await several(folder)
    onTestFinished(all.stop)
    const statuses: number[] = []
    for (const path of ['/shop/api/Status', '/nobody/api/Status', '/other/api/Status', '/api/Status']) {
      const { status, headers } = await all.send('GET', path, { headers: { 'X-Request-Id': 'mine' } })
      statuses.push(status)
      expect([path, headers.get('X-Request-Id')]).toEqual([path, 'mine'])
    }
    expect(statuses).toEqual([401, 401, 503, 401])
  })
})
