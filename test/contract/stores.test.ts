import type { Database } from 'findling'
import { MemoryLevel } from 'memory-level'
import { memoryDatabase, temporaryFolder } from '../engine/engines.ts'
import { describeStore } from './store-suite.ts'
import { withoutSnapshots } from './without-snapshots.ts'

describeStore('a folder', temporaryFolder)
describeStore('memory that was handed in', async () => memoryDatabase())
describeStore('a sublevel', async () => {
  const sublevel: Database = new MemoryLevel().sublevel<string, Uint8Array>('part', { valueEncoding: 'view' })
  return sublevel
})
describeStore('a database without snapshots', async () => withoutSnapshots(memoryDatabase()))
