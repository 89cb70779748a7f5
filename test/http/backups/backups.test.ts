import { Engine } from 'findling'
import { expect, test } from 'vitest'
import { StoreBackup } from '../../../adapters/http/src/backups/backups.ts'
import { openEngine, temporaryFolder } from '../../engine/engines.ts'

test('a backup of several stores waits for one that is under way, and tells how far its own is', async () => {
  const folder = await temporaryFolder()
  const engine = await openEngine()
  const items = await engine.datasets.create('items')
  await items.documents.bulk(Array.from({ length: 2000 }, (_, id) => ({ id, title: `lamp ${id}` })))
  const backups = new StoreBackup(engine, folder)
  const first = backups.start()
  const steps = backups.steps(new AbortController().signal, share => share)
  const shares: number[] = []
  let step = await steps.next()
  for (; !step.done; step = await steps.next()) shares.push(step.value)
  expect((await first).full).toBe(true)
  expect(step.value.entries).toBeGreaterThan(2000)
  const [earlier, later] = [engine.job(first.id)!, engine.jobs()[0]!]
  expect(later.startedAt).toBeGreaterThanOrEqual(earlier.endedAt!)
  expect(shares).toEqual(shares.toSorted((one, other) => one - other))
  expect([shares[0], shares.every(share => share <= 1), backups.failures]).toEqual([0, true, 0])
  await Engine.verifyBackup(folder)
})

test('a wait for one that is under way ends when it is given up', async () => {
  const engine = await openEngine()
  const backups = new StoreBackup(engine, await temporaryFolder())
  const first = backups.start()
  const end = new AbortController()
  const steps = backups.steps(end.signal, share => share)
  await steps.next()
  end.abort()
  await expect(steps.next()).rejects.toMatchObject({ name: 'AbortError' })
  await first
  expect(engine.jobs()).toHaveLength(1)
})
