import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Shared } from '../../adapters/cluster/src/index.ts'
import { codeOf, failureOf } from '../engine/engines.ts'

export interface SharedUnderTest {
  /** The same again, through connections of its own. */
  open(): Promise<Shared>
  /** Interrupts what goes on. */
  disturb(): Promise<void>
  /** Makes the first stored chunk of a blob another, or takes the last away. */
  damage(sha256: string, how: 'changed' | 'cut'): Promise<void>
}

export async function* pieces(...all: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  for (const piece of all) yield piece
}

export async function read(shared: Shared, sha256: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of shared.readBlob(sha256)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** What every place does that nodes share. @param begin one of its own for each test */
export function describeShared(begin: () => Promise<SharedUnderTest>): void {
  const opened = async ({ open }: SharedUnderTest): Promise<Shared> => {
    const shared = await open()
    onTestFinished(() => shared.close())
    return shared
  }
  const start = async () => {
    const under = await begin()
    return { ...under, shared: await opened(under), another: () => opened(under) }
  }

  describe('a lease', () => {
    it('is with one owner, who may renew it and end it', async () => {
      const { shared, another } = await start()
      const other = await another()
      const fence = await shared.lease('maker', 'one', 60_000)
      expect(fence).toBeGreaterThan(0)
      expect(await other.lease('maker', 'two', 60_000)).toBeUndefined()
      expect(await other.lease('maker', 'one', 60_000)).toBe(fence)
      await other.release('maker', 'two')
      expect(await other.lease('maker', 'two', 60_000)).toBeUndefined()
      expect(await other.lease('another', 'two', 60_000)).toBeGreaterThan(0)
      await shared.release('maker', 'one')
      expect(await other.lease('maker', 'two', 60_000)).toBeGreaterThan(fence!)
      await shared.release('nothing', 'one')
    })

    it('goes to another with a greater fence when it is not renewed, and to the same one again with another', async () => {
      const { shared, another } = await start()
      const other = await another()
      const first = await shared.lease('maker', 'one', 100)
      const next = await tried(() => other.lease('maker', 'two', 20))
      expect(next).toBeGreaterThan(first!)
      const again = await tried(() => shared.lease('maker', 'one', 20))
      expect(again).toBeGreaterThan(next)
      await pause(100)
      expect(await shared.lease('maker', 'one', 20)).toBeGreaterThan(again)
    })

    it('is never with two under one fence, while many ask and connections break', async () => {
      const under = await start()
      const holders = new Map<number, Set<string>>()
      let isOver = false
      const disturbing = (async () => {
        while (!isOver) {
          await pause(30)
          await under.disturb()
        }
      })()
      const asking = Array.from({ length: 4 }, async (_, i) => {
        const shared = await under.another()
        for (let n = 0; n < 40; n++) {
          const owner = `${i}:${n % 3}`
          const fence = await shared.lease('maker', owner, n % 2 ? 1 : 15)
          if (fence !== undefined) {
            holders.set(fence, (holders.get(fence) ?? new Set()).add(owner))
            if (n % 3 === 0) await shared.release('maker', owner)
          }
          await pause(2)
        }
      })
      await Promise.all(asking)
      isOver = true
      await disturbing
      expect(holders.size).toBeGreaterThan(5)
      expect([...holders.values()].filter(({ size }) => size > 1)).toEqual([])
    })
  })

  describe('a row', () => {
    it('is what was put last, for everybody, with its age', async () => {
      const { shared, another } = await start()
      const other = await another()
      expect(await other.get('node', 'a')).toBeUndefined()
      const value = { text: 'ä\0\ud83d\ude00\ud800', list: [1, null, { deep: true }] }
      await shared.put('node', 'b', 'first')
      await shared.put('node', 'a', value)
      await shared.put('node', 'Ö', 0)
      await shared.put('snapshot', 'a', null)
      expect(await other.get('node', 'a')).toMatchObject({ key: 'a', value })
      await pause(30)
      const { age } = (await other.get('node', 'b'))!
      expect(age).toBeGreaterThanOrEqual(25)
      await other.put('node', 'b', ['second'])
      const rows = await shared.list('node')
      expect(rows.map(({ key, value }) => [key, value])).toEqual([
        ['a', value],
        ['b', ['second']],
        ['Ö', 0],
      ])
      expect(rows[1]!.age).toBeLessThan(rows[0]!.age)
      await other.delete('node', 'a')
      await other.delete('node', 'nothing')
      expect((await shared.list('node')).map(({ key }) => key)).toEqual(['b', 'Ö'])
      expect((await shared.list('snapshot')).map(({ value }) => value)).toEqual([null])
      expect(await shared.list('nothing')).toEqual([])
    })
  })

  describe('a blob', () => {
    it('is given back as it was put, however it was cut into pieces', async () => {
      const { shared, another } = await start()
      const other = await another()
      const large = randomBytes(2.5 * 2 ** 20)
      for (const [whole, cut] of [
        [large, [large.subarray(0, 7), large.subarray(7, 1_500_000), large.subarray(1_500_000)]],
        [randomBytes(2 ** 20), undefined],
        [Buffer.alloc(0), []],
      ] as const) {
        const blob = { sha256: sha256Of(whole), bytes: whole.byteLength }
        expect(await shared.putBlob(pieces(...(cut ?? [whole])))).toEqual(blob)
        expect((await read(other, blob.sha256)).equals(whole)).toBe(true)
        for await (const chunk of other.readBlob(blob.sha256))
          expect(chunk.byteLength).toBeLessThanOrEqual(2 ** 20)
      }
    })

    it('is there once, until it is removed', async () => {
      const { shared, another } = await start()
      const other = await another()
      const [one, two] = [randomBytes(100), randomBytes(2 ** 20 + 1)]
      const sha256 = sha256Of(two)
      await shared.putBlob(pieces(one))
      await Promise.all([shared, other, shared].map(each => each.putBlob(pieces(two))))
      const sizes = (await other.listBlobs()).map(({ sha256, bytes }) => [sha256, bytes])
      expect(sizes).toEqual([[sha256Of(one), 100] as const, [sha256, 2 ** 20 + 1] as const].sort())
      await pause(30)
      await other.putBlob(pieces(two))
      const ages = new Map((await shared.listBlobs()).map(({ sha256, age }) => [sha256, age]))
      expect(ages.get(sha256Of(one))).toBeGreaterThanOrEqual(25)
      expect(ages.get(sha256)).toBeLessThan(ages.get(sha256Of(one))!)
      await shared.removeBlob(sha256)
      await shared.removeBlob(sha256)
      const { code, details } = await failureOf(() => read(other, sha256))
      expect([code, details.received]).toEqual(['ARTIFACT_MISSING', sha256])
      expect((await read(other, sha256Of(one))).equals(one)).toBe(true)
      await other.putBlob(pieces(two))
      expect((await read(shared, sha256)).equals(two)).toBe(true)
    })

    it('is not there when its source fails', async () => {
      const { shared } = await start()
      const bytes = randomBytes(2 ** 20)
      const failing = async function* () {
        yield bytes
        throw new TypeError('no more')
      }
      await expect(shared.putBlob(failing())).rejects.toThrow('no more')
      expect(await shared.listBlobs()).toEqual([])
      expect(await codeOf(() => read(shared, sha256Of(bytes)))).toBe('ARTIFACT_MISSING')
    })

    it('is refused when it is not what it was any more', async () => {
      const { shared, damage } = await start()
      for (const how of ['changed', 'cut'] as const) {
        const { sha256 } = await shared.putBlob(pieces(randomBytes(1.5 * 2 ** 20)))
        await damage(sha256, how)
        expect([how, await codeOf(() => read(shared, sha256))]).toEqual([how, 'ARTIFACT_DAMAGED'])
      }
    })

    it('is whole while connections break', async () => {
      const under = await start()
      let isOver = false
      const disturbing = (async () => {
        while (!isOver) {
          await pause(20)
          await under.disturb()
        }
      })()
      for (let n = 0; n < 4; n++) {
        const bytes = randomBytes(4 * 2 ** 20)
        const { sha256 } = await under.shared.putBlob(pieces(bytes))
        expect((await read(under.shared, sha256)).equals(bytes)).toBe(true)
      }
      isOver = true
      await disturbing
    })
  })

  it('refuses what is no name, no time, no hash and too much, and everything when it is closed', async () => {
    const { shared } = await start()
    const own = await (await begin()).open()
    for (const [field, call] of [
      ['name', () => shared.lease('', 'one', 1)],
      ['owner', () => shared.lease('maker', 'a\0', 1)],
      ['ttl', () => shared.lease('maker', 'one', 0)],
      ['ttl', () => shared.lease('maker', 'one', Number.NaN)],
      ['kind', () => shared.list('x'.repeat(501))],
      ['key', () => shared.put('node', '\ud800', 1)],
      ['value', () => shared.put('node', 'a', undefined as never)],
      ['sha256', () => shared.removeBlob('abc')],
    ] as const) {
      const { code, details } = await failureOf(call)
      expect([code, details.field]).toEqual(['INVALID_ARGUMENT', field])
    }
    expect(await codeOf(() => shared.put('node', 'a', 'x'.repeat(2 ** 20)))).toBe('TOO_LARGE')
    expect(await codeOf(() => read(shared, 'F'.repeat(64)))).toBe('INVALID_ARGUMENT')
    await own.close()
    expect(await codeOf(() => own.list('node'))).toBe('CLOSED')
    expect(await codeOf(() => own.putBlob(pieces(Buffer.alloc(1))))).toBe('CLOSED')
  })
}

/** Asked until there is an answer. */
async function tried(ask: () => Promise<number | undefined>): Promise<number> {
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await pause(10)
  }
}
