import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { camel, fromWire, pascal, raw, toWire } from '../../../adapters/http/src/wire/casing.ts'

describe('toWire', () => {
  test('writes member names in PascalCase at every depth', () => {
    const job = { id: '1', nGramCount: 3, parts: [{ isLeaf: true }], none: null, of: { startedAt: 5 } }
    expect(toWire(job)).toEqual({
      Id: '1',
      NGramCount: 3,
      Parts: [{ IsLeaf: true }],
      None: null,
      Of: { StartedAt: 5 },
    })
  })

  test('leaves the content of documents alone, whatever its members are called', () => {
    fc.assert(
      fc.property(fc.jsonValue(), content => {
        expect(toWire({ document: raw(content) })).toEqual({ Document: content })
      }),
    )
    const hostile = JSON.parse('{"__proto__":{"constructor":1},"a":[{"b":2}]}')
    expect(JSON.stringify(toWire([raw(hostile)]))).toBe(JSON.stringify([hostile]))
  })
})

describe('fromWire', () => {
  test('turns flat models back and leaves undefined members out', () => {
    expect(fromWire({ NGramCount: 3, Language: undefined, InterpretedFields: ['Title'] })).toEqual({
      nGramCount: 3,
      interpretedFields: ['Title'],
    })
    expect(Object.keys(fromWire({ Language: undefined }))).toEqual([])
  })

  test('undoes toWire', () => {
    const name = fc.stringMatching(/^[a-z][a-zA-Z]{0,10}$/)
    fc.assert(
      fc.property(fc.dictionary(name, fc.integer()), members => {
        expect(fromWire(toWire(members))).toEqual(members)
      }),
    )
  })
})

describe('pascal and camel', () => {
  test('change the first letter only', () => {
    expect([pascal('removal'), pascal('nGram'), pascal('')]).toEqual(['Removal', 'NGram', ''])
    expect([camel('Removal'), camel('NGram'), camel('')]).toEqual(['removal', 'nGram', ''])
  })
})
