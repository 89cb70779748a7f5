import type { Analyzer } from '../../analysis/analyzer.ts'
import { TermTable } from '../dictionary/term-table.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { SURFACE } from './forward-list.ts'
import { type FieldText, TokenList } from './token-list.ts'

/** Texts of documents as words, as plain data: analyzed on any thread, for an index that is on another. */
export interface AnalyzedTexts {
  /** The distinct words, in UTF-16: those of word `w` are `units[starts[w]..starts[w + 1])`. */
  readonly units: Uint16Array
  readonly starts: Uint32Array
  /** The words of all documents, field after field, as numbers of distinct words with the marks of tokens. */
  readonly words: Uint32Array
  /** How many of them each field of each document has. */
  readonly lengths: Uint16Array
}

/** Analyzes texts, of which one after the other holds `fields` for each document. */
export function analyzeTexts(
  analyzer: Analyzer,
  fields: number,
  documents: Iterable<readonly FieldText[]>,
): AnalyzedTexts {
  const table = new TermTable()
  const list = new TokenList(analyzer, table)
  const lengths: number[] = []
  const ofDocument = new Uint16Array(fields)
  for (const texts of documents) {
    list.add(texts, ofDocument)
    lengths.push(...ofDocument)
  }
  return {
    units: table.units.slice(0, table.starts[table.size]),
    starts: table.starts.slice(0, table.size + 1),
    words: list.tokens.slice(0, list.size),
    lengths: Uint16Array.from(lengths),
  }
}

/** The words of the texts as terms of a vocabulary, which learns those that are new to it. */
export function termsOf({ units, starts, words }: AnalyzedTexts, vocabulary: Vocabulary): Uint32Array {
  const terms = new Uint32Array(starts.length - 1)
  for (let word = 0; word < terms.length; word++) {
    const chars = units.subarray(starts[word], starts[word + 1])
    terms[word] = vocabulary.intern(chars, chars.length)
  }
  return words.map(word => terms[word & SURFACE]! | (word & ~SURFACE))
}
