import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../engine/engines.ts'
import { isFine, storesToFlip, tablesOf, verdictsOn } from './flips.ts'

const FLIPS = 100

describe('one flipped bit in the files of a store', () => {
  it('is refused, or reported, or does no harm, and never changes an answer', async () => {
    const stores = await storesToFlip(await temporaryFolder())
    for (const store of Object.values(stores)) {
      const verdicts = await verdictsOn(store, 0, FLIPS)
      expect(verdicts).toHaveLength(FLIPS)
      expect(verdicts.filter(verdict => !isFine(verdict))).toEqual([])
      for (const opened of [true, false]) {
        expect(verdicts.filter(verdict => verdict.opened === opened).length).toBeGreaterThan(FLIPS / 20)
      }
    }
    expect((await tablesOf(stores.closed)).match(/--- level \d ---\n [^-]/g)?.length).toBeGreaterThan(1)
  })
})
