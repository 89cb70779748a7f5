import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Level } from 'level'
import { describe, expect, it } from 'vitest'
import { checkTables, survey } from '../../../src/store/leveldb/files.ts'
import { readLog } from '../../../src/store/leveldb/log.ts'
import { tableDamage } from '../../../src/store/leveldb/table.ts'
import { temporaryFolder } from '../../engine/engines.ts'

/** What LevelDB makes of entries whose keys are alike, so that it compresses its indexes too. */
async function written(entries: number) {
  const folder = await temporaryFolder()
  const open = () => new Level<string, string>(folder, { blockSize: 1024, writeBufferSize: 2 ** 16 })
  const key = (n: number) => `the/same/beginning/of/all/of/them/${String(n).padStart(8, '0')}`
  const first = open()
  for (let n = 0; n < entries; n++) await first.put(key(n), `value ${n} `.repeat(n % 20))
  await first.close()
  // Opening makes a table of the log.
  const second = open()
  await second.put('last', 'in the log')
  await second.close()
  return folder
}

const named = async (folder: string, pattern: RegExp) =>
  join(folder, (await readdir(folder)).find(name => pattern.test(name))!)

const damageIn = (table: Buffer, part: 'all' | 'structure') =>
  tableDamage(table.length, bytes => table.subarray(Math.max(0, table.length - bytes)), part)

describe('tables', () => {
  it('that LevelDB wrote are sound, whichever blocks it compressed', async () => {
    const folder = await written(3000)
    const { tables, damage, losses } = await survey(folder, true)
    expect([damage, losses]).toEqual([[], []])
    expect(tables.length).toBeGreaterThan(0)
    for (const part of ['all', 'structure'] as const)
      expect(checkTables({ folder, tables, part })).toEqual([])
  })

  it('do not survive any flipped bit but those that fill the footer up', async () => {
    const table = await readFile(await named(await written(20), /\.ldb$/))
    const unnoticed = new Set<number>()
    for (let bit = 0; bit < table.length * 8; bit++) {
      table[bit >> 3]! ^= 1 << (bit & 7)
      if (damageIn(table, 'all') === undefined) unnoticed.add(bit >> 3)
      table[bit >> 3]! ^= 1 << (bit & 7)
    }
    const footer = table.length - 48
    for (const at of unnoticed) expect([at > footer, at < table.length - 8]).toEqual([true, true])
    expect(unnoticed.size).toBeLessThan(40)
  })

  it('of which a part is read need not fit in it', async () => {
    const table = await readFile(await named(await written(3000), /\.ldb$/))
    expect(damageIn(table, 'structure')).toBeUndefined()
    table[10]! ^= 1
    expect(damageIn(table, 'structure')).toBeUndefined()
    expect(damageIn(table, 'all')).toMatch(/checksum/)
  })

  it('of other contents are refused, however short', () => {
    for (let length = 0; length < 200; length++) {
      for (const byte of [0, 1, 127, 128, 255])
        expect(damageIn(Buffer.alloc(length, byte), 'all')).toBeTypeOf('string')
    }
  })

  it('that are gone or of another length are named', async () => {
    const folder = await written(100)
    const table = await named(folder, /\.ldb$/)
    await truncate(table, 100)
    expect((await survey(folder, true)).damage[0]).toMatch(/\.ldb has 100 bytes instead of \d+/)
    await rm(table)
    expect((await survey(folder, true)).damage[0]).toMatch(/\.ldb is missing/)
  })
})

describe('logs', () => {
  const logOf = async (folder: string) => readFile(await named(folder, /\.log$/))

  it('over several blocks are read whole', async () => {
    const folder = await temporaryFolder()
    const db = new Level<string, string>(folder)
    const sizes = [1, 100_000, 32_768 - 7, 32_740, 5]
    for (const size of sizes) await db.put(`key ${size}`, 'x'.repeat(size))
    await db.close()
    const { records, damage, isTorn } = readLog(await logOf(folder))
    expect([records.length, damage, isTorn]).toEqual([sizes.length, undefined, false])
    for (const [i, size] of sizes.entries())
      expect(Buffer.from(records[i]!).includes('x'.repeat(size))).toBe(true)
  })

  it('that were cut off are told from such in which a bit is flipped', async () => {
    const folder = await temporaryFolder()
    const db = new Level<string, string>(folder)
    for (let n = 0; n < 5; n++) await db.put(`key ${n}`, 'value '.repeat(n * 5))
    await db.close()
    const log = await logOf(folder)
    const ends: number[] = []
    for (let length = 0; length < log.length; length++) {
      const { damage, isTorn } = readLog(log.subarray(0, length))
      expect(damage).toBeUndefined()
      if (!isTorn) ends.push(length)
    }
    expect(ends).toHaveLength(5)
    for (let bit = 0; bit < log.length * 8; bit++) {
      log[bit >> 3]! ^= 1 << (bit & 7)
      const { damage, isTorn } = readLog(log)
      expect([bit, typeof damage, isTorn]).toEqual([bit, 'string', false])
      log[bit >> 3]! ^= 1 << (bit & 7)
    }
    expect(readLog(Buffer.concat([log, Buffer.alloc(500)]))).toMatchObject({
      damage: undefined,
      isTorn: true,
    })
  })
})

describe('a folder', () => {
  it.each([
    ['CURRENT', 'MANIFEST-000099\n'],
    ['CURRENT', 'MANIFEST-000002'],
    ['CURRENT', ''],
    ['MANIFEST', ''],
  ])('whose %s is %j is damaged', async (file, text) => {
    const folder = await written(10)
    await writeFile(await named(folder, new RegExp(`^${file}`)), text)
    expect((await survey(folder, true)).damage).toEqual([expect.stringContaining(file)])
  })

  it('in which a manifest or log was cut off may have crashed, but was not closed', async () => {
    const folder = await written(10)
    for (const [pattern, part] of [
      [/^MANIFEST/, 'damage'],
      [/\.log$/, 'losses'],
    ] as const) {
      const file = await named(folder, pattern)
      const bytes = await readFile(file)
      await writeFile(file, bytes.subarray(0, bytes.length - 1))
      expect((await survey(folder, true))[part].join()).toContain('cut off')
      expect((await survey(folder, false))[part]).toEqual([])
      await writeFile(file, bytes)
    }
  })

  it('without the log that it names has lost changes', async () => {
    const folder = await written(10)
    await rm(await named(folder, /\.log$/))
    expect((await survey(folder, true)).losses).toEqual([expect.stringMatching(/\.log is missing/)])
  })
})
