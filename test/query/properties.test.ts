import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FindlingError } from '../../src/errors.ts'
import { deepestQuery } from '../../src/query/bounds.ts'
import { parseQuery, readingQuery } from '../../src/query/parser.ts'
import { compileQuery } from '../../src/query/predicate.ts'
import { printQuery } from '../../src/query/print.ts'
import type { Query } from '../../src/query/query.ts'
import { compilePattern } from '../../src/query/wildcards.ts'
import { anyCharacter } from '../any-character.ts'
import { naiveMatch } from './naive-query.ts'
import { documents, queries } from './queries.ts'
import { openShop, shop } from './shop.ts'

/** Parts of the language and of other text, in any order. */
const pieces = fc.constantFrom(
  ...[
    'lamp',
    'Red',
    'price',
    'title',
    'specs.color',
    'released',
    'sold',
    '_exists_',
    'true',
    '5',
    '2024-02',
    '*',
  ],
  ...[
    ' ',
    ' ',
    ' ',
    ':',
    ':',
    '(',
    ')',
    '"',
    '"',
    '[',
    ']',
    '{',
    '}',
    ' TO ',
    ' AND ',
    ' OR ',
    ' NOT ',
    '&&',
  ],
  ...[
    '||',
    '+',
    '-',
    '!',
    '~',
    '^',
    '2',
    '>',
    '<=',
    '=',
    '?',
    '\\',
    '/',
    '\ud800',
    '\udc00',
    '😀',
    'ß',
    '東京',
    'é',
  ],
)
const someText = fc.oneof(
  fc.array(pieces, { maxLength: 25 }).map(parts => parts.join('')),
  fc.string({ unit: anyCharacter, maxLength: 60 }),
)

function parsed(text: string, fields = shop): Query | undefined {
  try {
    return parseQuery(text, fields)
  } catch (error) {
    expect(error).toBeInstanceOf(FindlingError)
    expect(error).toMatchObject({ code: 'QUERY_INVALID' })
    const { at, expected } = (error as FindlingError).details as { at?: number; expected: string }
    // What is too much as a whole has no place.
    expect(at ?? 0).toBeLessThanOrEqual(text.length)
    expect(expected).not.toBe('')
    return undefined
  }
}

describe('any text', () => {
  it('is a query or QUERY_INVALID, and what is read is printed so that it is read again', () => {
    let read = 0
    const check = (text: string) => {
      for (const fields of [shop, openShop]) {
        const query = parsed(text, fields)
        if (!query) continue
        read++
        expect(parseQuery(printQuery(query), fields)).toEqual(query)
        compileQuery(query, fields)({ id: '1', title: 'Red lamp', price: 5 })
      }
    }
    fc.assert(fc.property(someText, check), { numRuns: 1500 })
    expect(read).toBeGreaterThan(150)
  })
})

describe('a tree', () => {
  it('is the same when it is printed and read again', () => {
    const check = (query: Query) => {
      expect(parseQuery(printQuery(query), shop)).toEqual(query)
    }
    fc.assert(fc.property(queries, check), { numRuns: 1000 })
  })

  it('matches what a simple reading of it matches', () => {
    let matching = 0
    const check = (query: Query, document: Record<string, never>) => {
      const matches = compileQuery(query, shop)(document)
      expect(matches).toBe(naiveMatch(query, document))
      if (matches) matching++
    }
    fc.assert(fc.property(queries, documents, check), { numRuns: 3000 })
    expect(matching).toBeGreaterThan(500)
  })
})

describe('a pattern', () => {
  it('fits what a regular expression fits', () => {
    const sign = fc.constantFrom('a', 'b', '😀', '*', '?')
    const letter = fc.constantFrom('a', 'b', '😀')
    const patterns = fc.array(sign, { minLength: 1, maxLength: 8 }).map(signs => signs.join(''))
    const texts = fc.array(letter, { maxLength: 10 }).map(letters => letters.join(''))
    const check = (pattern: string, text: string) => {
      const form = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'u')
      expect(compilePattern(pattern)(text)).toBe(form.test(text))
    }
    fc.assert(fc.property(patterns, texts, check), { numRuns: 1500 })
  })
})

const huge: [what: string, text: string, isRead: boolean][] = [
  ['10,000 clauses', 'lamp -red +price:>5 title:"red lamp"~2 OR l?mp* '.repeat(2000), false],
  ['1,000 clauses', 'lamp -red +price:>5 title:"red lamp"~2 OR l?mp* '.repeat(200), true],
  ['100 kB of one word', 'a'.repeat(100_000), true],
  ['100 kB of wildcards', '*?a'.repeat(33_000), false],
  ['1 kB of wildcards', '*?a'.repeat(340), true],
  ['100 kB of ligatures', '\ufdfa'.repeat(100_000), false],
  ['100 ligatures', '\ufdfa'.repeat(100), true],
  ['100 kB of a phrase', `"${'a '.repeat(50_000)}"`, false],
  ['100 kB of escapes', '\\('.repeat(50_000), false],
  ['100 kB of quotes', '"'.repeat(99_999), false],
  ['100 kB of colons', 'title:'.repeat(16_000), false],
  ['100 kB of brackets of ranges', '[a TO '.repeat(16_000), false],
  ['100 kB of range ends', `[${'a'.repeat(100_000)}`, false],
  ['100 kB of minus', '- '.repeat(50_000), false],
  ['100 kB of NOT', `${'NOT '.repeat(25_000)}a`, true],
  ['100 kB of tildes', '~'.repeat(100_000), false],
  ['100 kB of digits', `price:${'1'.repeat(100_000)}`, false],
  ['100 kB of boosts', `a${'^1'.repeat(50_000)}`, false],
  ['100 kB of lone surrogates', '\ud800'.repeat(100_000), false],
  ['100 kB of marks', `a${'\u0301'.repeat(100_000)}`, true],
  ['more than it may have', 'a '.repeat(600_000), false],
  ['as many brackets as there may be', `${'('.repeat(deepestQuery)}a${')'.repeat(deepestQuery)}`, true],
  ['one bracket more', `${'('.repeat(deepestQuery + 1)}a${')'.repeat(deepestQuery + 1)}`, false],
  ['10,000 brackets', `${'('.repeat(10_000)}a${')'.repeat(10_000)}`, false],
  ['10,000 brackets that do not close', '(a OR NOT '.repeat(10_000), false],
  ['nested fields', `${'title:(a AND NOT '.repeat(200)}b${')'.repeat(200)}`, true],
]

describe('a long query', () => {
  it('is read piece by piece, whatever brackets its clauses stand in', () => {
    const words = Array.from({ length: 1_000 }, (_, i) => `w${i}`)
    for (const text of [words.join(' '), `(${words.join(' OR ')})`, `brand:(lamp (${words.join(' ')}))`]) {
      const pieces = readingQuery(text, shop)
      let turns = 0
      let step = pieces.next()
      for (; !step.done; step = pieces.next()) turns++
      expect(turns).toBeGreaterThanOrEqual(Math.floor(1_000 / 256))
      expect(step.value).toEqual(parseQuery(text, shop))
    }
  })
})

describe('a huge query', () => {
  it.each(huge)('of %s is read or refused', (_, text, isRead) => {
    const query = parsed(text)
    expect(query !== undefined).toBe(isRead)
    if (query) {
      expect(parseQuery(printQuery(query), shop)).toEqual(query)
      compileQuery(query, shop)({ id: '1', title: 'a red lamp '.repeat(100), price: 5 })
    }
  })
})
