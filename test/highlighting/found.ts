import * as fc from 'fast-check'
import { ScanBuffer, scanRanges } from '../../src/analysis/tokenizer.ts'
import type { FoundPhrase } from '../../src/highlighting/phrase-windows.ts'
import { type FoundWords, WordFinder } from '../../src/highlighting/word-finder.ts'
import { anyCharacter } from '../any-character.ts'

/** Finds the words of a line of text and its phrases, as 'brass "desk lamp" "a b"~2 gar*'. */
export function finderOf(line: string, weights: Record<string, number> = {}): WordFinder {
  return new WordFinder({ ...foundOf(line), weights: new Map(Object.entries(weights)) })
}

function foundOf(line: string): FoundWords {
  const phrases: FoundPhrase[] = []
  const rest = line.replace(/"([^"]*)"(?:~(\d+))?/g, (_, words: string, slop = '0') => {
    phrases.push({ words: words.split(' ').map(word => new Set(word.split('|'))), slop: Number(slop) })
    return ''
  })
  const words = rest.split(' ').filter(word => word !== '')
  return {
    terms: new Set(words.filter(word => !word.endsWith('*'))),
    prefixes: words.filter(word => word.endsWith('*')).map(word => word.slice(0, -1)),
    phrases,
  }
}

export interface Place {
  start: number
  end: number
  /** What was found there. */
  found: string | FoundPhrase
}

interface Token {
  term: string
  start: number
  end: number
}

/** All places of everything found, by trying every stretch of words. */
export function placesByTrial(text: string, { terms, prefixes = [], phrases }: FoundWords): Place[] {
  const tokens: Token[] = []
  scanRanges(text, new ScanBuffer(), (chars, length, start, end) =>
    tokens.push({ term: String.fromCharCode(...chars.subarray(0, length)), start, end }),
  )
  const words = tokens.flatMap(({ term, start, end }) => {
    const found = terms.has(term) ? term : prefixes.find(prefix => term.startsWith(prefix))
    return found === undefined ? [] : [{ start, end, found }]
  })
  return [...words, ...phrases.flatMap(phrase => phrasePlaces(tokens, phrase))]
}

function phrasePlaces(tokens: Token[], phrase: FoundPhrase): Place[] {
  const stretches: { from: number; to: number }[] = []
  for (let from = 0; from < tokens.length; from++) {
    for (let to = from; to < tokens.length; to++) {
      const stretch = tokens.slice(from, to + 1).map(({ term }) => term)
      if (isPhrase(stretch, phrase)) stretches.push({ from, to })
    }
  }
  return stretches
    .filter(one => !stretches.some(other => other !== one && other.from >= one.from && other.to <= one.to))
    .map(({ from, to }) => ({ start: tokens[from]!.start, end: tokens[to]!.end, found: phrase }))
}

function isPhrase(stretch: string[], { words, slop }: FoundPhrase): boolean {
  return stretch.length <= words.length + slop && spans(stretch, words)
}

/** Whether the words come in their order, the first one first and the last one last. */
function spans(stretch: string[], words: FoundPhrase['words']): boolean {
  if (!words[0]!.has(stretch[0]!)) return false
  if (words.length === 1) return stretch.length === 1
  return stretch.some((_, next) => next > 0 && spans(stretch.slice(next), words.slice(1)))
}

const term = fc.constantFrom('a', 'b', 'c', 'lamp', '東京', '京東', 'か', 'がか', 'e', 'ss')
const terms = fc.uniqueArray(term, { maxLength: 3 }).map(list => new Set(list))

export const anyFound: fc.Arbitrary<FoundWords> = fc.record({
  terms,
  prefixes: fc.uniqueArray(fc.constantFrom('a', 'la', '東', 's'), { maxLength: 2 }),
  phrases: fc
    .array(
      fc.record({
        words: fc.array(fc.uniqueArray(term, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
        slop: fc.nat(3),
      }),
      { maxLength: 2 },
    )
    .map(list => list.map(({ words, slop }) => ({ words: words.map(one => new Set(one)), slop }))),
  weights: fc.dictionary(term, fc.integer({ min: 1, max: 9 })).map(record => new Map(Object.entries(record))),
})

export const anyText = fc
  .array(
    fc.oneof(
      {
        weight: 8,
        arbitrary: fc.constantFrom('a ', 'b ', 'c ', 'A', 'lamp ', 'lamplight ', ', ', '. ', '\n', 'ß'),
      },
      {
        weight: 4,
        arbitrary: fc.constantFrom('東', '京', 'か\u3099', 'か', 'e\u0301', '𝒳', '½', '。', '👍', ' '),
      },
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 3 }) },
    ),
    { maxLength: 60 },
  )
  .map(pieces => pieces.join(''))
