import { describe, expect, it } from 'vitest'
import type { Listing } from '../../bench/matching.ts'
import { similarContestants } from '../../bench/similar-contestants.ts'

const nouns = ['skillet', 'kettle', 'teapot', 'grater', 'ladle', 'whisk', 'sieve', 'tongs']
const metals = ['iron', 'copper', 'steel', 'brass']

const listings: Listing[] = nouns.flatMap((noun, n) =>
  metals.map((metal, m) => ({
    id: `k${n}${m}`,
    title: `${metal} ${noun} model ${n}${m}x`,
    desc: `a ${noun} made of ${metal}`,
    tags: [n < 4 ? 'stove' : 'drawer'],
  })),
)

// Of a text in which no word is typical of its tag, the original formulas say nothing.
const finders = similarContestants.filter(({ needsTags }) => !needsTags)

describe('contestants of bench/similar', () => {
  it.each(finders.map(one => [one.name, one] as const))(
    '%s finds a listing by itself',
    async (_, { build }) => {
      const asked = listings.map(listing => ({ ...listing, id: `asked ${listing.id}` }))
      const finder = await build(listings, asked)
      for (const [at, listing] of listings.entries()) {
        const ids = await finder.nearest(asked[at]!, 5)
        expect(ids[0]).toBe(listing.id)
        expect(ids.every(id => listings.some(one => one.id === id))).toBe(true)
      }
      await finder.close?.()
    },
  )
})
