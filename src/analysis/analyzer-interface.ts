import type { FunctionWords } from './function-words.ts'
import type { Language } from './languages.ts'
import type { RangeSink, TokenSink, WrittenSink } from './tokenizer.ts'

/** Identifies an analyzer: if either member differs, everything derived with it is rebuilt. */
export interface AnalyzerIdentity {
  readonly name: string
  /** Raised whenever the same text yields other tokens or stems. */
  readonly version: number
}

/** How text becomes terms. Documents and queries must go through the same one. */
export interface Analyzer extends AnalyzerIdentity {
  readonly language: Language
  /**
   * Calls `sink` once per token, in order. The term is `chars[0..length)`, folded UTF-16, at most 64 units (a
   * longer run of letters is cut there). `chars` and the text are reused buffers: `sink` must call neither `scan` nor
   * `tokens` of the same analyzer.
   */
  scan(text: string, sink: TokenSink): void
  /**
   * The same for a long text, piece by piece: each takes no more than about a millisecond, and other texts may be scanned
   * in between. A run of more than 65,536 letters may be cut at other places.
   * @param piece number of characters; fewer than by default if the sink is slower
   */
  scanInPieces(text: string, sink: TokenSink, piece?: number): Generator<void>
  /** The tokens of `scan`, with their spelling in the text. */
  scanWritten(text: string, sink: WrittenSink): void
  /** The same for a long text, piece by piece. */
  scanWrittenInPieces(text: string, sink: WrittenSink): Generator<void>
  /** In UTF-16 units: longer texts take several milliseconds, and are scanned in pieces where others have to wait. */
  readonly longText: number
  /** The same tokens, with their positions in the text. */
  scanRanges(text: string, sink: RangeSink): void
  /** The same tokens as strings. */
  tokens(text: string): string[]
  /** The stem, which words of one family share; the term itself if the language is not known. */
  stem(term: string): string
  /** Undefined if those of the language are not known. */
  readonly functionWords: FunctionWords | undefined
}
