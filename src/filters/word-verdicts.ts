import { textOf } from '../fulltext/dictionary/term-table.ts'
import type { Vocabulary } from '../fulltext/dictionary/vocabulary.ts'
import type { TextColumn } from '../fulltext/segments/columns/column.ts'
import type { ReadableSegment } from '../fulltext/segments/segment.ts'
import { blankBits, setBit } from '../fulltext/set-bits.ts'
import type { WordPath } from '../query/document-reading.ts'
import { wordPaths } from '../query/predicate.ts'
import { type OneWord, type WordLeaf, wordsTest, wordTest } from '../query/word-tests.ts'
import { anyColumnsAt, columnsAt, havingCut, havingTexts, havingValues } from './field-columns.ts'
import type { FilterFields } from './filter-fields.ts'
import { both, either, type Mask, maskOf } from './mask.ts'
import { type FilteredSegment, mayBeNumber } from './value-verdicts.ts'
import { anyOf, certain, noneMatch, possible, unknown, type Verdict } from './verdict.ts'

export type WordSegment = FilteredSegment & ReadableSegment

/** Texts or words after which it is seen whether the time is over: each call gets further, however slow it is. */
const LOOKED_AT = 256

/** What a leaf asks for, as it is looked up in one segment after the other. */
export class WordQuestion {
  readonly #leaf: WordLeaf
  readonly #fields: FilterFields
  readonly #vocabulary: Vocabulary
  readonly #paths: WordPath[]
  /** By word of the leaf: the terms that stand for it, and how many of the vocabulary were looked at. */
  readonly #terms: { terms: number[]; seen: number }[] = []
  /** By what has texts: which of them are asked for, and how many were looked at. */
  readonly #fitting = new Map<object, { wanted: Uint8Array; seen: number }>()

  constructor(leaf: WordLeaf, fields: FilterFields, vocabulary: Vocabulary) {
    this.#leaf = leaf
    this.#fields = fields
    this.#vocabulary = vocabulary
    this.#paths = wordPaths(leaf.field, fields.query)
  }

  /** Undefined where the time is over: asked again, it goes on where it was. @param until as `performance.now()` counts */
  in(segment: WordSegment, until: number): Verdict | undefined {
    const { indexed } = this.#fields
    const places = this.#paths.map(({ path }) => indexed.indexOf(path))
    const isIndexed = places.every(place => place >= 0)
    const isEverywhere = isIndexed && this.#leaf.field === null
    if (isEverywhere) return this.#inPostings(segment, undefined, until)
    let found = noneMatch
    for (const [i, { path, isText, isFile }] of this.#paths.entries()) {
      const place = places[i]!
      const here =
        place >= 0
          ? this.#inPostings(segment, segment.shape.fields > 1 ? place : undefined, until)
          : isFile
            ? unknown
            : this.#inColumns(segment, path, isText, until)
      if (!here) return undefined
      found = anyOf(found, here)
    }
    return found
  }

  /** @param field the only one that counts */
  #inPostings(segment: WordSegment, field: number | undefined, until: number): Verdict | undefined {
    const leaf = this.#leaf
    const words: readonly OneWord[] =
      leaf.kind === 'words' ? leaf.words.map(word => ({ kind: 'word', field: null, word })) : [leaf]
    let all: Mask = 'all'
    for (const [i, word] of words.entries()) {
      const terms = this.#termsOf(i, word, until)
      if (!terms) return undefined
      all = both(all, havingTerms(segment, terms, field))
    }
    return leaf.kind === 'words' ? possible(all) : certain(all)
  }

  #termsOf(i: number, word: OneWord, until: number): readonly number[] | undefined {
    const { terms: table } = this.#vocabulary
    if (word.kind === 'word') {
      const term = table.find(word.word)
      return term < 0 ? [] : [term]
    }
    this.#terms[i] ??= { terms: [], seen: 0 }
    const known = this.#terms[i]
    const fits = wordTest(word)
    const first = word.kind === 'pattern' && !/^[*?]/.test(word.pattern) ? word.pattern.charCodeAt(0) : -1
    const { units, starts } = table
    while (known.seen < table.size) {
      const term = known.seen++
      const mayFit = first < 0 || units[starts[term]!] === first
      if (mayFit && !this.#vocabulary.isFamily(term) && fits(textOf(units, starts[term]!, starts[term + 1]!)))
        known.terms.push(term)
      if (known.seen % LOOKED_AT === 0 && performance.now() > until) return undefined
    }
    return known.terms
  }

  #inColumns(segment: WordSegment, path: string, isText: boolean, until: number): Verdict | undefined {
    const { columns, shape } = segment
    const { idField, tagField } = this.#fields
    if (path.split('.').includes('')) return unknown
    if (path === idField) return this.#inIds(segment, until)
    if (columns.isCut) return unknown
    const isTag = path === tagField
    const texts: readonly TextColumn[] = isTag
      ? columnsAt(columns, path, 'tags')
      : columnsAt(columns, path, 'text')
    const others = isTag || isText ? anyColumnsAt(columns, path, ['number', 'boolean', 'date']) : []
    const rest = either(havingValues(others, shape.documents), havingCut(texts, shape.documents))
    let [sure, maybe]: [Mask, Mask] = ['none', rest]
    for (const column of texts) {
      const found = this.#inColumn(column, isTag, until)
      if (!found) return undefined
      sure = either(sure, found.sure)
      maybe = either(maybe, found.maybe)
    }
    return maybe === 'none' ? certain(sure) : { sure, maybe: either(sure, maybe) }
  }

  /** @param isTag tags may be numbers, which only the document knows */
  #inColumn(column: TextColumn, isTag: boolean, until: number): Verdict | undefined {
    const { texts } = column
    const wanted = this.#among(column, texts.count, ordinal => texts.text(ordinal), until)
    if (!wanted) return undefined
    const fitting = havingTexts(column, wanted)
    if (!isTag) return certain(fitting)
    const sure = wanted.map((one, ordinal) => (one === 1 && mayBeNumber(texts.text(ordinal)) ? 0 : one))
    return { sure: havingTexts(column, sure), maybe: fitting }
  }

  /** Ids have no column; those that are numbers are no text where that is asked for. */
  #inIds(segment: WordSegment, until: number): Verdict | undefined {
    const { documents } = segment.shape
    const wanted = this.#among(segment, documents, document => segment.id(document), until)
    if (!wanted) return undefined
    const sure: number[] = []
    const maybe: number[] = []
    for (let document = 0; document < documents; document++)
      if (wanted[document] === 1) (mayBeNumber(segment.id(document)) ? maybe : sure).push(document)
    const mask = maskOf(sure, documents)
    return { sure: mask, maybe: either(mask, maskOf(maybe, documents)) }
  }

  /** By number of the texts: 1 where the words of a text are what is asked for. @param having has these texts */
  #among(
    having: object,
    texts: number,
    textAt: (number: number) => string,
    until: number,
  ): Uint8Array | undefined {
    let known = this.#fitting.get(having)
    if (!known) {
      known = { wanted: new Uint8Array(texts), seen: 0 }
      this.#fitting.set(having, known)
    }
    const fits = this.#textTest()
    while (known.seen < texts) {
      if (fits(textAt(known.seen))) known.wanted[known.seen] = 1
      known.seen++
      if (known.seen % LOOKED_AT === 0 && performance.now() > until) return undefined
    }
    return known.wanted
  }

  /** Whether the words of a text are what is asked for. */
  #textTest(): (text: string) => boolean {
    const leaf = this.#leaf
    const { analyzer } = this.#fields.query
    const fits = wordsTest(leaf)
    const part = leaf.kind === 'word' ? leaf.word : leaf.kind === 'words' ? leaf.words[0]! : ''
    return text => {
      // Of plain text every word is a part, so that most need not be cut into words.
      if (isAscii(text) && !text.toLowerCase().includes(part)) return false
      const words = analyzer.tokens(text)
      return fits({ texts: [words], set: new Set(words) })
    }
  }
}

/** The documents that have one of some terms. @param field the only one that counts */
function havingTerms(segment: WordSegment, terms: readonly number[], field: number | undefined): Mask {
  const { documents, offsets, shape, forward } = segment
  let mask: Uint32Array | undefined
  for (const term of terms) {
    const at = segment.find(term)
    if (at < 0) continue
    mask ??= blankBits(shape.documents)
    for (let p = offsets[at]!; p < offsets[at + 1]!; p++)
      if (field === undefined || forward.frequencies[p * shape.fields + field]! > 0)
        setBit(mask, documents[p]!)
  }
  return mask ?? 'none'
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  return true
}
