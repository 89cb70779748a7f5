import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BYTES_AT_ONCE, JsonPieces, readJson } from '../src/json-pieces.ts'
import { parseJson } from '../src/json-text.ts'
import { anyCharacter } from './any-character.ts'
import { leastLongestTurn, longestTurn } from './longest-turn.ts'

/** What a text says, in a form in which bigints, -0, lone surrogates and the order of members can be told apart. */
function told(read: () => unknown): string {
  let value: unknown
  try {
    value = read()
  } catch (error) {
    return (error as Error).name
  }
  return shown(value)
}

function shown(value: unknown): string {
  if (Object.is(value, -0)) return '-0'
  if (typeof value === 'bigint') return `${value}n`
  if (Array.isArray(value)) return `[${value.map(shown).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value)
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  return `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${shown(member)}`)}}`
}

/** Read in pieces that end at these places. */
function inPieces(bytes: Uint8Array, cuts: readonly number[]): unknown {
  const pieces = new JsonPieces()
  let from = 0
  for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
    pieces.push(bytes.subarray(from, cut))
    from = cut
  }
  return pieces.end()
}

function atOnce(bytes: Uint8Array): unknown {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  return /^[ \t\r\n]*$/.test(text) ? undefined : parseJson(text)
}

const everywhere = (bytes: Uint8Array) => Array.from(bytes, (_, at) => at)

const value = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('\ud800', '\udc00', 'a', '"', '\\', '\n', 'é', '😀') }),
    fc.double({ noNaN: true }),
    fc.constantFrom(null, true, false, -0, 1e300, 2 ** 60),
    fc.array(tie('value')),
    fc
      .array(
        fc.tuple(
          fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toJSON', '1', '0')),
          tie('value'),
        ),
      )
      .map(members => ({ members })),
  ),
})).value

/** Written by hand, since objects hold neither a name twice nor `__proto__` with ease. */
function written(given: unknown, blank: string): string {
  if (Array.isArray(given))
    return `[${blank}${given.map(one => written(one, blank)).join(`${blank},${blank}`)}]`
  if (typeof given !== 'object' || given === null)
    return Object.is(given, -0) ? '-0' : (JSON.stringify(given) ?? 'null')
  const { members } = given as { members: [string, unknown][] }
  const texts = members.map(([name, member]) => `${JSON.stringify(name)}${blank}:${written(member, blank)}`)
  return `{${texts.join(`,${blank}`)}${blank}}`
}

const text = fc
  .tuple(value, fc.constantFrom('', ' ', '\n\t', '\r\n'))
  .map(([given, blank]) => blank + written(given, blank))

const oddities = [
  '',
  ' ',
  '\ufeff{}',
  '{"a":1,"a":2,"b":3,"a":4}',
  '{"__proto__":{"x":1},"__proto__":2}',
  '"\\ud83d\\ude00"',
  '"\\ud83d"',
  '"\\ude00\\ud83d"',
  '"\\ud83d\\u0041"',
  '"\\ud83dx"',
  '"\\ud83d\\n"',
  '-0',
  '-',
  '01',
  '1.',
  '.1',
  '1e',
  '1E+5',
  '1e400',
  '-1e400',
  '12345678901234567',
  '9007199254740993.0',
  '{"n":-9007199254740993e0}',
  '[1,]',
  '[,]',
  '{"a"}',
  '{"a":}',
  '{,}',
  '{"a":1,}',
  '{"a" 1}',
  '[1 2]',
  '1 2',
  '{}{}',
  '[]]',
  ']',
  '[}',
  '{]',
  'tru',
  'true',
  'nul',
  'NaN',
  'undefined',
  "'a'",
  '"a',
  '"\\x"',
  '"\\u12"',
  '"\\u12g4"',
  '"\n"',
  '"\t"',
  '"\u0000"',
  '"\u007f"',
  '"\u2028"',
  '\u00a01',
  '{1:2}',
  '{"a":1:2}',
  '[1:2]',
  '1'.repeat(400),
  `0.${'1'.repeat(40)}`,
  `[${'9'.repeat(30)}]`,
  '[[[[]]]]',
  '[{},{}]',
  '{"":""}',
  '"\\/\\b\\f"',
  '/**/1',
  '1 ',
  '\f1',
] // prettier-ignore

describe('JSON that comes in pieces', () => {
  it.each(oddities)('says of %j what JSON.parse() says, cut anywhere', given => {
    const bytes = Buffer.from(given)
    const expected = told(() => atOnce(bytes))
    expect(told(() => inPieces(bytes, []))).toBe(expected)
    expect(told(() => inPieces(bytes, everywhere(bytes)))).toBe(expected)
  })

  it('says of any text what JSON.parse() says, cut at every byte and anywhere', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat()), (given, places) => {
        const bytes = Buffer.from(given)
        const expected = told(() => atOnce(bytes))
        expect(expected).not.toBe('SyntaxError')
        expect(told(() => inPieces(bytes, everywhere(bytes)))).toBe(expected)
        const cuts = places.map(place => place % (bytes.length + 1))
        expect(told(() => inPieces(bytes, cuts))).toBe(expected)
      }),
      { numRuns: 500 },
    )
  })

  it('takes and refuses what JSON.parse() does of texts that were changed, in any byte', () => {
    const sign = fc.constantFrom(
      ...Buffer.from('{}[]:,"\\0-1.eEtn u\n\t'),
      0,
      0x7f,
      0x80,
      0xbf,
      0xc2,
      0xe2,
      0xed,
      0xf0,
      0xff,
    )
    const change = fc.tuple(fc.nat(), sign, fc.constantFrom('put', 'replace', 'remove', 'cut'))
    fc.assert(
      fc.property(text, fc.array(change, { minLength: 1, maxLength: 4 }), (given, changes) => {
        let bytes = [...Buffer.from(given)]
        for (const [place, byte, how] of changes) {
          const at = place % (bytes.length + 1)
          if (how === 'cut') bytes = bytes.slice(0, at)
          else bytes.splice(at, how === 'put' ? 0 : 1, ...(how === 'remove' ? [] : [byte]))
        }
        const changed = Uint8Array.from(bytes)
        const expected = told(() => atOnce(changed))
        const found = [told(() => inPieces(changed, [])), told(() => inPieces(changed, everywhere(changed)))]
        // What is neither JSON nor UTF-8 may be refused for either.
        if (expected === 'TypeError') for (const one of found) expect(one).toMatch(/^(Type|Syntax)Error$/)
        else expect(found).toEqual([expected, expected])
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a long JSON text', () => {
  const bytesOf = (given: string) => [Buffer.from(given)]

  it('is read like a short one', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => ({
      id: `p${i}`,
      price: i / 7,
      tags: ['é', `t${i % 9}`],
    }))
    const given = JSON.stringify({ Documents: rows })
    expect(given.length).toBeGreaterThan(BYTES_AT_ONCE)
    expect(await readJson(bytesOf(given))).toEqual({ Documents: rows })
    expect(await readJson(bytesOf(' '.repeat(BYTES_AT_ONCE + 1)))).toBeUndefined()
    await expect(readJson(bytesOf(`[${given}`))).rejects.toThrow('Unexpected end of JSON input')
    await expect(readJson(bytesOf(`${given}}`))).rejects.toThrow(
      `Unexpected } at position ${Buffer.byteLength(given)}`,
    )
    await expect(readJson(bytesOf(`${given}x`))).rejects.toThrow(
      `Unexpected x at position ${Buffer.byteLength(given)}`,
    )
  })

  it('is refused where it nests too deeply, has too many values, or too many in one object or list', async () => {
    const deep = longestTurn(() =>
      readJson(bytesOf('{"a":'.repeat(2_000_000))).catch(error => {
        throw error
      }),
    )
    await expect(deep).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('1000 nested levels'),
    })
    await expect(
      readJson(bytesOf(`[${'{},'.repeat(300_000)}{}]`), { values: 200_000 }),
    ).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringContaining('more than 200000 values'),
    })
    const lists = `[[${'1,'.repeat(150_000)}1],[${'1,'.repeat(150_000)}1]]`
    await expect(readJson(bytesOf(lists), { entries: 150_000 })).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringContaining('a list with more than 150000 entries'),
    })
    expect(await readJson(bytesOf(lists), { entries: 150_001 })).toHaveLength(2)
    const members = Array.from({ length: 100_001 }, (_, i) => `"${i}":1`)
    await expect(readJson(bytesOf(`{${members}}`))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(Object.keys((await readJson(bytesOf(`{${members.slice(1)}}`))) as object)).toHaveLength(100_000)
  })

  it('leaves the event loop its turns', async () => {
    const shapes = [
      `[${'{},'.repeat(1_000_000)}{}]`,
      `"${'\\n\\u0001é'.repeat(400_000)}"`,
      `[${'"t",'.repeat(1_000_000)}1]`,
      `[${'0.12345678901234567,'.repeat(300_000)}1]`,
    ].map(bytesOf)
    for (const shape of shapes) expect(await leastLongestTurn(100, () => readJson(shape))).toBeLessThan(100)
  })
})
