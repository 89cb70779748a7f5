import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Turns } from '../../src/jobs/turns.ts'

const owners = { a: {}, b: {}, c: {}, nobody: undefined }
type Name = keyof typeof owners

/** Those who wait, owner by owner, as a list of lists. */
class PlainTurns {
  readonly began: number[] = []
  free: number
  waiting: { owner: Name; calls: number[] }[] = []

  constructor(places: number) {
    this.free = places
  }

  take(owner: Name, call: number): void {
    if (this.free > 0) {
      this.free--
      this.began.push(call)
      return
    }
    const there = this.waiting.find(one => one.owner === owner)
    if (there) there.calls.push(call)
    else this.waiting.push({ owner, calls: [call] })
  }

  give(): void {
    const next = this.waiting.shift()
    if (!next) {
      this.free++
      return
    }
    this.began.push(next.calls.shift()!)
    if (next.calls.length > 0) this.waiting.push(next)
  }

  leave(call: number): void {
    for (const one of this.waiting) one.calls = one.calls.filter(other => other !== call)
    this.waiting = this.waiting.filter(({ calls }) => calls.length > 0)
  }
}

describe('Turns', () => {
  it('lets begin whom a list of lists lets begin, whatever is taken, given back and given up', async () => {
    const step = fc.oneof(
      fc.record({ take: fc.constantFrom<Name>('a', 'b', 'c', 'nobody') }),
      fc.constant({ give: true }),
      fc.record({ leave: fc.nat(30) }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(step, { maxLength: 40 }),
        async (places, steps) => {
          const turns = new Turns(places)
          const plain = new PlainTurns(places)
          const began: number[] = []
          const ends: AbortController[] = []
          const left: unknown[] = []
          for (const one of steps) {
            if ('take' in one) {
              const call = ends.length
              const end = new AbortController()
              ends.push(end)
              const push = () => void began.push(call)
              turns.take(owners[one.take], end.signal).then(push, reason => left.push(reason))
              plain.take(one.take, call)
            } else if ('leave' in one) {
              ends[one.leave]?.abort(one.leave)
              plain.leave(one.leave)
            } else if (plain.free < places) {
              turns.give()
              plain.give()
            }
            await new Promise(setImmediate)
            expect(began).toEqual(plain.began)
            expect(turns.isFree).toBe(plain.free > 0)
          }
          expect(left.every(reason => typeof reason === 'number')).toBe(true)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('gives each owner a place in turn, however many wait with one', async () => {
    const turns = new Turns(1)
    const { signal } = new AbortController()
    const order: string[] = []
    const work = async (owner: 'a' | 'b' | 'c') => {
      await turns.take(owners[owner], signal)
      order.push(owner)
      await new Promise(setImmediate)
      turns.give()
    }
    await Promise.all([...'aaaaabbc'].map(owner => work(owner as 'a' | 'b' | 'c')))
    expect(order.join('')).toBe('aabcabaa')
  })

  it('refuses at once who gave up before', async () => {
    const turns = new Turns(1)
    await expect(turns.take(undefined, AbortSignal.abort('early'))).rejects.toBe('early')
    expect(turns.isFree).toBe(true)
  })
})
