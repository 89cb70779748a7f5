import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calibrate, toProbabilities } from '../../../src/classification/model/calibration.ts'
import { FeatureScanner } from '../../../src/classification/model/feature-scanner.ts'
import { randomStream } from '../../../src/classification/model/random.ts'
import { best } from '../../../src/classification/model/shortlist.ts'
import { FeatureWeighing } from '../../../src/classification/model/vectors.ts'
import { FeatureTable } from '../../../src/fulltext/dictionary/feature-table.ts'
import { analyzer } from './learnt.ts'

describe('FeatureScanner', () => {
  /** The same by strings. */
  function naiveFeatures(texts: readonly string[], nGrams: readonly number[], characters: boolean): string[] {
    const found: string[] = []
    for (const words of texts.map(text => analyzer.tokens(text))) {
      for (const i of words.keys()) {
        for (const n of new Set([1, ...nGrams]))
          if (i + n <= words.length) found.push(words.slice(i, i + n).join(' '))
        if (nGrams.includes(2) && i + 2 < words.length) found.push(`${words[i]} … ${words[i + 2]}`)
        const marked = ` ${words[i]} `
        for (let from = 0; from < marked.length && characters; from++) {
          for (let n = 2; n <= 4; n++) if (from + n <= marked.length) found.push(marked.slice(from, from + n))
        }
      }
    }
    return found.sort()
  }

  it('finds what reading the words finds', () => {
    const word = fc.constantFrom('a', 'to', 'bag', 'Straße', '東京都', 'x-100', 'ÀÉ', '🙂', '')
    const text = fc.array(word, { maxLength: 9 }).map(words => words.join(' '))
    const nGrams = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(fc.array(text, { maxLength: 3 }), nGrams, fc.boolean(), (texts, nGrams, characters) => {
        const scanner = new FeatureScanner({ analyzer, nGrams, characters })
        scanner.scan(['something before'])
        scanner.scan(texts)
        const found = Array.from({ length: scanner.count }, (_, i) => scanner.text(i))
        expect(found.sort()).toEqual(naiveFeatures(texts, nGrams, characters))
        const joined = texts.join(' ').repeat(20)
        for (const _ of scanner.scanning(joined));
        const pieces = Array.from({ length: scanner.count }, (_, i) => scanner.text(i))
        scanner.scan([joined])
        expect(pieces).toEqual(Array.from({ length: scanner.count }, (_, i) => scanner.text(i)))
      }),
    )
  })

  it('gives the same hash to the same feature alone, and of different words to none', () => {
    const scanner = new FeatureScanner({ analyzer, nGrams: [1, 2, 3], characters: true })
    const byHash = new Map<number, string>()
    const kindsOf = new Map<string, number>()
    for (const text of ['the red bag to the red', 'red the bag of of of bags', 'ab a b ab']) {
      scanner.scan([text])
      for (let i = 0; i < scanner.count; i++) {
        const name = `${scanner.kinds[i]} ${scanner.text(i)}`
        const hash = scanner.hashes[i]!
        expect(byHash.get(hash) ?? name).toBe(name)
        expect(kindsOf.get(name) ?? hash).toBe(hash)
        byHash.set(hash, name)
        kindsOf.set(name, hash)
      }
    }
    expect(byHash.size).toBeGreaterThan(60)
  })
})

describe('FeatureTable', () => {
  it('numbers hashes as a Map does', () => {
    const hash = fc.oneof(
      fc.integer({ min: -3, max: 3 }),
      fc.integer().map(value => value | 0),
    )
    fc.assert(
      fc.property(fc.array(hash, { maxLength: 300 }), fc.integer(), (hashes, seed) => {
        const table = new FeatureTable(1, seed)
        const naive = new Map<number, number>()
        for (const hash of hashes) {
          expect(table.find(hash)).toBe(naive.get(hash) ?? -1)
          if (!naive.has(hash)) naive.set(hash, naive.size)
          expect(table.intern(hash)).toBe(naive.get(hash))
          expect(table.find(hash)).toBe(naive.get(hash))
        }
        expect(table.size).toBe(naive.size)
      }),
    )
  })
})

describe('best', () => {
  it('finds what sorting all finds', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 30 })
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 8 }), (scores, most) => {
        const list = new Uint32Array(most)
        const count = best(Float64Array.from(scores), most, list)
        const sorted = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b)
        expect([...list.subarray(0, count)]).toEqual(sorted.slice(0, most))
      }),
    )
  })
})

describe('Weighing', () => {
  it('brings words and parts of words to one half each, rare ones weighing more', () => {
    const weighing = new FeatureWeighing(Uint32Array.of(1, 9, 1, 9), 9, 2)
    const values = new Float64Array(4)
    weighing.weigh(Uint32Array.of(0, 1, 2, 3), Uint8Array.of(1, 1, 3, 1), 0, 4, values)
    expect(values[0]! ** 2 + values[1]! ** 2).toBeCloseTo(0.5, 6)
    expect(values[2]! ** 2 + values[3]! ** 2).toBeCloseTo(0.5, 6)
    // ln(10 / 2) + 1 against ln(10 / 10) + 1, and 1 + ln 3 for three occurrences.
    expect(values[0]! / values[1]!).toBeCloseTo(Math.log(5) + 1, 5)
    expect(values[2]! / values[3]!).toBeCloseTo((1 + Math.log(3)) * (Math.log(5) + 1), 5)
    weighing.weigh(Uint32Array.of(3), Uint8Array.of(2), 0, 1, values)
    expect(values[0]).toBeCloseTo(1, 6)
  })
})

describe('calibrate', () => {
  it('finds the temperature by which right classes were drawn', () => {
    const next = randomStream(5)
    const [rows, classes] = [2_000, 8]
    const linear = Float32Array.from({ length: rows * classes }, () => next() * 2 - 1)
    const right = Uint32Array.from({ length: rows }, (_, row) => {
      const shares = Float64Array.from(
        linear.subarray(row * classes, (row + 1) * classes),
        score => 3 * score,
      )
      toProbabilities(shares)
      let left = next()
      const drawn = shares.findIndex(share => {
        left -= share
        return left < 0
      })
      return drawn < 0 ? classes - 1 : drawn
    })
    const starts = Uint32Array.from({ length: rows + 1 }, (_, row) => row)
    const found = calibrate({
      classes,
      linear,
      bayes: new Float32Array(linear.length),
      right: { starts, items: right },
    })
    expect(found.linear * found.both).toBeGreaterThan(2.7)
    expect(found.linear * found.both).toBeLessThan(3.3)
  })
})
