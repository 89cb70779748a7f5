import type { WriteOperation } from 'findling'
import { describe, expect, it } from 'vitest'
import { MemoryLog } from '../../../adapters/cluster/src/index.ts'
import { random } from '../../../bench/random.ts'
import { Chance, Machine } from '../machines.ts'
import { hasStandbys } from '../postgres-server.ts'
import { violationsIn } from '../violations.ts'
import { chaos } from './chaos.ts'
import { type Asked, Clients } from './clients.ts'

const SEEDS = 25
const CALLS = 120

describe('what clients of three nodes are told', () => {
  it('is what was promised while processes end and a log in memory loses answers', async () => {
    let kills = 0
    let unknown = 0
    for (let seed = 0; seed < SEEDS; seed++) {
      const chance = new Chance(seed)
      const log = new MemoryLog()
      const machines = [new Machine(log, chance), new Machine(log, chance), new Machine(log, chance)]
      await created(machines[0]!)
      const asked = machines.map((machine, i) => ({ store: String(i), process: inProcess(machine) }))
      const clients = new Clients(random(seed), () => asked, 3)
      const end = clients.run(4)
      while (clients.history.length < CALLS) await new Promise(setImmediate)
      await end()
      for (const machine of machines) machine.heal()
      for (const node of asked)
        for (const id of clients.ids) expect(await clients.call(node, id, { type: 'latest' })).toBeDefined()
      expect({ seed, violations: violationsIn(clients.history) }).toEqual({ seed, violations: [] })
      const digests = await digestsAtRest(log, machines)
      for (const machine of machines) {
        kills += machine.kills
        await machine.end()
      }
      expect(new Set(digests).size).toBe(1)
      unknown += clients.history.filter(({ outcome }) => outcome.type === 'unknown').length
    }
    expect(kills).toBeGreaterThan(SEEDS)
    expect(unknown).toBeGreaterThan(SEEDS)
  })

  it.skipIf(!hasStandbys)(
    'is what was promised while processes are killed and PostgreSQL fails',
    async () => {
      const report = await chaos({ seconds: 6, seed: 7 })
      expect(report.wrong).toEqual([])
      expect(report.acknowledged).toBeGreaterThan(100)
      expect(report.reads).toBeGreaterThan(100)
      expect(report.lostWithTheEnd).toBeGreaterThan(0)
      expect(Object.values(report.happened).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(4)
    },
  )
})

/** What was not answered may still be appended: they are compared where the log has not grown meanwhile. */
async function digestsAtRest(log: MemoryLog, machines: readonly Machine[]): Promise<string[]> {
  for (;;) {
    const { position } = await log.head()
    const digests = []
    for (const machine of machines) {
      const node = await machine.up()
      await node.reach(position)
      digests.push((await node.engine.digest()).digest)
    }
    if ((await log.head()).position === position) return digests
  }
}

async function created(machine: Machine): Promise<void> {
  const create: WriteOperation = { type: 'createDataset', dataset: 'documents' }
  for (;;) {
    const node = await machine.up()
    const done = await node.write([create]).catch(error => error as { code: string })
    if (!('code' in done) || done.code === 'DATASET_EXISTS') return
  }
}

/** The node that runs on a machine, asked as one in a process of its own is. */
function inProcess(machine: Machine): Asked['process'] {
  const calls = {
    async write({ operation }: { operation: WriteOperation }) {
      const { position, results } = await (await machine.up()).write([operation], { each: true })
      const [one] = results
      return one!.error ? { refused: one!.error.code } : { position, seq: one!.seq }
    },
    async read({ id, position }: { id: string; position?: number }) {
      const node = await machine.up()
      if (position === undefined) await node.latest()
      else await node.reach(position)
      if (!node.engine.datasets.has('documents')) return null
      const record = await node.engine.datasets.get('documents').documents.record(id)
      return record ? { ...record.document, seq: record.seq } : null
    },
  }
  return {
    // What is asked for is what the call answers.
    ask: async <Answer>(call: 'read' | 'write', args: object) => (await calls[call](args as never)) as Answer,
  }
}
