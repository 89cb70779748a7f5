import type { Analyzer, AnalyzerIdentity } from './analyzer-interface.ts'
import { functionWordsOf } from './function-words.ts'
import { withoutParticle } from './korean.ts'
import { type BuiltInLanguage, builtInStems, type Language, loadStem, type Stem } from './languages.ts'
import { importAnalyzer, nameWith, type OwnAnalyzer, ownAnalyzer } from './own-analyzer.ts'
import {
  ScanBuffer,
  scanInPieces,
  scanRanges,
  scanTokens,
  scanWritten,
  scanWrittenInPieces,
} from './tokenizer.ts'

export type { Analyzer, AnalyzerIdentity } from './analyzer-interface.ts'
export type { TokenSink, WrittenSink } from './tokenizer.ts'

/** The identity of a language's analyzer, or of a custom one based on it, without loading either. */
export function analyzerIdentity(language: Language, own?: OwnAnalyzer): AnalyzerIdentity {
  const name = language === 'none' ? 'plain' : language
  return { name: own ? nameWith(own, name) : name, version: 4 }
}

/** A new analyzer, which may be used independently of any other. ANALYZER_FAILED */
export async function loadAnalyzer(language: Language, own?: OwnAnalyzer): Promise<Analyzer> {
  const base = analyzerWith(language, await loadStem(language))
  return own ? ownAnalyzer(own, await importAnalyzer(own), base) : base
}

/** The same without a promise, for a language that needs no loading. */
export function analyzerFor(language: BuiltInLanguage): Analyzer {
  return analyzerWith(language, builtInStems[language])
}

function analyzerWith(language: Language, stem: Stem): Analyzer {
  const buffer = new ScanBuffer()
  return {
    ...analyzerIdentity(language),
    language,
    longText: 65_536,
    scan: (text, sink) => scanTokens(text, buffer, sink),
    scanRanges: (text, sink) => scanRanges(text, buffer, sink),
    scanInPieces,
    scanWritten: (text, sink) => scanWritten(text, buffer, sink),
    scanWrittenInPieces,
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
