import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Engine } from 'findling'
import { expect, onTestFinished, test } from 'vitest'
import { StoreBackup } from '../../../adapters/http/src/backups/backups.ts'
import { BackupSchedule } from '../../../adapters/http/src/backups/schedule.ts'
import { openEngine, temporaryFolder } from '../../engine/engines.ts'

const HOUR = 3_600_000

interface Scheduled {
  readonly schedule: BackupSchedule
  readonly engine: Engine
  readonly logged: string[]
  made(): Promise<number | undefined>
}

async function scheduled(folder: string, everyMs: number): Promise<Scheduled> {
  const engine = await openEngine()
  const backups = new StoreBackup(engine, folder)
  const logged: string[] = []
  const log = (_: object, message: string) => void logged.push(message)
  const logger = { info: log, warn: log, error: log }
  const schedule = new BackupSchedule({ backups, everyMs, logger })
  onTestFinished(() => schedule.close())
  return { schedule, engine, logged, made: () => backups.newest() }
}

/** A folder with a backup so many milliseconds old. */
async function backupOf(age: number): Promise<string> {
  const folder = await temporaryFolder()
  const engine = await openEngine({ clock: () => Date.now() - age })
  await engine.backup(folder)
  return folder
}

test('a backup is made at once where there is none, and again whenever it is too old', async () => {
  const { made, engine } = await scheduled(await temporaryFolder(), 50)
  await expect.poll(made).toEqual(expect.any(Number))
  const first = (await made())!
  await expect.poll(made).toBeGreaterThan(first)
  // Never two at a time.
  const times = engine.jobs({ status: ['finished'] }).map(({ startedAt, endedAt }) => [startedAt, endedAt!])
  for (const [at, [, ended]] of times.entries())
    if (at > 0) expect(ended).toBeLessThanOrEqual(times[at - 1]![0]!)
})

test.each([
  ['is older than it may be', 2 * HOUR],
  ['was made in the future, by a clock that was wrong', -2 * HOUR],
])('the age of the newest backup says when the next is due: at once where it %s', async (_, age) => {
  const [old, young] = [await backupOf(age), await backupOf(HOUR / 4)]
  const before = await Engine.describeBackup(young)
  const later = await scheduled(young, HOUR)
  const now = await scheduled(old, HOUR)
  await expect.poll(() => now.logged).toEqual(['the scheduled backup is done'])
  expect(Math.abs(Date.now() - (await now.made())!)).toBeLessThan(HOUR)
  expect([later.engine.jobs(), later.logged]).toEqual([[], []])
  expect(await Engine.describeBackup(young)).toEqual(before)
})

test('a failure is logged, and the backup tried again', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'thesis.txt'), '')
  const { logged, made } = await scheduled(folder, 50)
  await expect.poll(() => logged.length).toBeGreaterThan(1)
  expect(new Set(logged)).toEqual(new Set(['the scheduled backup has failed']))
  await rm(join(folder, 'thesis.txt'))
  await expect.poll(made).toEqual(expect.any(Number))
})

test('a backup that somebody else has begun is not disturbed', async () => {
  const folder = await temporaryFolder()
  const engine = await openEngine()
  const items = await engine.datasets.create('items')
  await items.documents.bulk(Array.from({ length: 2000 }, (_, id) => ({ id, title: `lamp ${id}` })))
  const backups = new StoreBackup(engine, folder)
  const job = backups.start()
  const logged: string[] = []
  const log = (_: object, message: string) => void logged.push(message)
  const schedule = new BackupSchedule({ backups, everyMs: 20, logger: { info: log, warn: log, error: log } })
  onTestFinished(() => schedule.close())
  await job
  await expect.poll(() => logged).toContain('the scheduled backup is done')
  expect([backups.failures, logged]).toEqual([0, logged.filter(line => !line.includes('failed'))])
})

test('the end of a schedule ends what it has under way, and the backup before stays', async () => {
  const folder = await backupOf(2 * HOUR)
  const before = await Engine.describeBackup(folder)
  const { schedule, engine, logged } = await scheduled(folder, HOUR)
  await schedule.close()
  expect(engine.jobs({ status: ['running', 'cancelling', 'finished'] })).toEqual([])
  expect([await Engine.describeBackup(folder), logged]).toEqual([before, []])
})
