import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BestOfGroups } from '../../../src/fulltext/reordering/best-of-groups.ts'

const offers = fc.array(fc.record({ score: fc.nat(4), group: fc.nat(3) }), { maxLength: 40 })

it('holds the best documents of each group, whatever order they come in, and counts all of them', () => {
  fc.assert(
    fc.property(offers, fc.integer({ min: 1, max: 5 }), fc.nat(6), (offered, limit, taken) => {
      const groupOf = (document: number) => offered[document]!.group
      const best = new BestOfGroups(3, groupOf, limit, (one, other) => one < other)
      const places = [0, 0, 0, 0]
      const left: number[] = []
      for (const [document, { score, group }] of offered.entries()) {
        if (document < taken) {
          best.take({ score, document })
          places[group]!++
        } else {
          best.offer(score, document)
          left.push(document)
        }
      }
      const found: number[] = []
      best.visitOffered((score, document) => {
        expect(score).toBe(offered[document]!.score)
        found.push(document)
      })
      const expected = [0, 1, 2, 3].flatMap(group => {
        const own = left.filter(document => groupOf(document) === group)
        own.sort((a, b) => offered[b]!.score - offered[a]!.score || a - b)
        return group === 0 ? own : own.slice(0, Math.max(0, limit - places[group]!))
      })
      expect(best.offered).toBe(expected.length)
      expect(found.sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b))
      for (const [document, { group }] of offered.entries()) {
        const matches = offered.filter(other => other.group === group).length
        expect(best.groupOf(document)).toEqual(group === 0 ? undefined : { group, matches })
      }
    }),
  )
})
