import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Engine } from 'findling'
import { expect, onTestFinished, test } from 'vitest'
import { type Config, readConfig } from '../../../adapters/http/src/config/config.ts'
import { openLicence } from '../../../adapters/http/src/licence/licence.ts'
import { checkInstallation } from '../../../adapters/http/src/server/check.ts'

const pairs = fileURLToPath(new URL('../../fixtures/tls/', import.meta.url))

async function given(more: Partial<Config> = {}): Promise<Config> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-check-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return { ...readConfig({ FINDLING_STORE: join(folder, 'data') }), diskMinimumMb: 0, ...more }
}

async function checkOf(config: Config, subject: string, now?: number) {
  const found = (await checkInstallation(config, now)).filter(check => check.subject === subject)
  expect(found).toHaveLength(1)
  return found[0]!
}

test('a certificate that has expired fails, with its day', async () => {
  const config = await given({ tlsCert: join(pairs, 'first.crt'), tlsKey: join(pairs, 'first.key') })
  expect(await checkOf(config, 'certificate')).toMatchObject({ isGood: true })
  expect(await checkOf(config, 'certificate', Date.parse('2300-01-01'))).toEqual({
    subject: 'certificate',
    isGood: false,
    says: expect.stringMatching(/first\.crt expired on 21\d\d-/),
  })
})

test('a file in the way of a folder fails, at the place itself or above it', async () => {
  const config = await given()
  const file = join(config.store, '..', 'file')
  await writeFile(file, '')
  for (const folder of [file, join(file, 'below')])
    for (const [subject, given] of [
      ['folder for the log', { logFolder: folder }],
      ['folder for files', { filesFolder: folder }],
      ['folder for backups', { backupFolder: folder }],
    ] as const)
      expect(await checkOf({ ...config, ...given }, subject)).toMatchObject({ isGood: false })
  expect(
    await checkOf({ ...config, logFolder: join(file, '..', 'a', 'b') }, 'folder for the log'),
  ).toMatchObject({
    isGood: true,
    says: expect.stringMatching(/a.b can be created$/),
  })
})

test('a store that is no store fails, one that is not there is made later, and nothing is made now', async () => {
  const config = await given()
  expect(await checkOf(config, 'store')).toMatchObject({
    isGood: true,
    says: 'will be created at the first start',
  })
  await (await Engine.open({ store: config.store })).close()
  expect(await checkOf(config, 'store')).toMatchObject({
    isGood: true,
    says: expect.stringContaining('0 datasets'),
  })
  await writeFile(join(config.store, 'CURRENT'), 'nothing of the kind')
  expect(await checkOf(config, 'store')).toMatchObject({ isGood: false })
})

test('the licence is told, a valid one and none', async () => {
  const config = await given()
  const engine = await Engine.open({ store: config.store })
  const licence = await openLicence(engine)
  await licence.store(await licence.issueOpenSource('owner@example.com'))
  await engine.close()
  expect(await checkOf(config, 'licence')).toEqual({
    subject: 'licence',
    isGood: true,
    says: 'OpenSource, valid',
  })
})
