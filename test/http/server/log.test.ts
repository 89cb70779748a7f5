import fs from 'node:fs'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FindlingError } from 'findling'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openLog } from '../../../adapters/http/src/server/log.ts'
import { heldBytes } from '../../held-bytes.ts'

let logFolder: string
let file: string
beforeEach(async () => {
  logFolder = await mkdtemp(join(tmpdir(), 'findling-log-'))
  file = join(logFolder, 'findling-http.log')
})
afterEach(() => rm(logFolder, { recursive: true }))

describe('the log in a folder', () => {
  test('is appended to, without what could hold a key', async () => {
    await writeFile(file, 'before\n')
    const headers = { cookie: 'key' }
    openLog({ logFolder, logLevel: 'info' }).info(
      { secret: 'key', call: { headers, authorization: 'key' } },
      'hi',
    )
    const text = await readFile(file, 'utf8')
    expect(text).toMatch(/^before\n{"level":30,"time":\d+,"call":{},"msg":"hi"}\n$/)
  })

  test('says what went wrong in the engine, and why', async () => {
    const error = new FindlingError('STORE_FAILED', 'cannot write', {}, new Error('the disk is full'))
    for (const name of ['error', 'err'])
      openLog({ logFolder, logLevel: 'info' }).warn({ [name]: error }, 'hi')
    const lines = (await readFile(file, 'utf8')).trim().split('\n')
    const told = lines.map(line => JSON.parse(line)).map(({ error, err }) => error ?? err)
    for (const one of told)
      expect(one).toMatchObject({ code: 'STORE_FAILED', message: 'cannot write: the disk is full' })
    expect(told).toHaveLength(2)
  })

  test.skipIf(process.platform !== 'linux')(
    'that is on a full disk fails nobody, and is told once, with few lines waiting for it',
    async () => {
      const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
      await symlink('/dev/full', file)
      const logger = openLog({ logFolder, logLevel: 'info' })
      const before = heldBytes()
      const text = 'x'.repeat(10_000)
      for (let i = 0; i < 5_000; i++) logger.info({ i }, text)
      const lines = told.mock.calls.map(([line]) => String(line))
      told.mockRestore()
      expect(lines).toEqual([expect.stringMatching(/^The log cannot be written: ENOSPC.*\n$/)])
      expect(heldBytes() - before).toBeLessThan(25_000_000)
      // It held them until here.
      logger.info('last')
    },
  )

  test('goes on once there is room, however many lines were dropped before', async () => {
    const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const logger = openLog({ logFolder, logLevel: 'info' })
    logger.info('before')
    const writing = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    })
    for (let i = 0; i < 20_000; i++) logger.info({ i }, 'x'.repeat(1 + (i % 200)))
    expect(writing).toHaveBeenCalled()
    writing.mockRestore()
    logger.info('dropped, but there is room')
    logger.info('written')
    const lines = told.mock.calls.length
    told.mockRestore()
    expect(lines).toBe(1)
    const texts = (await readFile(file, 'utf8')).trimEnd().split('\n')
    expect(texts.length).toBeGreaterThan(3_000)
    const messages = texts.map(text => JSON.parse(text).msg)
    expect([messages[0], messages.at(-1)]).toEqual(['before', 'written'])
  })
})
