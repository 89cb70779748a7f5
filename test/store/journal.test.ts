import { cp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { collected, expectHealthy, openEngine, temporaryFolder } from '../engine/engines.ts'
import { withRaw } from './raw-store.ts'

/** A store as a kill leaves it after so many commits. */
async function killedStore(commits: number): Promise<string> {
  const folder = await temporaryFolder()
  const engine = await openEngine({ store: join(folder, 'open'), durability: 'process' })
  const { documents } = await engine.datasets.create('items')
  for (let n = 0; n < commits; n++) await documents.upsert({ id: n % 100, title: `lamp ${n}` })
  const killed = join(folder, 'killed')
  await cp(join(folder, 'open'), killed, { recursive: true, filter: path => basename(path) !== 'LOCK' })
  return killed
}

const entries = (store: string) => withRaw(store, db => db.keys({ gte: 'j/', lt: 'j0' }).all())

async function opened(store: string) {
  const heard: string[] = []
  const listen = (_: object, message: string) => void heard.push(message)
  const engine = await openEngine({ store, logger: { warn: listen, error: listen } })
  return { engine, heard, items: engine.datasets.get('items') }
}

describe('the journal', () => {
  it('tells number and counts of a store that was not closed', async () => {
    const store = await killedStore(30)
    expect(await entries(store)).toHaveLength(31)
    const { engine, heard, items } = await opened(store)
    expect([heard, items.documents.count]).toEqual([[], 30])
    const last = (await collected(items.documents.changes())).at(-1)!.seq
    expect((await items.documents.upsert({ id: 'next' })).seq).toBe(last + 1)
    await expectHealthy(engine)
  })

  it('stays short, and is empty in a store that was closed', async () => {
    const store = await killedStore(600)
    expect((await entries(store)).length).toBeLessThan(257)
    const { engine, items } = await opened(store)
    expect(items.documents.count).toBe(100)
    await expectHealthy(engine)
    await engine.close()
    expect(await entries(store)).toEqual([])
  })

  it.each([
    ['missing', /changes \d+ to \d+ are lost/],
    ['damaged', /Journal entry .* is damaged/],
  ])('says once when a part of it is %s, until a repair', async (how, message) => {
    const store = await killedStore(40)
    const key = (await entries(store))[20]!
    await withRaw(store, db => (how === 'missing' ? db.del(key) : db.put(key, Buffer.from('nonsense'))))
    const first = await opened(store)
    expect(first.heard[0]).toMatch(message)
    expect(first.items.documents.count).toBe(40)
    await first.engine.close()
    const second = await opened(store)
    expect(second.heard).toEqual([])
    const { faults } = await second.engine.doctor({ repair: true })
    expect(faults.length).toBeGreaterThan(0)
    for (const fault of faults) expect(fault).toMatchObject({ kind: 'lost-changes', repaired: true })
    await expectHealthy(second.engine)
    await second.engine.close()
    const third = await opened(store)
    await expectHealthy(third.engine)
    expect(third.heard).toEqual([])
  })
})
