import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Analyzer, analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import { MAX_QUERY_WORDS, readQuery } from '../../../src/fulltext/words/query-text.ts'
import { anyCharacter } from '../../any-character.ts'

const analyzer = analyzerFor('english')

/** The words of a query, those of phrases in brackets. */
function read(text: string): string {
  const { words, phrases } = readQuery(text, analyzer)
  const parts: string[] = [...words]
  for (const { words: places, slop } of phrases) {
    parts[places[0]!] = `[${parts[places[0]!]}`
    parts[places.at(-1)!] += slop > 0 ? `]~${slop}` : ']'
  }
  return parts.join(' ')
}

describe('readQuery', () => {
  it.each([
    ['red lamp', 'red lamp'],
    ['"red lamp"', '[red lamp]'],
    ['a "red lamp" b', 'a [red lamp] b'],
    ['"red" "lamp"', '[red] [lamp]'],
    ['“red lamp” chair', '[red lamp] chair'],
    ['„red lamp“ chair', '[red lamp] chair'],
    ['("red lamp")', '[red lamp]'],
    ['".net core" "(red) lamp"', '[net core] [red lamp]'],
    ['4 ", 5 " wide', '4 5 wide'],
    ['"red lamp", chair', '[red lamp] chair'],
    ['"red lamp"~2 chair', '[red lamp]~2 chair'],
    ['"red lamp"~9', '[red lamp]~9'],
    ['"red lamp"~0 chair', '[red lamp] chair'],
    ['"red lamp"~12 chair', '[red lamp]~9 chair'],
    ['"red lamp"~99999999999999999999', '[red lamp]~9'],
    ['"red lamp"~x', '[red lamp] x'],
    ['"red lamp"2 chair', 'red lamp 2 chair'],
    ['27" monitor', '27 in monitor'],
    ['27" and 32" monitor', '27 in and 32 in monitor'],
    ['6\'2" tall', '6 ft 2 in tall'],
    ['the "red lamp', 'the red lamp'],
    ['red lamp"', 'red lamp'],
    ['" red lamp "', 'red lamp'],
    ['""', ''],
    ['"""', ''],
    ['"…"', ''],
    ['"', ''],
    ['', ''],
  ])('reads %s as %s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })

  it('reads the same words as the analyzer, however quotes stand', () => {
    const text = fc
      .array(fc.constantFrom('"', '“', '”', '„', ' ', '~', 'xz', 'red', 'lamp', ',', '(', "'", 'é'), {
        maxLength: 30,
      })
      .map(parts => parts.join(''))
    fc.assert(
      fc.property(text, text => {
        const { words, phrases } = readQuery(text, analyzer)
        const all = analyzer.tokens(text.replaceAll(/["“”„]/g, ' '))
        if (text.includes('~')) expect(words.length).toBeLessThanOrEqual(all.length)
        else expect(words).toEqual(all)
        let last = -1
        for (const { words: places, slop } of phrases) {
          expect(places.length).toBeGreaterThan(0)
          expect(slop >= 0 && slop <= 9).toBe(true)
          for (const place of places) {
            expect(place).toBeGreaterThan(last)
            last = place
          }
        }
        expect(last).toBeLessThan(words.length)
      }),
      { numRuns: 1000 },
    )
  })

  it(`looks at the first ${MAX_QUERY_WORDS} words, also within a phrase`, () => {
    const many = Array.from({ length: 3000 }, (_, i) => `word${i}`).join(' ')
    expect(readQuery(many, analyzer).words).toHaveLength(MAX_QUERY_WORDS)
    const { words, phrases } = readQuery(`first "${many}" "last"`, analyzer)
    expect(words).toHaveLength(MAX_QUERY_WORDS)
    expect(phrases.map(({ words }) => words.length)).toEqual([MAX_QUERY_WORDS - 1])
  })

  it('scans each character once', () => {
    let scanned = 0
    const counting: Analyzer = {
      ...analyzer,
      scan(text, sink) {
        scanned += text.length
        analyzer.scan(text, sink)
      },
    }
    const pieces = ['"', '"a" ', '"a"~3 ', '"a ', 'a" ', '~"', '“', 'a b ', ' " ']
    for (const piece of pieces) {
      const text = piece.repeat(100_000)
      scanned = 0
      readQuery(text, counting)
      expect(scanned).toBeLessThanOrEqual(text.length)
    }
  })
})

describe('a search', () => {
  const index = new FulltextIndex({ analyzer, fields: [{ weight: 1, b: 0.5 }] })
  for (const [i, text] of ['red lamp', 'lamps and chairs', 'zephyr x9z', '日本語 lamp', ''].entries())
    index.add(`d${i}`, [text])

  it('never fails, whatever is asked', () => {
    const unit = fc.oneof(
      fc.constantFrom(
        '"',
        '~',
        '“',
        '”',
        ' ',
        '\u0000',
        '\ud800',
        '\udc00',
        '\u0301',
        '\n',
        '日',
        'İ',
        'ß',
        'ﬃ',
        '½',
      ),
      fc.constantFrom(
        'red',
        'lamp',
        'lamps',
        'lmap',
        'zephyr',
        'l',
        '__proto__',
        'constructor',
        '-',
        '*',
        '\\',
        '(',
      ),
      fc.string({ unit: anyCharacter, maxLength: 3 }),
    )
    const query = fc.array(unit, { maxLength: 25 }).map(units => units.join(''))
    const search = fc.record({
      limit: fc.constantFrom(0, 1, 10, Number.MAX_SAFE_INTEGER),
      offset: fc.constantFrom(0, 3, 1e9),
      operator: fc.constantFrom('or' as const, 'and' as const),
      typoTolerance: fc.constantFrom(0 as const, 1 as const, 2 as const),
      prefix: fc.boolean(),
      count: fc.boolean(),
      explain: fc.boolean(),
      weights: fc.constantFrom(undefined, [0], [5]),
    })
    fc.assert(
      fc.property(query, search, (query, search) => {
        const { hits, words, total } = index.search(query, search)
        expect(hits.length).toBeLessThanOrEqual(Math.min(search.limit, index.size))
        for (const { score } of hits) expect(score).toBeGreaterThan(0)
        for (const { kind, surfaces, idf } of words) {
          expect(surfaces.length > 0).toBe(kind !== 'none')
          expect(idf > 0).toBe(kind !== 'none')
        }
        expect(total.count).toBeGreaterThanOrEqual(hits.length)
      }),
      { numRuns: 800 },
    )
  })

  it.each([
    ['a word of a million letters', 'a'.repeat(2 ** 20)],
    ['a million quotes', '"'.repeat(2 ** 20)],
    ['a quarter million phrases', '"a" '.repeat(2 ** 18)],
    ['a hundred thousand different words', Array.from({ length: 100_000 }, (_, i) => `w${i}o`).join(' ')],
    ['a hundred thousand misspelt phrases', '"lmap chiar"~9 '.repeat(100_000)],
    ['half a million combining marks', `e${'\u0301'.repeat(2 ** 19)}`],
    ['a million lone surrogates', '\ud800'.repeat(2 ** 20)],
    ['a million Han characters', '日本'.repeat(2 ** 19)],
    ['a phrase of a million words', `"${'lamp '.repeat(2 ** 18)}lamp"`],
  ])('answers %s', (_, query) => {
    const options = { limit: 10, operator: 'or', typoTolerance: 2, prefix: true } as const
    expect(index.search(query, options).hits.length).toBeLessThanOrEqual(4)
  })

  it('finds what the first words name, however many follow', () => {
    const query = `lamp ${Array.from({ length: 100_000 }, (_, i) => `word${i}`).join(' ')}`
    const { hits } = index.search(query, { limit: 10, operator: 'or', typoTolerance: 2 })
    expect(hits.map(({ id }) => id).sort()).toEqual(['d0', 'd1', 'd3'])
  })
})
