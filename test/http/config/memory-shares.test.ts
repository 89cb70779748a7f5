import { describe, expect, it } from 'vitest'
import { LEAST, MemoryShares } from '../../../adapters/http/src/config/memory-shares.ts'

const all = (shares: MemoryShares): number[] => {
  const taken: number[] = []
  for (let share = shares.takeLater(); share !== undefined; share = shares.takeLater()) taken.push(share)
  return taken
}

describe('the memory of a server', () => {
  it('is divided equally among the clients of a start, with as much left over', () => {
    const shares = new MemoryShares(4096)
    const taken = [3, 2, 1].map(left => shares.take(left)!)
    expect(Math.max(...taken) - Math.min(...taken)).toBeLessThan(4)
    expect(shares.takeLater()).toBe(Math.floor(taken[0]! / 8))
  })

  it('has room for many that are added one by one, none of which has less than an engine needs', () => {
    const taken = all(new MemoryShares(4096))
    expect(taken.length).toBeGreaterThanOrEqual(26)
    expect(Math.min(...taken)).toBe(LEAST)
    expect(taken).toEqual([...taken].sort((one, other) => other - one))
  })

  it('gives one that is opened again what it had, or what is left', () => {
    const shares = new MemoryShares(1024)
    const first = shares.take(1)!
    shares.give(first)
    expect(shares.takeLater(first)).toBe(first)
    shares.give(first)
    all(shares)
    expect(shares.takeLater(first)).toBeUndefined()
  })
})
