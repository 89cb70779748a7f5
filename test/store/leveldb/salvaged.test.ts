import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Level } from 'level'
import { describe, expect, it } from 'vitest'
import { random } from '../../../bench/random.ts'
import { crc32c, mask } from '../../../src/store/leveldb/crc32c.ts'
import { salvaged } from '../../../src/store/leveldb/salvaged.ts'
import { temporaryFolder } from '../../engine/engines.ts'

async function opened(folder: string) {
  const options = { blockSize: 512, writeBufferSize: 2 ** 16, maxFileSize: 2 ** 20 }
  const db = new Level<string, string>(folder, options)
  await db.open()
  return db
}

/** A database after random batches, which write some keys again and again, what it holds, and all that it ever held. */
async function filled(seed: number) {
  const folder = await temporaryFolder()
  const held = new Map<string, string>()
  const ever = new Set<string>()
  const next = random(seed)
  for (let openings = 0; openings < 3; openings++) {
    const db = await opened(folder)
    for (let batches = 0; batches < 60; batches++) {
      const batch = db.batch()
      for (let i = 0; i < 40; i++) {
        const key = `key/${Math.floor(next() ** 2 * 3000)}`
        if (next() < 0.3) {
          batch.del(key)
          held.delete(key)
        } else {
          const value = `${next()} `.repeat(1 + Math.floor(next() * 20))
          batch.put(key, value)
          held.set(key, value)
          ever.add(`${key}: ${value}`)
        }
      }
      await batch.write()
    }
    await db.close()
  }
  return { folder, held, ever }
}

async function readAll(folder: string) {
  const [found, damage] = [new Map<string, string>(), [] as string[]]
  const keys: string[] = []
  for (const entry of await salvaged(folder, (file, what) => damage.push(`${file} ${what}`))) {
    if (!entry) continue
    keys.push(entry.key.toString())
    found.set(entry.key.toString(), Buffer.from(entry.value).toString())
  }
  expect(keys).toEqual([...keys].sort())
  expect(found.size).toBe(keys.length)
  return { found, damage }
}

describe('what is salvaged of a folder', () => {
  it.each([1, 2, 3])('is what LevelDB reads if nothing is damaged (seed %i)', async seed => {
    const { folder, held } = await filled(seed)
    const { found, damage } = await readAll(folder)
    expect(damage).toEqual([])
    expect(found).toEqual(held)
  })

  it('is the same without the manifest', async () => {
    const { folder, held } = await filled(4)
    for (const name of await readdir(folder))
      if (/^(CURRENT|MANIFEST)/.test(name)) await rm(join(folder, name))
    const { found, damage } = await readAll(folder)
    expect(damage).toEqual([' CURRENT is missing.'])
    expect(found).toEqual(held)
  })

  it('is the same with a manifest that lacks its end, whatever that was about', async () => {
    const { folder, held } = await filled(8)
    const manifest = (await readdir(folder)).find(name => name.startsWith('MANIFEST'))!
    const bytes = await readFile(join(folder, manifest))
    for (let end = bytes.length; end > 0; end -= 20) {
      await writeFile(join(folder, manifest), bytes.subarray(0, end))
      expect([end, (await readAll(folder)).found]).toEqual([end, held])
    }
  })

  it('is the same beside a part of a table from a compaction that was cut short', async () => {
    const { folder, held } = await filled(9)
    const tables = (await readdir(folder)).filter(name => name.endsWith('.ldb'))
    const bytes = await readFile(join(folder, tables[0]!))
    await writeFile(join(folder, '999999.ldb'), bytes.subarray(0, bytes.length / 2))
    expect(await readAll(folder)).toEqual({ found: held, damage: [] })
  })

  it('lacks hardly more than the block in which a byte is wrong, and holds nothing that was never written', async () => {
    const { folder, held, ever } = await filled(5)
    const next = random(6)
    for (const name of (await readdir(folder)).filter(name => /\.(ldb|log)$/.test(name))) {
      const file = join(folder, name)
      const bytes = await readFile(file)
      // The last tenth of a table has its index, without which none of its blocks is found. A block of a log has 32 KB.
      const [end, most] = name.endsWith('.ldb') ? [bytes.length * 0.9, 0.1] : [bytes.length, 0.3]
      for (let i = 0; i < 10; i++) {
        const at = Math.floor(next() * end)
        bytes[at]! ^= 0x40
        await writeFile(file, bytes)
        const { found, damage } = await readAll(folder)
        bytes[at]! ^= 0x40
        const lost = [...held].filter(([key, value]) => found.get(key) !== value).length
        expect([name, at, lost < held.size * most]).toEqual([name, at, true])
        if (lost > 0) expect(damage).toHaveLength(1)
        expect([...found].filter(([key, value]) => !ever.has(`${key}: ${value}`))).toEqual([])
      }
      await writeFile(file, bytes)
    }
  })

  it('is everything else where a record of a log is no batch', async () => {
    const { folder, held } = await filled(8)
    for (const [i, content] of ['', 'short', 'twelve bytes and what is no change'].entries()) {
      const typed = Buffer.from(`\x01${content}`)
      const header = Buffer.alloc(6)
      header.writeUInt32LE(mask(crc32c(typed, 0, typed.length)))
      header.writeUInt16LE(content.length, 4)
      await writeFile(join(folder, `99999${i}.log`), Buffer.concat([header, typed]))
    }
    const { found, damage } = await readAll(folder)
    expect(found).toEqual(held)
    expect(damage).toEqual([0, 1, 2].map(i => expect.stringMatching(`^99999${i}.log it holds a record`)))
  })

  it('has the blocks of a table that is cut off, or whose index is damaged', async () => {
    const { folder, held } = await filled(7)
    const tables = (await readdir(folder)).filter(name => name.endsWith('.ldb'))
    for (const name of tables) {
      const bytes = await readFile(join(folder, name))
      // The footer, with the place of the index.
      for (const damaged of [bytes.subarray(0, -1), bytes.fill(0xff, bytes.length - 48)]) {
        await writeFile(join(folder, name), damaged)
        const { found, damage } = await readAll(folder)
        expect(damage.length).toBeGreaterThan(0)
        expect([...held].filter(([key, value]) => found.get(key) !== value)).toEqual([])
      }
    }
    const [first] = tables
    const bytes = await readFile(join(folder, first!))
    await writeFile(join(folder, first!), bytes.subarray(0, bytes.length / 2))
    const { found } = await readAll(folder)
    expect(found.size).toBeGreaterThan(held.size / 2)
  })
})
