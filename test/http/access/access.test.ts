import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'findling'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Access, openAccess } from '../../../adapters/http/src/access/access.ts'
import { SecretChecks } from '../../../adapters/http/src/access/secret-checks.ts'
import { SlowDown } from '../../../adapters/http/src/access/slow-down.ts'
import { hashCost } from './hash-cost.ts'

const schemes = ['Findling', 'Service', 'Bearer']
const here = { address: '192.0.2.1' }

let engine: Engine
beforeEach(async () => {
  engine = await Engine.open()
})
afterEach(() => engine.close())

const open = (seed?: string) => openAccess(engine, { schemes, hashCost, ...(seed !== undefined && { seed }) })

test('a guess costs 32 MB and three passes over them, unless told otherwise', async () => {
  await openAccess(engine, { schemes, seed: 'right-key' })
  const stored = await engine.namespace('http-access').get('secret')
  expect(stored).toMatchObject({ cost: 2 ** 15, blockSize: 8, parallelization: 3 })
})

describe('check', () => {
  let engine: Engine
  let access: Access
  beforeAll(async () => {
    engine = await Engine.open()
    // Failures of one address wait for ever longer, which the tests of SlowDown are about.
    const slowDown = new SlowDown({ wait: () => Promise.resolve() })
    access = await openAccess(engine, {
      schemes,
      seed: 'right-key',
      checks: new SecretChecks(slowDown),
      hashCost,
    })
  })
  afterAll(() => engine.close())

  test.each([
    'Findling right-key',
    'findling right-key',
    'SERVICE right-key',
    'Bearer right-key',
    '  Bearer   right-key  ',
    'Bearer right-key and more',
  ])('takes %j', async header => {
    expect(await access.check(header, here)).toBe('ok')
  })

  test.each([
    null,
    '',
    ' ',
    'Findling',
    'right-key',
    'Findlingright-key',
    'Basic right-key',
    'Findling Right-Key',
    'Findling right-ke',
    'Findling right-key2',
    'Findling wrong right-key',
    'Findling\tright-key',
    `Findling ${'x'.repeat(10_000_000)}`,
    'Findling \u0000\ud800__proto__',
    'constructor right-key',
  ])('refuses %.60j', async header => {
    expect(await access.check(header, here)).toBe('refused')
  })

  test('takes further scheme words only where they are configured', async () => {
    expect(await access.check('Other right-key', here)).toBe('refused')
    const configured = await openAccess(engine, { schemes: [...schemes, 'Other'], hashCost })
    expect(await configured.check('oTHER right-key', here)).toBe('ok')
  })

  test('refuses everything while there is no secret', async () => {
    await using empty = await Engine.open()
    const unset = await openAccess(empty, { schemes, hashCost })
    expect(unset.isSet()).toBe(false)
    expect(await unset.check('Findling undefined', here)).toBe('refused')
    expect(await unset.check('Findling ', here)).toBe('refused')
  })

  test('knows the secret after a restart, for many callers at once', async () => {
    const restarted = await openAccess(engine, { schemes, hashCost })
    const headers = ['right-key', 'wrong-key', 'right-key', 'shrt', 'right-key'].map(key => `Findling ${key}`)
    const answers = await Promise.all(headers.map(header => restarted.check(header, here)))
    expect(answers).toEqual(['ok', 'refused', 'ok', 'refused', 'ok'])
  })

  test('never refuses a right key after a restart, however many wrong ones wait', async () => {
    const restarted = await openAccess(engine, { schemes, hashCost })
    const flood = Promise.allSettled(
      Array.from({ length: 200 }, (_, at) =>
        restarted.check(`Findling wrong-${at}`, { address: '192.0.2.66' }),
      ),
    )
    const right = Array.from({ length: 100 }, () => restarted.check('Findling right-key', here))
    expect(await Promise.all(right)).toEqual(Array(100).fill('ok'))
    const answers = await flood
    const unchecked = answers.filter(({ status }) => status === 'rejected')
    // One is under way and ten wait; that many are told what they are, the others only that they were not looked at.
    expect(unchecked.length).toBe(200 - 11)
    for (const answer of unchecked) expect(answer).toMatchObject({ reason: { status: 503 } })
    for (const answer of answers.slice(0, 11)) expect(answer).toMatchObject({ value: 'refused' })
  })

  test('needs no place and no costly check to refuse a wrong key again', async () => {
    const restarted = await openAccess(engine, { schemes, hashCost })
    expect(await restarted.check('Findling wrong-before', here)).toBe('refused')
    const leaving = Array.from({ length: 11 }, () => new AbortController())
    const full = Promise.allSettled(
      leaving.map(({ signal }, at) => restarted.check(`Findling wrong-${at}`, { ...here, signal })),
    )
    await expect(restarted.check('Findling wrong-new', here)).rejects.toMatchObject({ status: 503 })
    expect(await restarted.check('Findling wrong-before', here)).toBe('refused')
    for (const client of leaving) client.abort()
    const answers = await full
    expect(answers.filter(({ status }) => status === 'rejected').length).toBe(10)
  })

  test('takes a key that was wrong until it was set', async () => {
    await using engine = await Engine.open()
    await (await openAccess(engine, { schemes, seed: 'first-key', hashCost })).setSecret('second-key')
    const restarted = await openAccess(engine, { schemes, hashCost })
    expect(await restarted.check('Findling first-key', here)).toBe('refused')
    await restarted.setSecret('first-key')
    expect(await restarted.check('Findling first-key', here)).toBe('ok')
    expect(await restarted.check('Findling second-key', here)).toBe('refused')
  })

  test('answers a right key at once while failures of the same address wait without end', async () => {
    const held: (() => void)[] = []
    const slowDown = new SlowDown({ wait: () => new Promise<void>(resolve => held.push(resolve)) })
    const braked = await openAccess(engine, { schemes, checks: new SecretChecks(slowDown), hashCost })
    const attempts = Array.from({ length: 50 }, () => braked.check('Findling no', here))
    await Promise.all(attempts.slice(0, 10))
    expect(await braked.check('Findling right-key', here)).toBe('ok')
    expect(held.length).toBe(40)
    for (const release of held) release()
    expect(await Promise.all(attempts)).toEqual(Array(50).fill('refused'))
  })
})

describe('setSecret', () => {
  test.each([
    ['', 'at least 6'],
    ['12345', 'at least 6'],
    ['x'.repeat(33), 'at most 32'],
    ['x'.repeat(10_000_000), 'at most 32'],
    ['with blank', 'blank'],
    ['tab\tinside', 'blank'],
    ['no\u00a0break', 'blank'],
    ['nul\u0000inside', 'ASCII'],
    ['ünïcödé', 'ASCII'],
    ['lone\ud800surrogate', 'ASCII'],
  ])('refuses %.40j with 406 and sets nothing', async (secret, reason) => {
    const access = await open()
    await expect(access.setSecret(secret)).rejects.toMatchObject({
      status: 406,
      errors: [expect.stringContaining(reason)],
    })
    expect(access.isSet()).toBe(false)
  })

  test('names the limit that was broken and no other, and never the secret', async () => {
    const access = await open()
    const secret = 'correct-horse-battery-staple-is-too-long'
    const refusal = await access.setSecret(secret).catch(error => error)
    expect(refusal.message).toContain('at most 32')
    expect(refusal.message).not.toContain('at least')
    expect(refusal.message).not.toContain(secret)
  })

  test.each(['123456', 'x'.repeat(32), `!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}`, '__proto__'])(
    'takes %j',
    async secret => {
      const access = await open()
      await access.setSecret(secret)
      expect(await access.check(`Findling ${secret}`, here)).toBe('ok')
      expect(access.isSet() && !access.isProvisional()).toBe(true)
    },
  )

  test('changes what the very next request needs', async () => {
    const access = await open('first-key')
    await access.setSecret('second-key')
    expect(await access.check('Findling first-key', here)).toBe('refused')
    expect(await access.check('Findling second-key', here)).toBe('ok')
  })

  test('leaves the last of several changes in force, also after a restart', async () => {
    const access = await open()
    const secrets = ['secret-one', 'secret-two', 'secret-three']
    await Promise.all(secrets.map(secret => access.setSecret(secret)))
    for (const one of [access, await open()]) {
      expect(await one.check('Findling secret-three', here)).toBe('ok')
      expect(await one.check('Findling secret-one', here)).toBe('refused')
    }
  })

  test('writes no byte of the secret to the disk', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'findling-access-'))
    const secret = 'Unmistakable-Secret-4711'
    const onDisk = await Engine.open({ store: folder })
    await (await openAccess(onDisk, { schemes, hashCost })).setSecret(secret)
    await onDisk.close()
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(file =>
      file.isFile(),
    )
    const bytes = await Promise.all(files.map(file => readFile(join(file.parentPath, file.name))))
    await rm(folder, { recursive: true })
    expect(Buffer.concat(bytes).length).toBeGreaterThan(0)
    for (const written of [
      secret,
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('hex'),
    ]) {
      expect(Buffer.concat(bytes).includes(written)).toBe(false)
    }
  })
})

describe('makeProvisional', () => {
  test('makes a key that works, and another one each time', async () => {
    const access = await open()
    const first = await access.makeProvisional()
    expect(await access.check(`Findling ${first}`, here)).toBe('ok')
    expect(access.isSet() && access.isProvisional()).toBe(true)
    const second = await access.makeProvisional()
    expect(second).not.toBe(first)
    expect(await access.check(`Findling ${first}`, here)).toBe('refused')
  })

  test('ends when the owner sets a secret, and never replaces that', async () => {
    const access = await open()
    const provisional = await access.makeProvisional()
    await access.setSecret('owners-key')
    expect(await access.check(`Findling ${provisional}`, here)).toBe('refused')
    await expect(access.makeProvisional()).rejects.toMatchObject({ status: 409 })
    expect(await access.check('Findling owners-key', here)).toBe('ok')
  })

  test('is still provisional after a restart', async () => {
    const provisional = await (await open()).makeProvisional()
    const restarted = await open()
    expect(restarted.isProvisional()).toBe(true)
    expect(await restarted.check(`Findling ${provisional}`, here)).toBe('ok')
  })
})

describe('the seed', () => {
  test('sets the first secret, and none after it', async () => {
    await (await open('seeded-key')).setSecret('changed-key')
    const restarted = await open('seeded-key')
    expect(await restarted.check('Findling seeded-key', here)).toBe('refused')
    expect(await restarted.check('Findling changed-key', here)).toBe('ok')
  })

  test('takes the place of a provisional secret', async () => {
    const provisional = await (await open()).makeProvisional()
    const restarted = await open('seeded-key')
    expect(restarted.isProvisional()).toBe(false)
    expect(await restarted.check(`Findling ${provisional}`, here)).toBe('refused')
    expect(await restarted.check('Findling seeded-key', here)).toBe('ok')
  })

  test('is refused by the same rule as any secret', async () => {
    await expect(open('short')).rejects.toMatchObject({ status: 406 })
    expect((await open()).isSet()).toBe(false)
  })
})
