import { describe, expect, it } from 'vitest'
import { DerivedMemory } from '../../src/derived/memory.ts'

/** Something of so many bytes that counts how often it is asked for them. */
function loaded(name: string, size: number) {
  let [bytes, looks, busy] = [size, 0, false]
  const one = {
    name,
    kind: 'index',
    get bytes() {
      looks++
      return bytes
    },
    async release() {
      if (!busy) bytes = 0
      return !busy
    },
  }
  return {
    one,
    size: () => bytes,
    looks: () => looks,
    grow: (to: number) => {
      bytes = to
    },
    hold: (held: boolean) => {
      busy = held
    },
  }
}

function memoryOf(limit: number) {
  const warnings: object[] = []
  const memory = new DerivedMemory({ limit, warn: (_, details) => void warnings.push(details) })
  return { memory, warnings }
}

describe('used', () => {
  it('lets go what was used longest ago', async () => {
    const { memory, warnings } = memoryOf(100)
    const [a, b, c] = [loaded('a', 40), loaded('b', 40), loaded('c', 40)]
    for (const { one } of [a, b, a, c]) await memory.used(one)
    expect([a.size(), b.size(), c.size(), warnings]).toEqual([40, 0, 40, []])
  })

  it('does not look again at what has been let go', async () => {
    const { memory } = memoryOf(100)
    const [a, b] = [loaded('a', 80), loaded('b', 80)]
    await memory.used(a.one)
    await memory.used(b.one)
    const before = a.looks()
    for (let i = 0; i < 5; i++) await memory.used(b.one)
    expect([a.size(), a.looks()]).toEqual([0, before])
  })

  it('tells once what is larger than the limit by itself', async () => {
    const { memory, warnings } = memoryOf(100)
    const a = loaded('a', 120)
    for (let i = 0; i < 3; i++) await memory.used(a.one)
    expect([a.size(), warnings]).toEqual([120, [{ dataset: 'a', kind: 'index', bytes: 120, limit: 100 }]])
  })

  it('by a call that outlived its dataset counts for nothing', async () => {
    const { memory } = memoryOf(100)
    const [gone, a] = [loaded('gone', 90), loaded('a', 90)]
    await memory.used(gone.one)
    memory.forget(gone.one)
    await memory.used(gone.one)
    await memory.used(a.one)
    expect([gone.size(), a.size()]).toEqual([90, 90])
  })
})

describe('grown', () => {
  it('makes room without making it the one used last', async () => {
    const { memory } = memoryOf(100)
    const [a, b] = [loaded('a', 40), loaded('b', 40)]
    await memory.used(a.one)
    await memory.used(b.one)
    a.grow(90)
    await memory.grown(a.one)
    expect([a.size(), b.size()]).toEqual([0, 40])
  })
})

describe('makeRoom', () => {
  it('lets go what was in use before', async () => {
    const { memory } = memoryOf(100)
    const [a, b] = [loaded('a', 80), loaded('b', 80)]
    a.hold(true)
    await memory.used(a.one)
    await memory.used(b.one)
    expect(a.size()).toBe(80)
    a.hold(false)
    await memory.makeRoom()
    expect([a.size(), b.size()]).toEqual([0, 80])
  })
})
