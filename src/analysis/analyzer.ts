import { type FunctionWords, functionWordsOf } from './function-words.ts'
import { withoutParticle } from './korean.ts'
import { type BuiltInLanguage, builtInStems, type Language, loadStem, type Stem } from './languages.ts'
import { ScanBuffer, scanInPieces, scanTokens, type TokenSink } from './tokenizer.ts'

export type { TokenSink } from './tokenizer.ts'

/** What an analyzer is known by: where either differs, what was derived is rebuilt. */
export interface AnalyzerIdentity {
  readonly name: string
  /** Raise it whenever the same text yields other tokens or stems. */
  readonly version: number
}

/** How text becomes terms. Documents and queries must go through the same one. */
export interface Analyzer extends AnalyzerIdentity {
  /**
   * Calls `sink` once per token, in order. The term is `chars[0..length)`, folded UTF-16, at most 64 units (a
   * longer run of letters is cut there). `chars` and the text are held in one place: `sink` must call neither `scan` nor
   * `tokens` of the same analyzer.
   */
  scan(text: string, sink: TokenSink): void
  /**
   * The same of a long text piece by piece: it takes less than a millisecond or so from one to the next, and other texts
   * may be scanned in between. A run of more than 65,536 letters may be cut at other places.
   * @param piece characters; fewer than by default where the sink takes longer
   */
  scanInPieces(text: string, sink: TokenSink, piece?: number): Generator<void>
  /** The same tokens as strings. */
  tokens(text: string): string[]
  /** What words of one family share; the term itself where the language is not known. */
  stem(term: string): string
  /** Undefined where those of the language are not known. */
  readonly functionWords: FunctionWords | undefined
}

/** Of the analyzer of a language, without loading it. */
export function analyzerIdentity(language: Language): AnalyzerIdentity {
  return { name: language === 'none' ? 'plain' : language, version: 2 }
}

/** An analyzer of its own, which may be used beside any other. */
export async function loadAnalyzer(language: Language): Promise<Analyzer> {
  return analyzerWith(language, await loadStem(language))
}

/** The same at once, of a language that needs no loading. */
export function analyzerFor(language: BuiltInLanguage): Analyzer {
  return analyzerWith(language, builtInStems[language])
}

function analyzerWith(language: Language, stem: Stem): Analyzer {
  const buffer = new ScanBuffer()
  return {
    ...analyzerIdentity(language),
    scan: (text, sink) => scanTokens(text, buffer, sink),
    scanInPieces,
    tokens: text => {
      const tokens: string[] = []
      scanTokens(text, buffer, (units, length) =>
        tokens.push(String.fromCharCode(...units.subarray(0, length))),
      )
      return tokens
    },
    functionWords: functionWordsOf(language),
    stem: term => (isHangul(term) ? withoutParticle(term) : stem(term)),
  }
}

const isHangul = (term: string): boolean => {
  const first = term.charCodeAt(0)
  return first >= 0xac00 && first <= 0xd7a3
}
