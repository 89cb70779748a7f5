import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Entry, Log } from '../../adapters/cluster/src/index.ts'
import { codeOf, failureOf } from '../engine/engines.ts'

export interface LogUnderTest {
  /** The same log again, through connections of its own. */
  open(): Promise<Log>
  /** Interrupts what goes on. */
  disturb(): Promise<void>
  /** Everything after a position is gone. */
  lose(after: number): Promise<void>
}

const bytes = (text: string) => Buffer.from(text)
const text = ({ data }: Entry) => Buffer.from(data).toString()

/** What every log does. @param begin a log of its own for each test */
export function describeLog(begin: () => Promise<LogUnderTest>): void {
  const opened = async ({ open }: LogUnderTest): Promise<Log> => {
    const log = await open()
    onTestFinished(() => log.close())
    return log
  }
  const start = async () => {
    const under = await begin()
    return { ...under, log: await opened(under), another: () => opened(under) }
  }

  describe('a log', () => {
    it('numbers its entries from 1 on, and gives them back in order with their bytes', async () => {
      const { log, another } = await start()
      expect(await log.head()).toEqual({ position: 0, first: 1 })
      expect(await log.read(0)).toEqual([])
      const contents = ['a', 'ä\0\ud83d\ude00', '', 'x'.repeat(100_000)]
      const before = Date.now()
      for (const [i, content] of contents.entries())
        expect(await log.append(randomUUID(), bytes(content))).toBe(i + 1)
      const entries = await (await another()).read(0)
      expect(entries.map(text)).toEqual(contents)
      expect(entries.map(({ position }) => position)).toEqual([1, 2, 3, 4])
      const times = entries.map(({ at }) => at)
      expect(times).toEqual([...times].sort((a, b) => a - b))
      expect(Math.abs(times[0]! - before)).toBeLessThan(60_000)
      expect((await log.read(2)).map(({ position }) => position)).toEqual([3, 4])
      expect(await log.head()).toEqual({ position: 4, first: 1 })
    })

    it('is the same history for all that open it', async () => {
      const { log, another } = await start()
      expect((await another()).id).toBe(log.id)
      expect((await opened(await begin())).id).not.toBe(log.id)
    })

    it('reads no more than asked for, and always one entry', async () => {
      const { log } = await start()
      for (let i = 0; i < 6; i++) await log.append(randomUUID(), bytes('x'.repeat(1000)))
      const count = async (entries: number, most: number) =>
        (await log.read(0, { entries, bytes: most })).length
      expect(await count(4, 1e6)).toBe(4)
      expect(await count(100, 3500)).toBe(3)
      expect(await count(100, 10)).toBe(1)
    })

    it('has a batch once, however often and by whomever it is appended', async () => {
      const { log, another } = await start()
      const other = await another()
      const batch = randomUUID()
      const positions = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 ? log : other).append(batch, bytes('once'))),
      )
      expect(new Set(positions).size).toBe(1)
      expect(await log.append(randomUUID(), bytes('next'))).toBe(positions[0]! + 1)
      expect((await log.read(0)).map(text)).toEqual(['once', 'next'])
    })

    it('loses, doubles, skips and reorders nothing while many append and connections break', async () => {
      const under = await start()
      const appending = await Promise.all(Array.from({ length: 8 }, () => under.another()))
      const acknowledged = new Map<string, number>()
      let isOver = false
      const readers = Array.from({ length: 3 }, async () => {
        const log = await under.another()
        const seen: Entry[] = []
        while (!isOver || seen.length < acknowledged.size) {
          const read = await log.read(seen.length, { entries: 7, bytes: 1e6 })
          seen.push(...read)
          if (read.length === 0) await log.wait(seen.length)
        }
        return seen
      })
      const disturbing = (async () => {
        while (!isOver) {
          await pause(30)
          await under.disturb()
        }
      })()
      await Promise.all(
        appending.map(async (log, i) => {
          for (let n = 0; n < 25; n++) {
            const batch = randomUUID()
            acknowledged.set(batch, await log.append(batch, bytes(`${i}:${n}`)))
          }
        }),
      )
      isOver = true
      await disturbing
      for (const seen of await Promise.all(readers)) {
        expect(seen.map(({ position }) => position)).toEqual(seen.map((_, i) => i + 1))
        expect(new Set(seen.map(({ batch }) => batch)).size).toBe(200)
        for (const { batch, position } of seen) expect(acknowledged.get(batch)).toBe(position)
        const times = seen.map(({ at }) => at)
        expect(times).toEqual([...times].sort((a, b) => a - b))
      }
    })

    it('waits no longer than until there is an entry', async () => {
      const { log, another } = await start()
      const other = await another()
      await log.append(randomUUID(), bytes('there'))
      await other.wait(0)
      const began = performance.now()
      const [, position] = await Promise.all([
        other.wait(1),
        pause(50).then(() => log.append(randomUUID(), bytes('come'))),
      ])
      while ((await other.read(1)).length === 0) await other.wait(1)
      expect(position).toBe(2)
      expect(performance.now() - began).toBeLessThan(5000)
      const waiting = new AbortController()
      const aborted = other.wait(2, waiting.signal)
      waiting.abort()
      await aborted
    })

    it('knows which history somebody has applied', async () => {
      const { log, lose } = await start()
      const batches = Array.from({ length: 4 }, () => randomUUID())
      for (const batch of batches) await log.append(batch, bytes('x'))
      expect(await log.holds(4, batches[3]!)).toBe(true)
      expect(await log.holds(4, batches[2]!)).toBe(false)
      expect(await log.holds(5, randomUUID())).toBe(false)
      await lose(2)
      expect(await log.holds(4, batches[3]!)).toBe(false)
      expect(await codeOf(() => log.read(4))).toBe('LOG_DIVERGED')
      for (let i = 0; i < 3; i++) await log.append(randomUUID(), bytes('other'))
      expect(await log.holds(4, batches[3]!)).toBe(false)
      expect(await log.holds(2, batches[1]!)).toBe(true)
    })

    it('forgets what is cut, and says so', async () => {
      const { log } = await start()
      const batches = Array.from({ length: 5 }, () => randomUUID())
      for (const batch of batches) await log.append(batch, bytes('x'))
      await log.cut(4)
      expect(await log.head()).toEqual({ position: 5, first: 4 })
      expect(await codeOf(() => log.read(0))).toBe('LOG_CUT')
      expect(await codeOf(() => log.read(2))).toBe('LOG_CUT')
      expect((await log.read(3)).map(({ position }) => position)).toEqual([4, 5])
      expect(await log.holds(2, batches[1]!)).toBe(true)
      await log.cut(2)
      await log.cut(100)
      expect(await log.head()).toEqual({ position: 5, first: 6 })
      expect(await log.append(randomUUID(), bytes('next'))).toBe(6)
      expect((await log.read(5)).map(text)).toEqual(['next'])
    })

    it('begins another history behind the one before, and tells all that had opened that', async () => {
      const { log, another, open } = await start()
      const [stale, beginner] = [await another(), await another()]
      const before = Array.from({ length: 5 }, () => randomUUID())
      for (const batch of before) await log.append(batch, bytes('old'))
      const id = randomUUID()
      expect(await codeOf(() => beginner.begin(id, 4, 5))).toBe('INVALID_ARGUMENT')
      expect(await log.head()).toEqual({ position: 5, first: 1 })
      const waiting = stale.wait(5)
      await beginner.begin(id, 20, 5)
      await waiting
      // As where the answer was lost.
      await beginner.begin(id, 20, 5)
      expect(beginner.id).toBe(id)
      expect(await beginner.head()).toEqual({ position: 20, first: 21 })
      const batch = randomUUID()
      expect(await beginner.append(batch, bytes('new'))).toBe(21)
      // Far enough for whoever would go on from where it is.
      for (let i = 0; i < 3; i++) await beginner.append(randomUUID(), bytes('new'))
      for (const ask of [
        () => stale.read(0),
        () => stale.read(5),
        () => stale.read(22),
        () => stale.holds(5, before[4]!),
        () => stale.holds(21, batch),
        () => stale.head(),
        () => stale.append(randomUUID(), bytes('late')),
        () => stale.append(before[4]!, bytes('again')),
        () => stale.begin(randomUUID(), 40, 24),
      ])
        expect([ask.toString(), await codeOf(ask)]).toEqual([ask.toString(), 'LOG_DIVERGED'])
      await stale.cut(23)
      const late = await open()
      onTestFinished(() => late.close())
      expect(late.id).toBe(id)
      expect(await late.head()).toEqual({ position: 24, first: 21 })
      expect(await codeOf(() => late.read(4))).toBe('LOG_CUT')
      expect((await late.read(20)).map(({ position }) => position)).toEqual([21, 22, 23, 24])
      expect([await late.holds(20, randomUUID()), await late.holds(21, batch)]).toEqual([true, true])
      expect(await late.append(before[4]!, bytes('again'))).toBe(25)
    })

    it('begins no other history once it has got entries that were not known', async () => {
      const { log, another } = await start()
      const other = await another()
      await log.append(randomUUID(), bytes('x'))
      const { position } = await log.head()
      await other.append(randomUUID(), bytes('late'))
      const id = log.id
      const { code, details } = await failureOf(() => log.begin(randomUUID(), 10, position))
      expect([code, details]).toEqual(['LOG_IN_USE', { field: 'head', received: '1', expected: '2' }])
      expect([log.id, (await log.read(0)).map(text)]).toEqual([id, ['x', 'late']])
      await log.begin(randomUUID(), 10, 2)
      expect(await log.head()).toEqual({ position: 10, first: 11 })
    })

    it('begins one history where two want to begin theirs', async () => {
      const { log, another } = await start()
      const two = [await another(), await another()]
      await log.append(randomUUID(), bytes('x'))
      const begun = await Promise.all(
        two.map((one, i) =>
          one.begin(randomUUID(), 10 + i, 1).then(
            () => one.id,
            ({ code }) => code,
          ),
        ),
      )
      const [id] = begun.filter(one => one !== 'LOG_DIVERGED')
      expect(begun).toContain('LOG_DIVERGED')
      expect((await another()).id).toBe(id)
    })

    it('refuses everything when it is closed, and lets go of who waits', async () => {
      const under = await begin()
      const log = await under.open()
      const waiting = log.wait(0)
      await log.close()
      await waiting
      expect(await codeOf(() => log.append(randomUUID(), bytes('x')))).toBe('CLOSED')
      expect(await codeOf(() => log.read(0))).toBe('CLOSED')
    })
  })
}
