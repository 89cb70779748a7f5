import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { SEAL_BYTES } from '../../src/store/checksum.ts'
import { collected, temporaryFolder } from '../engine/engines.ts'
import { withRaw } from '../store/raw-store.ts'
import { Ledger } from './ledger.ts'
import { numbers } from './numbers.mjs'

const writer = fileURLToPath(new URL('./writer.mjs', import.meta.url))
const LIVES = 4

/**
 * Lets a process do some writes and kills it within milliseconds of the last, whatever else it is writing then.
 * Counted in writes, a life is as rich on a slow disk as on a fast one. Everything it said is in the ledger then.
 */
async function writeAndDie(
  store: string,
  seed: number,
  { writes, ms }: { writes: number; ms: number },
  ledger: Ledger,
): Promise<void> {
  const child = spawn(process.execPath, [writer, store, String(seed)])
  const errors: string[] = []
  child.stderr.on('data', data => errors.push(String(data)))
  const exited = once(child, 'exit')
  let acknowledged = 0
  for await (const line of createInterface(child.stdout)) {
    const said = JSON.parse(line)
    if (said.warning) errors.push(said.warning)
    else if (said.acknowledged) {
      ledger.acknowledge(said.acknowledged)
      acknowledged += 1
      if (acknowledged === writes) void pause(ms).then(() => child.kill('SIGKILL'))
    } else ledger.announce(said)
  }
  const [, signal] = await exited
  expect([signal, errors]).toEqual(['SIGKILL', []])
}

/** Everything in the store by the ledger's keys. */
async function contents(engine: Engine): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const name of ['items', 'archive']) {
    for (const { id, document } of await collected(engine.datasets.get(name).documents.scan())) {
      found.set(`${name}/${id}`, JSON.stringify(document))
    }
  }
  for (const { id } of await engine.datasets.get('items').tags.list()) found.set(`tag ${id}`, 'true')
  for (const { name } of engine.datasets.list()) {
    if (name.startsWith('passing')) found.set(`dataset ${name}`, 'true')
  }
  return found
}

/** Every document is found by the term that only it has, and by no term it had before. */
async function expectFindable(engine: Engine, name: string): Promise<void> {
  const dataset = engine.datasets.get(name)
  const terms = new Map<string, string>()
  for (const { id, document } of await collected(dataset.documents.scan()))
    terms.set(String(document.title), id)
  for (const [term, id] of terms) {
    const { hits } = await dataset.search(term, { typoTolerance: 0, limit: 50 })
    expect(hits[0]?.id).toBe(id)
    // A code is also found in longer ones that begin with it.
    for (const { document } of hits.slice(1)) expect(document.title).toMatch(new RegExp(`^${term}.`))
  }
}

/** What removals and rebuilds have left to be swept. */
async function trashOf(store: string): Promise<unknown> {
  const manifest = await withRaw(store, db => db.get('manifest'))
  return JSON.parse(Buffer.from(manifest!).toString('utf8', SEAL_BYTES)).trash
}

/** Lives of one store, each of which ends with a kill. */
async function liveAndDie(seed: number): Promise<void> {
  const random = numbers(seed)
  const store = join(await temporaryFolder(), 'store')
  const ledger = new Ledger()
  for (let life = 1; life <= LIVES; life++) {
    await writeAndDie(store, seed * 100 + life, { writes: 10 + random(60), ms: random(20) }, ledger)
    const heard: string[] = []
    const listen = (_: object, message: string) => void heard.push(message)
    const engine = await Engine.open({ store, logger: { warn: listen, error: listen } })
    expect(ledger.settle(await contents(engine)), `seed ${seed}, life ${life}`).toEqual([])
    await expectFindable(engine, 'items')
    await expectFindable(engine, 'archive')
    expect(await engine.doctor()).toMatchObject({ ok: true, faults: [], quiet: true })
    expect(engine.jobs({ status: ['running', 'cancelling'] })).toEqual([])
    await engine.close()
    expect(heard, `seed ${seed}, life ${life}`).toEqual([])
    expect(await trashOf(store)).toEqual([])
  }
  expect(ledger.size).toBeGreaterThan(20)
}

describe('a process that is killed while it writes', () => {
  const pairs = [
    [1, 2],
    [3, 4],
  ]
  it.each(pairs)('loses nothing that it had acknowledged (seeds %i and %i)', async (...seeds) => {
    await Promise.all(seeds.map(liveAndDie))
  })
})
