import { randomUUID } from 'node:crypto'
import type { FindlingError } from 'findling'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { PostgresDatabase, PostgresLog, PostgresShared } from '../../adapters/cluster/src/index.ts'
import { codeOf, failureOf } from '../engine/engines.ts'
import { grown } from './grown.ts'
import { describeLog } from './log-suite.ts'
import { describeWithPostgres } from './postgres-block.ts'
import { hasStandbys, PostgresServer } from './postgres-server.ts'

describeWithPostgres('with PostgreSQL', postgres => {
  describe.each([
    ['listening', true],
    ['by looking alone', false],
  ])('%s', (_, listen) => {
    describeLog(async () => {
      const name = randomUUID()
      return {
        open: () => PostgresLog.open({ url: postgres.server.url, name, listen, poll: listen ? 1000 : 20 }),
        disturb: () => postgres.server.cutConnections(),
        async lose(after) {
          await postgres.server.query('delete from findling_log where log = $1 and position > $2', [
            name,
            after,
          ])
          await postgres.server.query('update findling_head set position = $2 where log = $1', [name, after])
        },
      }
    })
  })

  describe.each([
    ['listening', true],
    ['by looking alone', false],
  ])('with others in one database, %s', (_, listen) => {
    let database: PostgresDatabase
    beforeAll(async () => {
      database = await PostgresDatabase.open({ url: postgres.server.url, listen, poll: listen ? 1000 : 20 })
    })
    afterAll(() => database.close())

    describeLog(async () => {
      const name = randomUUID()
      return {
        open: () => database.log(name),
        disturb: () => postgres.server.cutConnections(),
        async lose(after) {
          await postgres.server.query('delete from findling_log where log = $1 and position > $2', [
            name,
            after,
          ])
          await postgres.server.query('update findling_head set position = $2 where log = $1', [name, after])
        },
      }
    })
  })

  describe('many logs of one database', () => {
    it('share a few connections, and none hears of what is appended to another', async () => {
      const database = await PostgresDatabase.open({ url: postgres.server.url, connections: 2, poll: 50 })
      onTestFinished(() => database.close())
      const names = Array.from({ length: 100 }, () => randomUUID())
      const logs = await Promise.all(names.map(name => database.log(name)))
      const shared = await Promise.all(names.map(name => database.shared(name)))
      expect(new Set(logs.map(({ id }) => id)).size).toBe(100)
      const woken = new Set<number>()
      const ends = logs.map(() => new AbortController())
      const waiting = logs.map(async (log, i) => {
        await log.read(0)
        await log.wait(0, ends[i]!.signal)
        if (!ends[i]!.signal.aborted) woken.add(i)
      })
      await Promise.all(shared.map((one, i) => one.put('node', 'a', i)))
      await logs[3]!.append(randomUUID(), Buffer.from('x'))
      const told = await postgres.server.query(
        'update findling_head set position = 1 where log = $1 returning position',
        [names[7]],
      )
      expect(told).toHaveLength(1)
      await expect.poll(() => [...woken].sort()).toEqual([3, 7])
      expect(await shared[42]!.list('node')).toMatchObject([{ key: 'a', value: 42 }])
      const connections = async () =>
        (await postgres.server.query(`select from pg_stat_activity where backend_type = 'client backend'`))
          .length
      // Two, the listener, and the one that asks. Those of other tests may be ending still.
      await expect.poll(connections).toBeLessThanOrEqual(4)
      for (const end of ends) end.abort()
      await Promise.all(waiting)
      await logs[5]!.close()
      expect(await codeOf(() => logs[5]!.read(0))).toBe('CLOSED')
      expect(await logs[3]!.read(0)).toHaveLength(1)
    })

    it('are woken when the connection is another, as the log may be', async () => {
      const database = await PostgresDatabase.open({ url: postgres.server.url, listen: false, poll: 20 })
      onTestFinished(() => database.close())
      const log = await database.log(randomUUID())
      await log.read(0)
      const waiting = log.wait(0)
      await postgres.server.cutConnections()
      await waiting
      expect(await log.read(0)).toEqual([])
    })

    it('are gone when they are removed, for those too that follow them, and are others when begun again', async () => {
      const database = await PostgresDatabase.open({ url: postgres.server.url })
      onTestFinished(() => database.close())
      const [name, kept] = [randomUUID(), randomUUID()]
      const [log, other] = await Promise.all([database.log(name), database.log(kept)])
      const shared = await database.shared(name)
      await shared.put('node', 'a', 1)
      await shared.lease('maker', 'a', 60_000)
      for (const one of [log, other]) await one.append(randomUUID(), Buffer.from('x'))
      expect(await database.names()).toEqual(expect.arrayContaining([name, kept]))
      await database.remove(name)
      expect(await database.names()).not.toContain(name)
      expect(await codeOf(() => log.append(randomUUID(), Buffer.from('y')))).toBe('LOG_DIVERGED')
      expect(await codeOf(() => database.log(name, { create: false }))).toBe('LOG_DIVERGED')
      const again = await database.log(name)
      expect(again.id).not.toBe(log.id)
      await again.append(randomUUID(), Buffer.from('z'))
      await again.append(randomUUID(), Buffer.from('z'))
      expect(await codeOf(() => log.read(1))).toBe('LOG_DIVERGED')
      expect(await shared.list('node')).toEqual([])
      expect(await shared.lease('maker', 'b', 1000)).toBe(1)
      expect(await other.read(0)).toHaveLength(1)
    })

    it('that are large are gone in pieces, and can be removed again when that was cut off', async () => {
      const database = await PostgresDatabase.open({ url: postgres.server.url, timeout: 1000 })
      onTestFinished(() => database.close())
      const name = 'large'
      const log = await database.log(name)
      const ask = (text: string) => postgres.server.query(text)
      const count = async (table: string) =>
        Number((await ask(`select count(*) from findling_${table} where log = 'large'`))[0]!.count)
      await ask(`insert into findling_log
        select 'large', n, gen_random_uuid(), 0, 'x' from generate_series(1, 450) as n`)
      await ask(`update findling_head set position = 450 where log = 'large'`)
      await ask(`insert into findling_chunk
        select 'large', gen_random_uuid(), n, 'x', now() from generate_series(1, 450) as n`)
      await (await database.shared(name)).put('node', 'a', 1)
      await ask(
        `create function refused() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`,
      )
      await ask(`create trigger kept before delete on findling_row for each row when (old.log = 'large')
        execute function refused()`)
      expect(await codeOf(() => database.remove(name))).toBe('LOG_AWAY')
      expect(await database.names()).toContain(name)
      expect(await codeOf(() => log.read(0))).toBe('LOG_DIVERGED')
      await ask('drop trigger kept on findling_row')
      await database.remove(name)
      expect(await database.names()).not.toContain(name)
      for (const table of ['log', 'chunk', 'row', 'head'])
        expect([table, await count(table)]).toEqual([table, 0])
    })
  })

  it('is appended to while what was cut off is removed, in more than one piece, until all of it is gone', async () => {
    const name = randomUUID()
    const log = await PostgresLog.open({ url: postgres.server.url, name, timeout: 60_000 })
    onTestFinished(() => log.close())
    await log.append(randomUUID(), Buffer.from('x'))
    await postgres.server.query(
      `insert into findling_log (log, position, batch, at, data)
      select $1, number, gen_random_uuid(), 1, 'x' from generate_series(2, 1000) as number`,
      [name],
    )
    await postgres.server.query('update findling_head set position = 1000 where log = $1', [name])
    const holding = new pg.Client({ connectionString: postgres.server.url })
    await holding.connect()
    onTestFinished(() => holding.end())
    await holding.query('begin')
    await holding.query('select from findling_log where log = $1 and position = 600 for update', [name])
    const cutting = log.cut(901)
    const left = async () =>
      (await postgres.server.query('select from findling_log where log = $1', [name])).length
    await expect.poll(left).toBe(1000 - 512)
    expect(await log.append(randomUUID(), Buffer.from('x'))).toBe(1001)
    expect(await log.head()).toEqual({ position: 1001, first: 901 })
    expect(await codeOf(() => log.read(599))).toBe('LOG_CUT')
    await holding.query('commit')
    await cutting
    expect(await left()).toBe(101)
    expect((await log.read(900)).length).toBe(101)
  })

  /** With four entries. */
  async function logOfFour(): Promise<{ name: string; log: PostgresLog }> {
    const name = randomUUID()
    const log = await PostgresLog.open({ url: postgres.server.url, name })
    onTestFinished(() => log.close())
    for (let i = 0; i < 4; i++) await log.append(randomUUID(), Buffer.from('x'))
    return { name, log }
  }

  it('says which entry is missing in its middle, rather than skip it', async () => {
    const { name, log } = await logOfFour()
    await postgres.server.query('delete from findling_log where log = $1 and position = 2', [name])
    const { code, details } = await failureOf(() => log.read(1))
    expect([code, details]).toEqual(['STORE_CORRUPT', { field: 'position', received: '2' }])
    expect((await log.read(2)).map(({ position }) => position)).toEqual([3, 4])
  })

  it('says that its newest entries are missing, rather than wait for them', async () => {
    const { name, log } = await logOfFour()
    await postgres.server.query('delete from findling_log where log = $1 and position > 2', [name])
    expect((await log.read(0)).map(({ position }) => position)).toEqual([1, 2])
    const { code, details } = await failureOf(() => log.read(2))
    expect([code, details]).toEqual(['STORE_CORRUPT', { field: 'position', received: '3' }])
    expect(await log.read(4)).toEqual([])
  })

  it('loses nothing that was acknowledged when the server is killed, and goes on by itself', async () => {
    const log = await PostgresLog.open({ url: postgres.server.url, name: 'killed', timeout: 60_000 })
    onTestFinished(() => log.close())
    const acknowledged: [position: number, batch: string][] = []
    let isOver = false
    const appending = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const batch = randomUUID()
        acknowledged.push([await log.append(batch, Buffer.from('x')), batch])
      }
    })
    for (let kills = 0; kills < 3; kills++) {
      await grown(acknowledged, 20)
      await postgres.server.kill()
      await postgres.server.begin()
    }
    await grown(acknowledged, 20)
    isOver = true
    await Promise.all(appending)
    expect(log.connections).toBeGreaterThan(0)
    const { position } = await log.head()
    expect(position).toBe(acknowledged.length)
    for (const [at, batch] of acknowledged) expect(await log.holds(at, batch)).toBe(true)
  })

  it.skipIf(!hasStandbys)(
    'neither shows nor acknowledges what a synchronous standby lacks, also after the server was killed',
    async () => {
      const primary = await PostgresServer.start()
      onTestFinished(() => primary.stop())
      const standby = await primary.standby({ synchronous: true })
      onTestFinished(() => standby.stop())
      const log = await PostgresLog.open({ url: primary.url, timeout: 2000 })
      onTestFinished(() => log.close())
      const [first, second] = [randomUUID(), randomUUID()]
      expect(await log.append(first, Buffer.from('x'))).toBe(1)
      await standby.pause()
      const appended = codeOf(() => log.append(second, Buffer.from('y')))
      await expect
        .poll(() => primary.query(`select 1 from pg_stat_activity where wait_event = 'SyncRep'`))
        .toHaveLength(1)
      await primary.kill()
      await primary.begin()
      // To a connection that does not ask, it is there.
      expect(await primary.query('select position from findling_log')).toHaveLength(2)
      expect(await appended).toBe('LOG_AWAY')
      expect(await codeOf(() => log.read(0))).toBe('LOG_AWAY')
      await standby.resume()
      expect(await log.append(second, Buffer.from('y'))).toBe(2)
      expect(await log.read(0)).toHaveLength(2)
    },
  )

  it('is away where there is no server, and names what is wrong', async () => {
    const url = 'postgres://findling@127.0.0.1:1/postgres'
    expect(await codeOf(() => PostgresLog.open({ url, timeout: 300 }))).toBe('LOG_AWAY')
  })

  describe('is refused at once, in the words of the database and without the password', () => {
    // Longer than a test: what is asked again does not end.
    const timeout = 600_000
    const asked = (user: string, database = 'postgres') =>
      `postgres://${user}@127.0.0.1:${postgres.server.port}/${database}`
    const refusals = (url: string) =>
      Promise.all(
        [PostgresLog, PostgresShared].map(one =>
          one.open({ url, timeout }).then(
            opened => opened.close().then(() => 'opened'),
            (error: FindlingError) => [error.code, error.message] as const,
          ),
        ),
      )

    it.each([
      ['a user who is not there', 'nobody:hush-hush', undefined, 'role "nobody" does not exist (28000)'],
      ['a database that is not there', 'findling', 'none', 'database "none" does not exist (3D000)'],
      ['somebody who may make no tables', 'reader', undefined, 'permission denied for schema public (42501)'],
    ])('%s', async (_, user, database, said) => {
      await postgres.server.query('drop role if exists reader')
      await postgres.server.query('create role reader login')
      for (const [code, message] of await refusals(asked(user, database))) {
        expect([code, message]).toEqual(['LOG_REFUSED', expect.stringContaining(`PostgreSQL: ${said}`)])
        expect(message).not.toContain('hush')
      }
    })

    it('a wrong password, and none', async () => {
      const guarded = await PostgresServer.start()
      onTestFinished(() => guarded.stop())
      await guarded.query(`create role member login password 'right'`)
      await guarded.demandPasswords()
      const at = `127.0.0.1:${guarded.port}/postgres`
      const wrong = 'password authentication failed for user "member" (28P01)'
      for (const [user, said] of [
        ['member:hush-hush', wrong],
        ['member', 'password must be a string'],
      ]) {
        for (const [code, message] of await refusals(`postgres://${user}@${at}`))
          expect([code, message]).toEqual(['LOG_REFUSED', expect.stringContaining(said!)])
      }
    })
  })

  it.each([
    'postgres://findling:hush#hush@127.0.0.1/db',
    'postgres://findling:hush@127.0.0.1:999999/db',
    'http://findling:hush@127.0.0.1/db',
    'hush',
    '',
  ])('has no address in %s, and does not repeat it', async url => {
    const refused = await PostgresLog.open({ url }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'LOG_REFUSED', details: { field: 'url' } })
    expect(`${(refused as Error).message}`).not.toContain('hush')
  })
})
