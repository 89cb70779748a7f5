import type { Analyzer } from '../../analysis/analyzer.ts'
import type { WrittenWord } from '../../analysis/written-word.ts'
import { grown } from '../../arrays/grow.ts'
import { TermTable } from '../dictionary/term-table.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { SURFACE } from './forward-list.ts'
import { type FieldText, TokenList } from './token-list.ts'

/** Analyzed texts of documents as plain data, so that they can be analyzed on another thread than that of the index. */
export interface AnalyzedTexts {
  /**
   * The distinct words in UTF-16; those of word `w` are `units[starts[w]..starts[w + 1])`: the term and, after a mark, its
   * spelling in documents where that differs.
   */
  readonly units: Uint16Array
  readonly starts: Uint32Array
  /** The words of all documents, field by field, as numbers of distinct words with the marks of tokens. */
  readonly words: Uint32Array
  /** Number of words in each field of each document. */
  readonly lengths: Uint16Array
}

/** Analyzes texts; every `fields` consecutive ones belong to one document. */
export function analyzeTexts(
  analyzer: Analyzer,
  fields: number,
  documents: Iterable<readonly FieldText[]>,
): AnalyzedTexts {
  const words = new WrittenWords()
  const { table } = words
  const list = new TokenList(analyzer, words)
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

/**
 * The words of the texts as terms of a vocabulary, to which new words and their spellings are added.
 * @param fields number per document
 */
export function termsOf(
  { units, starts, words, lengths }: AnalyzedTexts,
  fields: number,
  vocabulary: Vocabulary,
): Uint32Array {
  const { forms } = vocabulary
  const terms = new Uint32Array(starts.length - 1)
  /** By word: where its spelling begins, or the end of the word where it has none. */
  const written = new Uint32Array(terms.length)
  for (let word = 0; word < terms.length; word++) {
    const [start, end] = [starts[word]!, starts[word + 1]!]
    const mark = units.subarray(start, end).indexOf(FORM_MARK)
    const length = mark < 0 ? end - start : mark
    terms[word] = vocabulary.intern(units.subarray(start, start + length), length)
    written[word] = mark < 0 ? end : start + mark + 1
  }
  const found = new Uint32Array(words.length)
  let at = 0
  for (let document = 0; document < lengths.length; document += fields) {
    forms.begin()
    let end = at
    for (let field = 0; field < fields; field++) end += lengths[document + field]!
    for (; at < end; at++) {
      const word = words[at]! & SURFACE
      const term = terms[word]!
      if (written[word] !== starts[word + 1] || forms.has(term))
        forms.count(term, units, written[word]!, starts[word + 1]!)
      found[at] = term | (words[at]! & ~SURFACE)
    }
  }
  return found
}

/** Separates a term from its spelling: no word contains it. */
const FORM_MARK = 0

/** Distinct words by spelling. */
class WrittenWords {
  readonly table = new TermTable()
  #word = new Uint16Array(1 << 8)

  /** Does nothing: the document of a word follows from its position. */
  begin(): void {}

  internWritten(chars: Uint16Array, length: number, written: WrittenWord | undefined): number {
    if (!written) return this.table.intern(chars, length)
    const all = length + 1 + written.length
    this.#word = grown(this.#word, all)
    for (let i = 0; i < length; i++) this.#word[i] = chars[i]!
    this.#word[length] = FORM_MARK
    for (let i = 0; i < written.length; i++) this.#word[length + 1 + i] = written.units[i]!
    return this.table.intern(this.#word, all)
  }
}
