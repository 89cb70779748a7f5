import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../src/fulltext/fulltext-index.ts'
import { MAX_FIELD_LENGTH } from '../../src/fulltext/segments/token-list.ts'

const options = {
  analyzer: analyzerFor('english'),
  fields: [
    { weight: 2, b: 0.5 },
    { weight: 1, b: 0.75 },
  ],
}

const asked = { operator: 'or', typoTolerance: 0, limit: 10 } as const

const long = fc
  .array(fc.constantFrom('drills', 'for', 'steel', 'Ärger', 'M-10', '漢字', 'with a saw,'), {
    minLength: 1,
    maxLength: 9,
  })
  .chain(words =>
    fc.integer({ min: 0, max: 90_000 }).map(units => `${words.join(' ')} `.repeat(1 + units / 20)),
  )
const field = fc.oneof(
  fc.constant(undefined),
  fc.constant('a drill for steel'),
  long,
  fc.array(long, { maxLength: 3 }),
)

const blobsOf = (index: FulltextIndex) =>
  [...index.save().blobs].map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')])

describe('a long document', () => {
  it('is in the index as if it had been added at once, whatever is asked meanwhile', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(field, field), { minLength: 1, maxLength: 4 }), documents => {
        const [inPieces, atOnce] = [new FulltextIndex(options), new FulltextIndex(options)]
        for (const [i, texts] of documents.entries()) {
          let pieces = 0
          for (const _ of inPieces.adding(`d${i}`, texts)) {
            if (pieces++ % 5 === 0) expect(inPieces.has(`d${i}`)).toBe(false)
          }
          atOnce.add(`d${i}`, texts)
        }
        expect(inPieces.size).toBe(documents.length)
        expect(blobsOf(inPieces)).toEqual(blobsOf(atOnce))
      }),
      { numRuns: 30 },
    )
  })

  it('may be searched for while it is added, and is there afterwards', () => {
    const index = new FulltextIndex(options)
    index.add('before', ['steel', 'saw'])
    const search = (query: string) => index.search(query, asked).hits.map(({ id }) => id)
    for (const _ of index.adding('long', [undefined, 'steel saw '.repeat(20_000)]))
      expect(search('steel')).toEqual(['before'])
    expect(search('steel').toSorted()).toEqual(['before', 'long'])
  })

  it('is found by as many words of a field as count, and by no later one', () => {
    const index = new FulltextIndex(options)
    const text = `${'filler '.repeat(MAX_FIELD_LENGTH - 1)}last beyond`
    for (const _ of index.adding('long', [undefined, text])) expect(index.has('long')).toBe(false)
    expect(index.search('last', asked).hits).toHaveLength(1)
    expect(index.search('beyond', asked).hits).toHaveLength(0)
  })
})
