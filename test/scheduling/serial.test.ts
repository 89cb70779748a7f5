import { setImmediate as breathe } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Serial } from '../../src/scheduling/serial.ts'

describe('work one after the other', () => {
  it('is done in the order in which it was asked for, never two at a time, whatever fails', async () => {
    const piece = fc.record({ turns: fc.nat(3), fails: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async pieces => {
        const serial = new Serial()
        const seen: string[] = []
        const asked = pieces.map(({ turns, fails }, i) =>
          serial.run(async () => {
            seen.push(`begin ${i}`)
            for (let turn = 0; turn < turns; turn++) await breathe()
            seen.push(`end ${i}`)
            if (fails) throw new Error(`${i}`)
            return i
          }),
        )
        const told = await Promise.allSettled(asked)
        expect(seen).toEqual(pieces.flatMap((_, i) => [`begin ${i}`, `end ${i}`]))
        expect(told.map(({ status }) => status)).toEqual(
          pieces.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')),
        )
      }),
    )
  })

  it('is over when the last that was asked for has ended, though it failed', async () => {
    const serial = new Serial()
    let ended = 0
    const work = async () => {
      await breathe()
      ended++
      throw new Error('as expected')
    }
    const told = Promise.allSettled([serial.run(work), serial.run(work)])
    await serial.idle()
    expect(ended).toBe(2)
    await told
  })
})
