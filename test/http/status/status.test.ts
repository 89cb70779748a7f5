import { statfs } from 'node:fs/promises'
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type StatusOptions, StatusProbe } from '../../../adapters/http/src/status/status.ts'

function probe(options: StatusOptions): StatusProbe {
  const opened = new StatusProbe(options)
  onTestFinished(() => opened.close())
  return opened
}

test('tells the version, the processors, the memory and the disk, in megabytes with two decimals', async () => {
  const status = await probe({ folder: tmpdir() }).read()
  const { bsize, blocks } = await statfs(tmpdir())
  expect(status).toMatchObject({ ApiVersion: '1.5.0', ProcessorCount: availableParallelism() })
  expect(status.TotalMemory).toBeCloseTo(totalmem() / 2 ** 20, 1)
  expect(status.TotalSpace).toBeCloseTo((bsize * blocks) / 2 ** 20, 1)
  for (const value of [status.FreeMemory, status.AvailableFreeSpace]) {
    expect(value).toBeGreaterThan(0)
    expect(Math.round(value * 100) / 100).toBe(value)
  }
  expect(status.FreeMemory).toBeLessThan(status.TotalMemory)
  expect(status.AvailableFreeSpace).toBeLessThanOrEqual(status.TotalSpace)
})

test('measures the disk of a folder that is not there yet', async () => {
  const there = await probe({ folder: tmpdir() }).read()
  const notThere = await probe({ folder: join(tmpdir(), 'no', 'such', 'folder') }).read()
  expect(notThere.TotalSpace).toBe(there.TotalSpace)
})

test('tells of the processors from the start, and anew after each measurement', async () => {
  const status = probe({ folder: tmpdir(), refreshMs: 100 })
  const atStart = (await status.read()).CpuUsage
  expect(atStart).toBeGreaterThan(0)
  expect(atStart).toBeLessThanOrEqual(100)
  const usage = async () => (await status.read()).CpuUsage
  await expect.poll(usage).not.toBe(atStart)
  expect(await usage()).toBeLessThanOrEqual(100)
})

test('gives the free megabytes as the status does', async () => {
  const disk = probe({ folder: tmpdir(), refreshMs: 3_600_000 })
  expect(await disk.freeMegabytes()).toBe((await disk.read()).AvailableFreeSpace)
})

test('fails where the disk cannot be measured', async () => {
  await expect(
    probe({ folder: join(process.execPath, 'inside-a-file') }).freeMegabytes(),
  ).rejects.toMatchObject({
    code: 'ENOTDIR',
  })
})
