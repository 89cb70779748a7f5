import { describe, expect, it } from 'vitest'
import type { FindlingError } from '../../src/errors.ts'
import { mostClauses, mostValues } from '../../src/query/bounds.ts'
import { parseQuery } from '../../src/query/parser.ts'
import { whereQuery } from '../../src/query/where.ts'
import { compileCondition, compileVisible } from './compiled.ts'
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
      message: 'where.id.in has 65537 values; expected at most 65536',
      details: { field: 'where.id.in' },
    })
    expect(refusal(() => whereQuery({ and: [among(40_000), among(40_000)] }, fields))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'where has 80000 values; expected at most 65536',
    })
  })

  it('is read no further as an object, too', () => {
    // None of these could be read.
    const unread = (count: number) => Array.from({ length: count }, () => ({ id: Symbol('unread') }))
    const clauses = 'has 5000 words, patterns, phrases, ranges and groups; expected at most 1024;'
    for (const [field, where] of [
      ['where.and', { and: unread(5_000) }],
      ['where.not', { not: unread(5_000) }],
      ['where', Object.fromEntries(Object.entries(unread(5_000)))],
    ] as const)
      expect(refusal(() => whereQuery(where, fields)).message).toContain(`${field} ${clauses}`)
    for (const [field, where] of [
      ['where.id.in', { id: { in: unread(70_000) } }],
      ['where.id.nin', { id: { nin: unread(70_000) } }],
      ['where.or[1].id.in', { or: [{ id: 1 }, { id: { in: unread(70_000) } }] }],
    ] as const)
      expect(refusal(() => whereQuery(where, fields)).message).toBe(
        `${field} has 70000 values; expected at most 65536`,
      )
    expect(refusal(() => whereQuery({ or: unread(70_000) }, fields)).message).toBe(
      'where.or has 70000 conditions; expected at most 65536 values, or 1024 words, patterns, phrases, ranges and groups',
    )
    const ranges = Array.from({ length: 60_000 }, (_, i) => ({ price: { gt: i } }))
    const unreadable = [...ranges, { price: Symbol('unread') }]
    expect(refusal(() => whereQuery({ or: unreadable }, fields)).message).toContain(
      'where has more than 4096 words, patterns, phrases, ranges and groups; expected at most 1024;',
    )
  })

  it('counts no part that matches nothing or everything', () => {
    for (const part of [{ id: { in: [] } }, { id: { nin: [] } }])
      whereQuery({ or: Array.from({ length: 5_000 }, () => part) }, fields)
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

  it('is not one of an empty list, which may be a mistake', () => {
    for (const compile of [compileCondition, compileVisible])
      expect(refusal(() => compile([], fields, 'visible'))).toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: 'visible is an empty list; expected at least one condition; {} is everything',
      })
  })

  it('has the same bounds together with the others in a list', () => {
    const among = (count: number, from = 0) => ({
      id: { in: Array.from({ length: count }, (_, i) => `a${from + i}`) },
    })
    const [half, rest] = [among(mostValues / 2), among(mostValues / 2, mostValues)]
    compileCondition([half, rest], fields, 'filter')
    // The last could not be read.
    expect(
      refusal(() => compileCondition([half, rest, 'id:(more most)', '('], fields, 'filter')),
    ).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'filter has 65538 values; expected at most 65536',
      details: { field: 'filter' },
    })
    const words = (count: number) => many(count, i => `w${i}`)
    compileCondition([words(mostClauses)], fields, 'filter')
    compileCondition([words(500), words(500), words(21)], fields, 'filter')
    expect(
      refusal(() => compileCondition([words(500), words(500), words(22)], fields, 'filter')).message,
    ).toMatch(/^filter has 1025 words, patterns, phrases, ranges and groups; expected at most 1024/)
  })

  it('has bounds of its own among the few that say what is visible', () => {
    const ids = (count: number) => ({ id: { in: Array.from({ length: count }, (_, i) => `a${i}`) } })
    const words = many(600, i => `w${i}`)
    const isVisible = compileVisible([ids(40_000), ids(40_000), words, words], fields)
    expect([isVisible({ id: 'a1', title: 'w1' }), isVisible({ id: 'a1' })]).toEqual([true, false])
    expect(refusal(() => compileVisible(['lamp', many(1_025, i => `w${i}`)], fields)).message).toMatch(
      /^visible\[1\] has 1025 words, patterns, phrases, ranges and groups; expected at most 1024/,
    )
    expect(refusal(() => compileVisible(Array(17).fill('lamp'), fields))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'visible is a list of 17; expected a list of at most 16',
    })
  })

  it('is one condition, whether all that must match is in a list or joined by AND', () => {
    const part = (i: number) =>
      i % 3 === 0 ? `w${i}` : i % 3 === 1 ? `(a${i} OR id:b)` : `(c${i} AND d${i})`
    const isRefused = (given: unknown) => {
      try {
        compileCondition(given, fields, 'filter')
        return false
      } catch {
        return true
      }
    }
    for (const count of [2, 100, 500, 510, 511, 512, 513, 514, 600]) {
      const list = Array.from({ length: count }, (_, i) => part(i))
      expect(isRefused(list), `${count}`).toBe(isRefused(list.join(' AND ')))
    }
  })
})
