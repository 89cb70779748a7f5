import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keepsDigits, parseJson } from '../src/json-text.ts'
import { anyCharacter } from './any-character.ts'

describe('parseJson', () => {
  it('is JSON.parse() for whatever JSON.stringify() writes', () => {
    const big = fc.double({ min: 1e15, max: 1e30, noNaN: true })
    const value = fc.oneof(
      fc.jsonValue(),
      fc.record({ n: big, list: fc.array(big), text: big.map(n => `"\\${n}\\\\"`) }),
      fc.dictionary(fc.string({ unit: anyCharacter }), fc.double({ noNaN: true, noDefaultInfinity: true })),
    )
    fc.assert(
      fc.property(value, given => {
        const text = JSON.stringify(given)
        expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
  })

  it('tells every whole number by its digits, as BigInt() reads them', () => {
    const digits = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })
    fc.assert(
      fc.property(digits, exact => {
        const found = parseJson(`[${exact}]`) as [number | bigint]
        // Digits are kept by the very number, or by the shortest spelling of a double.
        const kept = BigInt(Number(exact)) === exact || BigInt(written(Number(exact))) === exact
        expect(found[0]).toBe(kept ? Number(exact) : exact)
      }),
    )
  })

  const cases: [literal: string, unknown][] = [
    ['9007199254740991', 2 ** 53 - 1],
    ['9007199254740992', 2 ** 53],
    ['9007199254740993', 2n ** 53n + 1n],
    ['-9007199254740993', -(2n ** 53n) - 1n],
    ['9007199254740993.0', 2n ** 53n + 1n],
    ['9007199254740993e0', 2n ** 53n + 1n],
    ['900719925474099.3e+1', 2n ** 53n + 1n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['9223372036854775808', 2 ** 63],
    ['9223372036854776000', 2 ** 63],
    ['1e20', 1e20],
    ['100000000000000000000', 1e20],
    ['1e23', 1e23],
    ['0.1000000000000000055511151231257827', 0.1],
    ['3.141592653589793238462643', Math.PI],
    ['1234567890123456789', 1234567890123456789n],
    ['0', 0],
  ]
  it.each(cases)('reads %s as %s', (literal, value) => {
    expect(parseJson(`{"a":{"b":[0,${literal}]},"c":"${literal}"}`)).toEqual({
      a: { b: [0, value] },
      c: literal,
    })
  })

  it('leaves texts alone, whatever they look like', () => {
    const text = '{"a":"whole number 12345678901234567","\\\\":"\\"12345678901234567","n":12345678901234567}'
    expect(parseJson(text)).toEqual({ ...JSON.parse(text), n: 12345678901234567n })
  })

  it('keeps __proto__ as a member like any other', () => {
    const value = parseJson('{"__proto__":{"n":12345678901234567}}') as object
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  it('takes time in proportion to the text', () => {
    const text = `["${'\\\\'.repeat(2_000_000)}","${'9'.repeat(2_000_000)}",${'9'.repeat(300)}]`
    expect(parseJson(text)).toHaveLength(3)
    expect(parseJson(`[${'9'.repeat(2_000_000)}]`)).toEqual([Number.POSITIVE_INFINITY])
  })

  it('throws as JSON.parse() does', () => {
    expect(() => parseJson('{"a":12345678901234567,}')).toThrow(SyntaxError)
  })
})

describe('keepsDigits', () => {
  it.each([
    ['1', true],
    ['+9007199254740993', false],
    ['1e20', true],
    ['1e400', false],
    ['.5', true],
    ['x', false],
  ])('of %s is %s', (literal, kept) => {
    expect(keepsDigits(literal, Number(literal))).toBe(kept)
  })
})

/** The shortest digits of a whole double, padded with zeros. */
function written(value: number): string {
  const [mantissa = '', power = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return whole + fraction + '0'.repeat(Math.max(0, Number(power) - fraction.length))
}
