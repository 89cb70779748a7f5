import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { PostgresDatabase, PostgresShared } from '../../adapters/cluster/src/index.ts'
import { codeOf } from '../engine/engines.ts'
import { describeWithPostgres } from './postgres-block.ts'
import { describeShared, pieces, read, sha256Of } from './shared-suite.ts'

describeWithPostgres('with PostgreSQL', postgres => {
  async function opened(name: string): Promise<PostgresShared> {
    const shared = await PostgresShared.open({ url: postgres.server.url, name, timeout: 60_000 })
    onTestFinished(() => shared.close())
    return shared
  }

  describeShared(async () => {
    const name = randomUUID()
    return {
      open: () => PostgresShared.open({ url: postgres.server.url, name }),
      disturb: () => postgres.server.cutConnections(),
      async damage(sha256, how) {
        const chunk = 'blob.upload = findling_chunk.upload and sha256 = $1 and number'
        await postgres.server.query(
          how === 'cut'
            ? `delete from findling_chunk using findling_blob as blob where ${chunk} = 1`
            : `update findling_chunk set data = set_byte(data, 9, get_byte(data, 9) # 1)
               from findling_blob as blob where ${chunk} = 0`,
          [sha256],
        )
      },
    }
  })

  it('stores what is put at the same time together, the last of each row', async () => {
    const database = await PostgresDatabase.open({ url: postgres.server.url, listen: false })
    onTestFinished(() => database.close())
    const [one, other] = await Promise.all(['one', 'other'].map(name => database.shared(name)))
    const commits = async () => {
      const [row] = await postgres.server.query(
        'select count(distinct xmin::text) from findling_row where kind = $1',
        ['many'],
      )
      return Number(row!.count)
    }
    await Promise.all(
      Array.from({ length: 300 }, (_, i) => [one!, other!][i % 2]!.put('many', String(i % 100), i)),
    )
    expect(await commits()).toBeLessThan(5)
    expect((await one!.list('many')).map(({ value }) => Number(value)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, i) => 200 + 2 * i),
    )
    await other!.close()
    expect(await codeOf(() => other!.put('many', 'x', 1))).toBe('CLOSED')
    await one!.put('many', 'x', 1)
  })

  it('is opened by many at once where there is nothing yet', async () => {
    await postgres.server.query(
      'drop table if exists findling_lease, findling_row, findling_blob, findling_chunk',
    )
    const all = await Promise.all(Array.from({ length: 6 }, () => opened('new')))
    await Promise.all(all.map((shared, i) => shared.put('node', `${i}`, i)))
    expect(await all[0]!.list('node')).toHaveLength(6)
  })

  it('has blobs whole or not at all, and no lease twice, when the server is killed', async () => {
    const shared = await opened('killed')
    const acknowledged = new Set<string>()
    const holders = new Map<number, string>()
    let isOver = false
    const putting = (async () => {
      while (!isOver) {
        const bytes = randomBytes(3 * 2 ** 20)
        const { sha256 } = await shared.putBlob(pieces(bytes))
        expect(sha256).toBe(sha256Of(bytes))
        acknowledged.add(sha256)
      }
    })()
    const leasing = ['one', 'two'].map(async owner => {
      while (!isOver) {
        const fence = await shared.lease('maker', owner, 30)
        if (fence === undefined) continue
        expect(holders.get(fence) ?? owner).toBe(owner)
        holders.set(fence, owner)
        // Sometimes longer than it is held.
        await pause(50 * Math.random())
      }
    })
    for (let kills = 1; kills <= 2; kills++) {
      await expect.poll(() => acknowledged.size, { timeout: 60_000 }).toBeGreaterThanOrEqual(3 * kills)
      await postgres.server.kill()
      await postgres.server.begin()
    }
    isOver = true
    await Promise.all([putting, ...leasing])
    expect(holders.size).toBeGreaterThan(3)
    const stored = (await shared.listBlobs()).map(({ sha256 }) => sha256)
    expect(new Set(stored)).toEqual(acknowledged)
    for (const sha256 of stored) expect(sha256Of(await read(shared, sha256))).toBe(sha256)
  })

  it('leaves nothing that reads as a blob of an upload that was cut off, and removes it after a day', async () => {
    const name = 'cut-off'
    const shared = await opened(name)
    const { sha256 } = await shared.putBlob(pieces(randomBytes(100)))
    const chunks = async () =>
      Number(
        (await postgres.server.query('select count(*) from findling_chunk where log = $1', [name]))[0]!.count,
      )
    const dying = await PostgresShared.open({ url: postgres.server.url, name, timeout: 100 })
    const failing = async function* () {
      yield randomBytes(2 ** 20)
      // Its process is gone, as far as the others can tell.
      await dying.close()
      yield randomBytes(2 ** 20)
    }
    expect(await codeOf(() => dying.putBlob(failing()))).toBe('CLOSED')
    expect((await shared.listBlobs()).map(blob => blob.sha256)).toEqual([sha256])
    await opened(name)
    expect(await chunks()).toBe(2)
    await postgres.server.query(`update findling_chunk set at = at - interval '25 hours' where log = $1`, [
      name,
    ])
    await opened(name)
    expect(await chunks()).toBe(1)
    expect(await read(shared, sha256)).toHaveLength(100)
  })

  it('is away where there is no server', async () => {
    const url = 'postgres://findling@127.0.0.1:1/postgres'
    expect(await codeOf(() => PostgresShared.open({ url, timeout: 300 }))).toBe('LOG_AWAY')
  })
})
