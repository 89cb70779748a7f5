import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { documentIn, documentInPieces, draft, longListsIn } from '../../src/datasets/record.ts'
import { fileTexts, setFileTexts } from '../../src/file-texts.ts'
import type { JsonObject } from '../../src/json.ts'
import { atOnce } from '../../src/scheduling/at-once.ts'
import { inStretches } from '../../src/scheduling/stretch.ts'
import { anyCharacter } from '../any-character.ts'
import { leastLongestTurn } from '../longest-turn.ts'

/** Milliseconds that one turn of the event loop may compute. Work stops after 8 and goes on in the next turn. */
const LONGEST_TURN = 60

/** Longer than what is written and read at once, whichever of their letters that ends with. */
const texts = fc
  .tuple(fc.string({ unit: anyCharacter, minLength: 1 }), fc.integer({ min: 60_000, max: 140_000 }))
  .map(([text, length]) => text.repeat(Math.ceil(length / text.length)))

describe('a stored document', () => {
  it('has the JSON that JSON.stringify() gives, however long its texts, lists and names are', () => {
    const value = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue(),
        texts,
        fc.array(tie('value')),
        fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__'), texts), tie('value'), { maxKeys: 4 }),
      ),
    })).value
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), given => {
        const document = JSON.parse(JSON.stringify(given)) as JsonObject
        const stored = atOnce(draft(document))
        expect(stored.subarray(20).toString() === JSON.stringify(document)).toBe(true)
        expect(documentIn(stored)).toEqual(document)
      }),
      { numRuns: 60 },
    )
  })

  it('keeps long texts of its files behind it', () => {
    const document = { id: 'a', file: 'é'.repeat(100_000) }
    const text = { file: '😀a'.repeat(100_000) }
    const read = documentIn(atOnce(draft(setFileTexts({ ...document }, text))))
    expect(read).toEqual(document)
    expect(fileTexts(read)).toEqual(text)
  })

  it('gives back the same lists of numbers, in the same order of members, however they are nested and written', () => {
    const decimals = fc
      .tuple(fc.integer({ min: -(2 ** 49), max: 2 ** 49 }), fc.nat(16))
      .map(([whole, digits]) => whole / 10 ** digits)
    const numbers = fc.oneof(
      fc.constantFrom(fc.integer({ min: -128, max: 127 }), fc.integer(), fc.maxSafeInteger(), decimals),
      fc.constantFrom(
        fc.float({ noNaN: true, noDefaultInfinity: true }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
      ),
    )
    const lists = numbers.chain(number => fc.array(number, { minLength: 30, maxLength: 40 }))
    const names = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('__proto__', 'constructor', '0', 'a.b'),
    )
    const value = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        fc.jsonValue({ maxDepth: 1 }),
        lists,
        fc.array(fc.oneof(lists, fc.string()), { maxLength: 2 }),
        fc.dictionary(names, tie('value'), { maxKeys: 4 }),
      ),
    })).value
    fc.assert(
      fc.property(fc.dictionary(names, value), fc.boolean(), (given, hasTexts) => {
        const document = JSON.parse(JSON.stringify(given)) as JsonObject
        const texts = { file: 'some text' }
        const stored = atOnce(draft(hasTexts ? setFileTexts({ ...document }, texts) : document))
        const read = documentIn(stored)
        expect(JSON.stringify(read)).toBe(JSON.stringify(document))
        expect(fileTexts(read)).toEqual(hasTexts ? texts : undefined)
      }),
      { numRuns: 400 },
    )
  })

  it('has its long lists of numbers in as few bytes as give back the same numbers', () => {
    const bytesOf = (list: number[]) => atOnce(draft({ list })).byteLength / list.length
    const floats = Float32Array.from({ length: 1000 }, (_, i) => Math.sin(i))
    expect(bytesOf(Array.from(floats, one => Math.round(one * 100)))).toBeCloseTo(1, 0.7)
    expect(bytesOf(Array.from(floats, one => Number(one.toFixed(6))))).toBeCloseTo(3, 0.7)
    expect(bytesOf(Array.from(floats))).toBeCloseTo(4, 0.7)
    expect(bytesOf(Array.from(floats, one => Number(one.toFixed(10))))).toBeCloseTo(5, 0.7)
    expect(bytesOf(Array.from(floats, one => one / 3))).toBeCloseTo(8, 0.7)
  })

  it('takes little more room than its JSON, however long the names are under which it has lists', () => {
    const list = Array<number>(32).fill(0)
    const lists = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`n${i}`, list]))
    for (const name of ['n', '\u0001'.repeat(27), 'n'.repeat(10_000)]) {
      const document = { [name]: lists }
      const stored = atOnce(draft(document))
      expect(stored.byteLength).toBeLessThan(5 * JSON.stringify(document).length)
      expect(documentIn(stored)).toEqual(document)
    }
  })

  it('is read from the form of version 1, which has all lists in the JSON', () => {
    const document = { id: 'a', vector: Array.from({ length: 40 }, (_, i) => i / 7), title: 'Lamp' }
    const stored = Buffer.concat([Buffer.alloc(20), Buffer.from(JSON.stringify(document))])
    expect(documentIn(stored)).toEqual(document)
    expect(longListsIn(stored.subarray(4)).size).toBe(0)
    const text = Buffer.from('{"vector":"words"}')
    const json = stored.subarray(20)
    const length = Buffer.alloc(4)
    length.writeUInt32LE(json.byteLength)
    const withTexts = documentIn(Buffer.concat([Buffer.alloc(20), Buffer.of(1), length, json, text]))
    expect([withTexts, fileTexts(withTexts)]).toEqual([document, { vector: 'words' }])
  })

  it('tells its long lists without the rest, which may be damaged', () => {
    const [one, other] = [
      Array.from({ length: 40 }, (_, i) => i / 7),
      Array.from({ length: 64 }, (_, i) => i),
    ]
    const stored = atOnce(draft({ title: 'Lamp', one, in: { constructor: { other } }, few: [1, 2] }))
    stored.fill(0, stored.indexOf('"title"'), stored.indexOf('"few"'))
    const lists = longListsIn(stored.subarray(4))
    expect(Object.fromEntries(lists)).toEqual({ '["one"]': one, '["in","constructor","other"]': other })
    expect(longListsIn(atOnce(draft({ title: 'Lamp' })).subarray(4)).size).toBe(0)
  })

  it('of ten thousand lists of numbers is written and read in short stretches', async () => {
    const list = Array.from({ length: 32 }, (_, i) => i)
    const lists = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`list${i}`, list]))
    const document: JsonObject = { ...lists, long: Array.from({ length: 65_536 }, (_, i) => i / 3) }
    const written = await leastLongestTurn(LONGEST_TURN, () => inStretches(draft(document)))
    expect(written).toBeLessThan(LONGEST_TURN)
    const stored = atOnce(draft(document))
    const read = await leastLongestTurn(LONGEST_TURN, () => inStretches(documentInPieces(stored)))
    expect(read).toBeLessThan(LONGEST_TURN)
    expect(documentIn(stored)).toEqual(document)
  })

  it('of sixteen million letters of any kind is written in short stretches', async () => {
    for (const letters of ['漢字', '\u0301', 'é', '"', '😀']) {
      // In one piece, as texts that were read are.
      const title = Buffer.from(letters.repeat(16_000_000 / letters.length)).toString()
      const turn = await leastLongestTurn(LONGEST_TURN, () => inStretches(draft({ id: 'a', title })))
      expect(turn).toBeLessThan(LONGEST_TURN)
    }
  })
})
