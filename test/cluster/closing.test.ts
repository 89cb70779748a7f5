import { FindlingError } from 'findling'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ClusterNode, MemoryLog, MemoryShared, PostgresDatabase } from '../../adapters/cluster/src/index.ts'
import { failureOf } from '../engine/engines.ts'
import { hasPostgres, PostgresServer } from './postgres-server.ts'

const never = () => new Promise<never>(() => {})

/** Answers nothing from a moment on. */
class SilentShared extends MemoryShared {
  isSilent = false
  override async lease(...given: Parameters<MemoryShared['lease']>) {
    return this.isSilent ? await never() : await super.lease(...given)
  }
  override async release(...given: Parameters<MemoryShared['release']>) {
    return this.isSilent ? await never() : await super.release(...given)
  }
  override async delete(...given: Parameters<MemoryShared['delete']>) {
    return this.isSilent ? await never() : await super.delete(...given)
  }
}

/** From a moment on it refuses one read, and then answers nothing. */
class SilentLog extends MemoryLog {
  isAway = false
  #reads = 0
  override async read(...given: Parameters<MemoryLog['read']>) {
    if (!this.isAway) return await super.read(...given)
    if (this.#reads++ > 0) return await never()
    throw new FindlingError('LOG_AWAY', 'The log does not answer.')
  }
  override async append(batch: string, data: Uint8Array) {
    return this.isAway ? await never() : await super.append(batch, data)
  }
  override async wait(after: number, signal = new AbortController().signal): Promise<void> {
    await super.wait(after, AbortSignal.any([signal, AbortSignal.timeout(20)]))
  }
}

async function millisecondsOf(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

describe('a node that closes', () => {
  it('waits for all its goodbyes together two seconds, where nobody answers them', async () => {
    const shared = new SilentShared()
    const node = await ClusterNode.open({ log: new MemoryLog(), shared, name: 'one' })
    await node.peers()
    shared.isSilent = true
    const milliseconds = await millisecondsOf(() => node.close())
    expect(milliseconds).toBeGreaterThan(1900)
    expect(milliseconds).toBeLessThan(5000)
  })

  it('waits for nobody while its log is away, and tells those who write that it is', async () => {
    const [log, shared] = [new SilentLog(), new SilentShared()]
    const node = await ClusterNode.open({ log, shared, name: 'one', retryAfter: 10 })
    await node.latest()
    log.isAway = true
    shared.isSilent = true
    await expect.poll(() => node.status.isAway).toBe(true)
    const writing = failureOf(() => node.write([{ type: 'createDataset', dataset: 'products' }]))
    expect(await millisecondsOf(() => node.close())).toBeLessThan(1500)
    expect((await writing).code).toBe('LOG_AWAY')
  })
})

it.skipIf(!hasPostgres)(
  'a database that does not answer any more is closed all the same, with its connections',
  async () => {
    const postgres = await PostgresServer.start()
    onTestFinished(() => postgres.stop())
    const database = await PostgresDatabase.open({ url: postgres.url })
    const log = await database.log()
    await log.head()
    await postgres.pause()
    const asked = failureOf(() => log.head())
    expect(await millisecondsOf(() => database.close())).toBeLessThan(6000)
    expect((await asked).code).toMatch(/^(CLOSED|LOG_AWAY)$/)
  },
  60_000,
)
