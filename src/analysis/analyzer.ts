import { englishStem } from './english.ts'
import { MAX_TOKEN_LENGTH, scanTokens, type TokenSink } from './tokenizer.ts'

export type { TokenSink } from './tokenizer.ts'

/** How text becomes terms. Documents and queries must go through the same one. */
export interface Analyzer {
  readonly name: string
  /** Raise it whenever the same text yields other tokens or stems: what was derived is then rebuilt. */
  readonly version: number
  /**
   * Calls `sink` once per token, in order. The term is `chars[0..length)`, folded UTF-16, at most 64 units (a
   * longer run of letters is cut there). `chars` is reused: `sink` must not call `scan` of the same analyzer.
   */
  scan(text: string, sink: TokenSink): void
  /** The same tokens as strings. */
  tokens(text: string): string[]
  /** What words of one family share; the term itself where the language is not known. */
  stem(term: string): string
}

export type Language = 'english' | 'none'

const stemmers = { english: englishStem, none: (term: string) => term }
const names = { english: 'english', none: 'plain' }

/** An analyzer of its own, which may be used beside any other. */
export function analyzerFor(language: Language): Analyzer {
  const chars = new Uint16Array(MAX_TOKEN_LENGTH)
  return {
    name: names[language],
    version: 1,
    scan: (text, sink) => scanTokens(text, chars, sink),
    tokens: text => {
      const tokens: string[] = []
      scanTokens(text, chars, (units, length) =>
        tokens.push(String.fromCharCode(...units.subarray(0, length))),
      )
      return tokens
    },
    stem: stemmers[language],
  }
}
