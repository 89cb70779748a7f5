import { shownText } from '../analysis/shown-text.ts'
import { blankBits, setBit } from '../arrays/set-bits.ts'
import { FindlingError } from '../errors.ts'
import type { TermCounts } from '../fulltext/dictionary/term-counts.ts'
import { textOf } from '../fulltext/dictionary/term-table.ts'
import type { Vocabulary } from '../fulltext/dictionary/vocabulary.ts'
import type { TextColumn } from '../fulltext/segments/columns/column.ts'
import type { ReadableSegment } from '../fulltext/segments/segment.ts'
import type { WordPath } from '../query/document-reading.ts'
import { wordPaths } from '../query/predicate.ts'
import { printQuery } from '../query/print.ts'
import type { WordSequence } from '../query/query.ts'
import { type AnyWords, type OneWord, type WordLeaf, wordsTest, wordTest } from '../query/word-tests.ts'
import { anyColumnsAt, columnsAt, havingCut, havingTexts, havingValues } from './field-columns.ts'
import type { FilterFields } from './filter-fields.ts'
import { both, either, known, type Mask, maskOf } from './mask.ts'
import { type FilteredSegment, mayBeNumber } from './value-verdicts.ts'
import { anyOf, certain, noneMatch, possible, unknown, type Verdict } from './verdict.ts'

export type WordSegment = FilteredSegment & ReadableSegment

/** Number of texts or words between two looks at the clock; each call makes progress, however slow it is. */
const LOOKED_AT = 256
/** Up to this many characters, the search text takes no longer; for longer ones, the clock is checked more often. */
const SHORT = 64

/** How many indexed words one pattern, fuzzy word or range may match, and all of a condition together. */
const MOST_OF_ONE = 65_536
const MOST_OF_ALL = 1_048_576

/** Limits how many indexed words a condition may match. */
export class WordAllowance {
  /** How many visible documents have a term, if not all are visible: a term that none of them has does not count. */
  there: TermCounts | undefined
  #taken = 0

  /** Counts one more. @param own how many the leaf has so far. @throws FindlingError QUERY_INVALID */
  take(leaf: OneWord, own: number): void {
    if (own <= MOST_OF_ONE && ++this.#taken <= MOST_OF_ALL) return
    const received = own > MOST_OF_ONE ? printQuery(leaf) : 'too many matching words in total'
    const most = own > MOST_OF_ONE ? MOST_OF_ONE : MOST_OF_ALL
    const expected = `at most ${most} matching words of the dataset; give more letters`
    throw new FindlingError('QUERY_INVALID', `the condition has ${received}; expected ${expected}`, {
      received,
      expected,
    })
  }
}

/** Looks up what a leaf asks for, in one segment after another. */
export class WordQuestion {
  readonly #leaf: WordLeaf | AnyWords
  readonly #fields: FilterFields
  readonly #vocabulary: Vocabulary
  readonly #allowance: WordAllowance
  readonly #paths: WordPath[]
  /** The terms that match, and how many of the vocabulary have been examined. */
  readonly #terms: { terms: number[]; seen: number; counted: number } = { terms: [], seen: 0, counted: 0 }
  /** A phrase whose words have not all been looked up. */
  #begun: { segment: WordSegment; field: number | undefined; at: number; all: Mask } | undefined
  #fits: ((text: string) => boolean) | undefined
  #fitsWord: ((word: string) => boolean) | undefined
  readonly #lookedAt: number
  /** By owner of the texts: which of them match, and how many have been examined. */
  readonly #fitting = new Map<object, { wanted: Uint8Array; seen: number }>()

  /** @param leaf several words or phrases only for a field that is not indexed */
  constructor(
    leaf: WordLeaf | AnyWords,
    fields: FilterFields,
    vocabulary: Vocabulary,
    allowance: WordAllowance,
  ) {
    this.#leaf = leaf
    this.#lookedAt = Math.ceil(LOOKED_AT / Math.max(1, lengthOf(leaf) / SHORT))
    this.#fields = fields
    this.#vocabulary = vocabulary
    this.#allowance = allowance
    this.#paths = wordPaths(leaf.field, fields.query)
  }

  /** Undefined where the time is up; the next call continues there. @param until on the clock of `performance.now()` */
  in(segment: WordSegment, until: number): Verdict | undefined {
    const leaf = this.#leaf
    const { indexed } = this.#fields
    const places = this.#paths.map(({ path }) => indexed.indexOf(path))
    const isIndexed = leaf.kind !== 'anyWords' && places.every(place => place >= 0)
    if (isIndexed && leaf.field === null) return this.#inPostings(leaf, segment, undefined, until)
    let found = noneMatch
    for (const [i, { path, isText, isFile }] of this.#paths.entries()) {
      const place = places[i]!
      const here =
        place >= 0 && leaf.kind !== 'anyWords'
          ? this.#inPostings(leaf, segment, segment.shape.fields > 1 ? place : undefined, until)
          : isFile
            ? unknown
            : this.#inColumns(segment, path, isText, until)
      if (!here) return undefined
      found = anyOf(found, here)
    }
    return found
  }

  /** @param field the only one that counts */
  #inPostings(
    leaf: WordLeaf,
    segment: WordSegment,
    field: number | undefined,
    until: number,
  ): Verdict | undefined {
    if (leaf.kind === 'words') return this.#inAllPostings(leaf, segment, field, until)
    const terms = this.#termsOf(leaf, until)
    return terms && certain(havingTerms(segment, terms, field))
  }

  /** The documents that have all words of a phrase. */
  #inAllPostings(
    { words }: WordSequence,
    segment: WordSegment,
    field: number | undefined,
    until: number,
  ): Verdict | undefined {
    const begun = this.#begun?.segment === segment && this.#begun.field === field ? this.#begun : undefined
    let all: Mask = begun?.all ?? 'all'
    const first = begun?.at ?? 0
    for (let at = first; at < words.length && all !== 'none'; at++) {
      if (at !== first && performance.now() > until) {
        this.#begun = { segment, field, at, all }
        return undefined
      }
      const term = this.#vocabulary.terms.find(words[at]!)
      all = known(both(all, term < 0 ? 'none' : havingTerms(segment, [term], field)))
    }
    this.#begun = undefined
    return possible(all)
  }

  #termsOf(word: OneWord, until: number): readonly number[] | undefined {
    const { terms: table } = this.#vocabulary
    if (word.kind === 'word') {
      const term = table.find(word.word)
      return term < 0 ? [] : [term]
    }
    const known = this.#terms
    this.#fitsWord ??= wordTest(word)
    const fits = this.#fitsWord
    const first = word.kind === 'pattern' && !/^[*?]/.test(word.pattern) ? word.pattern.charCodeAt(0) : -1
    const { units, starts } = table
    while (known.seen < table.size) {
      const term = known.seen++
      const mayFit = first < 0 || units[starts[term]!] === first
      if (
        mayFit &&
        !this.#vocabulary.isFamily(term) &&
        fits(textOf(units, starts[term]!, starts[term + 1]!))
      ) {
        known.terms.push(term)
        if (this.#allowance.there?.of(term) !== 0) this.#allowance.take(word, ++known.counted)
      }
      if (known.seen % this.#lookedAt === 0 && performance.now() > until) return undefined
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

  /** @param isTag tags may be numbers, which only the documents tell */
  #inColumn(column: TextColumn, isTag: boolean, until: number): Verdict | undefined {
    const { texts } = column
    const wanted = this.#among(column, texts.count, ordinal => texts.text(ordinal), until)
    if (!wanted) return undefined
    const fitting = havingTexts(column, wanted)
    if (!isTag) return certain(fitting)
    const sure = wanted.map((one, ordinal) => (one === 1 && mayBeNumber(texts.text(ordinal)) ? 0 : one))
    return { sure: havingTexts(column, sure), maybe: fitting }
  }

  /** Ids have no column; an id that is a number is not a text where a text is asked for. */
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

  /** By number of the text: 1 where the words of a text match. @param having owner of these texts */
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
    this.#fits ??= this.#textTest()
    const fits = this.#fits
    while (known.seen < texts) {
      if (fits(textAt(known.seen))) known.wanted[known.seen] = 1
      known.seen++
      if (known.seen % this.#lookedAt === 0 && performance.now() > until) return undefined
    }
    return known.wanted
  }

  /** Whether the words of a text match. */
  #textTest(): (text: string) => boolean {
    const leaf = this.#leaf
    const { analyzer, markup } = this.#fields.query
    const fits = wordsTest(leaf)
    const part = leaf.kind === 'word' ? leaf.word : leaf.kind === 'words' ? leaf.words[0]! : ''
    return text => {
      const shown = markup ? shownText(text) : text
      // In ASCII text every word is a substring, so most texts need not be split into words.
      if (isAscii(shown) && !shown.toLowerCase().includes(part)) return false
      const words = analyzer.tokens(shown)
      return fits({ texts: [words], set: new Set(words) })
    }
  }
}

/** Length in characters of a pattern or word, in words of a phrase. */
function lengthOf(leaf: WordLeaf | AnyWords): number {
  if (leaf.kind === 'pattern') return leaf.pattern.length
  if (leaf.kind === 'near') return leaf.word.length
  return leaf.kind === 'words' ? leaf.words.length : 1
}

/** The documents that have one of several terms. @param field the only one that counts */
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
