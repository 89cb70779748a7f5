import { describe, expect, it } from 'vitest'
import { CodeScanner } from '../../src/analysis/code-tokens.ts'

const scanner = new CodeScanner()

function tokens(text: string): string[] {
  const found: string[] = []
  scanner.scan(text, (chars, length) => found.push(String.fromCharCode(...chars.subarray(0, length))))
  return found
}

describe('tokens of codes', () => {
  const cases: [what: string, text: string, tokens: string[]][] = [
    ['leaves words alone', 'Crème brûlée, 12 pieces', ['creme', 'brulee', '12', 'pieces']],
    ['tells letters and digits of a code apart as well', 'PSLX350H', ['pslx350h', 'pslx', '350']],
    ['joins what marks divide', 'PSLX-350H', ['pslx', '350h', '350', 'pslx350h']],
    ['joins at every mark that codes have', "a1'b.c,d", ['a1b', 'c', 'd', 'a1bcd']],
    ['joins sizes, and leaves decimals whole', '1.5 l, 10/100', ['1.5', 'l', '10', '100', '10100']],
    ['joins no words without a digit', 't-shirt', ['t', 'shirt']],
    ['joins no more than four', '1-2-3-4 1-2-3-4-5', ['1', '2', '3', '4', '1234', '1', '2', '3', '4', '5']],
    [
      'joins no more than 24 characters',
      `${'a'.repeat(12)}-${'1'.repeat(13)}`,
      ['a'.repeat(12), '1'.repeat(13)],
    ],
    ['does not join across a space or two marks', '65 w, 65--w', ['65', 'w', '65', 'w']],
    ['keeps no code from one text to the next', '-350h', ['350h', '350']],
    ['knows the digits of other scripts', 'م٣٥', ['م35', '35']],
    ['pairs Han and kana', '東京タワー5', ['東京', '京タ', 'タワ', 'ワー', '5']],
    ['finds nothing where nothing is', ' -- ', []],
  ]
  it.each(cases)('%s', (_what, text, expected) => expect(tokens(text)).toEqual(expected))

  it('takes lone surrogates and very long texts', () => {
    expect(tokens('a\ud800b')).toEqual(['a', 'b'])
    expect(tokens('x-1 '.repeat(50_000))).toHaveLength(150_000)
    expect(tokens('7'.repeat(1_000_000))).toEqual(['7'.repeat(64)])
  })
})
