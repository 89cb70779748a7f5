import { cp, open, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Engine } from 'findling'
import { beforeAll, describe, expect, it } from 'vitest'
import { numbers } from '../crash/numbers.mjs'
import { afterBlock, collected, temporaryFolder } from '../engine/engines.ts'

type State = Map<string, string>

const HISTORIES = 10
const ENDS = 7
const WRITES = 25

/** A store that is being written to, its log's length after each acknowledged write, and what it held then. */
async function writeHistory(folder: string, random: (below: number) => number) {
  const engine = await Engine.open({ store: folder })
  const { documents } = await engine.datasets.create('items')
  const state: State = new Map()
  const moments: { bytes: number; state: State }[] = []
  for (let n = 0; n < WRITES; n++) {
    const id = String(random(8))
    const put = (key: string, text: string) => {
      state.set(key, text)
      return { id: key, title: text }
    }
    const kind = random(5)
    if (kind === 0) state.delete(id)
    if (kind === 0) await documents.delete(id)
    else if (kind === 1) await documents.bulk([put(id, `w${n}a`), put('9', `w${n}b`)])
    else await documents.upsert(put(id, `w${n} ${'text '.repeat(random(400))}`.trim()))
    moments.push({ bytes: (await stat(await logOf(folder))).size, state: new Map(state) })
  }
  const copy = `${folder}-copy`
  // Reading LOCK would let go of it: closing any handle of a file drops a process's lock on it.
  await cp(folder, copy, { recursive: true, filter: path => basename(path) !== 'LOCK' })
  await engine.close()
  return { copy, moments }
}

async function logOf(folder: string): Promise<string> {
  const logs = (await readdir(folder)).filter(name => name.endsWith('.log'))
  expect(logs).toHaveLength(1)
  return join(folder, logs[0]!)
}

const damages = {
  'ends there': async (log: string, at: number) => {
    const file = await open(log, 'r+')
    await file.truncate(at)
    await file.close()
  },
  'is zeros from there': async (log: string, at: number) => {
    const { size } = await stat(log)
    const file = await open(log, 'r+')
    await file.write(Buffer.alloc(size - at), 0, size - at, at)
    await file.close()
  },
  'has noise there': async (log: string, at: number) => {
    const { size } = await stat(log)
    const noise = Buffer.from(Array.from({ length: Math.min(40, size - at) }, (_, i) => (i * 37 + at) & 255))
    const file = await open(log, 'r+')
    await file.write(noise, 0, noise.length, at)
    await file.close()
  },
}

async function reopened(folder: string) {
  const engine = await Engine.open({ store: folder, durability: 'process' })
  const items = engine.datasets.get('items')
  const found: State = new Map()
  for (const { id, document } of await collected(items.documents.scan()))
    found.set(id, String(document.title))
  for (const [id, title] of found) {
    const { hits } = await items.search(title.split(' ')[0]!, { typoTolerance: 0 })
    expect(hits.map(hit => hit.id)).toContain(id)
  }
  const { faults } = await engine.doctor()
  await engine.close()
  return { found, faults }
}

const afterwards = afterBlock()
const histories: Awaited<ReturnType<typeof writeHistory>>[] = []
beforeAll(async () => {
  const folder = await temporaryFolder(afterwards)
  for (let seed = 1; seed <= HISTORIES; seed++)
    histories[seed] = await writeHistory(join(folder, String(seed)), numbers(seed))
})

describe.each(Object.entries(damages))('a log that %s, behind what was acknowledged', (how, damage) => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed + 1))('loses nothing (seed %i)', async seed => {
    const random = numbers(100 + seed)
    const { copy, moments } = histories[seed]!
    for (let n = 0; n < ENDS; n++) {
      const known = random(moments.length)
      const { bytes } = moments[known]!
      const at = bytes + random(moments.at(-1)!.bytes - bytes + 1)
      const one = `${copy}-${n}`
      await cp(copy, one, { recursive: true })
      await damage(await logOf(one), at)
      const { found, faults } = await reopened(one)
      const later = moments.slice(known).map(({ state }) => state)
      for (const id of new Set([...later.flatMap(state => [...state.keys()]), ...found.keys()])) {
        expect(
          later.map(state => state.get(id)),
          `${how} at ${at}`,
        ).toContainEqual(found.get(id))
      }
      if (how === 'ends there') {
        expect(later).toContainEqual(found)
        expect(faults).toEqual([])
      }
      for (const { kind } of faults) expect(kind).toBe('lost-changes')
      await rm(one, { recursive: true })
    }
  })
})
