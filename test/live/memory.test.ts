import type { Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { expectHealthy, openEngine, temporaryFolder } from '../engine/engines.ts'

const MEGABYTE = 2 ** 20
const BUDGET = 32 * MEGABYTE
const FOR_INDEXES = 20 * MEGABYTE

/** Each with a word that all its documents share and many that no other has. */
async function fill(engine: Engine, name: string, documents: number): Promise<void> {
  const dataset = await engine.datasets.create(name, { language: 'none' })
  const words = (i: number) => Array.from({ length: 100 }, (_, n) => `${name}${i}x${n}`).join(' ')
  const rows = Array.from({ length: documents }, (_, i) => ({ id: i, title: `common ${words(i)}` }))
  await dataset.documents.bulk(rows)
}

const usedBy = (engine: Engine) => engine.memory().total

const indexOf = (engine: Engine, name: string) =>
  engine.memory().datasets.find(dataset => dataset.name === name)?.index

function listening() {
  const warnings: string[] = []
  const logger = { warn: (_: object, message: string) => void warnings.push(message), error: () => {} }
  return { warnings, logger }
}

describe('memory', () => {
  it('tells the bytes of every index that is loaded', async () => {
    const store = await temporaryFolder()
    const first = await openEngine({ store })
    await fill(first, 'one', 50)
    await fill(first, 'two', 5)
    const { total, datasets } = first.memory()
    expect(datasets.map(({ name }) => name)).toEqual(['one', 'two'])
    expect(datasets[0]!.index).toBeGreaterThan(datasets[1]!.index)
    expect(
      datasets.reduce((sum, { index, completions, likeness }) => sum + index + completions + likeness, 0),
    ).toBe(total)
    await first.close()
    const engine = await openEngine({ store })
    expect(engine.memory().total).toBe(0)
    await engine.datasets.get('one').search('common')
    expect([indexOf(engine, 'one')! > 0, indexOf(engine, 'two')]).toEqual([true, undefined])
  })

  it('of indexes stays within its part of the budget, and every answer is right', async () => {
    const { warnings, logger } = listening()
    const store = await temporaryFolder()
    const engine = await openEngine({ store, logger, memoryBudget: BUDGET, durability: 'process' })
    const names = ['one', 'two', 'three', 'four']
    for (const name of names) await fill(engine, name, 600)
    let released = 0
    for (let round = 0; round < 12; round++) {
      const name = names[(round * 3) % 4]!
      const dataset = engine.datasets.get(name)
      await dataset.documents.insert({ id: `new${round}`, title: 'common novelty' })
      await dataset.documents.delete(String(round))
      const { total } = await dataset.search('common', { total: 'exact' })
      expect(total).toMatchObject({ count: 600 })
      expect((await dataset.search(`${name}${round}x7`, { typoTolerance: 0 })).hits).toEqual([])
      expect((await dataset.search('common novelty', { operator: 'and' })).hits[0]!.id).toMatch(/^new/)
      expect(usedBy(engine)).toBeLessThan(FOR_INDEXES)
      if (names.some(one => indexOf(engine, one) === 0)) released++
    }
    expect(released).toBeGreaterThan(0)
    expect(warnings).toEqual([])
    await expectHealthy(engine)
  })

  it('stays within it when indexes that are not in use are built anew', async () => {
    const engine = await openEngine({ memoryBudget: BUDGET })
    const names = ['one', 'two', 'three']
    for (const name of names) await fill(engine, name, 900)
    await Promise.all(names.map(name => engine.datasets.get(name).optimize().finished))
    // Indexes are let go behind the calls.
    await expect.poll(() => usedBy(engine)).toBeLessThan(FOR_INDEXES)
    for (const name of names) {
      expect((await engine.datasets.get(name).search(`${name}7x7`, { typoTolerance: 0 })).hits).toHaveLength(
        1,
      )
    }
    await expectHealthy(engine)
  })

  it('is shared by completions, of which those used longest ago go', async () => {
    const { warnings, logger } = listening()
    const engine = await openEngine({ logger, memoryBudget: BUDGET })
    const names = ['one', 'two', 'three', 'four', 'five']
    const completionsOf = (name: string) =>
      engine.memory().datasets.find(dataset => dataset.name === name)!.completions
    for (const name of names) await fill(engine, name, 600)
    const asked = new Set<string>()
    let dropped = 0
    for (const name of [...names, ...names]) {
      const dataset = engine.datasets.get(name)
      const [first] = await dataset.complete('comm', { limit: 1 })
      expect(first!.text).toContain(name)
      expect(completionsOf(name)).toBeGreaterThan(MEGABYTE)
      expect((await dataset.search(`${name}7x7`, { typoTolerance: 0 })).hits).toHaveLength(1)
      expect(usedBy(engine)).toBeLessThan(FOR_INDEXES)
      asked.add(name)
      for (const other of asked) if (completionsOf(other) === 0) dropped++
    }
    expect(dropped).toBeGreaterThan(0)
    expect(warnings).toEqual([])
  })

  it('of the index in use may be more, which is told once', async () => {
    const { warnings, logger } = listening()
    const engine = await openEngine({ logger, memoryBudget: BUDGET })
    await fill(engine, 'large', 4000)
    await fill(engine, 'small', 5)
    for (const name of ['large', 'small', 'large', 'small', 'large']) {
      const { hits } = await engine.datasets.get(name).search('common', { limit: 1 })
      expect(hits).toHaveLength(1)
    }
    expect(indexOf(engine, 'large')).toBeGreaterThan(FOR_INDEXES)
    expect([indexOf(engine, 'small'), warnings]).toEqual([0, [expect.stringContaining('large')]])
  })
})
