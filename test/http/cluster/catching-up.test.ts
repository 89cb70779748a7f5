import { ClusterNode, MemoryLog } from '@findling/cluster'
import { describe, expect, it, onTestFinished } from 'vitest'
import { caughtUp } from '../../../adapters/http/src/cluster/catching-up.ts'
import { AwayLog } from './away-log.ts'

/** A node that lacks an entry which its log does not tell it at the moment. */
async function behind() {
  const log = new MemoryLog()
  const away = new AwayLog(log)
  away.isAway = true
  const first = await ClusterNode.open({ log })
  await first.write([{ type: 'createDataset', dataset: 'products' }])
  const node = await ClusterNode.open({ log: away, retryAfter: 10 })
  onTestFinished(async () => {
    await first.close()
    await node.close()
  })
  const told: string[] = []
  const logger = { info: (_: object, message: string) => told.push(message), warn() {}, error() {} }
  return { node, away, told, logger }
}

const forDatabase = 'waiting for the database, which does not answer'

describe('a server that starts while its database is away', () => {
  it('says that it waits for the database, and goes on when that is back', async () => {
    const { node, away, told, logger } = await behind()
    const ready = caughtUp(node, 1, { logger })
    await expect.poll(() => told).toEqual([`not answering calls yet: ${forDatabase}`])
    away.isAway = false
    await ready
    expect(node.status.position).toBe(1)
  })

  it('ends when it is asked to, and says what it was waiting for', async () => {
    const { node, told, logger } = await behind()
    const end = new AbortController()
    const ready = caughtUp(node, 1, { logger, signal: end.signal })
    await expect.poll(() => told).toHaveLength(1)
    end.abort('SIGTERM')
    await expect(ready).rejects.toBe('SIGTERM')
    expect(told.slice(1)).toEqual([`stopped before answering any call, while ${forDatabase}`])
    expect(node.engine.datasets.list()).toEqual([])
  })
})
