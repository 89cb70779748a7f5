import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openEngine } from './engines.ts'

const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 }).map(words => words.join(' '))
const documents = fc.array(
  fc.record({
    title: fc.oneof(text, fc.array(text, { maxLength: 3 })),
    parts: fc.array(fc.record({ name: text }), { maxLength: 3 }),
    brand: fc.oneof(text, fc.array(text, { maxLength: 3 })),
    tag: fc.array(text, { maxLength: 3 }),
  }),
  { minLength: 300, maxLength: 300 },
)
const phrase = fc.record({
  words: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 2, maxLength: 4 }),
  slop: fc.nat(2),
})

type Found = { hits: { id: string }[] }
const idsOf = ({ hits }: Found) => hits.map(({ id }) => id).sort()

describe('a phrase', () => {
  it('stands within one text of a list, for a search, a filter and a change by query alike', async () => {
    const shop = await (await openEngine()).datasets.create<object>('shop', {
      interpretedFields: ['title', 'parts.name'],
      language: 'none',
    })
    const [made] = fc.sample(documents, { numRuns: 1, seed: 11 })
    await shop.documents.bulk(made!.map((one, i) => ({ id: `${i}`, ...one })))
    let matching = 0
    for (const { words, slop } of fc.sample(phrase, { numRuns: 25, seed: 12 })) {
      const quoted = `"${words.join(' ')}"~${slop}`
      const found = idsOf(await shop.search(quoted, { typoTolerance: 0, limit: 300, documents: false }))
      expect([quoted, idsOf(await shop.filter(quoted, { limit: 300 }))]).toEqual([quoted, found])
      matching += found.length
      // Fields without postings, of which columns know the texts.
      for (const field of ['brand', 'tag'] as const) {
        const listed = idsOf(await shop.filter(`${field}:${quoted}`, { limit: 300 }))
        const naive = made!.flatMap((one, i) =>
          [one[field]].flat().some(text => stands(words, slop, text.split(' '))) ? [`${i}`] : [],
        )
        expect([field, quoted, listed]).toEqual([field, quoted, naive.sort()])
      }
      expect(await shop.documents.updateWhere(quoted, { seen: quoted }).finished).toBe(found.length)
    }
    expect(matching).toBeGreaterThan(100)
  })

  it('does not end in the next of two texts', async () => {
    const shop = await (await openEngine()).datasets.create<object>('shop', { interpretedFields: ['title'] })
    await shop.documents.bulk([
      { id: '1', title: ['red', 'lamp'], notes: [['red'], ['lamp']] },
      { id: '2', title: ['a red lamp'], notes: [['of a red lamp']] },
    ])
    expect(idsOf(await shop.search('"red lamp"'))).toEqual(['2'])
    expect(idsOf(await shop.filter('"red lamp"'))).toEqual(['2'])
    expect(idsOf(await shop.filter('"red lamp"~5'))).toEqual(['2'])
    expect(await shop.count('notes:"red lamp"')).toBe(1)
    expect(await shop.documents.deleteWhere('"red lamp"').finished).toBe(1)
  })
})

/** From every place, the words in their order among as many as there may be. */
function stands(words: readonly string[], slop: number, text: readonly string[]): boolean {
  return text.some((_, start) => {
    let reached = 0
    for (const word of text.slice(start, start + words.length + slop)) if (word === words[reached]) reached++
    return reached === words.length
  })
}
