import type { FunctionWords } from './function-words.ts'
import type { Language } from './languages.ts'
import type { RangeSink, TokenSink, WrittenSink } from './tokenizer.ts'

/** What an analyzer is known by: where either differs, what was derived is rebuilt. */
export interface AnalyzerIdentity {
  readonly name: string
  /** Raise it whenever the same text yields other tokens or stems. */
  readonly version: number
}

/** How text becomes terms. Documents and queries must go through the same one. */
export interface Analyzer extends AnalyzerIdentity {
  readonly language: Language
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
  /** The tokens of `scan`, and how the text writes them. */
  scanWritten(text: string, sink: WrittenSink): void
  /** The same of a long text piece by piece. */
  scanWrittenInPieces(text: string, sink: WrittenSink): Generator<void>
  /** UTF-16 units: longer texts take several milliseconds, and are scanned in pieces where somebody waits. */
  readonly longText: number
  /** The same tokens, and where in the text each stands. */
  scanRanges(text: string, sink: RangeSink): void
  /** The same tokens as strings. */
  tokens(text: string): string[]
  /** What words of one family share; the term itself where the language is not known. */
  stem(term: string): string
  /** Undefined where those of the language are not known. */
  readonly functionWords: FunctionWords | undefined
}
