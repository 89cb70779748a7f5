import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { familyCpuSeconds } from '../../bench/family-cpu.ts'

it.skipIf(process.platform !== 'linux')('counts what a process has computed that is over', () => {
  const before = familyCpuSeconds()!
  spawnSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 500_000);'])
  expect(familyCpuSeconds()! - before).toBeGreaterThanOrEqual(0.5)
})
