import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Entry, type Layer, LayerWriter, readLayer } from '../../../src/store/backup/layer.ts'
import { compareKeys, Layers } from '../../../src/store/backup/layers.ts'
import { codeOf, temporaryFolder } from '../../engine/engines.ts'

const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

async function written(
  folder: string,
  file: string,
  entries: ReadonlyMap<string, string | null>,
): Promise<Layer> {
  const writer = await LayerWriter.create(join(folder, file))
  for (const key of [...entries.keys()].sort(byBytes)) {
    const value = entries.get(key)
    await writer.add({ key, value: value == null ? undefined : Buffer.from(value) })
  }
  return { file, ...(await writer.finish()), weight: 1 }
}

async function merged(folder: string, layers: readonly Layer[]): Promise<[string, string][]> {
  const opened = await Layers.open(folder, layers)
  const found: [string, string][] = []
  for (; opened.head; await opened.next())
    found.push([opened.head.key, Buffer.from(opened.head.value).toString()])
  await opened.close()
  return found
}

const keys = fc.oneof(
  fc.constantFrom('a', 'ab', 'b', '\uffee', '\u{1f600}', '\ue000'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
)

describe('layers on top of each other', () => {
  it('hold what a map holds that took their changes one after the other', async () => {
    const changes = fc.array(fc.tuple(keys, fc.option(fc.string({ maxLength: 5 }))), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 5 }), async rounds => {
        const folder = await temporaryFolder()
        const layers: Layer[] = []
        const all = new Map<string, string>()
        for (const [n, round] of rounds.entries()) {
          const last = new Map(round)
          layers.push(await written(folder, `layer-${n}`, last))
          for (const [key, value] of last) {
            if (value === null) all.delete(key)
            else all.set(key, value)
          }
        }
        expect(await merged(folder, layers)).toEqual([...all].sort(([a], [b]) => byBytes(a, b)))
      }),
      { numRuns: 60 },
    )
  })

  it('are read across blocks, however large a value is', async () => {
    const folder = await temporaryFolder()
    const large = new Map([
      ['a', 'x'.repeat(3_000_000)],
      ...Array.from({ length: 30_000 }, (_, i): [string, string] => [`k${i}`, `value ${i}`.repeat(9)]),
    ])
    const removed = new Map([...large.keys()].filter((_, i) => i % 2 === 0).map(key => [key, null]))
    const layers = [await written(folder, 'layer-1', large), await written(folder, 'layer-2', removed)]
    const left = [...large].filter((_, i) => i % 2 === 1).sort(([a], [b]) => byBytes(a, b))
    expect(await merged(folder, layers)).toEqual(left)
  })
})

describe('the order of keys', () => {
  it('is that of their bytes', () => {
    fc.assert(
      fc.property(keys, keys, (one, other) => {
        expect(Math.sign(compareKeys(one, other))).toBe(byBytes(one, other))
      }),
    )
  })
})

describe('a layer', () => {
  const all = async (folder: string, layer: Layer): Promise<Entry[]> => {
    const entries: Entry[] = []
    for await (const block of readLayer(folder, layer)) entries.push(...block)
    return entries
  }

  it('is STORE_CORRUPT with any byte of it changed, and with any of its end cut off', async () => {
    const folder = await temporaryFolder()
    const entries = new Map(Array.from({ length: 40 }, (_, i) => [`key ${i}`, i % 7 ? `value ${i}` : null]))
    const layer = await written(folder, 'layer-1', entries)
    expect(await all(folder, layer)).toHaveLength(40)
    const path = join(folder, layer.file)
    const bytes = await readFile(path)
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1 << (at % 8)
      await writeFile(path, changed)
      expect(await codeOf(() => all(folder, layer)), `byte ${at}`).toBe('STORE_CORRUPT')
    }
    for (const end of [0, 7, 12, bytes.length - 1]) {
      await writeFile(path, bytes.subarray(0, end))
      expect(await codeOf(() => all(folder, layer))).toBe('STORE_CORRUPT')
      // Cut off before its length was taken.
      expect(await codeOf(() => all(folder, { ...layer, bytes: end }))).toBe('STORE_CORRUPT')
    }
  })

  it('is STORE_CORRUPT when its keys are not in order', async () => {
    const folder = await temporaryFolder()
    const writer = await LayerWriter.create(join(folder, 'layer-1'))
    for (const key of ['b', 'a']) await writer.add({ key, value: Buffer.from('1') })
    const layer = { file: 'layer-1', ...(await writer.finish()), weight: 1 }
    expect(await codeOf(() => merged(folder, [layer]))).toBe('STORE_CORRUPT')
  })
})
