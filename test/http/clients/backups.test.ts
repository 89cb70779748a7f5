import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Engine } from 'findling'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Config } from '../../../adapters/http/src/config/config.ts'
import {
  type Answered,
  add,
  emptyFolder,
  operatorsSecret,
  type Several,
  secretOf,
  several,
} from './several.ts'

const operator = { key: operatorsSecret }
const keyOf = (id: string) => ({ key: secretOf(id) })
const backup = '/api/Maintenance/Backup'

interface Server extends Several {
  readonly backups: string
  /** The process of the operator when it has ended. */
  ended(started: Answered): Promise<Answered['body']>
}

async function serving(ids: readonly string[], given: Partial<Config> = {}): Promise<Server> {
  const folder = await emptyFolder()
  const backups = join(folder, 'backups')
  await add(folder, ...ids)
  const all = await several(folder, { backupFolder: backups, ...given })
  onTestFinished(all.stop)
  return {
    ...all,
    backups,
    async ended({ status, body }) {
      expect([status, body.Type]).toEqual([202, 'MaintenanceBackup'])
      const process = async () => (await all.send('GET', `/api/Processes/${body.Id}`, operator)).body
      await expect.poll(async () => (await process()).Status).not.toMatch(/InProgress|Cancelling/)
      return await process()
    },
  }
}

describe('a backup that the operator asks for', () => {
  test('is of the operator and of all clients, each in a folder of its own', async () => {
    const { send, backups, ended } = await serving(['one', 'two'])
    const process = await ended(await send('POST', backup, operator))
    expect(process).toMatchObject({ Status: 'Finished', Percent: 100, ErrorMessages: [] })
    expect(process.ResultMessage).toMatch(
      /^Backing up the operator and all clients: 3 stores, \d+ bytes written\.$/,
    )
    expect((await readdir(backups)).sort()).toEqual(['_operator', 'one', 'two'])
    // By the secret that each has: they are who they say.
    for (const [name, secret] of [
      ['_operator', operatorsSecret],
      ['one', secretOf('one')],
    ] as const) {
      const restored = await emptyFolder()
      await Engine.restore(join(backups, name), join(restored, 'clients', 'again', 'store'))
      const again = await several(restored)
      onTestFinished(again.stop)
      expect([name, (await again.send('GET', '/again/api/Status', { key: secret })).status]).toEqual([
        name,
        200,
      ])
    }
    const listed = await send('GET', '/api/Processes?allStatus=true&extensions=true', operator)
    expect(listed.body.map(({ Type }: { Type: string }) => Type)).toEqual([
      'MaintenanceBackup',
      'MaintenanceBackup',
    ])
  })

  test('goes on where one fails, says to the operator which, and to no client of another', async () => {
    const { send, backups, ended, logged, served } = await serving(['one', 'two', 'three'])
    await mkdir(join(backups, 'one'), { recursive: true })
    await writeFile(join(backups, 'one', 'thesis.txt'), 'all of it')
    const process = await ended(await send('POST', backup, operator))
    expect([process.Status, process.ErrorMessages]).toEqual([
      'Error',
      [
        'The process failed.',
        expect.stringMatching(/^1 of 4 stores were not backed up\. one: .*thesis\.txt/),
      ],
    ])
    for (const name of ['_operator', 'two', 'three']) await Engine.verifyBackup(join(backups, name))
    expect(logged.filter(({ message }) => message === 'a backup has failed')).toMatchObject([
      { details: { client: 'one' } },
    ])
    for (const { id } of served.clients.list()) {
      const { text } = await send('GET', `/${id}/api/Processes?allStatus=true&extensions=true`, keyOf(id))
      for (const other of ['operator', 'one', 'two', 'three'].filter(other => other !== id))
        expect([id, text]).not.toEqual([id, expect.stringMatching(new RegExp(`\\b${other}\\b`))])
      expect((await send('GET', `/${id}/api/Processes/${process.Id}`, keyOf(id))).status).toBe(404)
      expect((await send('POST', backup, keyOf(id))).status).toBe(401)
    }
  })

  test('names a client whose store cannot be read', async () => {
    const folder = await emptyFolder()
    await add(folder, 'broken', 'whole')
    await writeFile(join(folder, 'clients', 'broken', 'store', 'CURRENT'), 'nonsense\n')
    const all = await several(folder, { backupFolder: join(folder, 'backups') })
    onTestFinished(all.stop)
    const { body } = await all.send('POST', backup, operator)
    const process = async () => (await all.send('GET', `/api/Processes/${body.Id}`, operator)).body
    await expect.poll(async () => (await process()).Status).toBe('Error')
    expect((await process()).ErrorMessages[1]).toMatch(
      /^1 of 3 stores were not backed up\. broken: Its store/,
    )
    await Engine.verifyBackup(join(folder, 'backups', 'whole'))
  })

  test('is one at a time, waits for what a client has under way, and leaves them theirs', async () => {
    const { send, backups, ended } = await serving(['one', 'two'])
    const [own, first, second] = await Promise.all([
      send('POST', `/two${backup}`, keyOf('two')),
      send('POST', backup, operator),
      send('POST', backup, operator),
    ])
    expect([first.status, second.status].sort()).toEqual([202, 409])
    expect((await ended(first.status === 202 ? first : second)).Status).toBe('Finished')
    const status = async () =>
      (await send('GET', `/two/api/Processes/${own.body.Id}`, keyOf('two'))).body.Status
    await expect.poll(status).toBe('Finished')
    for (const name of ['_operator', 'one', 'two']) await Engine.verifyBackup(join(backups, name))
    expect((await send('POST', `/one${backup}`, keyOf('one'))).status).toBe(202)
  })

  test('can be cancelled, and the backups before stay', async () => {
    const { send, backups, ended } = await serving(['one'])
    await ended(await send('POST', backup, operator))
    const before = await Engine.describeBackup(join(backups, 'one'))
    const started = await send('POST', backup, operator)
    expect((await send('POST', `/api/Processes/${started.body.Id}/Cancel`, operator)).status).toBe(202)
    expect((await ended(started)).Status).toBe('Cancelled')
    expect(await Engine.describeBackup(join(backups, 'one'))).toEqual(before)
    expect((await ended(await send('POST', backup, operator))).Status).toBe('Finished')
  })

  test('fails for no client that is removed meanwhile', async () => {
    const { send, ended, folder, served } = await serving(['one', 'two'])
    const started = await send('POST', backup, operator)
    await rename(join(folder, 'two'), join(folder, '.two'))
    await served.clients.look()
    expect(await ended(started)).toMatchObject({ Status: 'Finished', ErrorMessages: [] })
  })

  test('is there only where there is a folder for it', async () => {
    const { send } = await serving(['one'], { backupFolder: undefined })
    expect((await send('POST', backup, operator)).status).toBe(404)
  })
})

test('metrics say of each how old its newest backup is, also after a restart, and how many have failed', async () => {
  const folder = await emptyFolder()
  await add(folder, 'one', 'two')
  const given = { backupFolder: join(folder, 'backups') }
  const valuesIn = async ({ send }: Several, name: string) => {
    const { text } = await send('GET', '/metrics', operator)
    return [...text.matchAll(new RegExp(`^${name}(?:{client="(.*)"})? (.*)$`, 'gm'))].map(
      ([, client = '', value]) => [client, Number(value)] as const,
    )
  }
  const first = await several(folder, given)
  expect(await valuesIn(first, 'findling_backup_age_seconds')).toEqual([])
  const none = [
    ['', 0],
    ['one', 0],
    ['two', 0],
  ]
  expect(await valuesIn(first, 'findling_backup_failures_total')).toEqual(none)
  await mkdir(join(folder, 'backups', 'two'), { recursive: true })
  await writeFile(join(folder, 'backups', 'two', 'thesis.txt'), '')
  await first.send('POST', backup, operator)
  const failures = () => valuesIn(first, 'findling_backup_failures_total')
  await expect.poll(failures).toEqual([
    ['', 1],
    ['one', 0],
    ['two', 1],
  ])
  await first.stop()

  const hour = 3_600_000
  await using engine = await Engine.open({ clock: () => Date.now() - hour })
  await engine.backup(join(folder, 'backups', 'one'))
  const second = await several(folder, given)
  onTestFinished(second.stop)
  const ages = await valuesIn(second, 'findling_backup_age_seconds')
  expect(ages.map(([client]) => client)).toEqual(['', 'one'])
  expect(ages[0]![1]).toBeLessThan(hour / 1000)
  expect(ages[1]![1]).toBeGreaterThanOrEqual(hour / 1000)
})

test('the schedule makes backups of those whose newest is old or missing, and leaves young ones', async () => {
  const folder = await emptyFolder()
  await add(folder, 'none', 'old', 'young')
  const backups = join(folder, 'backups')
  const madeAt = async (name: string) => (await Engine.describeBackup(join(backups, name)))?.madeAt
  for (const [name, age] of [
    ['old', 90 * 60_000],
    ['young', 10 * 60_000],
  ] as const) {
    await using engine = await Engine.open({
      store: join(folder, 'clients', name, 'store'),
      clock: () => Date.now() - age,
    })
    await engine.backup(join(backups, name))
  }
  const [before, started] = [await madeAt('young'), Date.now()]
  const all = await several(folder, { backupFolder: backups, backupEvery: '1h' })
  onTestFinished(all.stop)
  const isMade = async (name: string) => ((await madeAt(name)) ?? 0) >= started
  for (const name of ['_operator', 'none', 'old']) await expect.poll(() => isMade(name)).toBe(true)
  const ended = async () =>
    (await all.send('GET', '/api/Processes?allStatus=true&extensions=true', operator)).body.filter(
      ({ Status }: { Status: string }) => Status === 'Finished',
    )
  await expect.poll(ended).toHaveLength(2) // of all, and the operator's own
  expect(await madeAt('young')).toBe(before)
})
