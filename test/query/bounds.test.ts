import { describe, expect, it } from 'vitest'
import type { FindlingError } from '../../src/errors.ts'
import { mostClauses, mostValues } from '../../src/query/bounds.ts'
import { compileCondition } from '../../src/query/condition-query.ts'
import { parseQuery } from '../../src/query/parser.ts'
import { whereQuery } from '../../src/query/where.ts'
import { openShop } from './shop.ts'

const fields = openShop

const many = (count: number, part: (i: number) => string, between = ' OR ') =>
  Array.from({ length: count }, (_, i) => part(i)).join(between)

const refusal = (read: () => unknown): FindlingError => {
  try {
    read()
  } catch (error) {
    return error as FindlingError
  }
  throw new Error('it was not refused')
}

describe('A condition', () => {
  it.each([
    ['words', many(mostClauses, i => `w${i}`)],
    ['patterns', many(mostClauses, i => `*w${i}*`)],
    ['phrases', many(mostClauses, i => `"w${i} x"`)],
    ['fuzzy words', many(mostClauses, i => `word${i}~2`, ' AND ')],
    ['ranges', many(mostClauses, i => `price:[${i} TO ${i + 1}]`)],
    // Two words and what holds them together: three.
    ['groups', many(Math.floor(mostClauses / 3), i => `(w${i} OR x${i})`, ' AND ')],
  ])('has room for %s up to the bound, and for no more', (_, query) => {
    parseQuery(query, fields)
    const error = refusal(() => parseQuery(`(${query}) AND (a OR b)`, fields, { what: 'filter' }))
    expect(error).toMatchObject({ code: 'QUERY_INVALID', details: { field: 'filter' } })
    expect(error.message).toMatch(
      /^filter has \d+ words, patterns, phrases, ranges and groups; expected at most 1024/,
    )
  })

  it('counts the values of a field as one', () => {
    const values = many(mostValues, i => `"a-${i}"`, ' ')
    parseQuery(`id:(${values}) AND ${many(mostClauses - 2, i => `w${i}`, ' AND ')}`, fields)
    const error = refusal(() => parseQuery(`id:(${values} "one more")`, fields))
    expect(error.message).toBe('query has 65537 values; expected at most 65536')
  })

  it('is read no further than where it clearly asks for too much', () => {
    const far = 10 * mostClauses
    // What stands at the end could not be read.
    const error = refusal(() => parseQuery(`${'a '.repeat(far)} (`, fields, { what: 'filter' }))
    expect(error).toMatchObject({ code: 'QUERY_INVALID', details: { field: 'filter' } })
    expect(error.message).toMatch(
      /^filter has more than 4096 words, patterns, phrases, ranges and groups; expected at most 1024/,
    )
    const ids = 'a '.repeat(mostValues + far)
    expect(refusal(() => parseQuery(`id:(${ids}`, fields)).message).toBe(
      'query has more than 69632 values; expected at most 65536',
    )
  })

  it('is bounded as an object, too', () => {
    const among = (count: number) => ({ id: { in: Array.from({ length: count }, (_, i) => `a${i}`) } })
    whereQuery(among(mostValues), fields)
    expect(refusal(() => whereQuery(among(mostValues + 1), fields))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'where has 65537 values; expected at most 65536',
    })
  })

  it('is read no further as an object, too', () => {
    // None of these could be read.
    const unread = (count: number) => Array.from({ length: count }, () => ({ id: Symbol('unread') }))
    const clauses = /^where has \d+ words, patterns, phrases, ranges and groups; expected at most 1024/
    for (const where of [
      { and: unread(5_000) },
      { not: unread(5_000) },
      Object.fromEntries(Object.entries(unread(5_000))),
    ])
      expect(refusal(() => whereQuery(where, fields)).message).toMatch(clauses)
    for (const where of [
      { or: unread(70_000) },
      { id: { in: unread(70_000) } },
      { id: { nin: unread(70_000) } },
    ])
      expect(refusal(() => whereQuery(where, fields)).message).toBe(
        'where has 70000 values; expected at most 65536',
      )
  })

  it('is one of at most 1,024 in a list', () => {
    const list = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`)
    compileCondition(list(1_024), fields, 'filter')
    expect(refusal(() => compileCondition(list(1_025), fields, 'filter'))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'filter is a list of 1025; expected a list of at most 1024',
      details: { field: 'filter' },
    })
  })
})
