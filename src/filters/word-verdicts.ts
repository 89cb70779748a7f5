import { textOf } from '../fulltext/dictionary/term-table.ts'
import type { Vocabulary } from '../fulltext/dictionary/vocabulary.ts'
import type { TextColumn } from '../fulltext/segments/columns/column.ts'
import type { ReadableSegment } from '../fulltext/segments/segment.ts'
import { blankBits, setBit } from '../fulltext/set-bits.ts'
import { wordPaths } from '../query/predicate.ts'
import { type OneWord, type WordLeaf, wordsTest, wordTest } from '../query/word-tests.ts'
import { anyColumnsAt, columnsAt, havingCut, havingTexts, havingValues } from './field-columns.ts'
import type { FilterFields } from './filter-fields.ts'
import { both, either, type Mask, maskOf } from './mask.ts'
import { type FilteredSegment, mayBeNumber } from './value-verdicts.ts'
import { anyOf, certain, noneMatch, possible, unknown, type Verdict } from './verdict.ts'

export type WordSegment = FilteredSegment & ReadableSegment

/** What a leaf asks for, as it is looked up in one segment after the other. */
export class WordQuestion {
  readonly #leaf: WordLeaf
  readonly #fields: FilterFields
  readonly #vocabulary: Vocabulary
  readonly #paths: { path: string; isText: boolean }[]
  /** By word of the leaf: the terms that stand for it, and how many of the vocabulary were looked at. */
  readonly #terms: { terms: number[]; seen: number }[] = []

  constructor(leaf: WordLeaf, fields: FilterFields, vocabulary: Vocabulary) {
    this.#leaf = leaf
    this.#fields = fields
    this.#vocabulary = vocabulary
    this.#paths = wordPaths(leaf.field, fields.query)
  }

  in(segment: WordSegment): Verdict {
    const { indexed } = this.#fields
    const places = this.#paths.map(({ path }) => indexed.indexOf(path))
    const isIndexed = places.every(place => place >= 0)
    // Files have no words: all fields that have some are asked.
    const isEverywhere = isIndexed && this.#leaf.field === null
    if (isEverywhere) return this.#inPostings(segment, undefined)
    return this.#paths.reduce<Verdict>((found, { path, isText }, i) => {
      const place = places[i]!
      const here =
        place >= 0
          ? this.#inPostings(segment, segment.shape.fields > 1 ? place : undefined)
          : this.#inColumns(segment, path, isText)
      return anyOf(found, here)
    }, noneMatch)
  }

  /** @param field the only one that counts */
  #inPostings(segment: WordSegment, field: number | undefined): Verdict {
    const leaf = this.#leaf
    if (leaf.kind !== 'words') return certain(this.#havingWord(segment, 0, leaf, field))
    let all: Mask = 'all'
    for (const [i, word] of leaf.words.entries())
      all = both(all, this.#havingWord(segment, i, { kind: 'word', field: null, word }, field))
    return possible(all)
  }

  #havingWord(segment: WordSegment, i: number, word: OneWord, field: number | undefined): Mask {
    const { documents, offsets, shape, forward } = segment
    let mask: Uint32Array | undefined
    for (const term of this.#termsOf(i, word)) {
      const at = segment.find(term)
      if (at < 0) continue
      mask ??= blankBits(shape.documents)
      for (let p = offsets[at]!; p < offsets[at + 1]!; p++)
        if (field === undefined || forward.frequencies[p * shape.fields + field]! > 0)
          setBit(mask, documents[p]!)
    }
    return mask ?? 'none'
  }

  #termsOf(i: number, word: OneWord): readonly number[] {
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
    for (; known.seen < table.size; known.seen++) {
      if (first >= 0 && units[starts[known.seen]!] !== first) continue
      if (this.#vocabulary.isFamily(known.seen)) continue
      const text = textOf(units, starts[known.seen]!, starts[known.seen + 1]!)
      if (fits(text)) known.terms.push(known.seen)
    }
    return known.terms
  }

  #inColumns(segment: WordSegment, path: string, isText: boolean): Verdict {
    const { columns, shape } = segment
    const { idField, tagField } = this.#fields
    if (path.split('.').includes('')) return unknown
    if (path === idField) return this.#inIds(segment)
    if (columns.isCut) return unknown
    const isTag = path === tagField
    const texts: readonly TextColumn[] = isTag
      ? columnsAt(columns, path, 'tags')
      : columnsAt(columns, path, 'text')
    const others = isTag || isText ? anyColumnsAt(columns, path, ['number', 'boolean', 'date']) : []
    const rest = either(havingValues(others, shape.documents), havingCut(texts, shape.documents))
    let [sure, maybe]: [Mask, Mask] = ['none', rest]
    for (const column of texts) {
      const found = this.#inColumn(column, isTag)
      sure = either(sure, found.sure)
      maybe = either(maybe, found.maybe)
    }
    return maybe === 'none' ? certain(sure) : { sure, maybe: either(sure, maybe) }
  }

  /** @param isTag tags may be numbers, which only the document knows */
  #inColumn(column: TextColumn, isTag: boolean): Verdict {
    const { texts } = column
    const wanted = this.#fitting(column)
    const fitting = havingTexts(column, wanted)
    if (!isTag) return certain(fitting)
    for (let ordinal = 0; ordinal < wanted.length; ordinal++)
      if (wanted[ordinal] === 1 && mayBeNumber(texts.text(ordinal))) wanted[ordinal] = 0
    return { sure: havingTexts(column, wanted), maybe: fitting }
  }

  /** Ids have no column; those that are numbers are no text where that is asked for. */
  #inIds(segment: WordSegment): Verdict {
    const { documents } = segment.shape
    const fits = this.#textTest()
    const sure: number[] = []
    const maybe: number[] = []
    for (let document = 0; document < documents; document++) {
      const id = segment.id(document)
      if (fits(id)) (mayBeNumber(id) ? maybe : sure).push(document)
    }
    const mask = maskOf(sure, documents)
    return { sure: mask, maybe: either(mask, maskOf(maybe, documents)) }
  }

  /** By ordinal of the column's texts: 1 where its words are what is asked for. */
  #fitting({ texts }: TextColumn): Uint8Array {
    const fits = this.#textTest()
    const wanted = new Uint8Array(texts.count)
    for (let ordinal = 0; ordinal < wanted.length; ordinal++)
      if (fits(texts.text(ordinal))) wanted[ordinal] = 1
    return wanted
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

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  return true
}
