import { complement, countOf, isSet } from '../arrays/set-bits.ts'
import type { Vocabulary } from '../fulltext/dictionary/vocabulary.ts'
import { NOBODY, type Selection } from '../fulltext/matching/selection.ts'
import type { View } from '../fulltext/matching/views.ts'
import type { LiveSegment } from '../fulltext/segments/live-segment.ts'
import type { WholeSegment } from '../fulltext/segments/segment.ts'
import type { JsonObject } from '../json.ts'
import { compileQuery, type Predicate, restricted, withAnyWords } from '../query/predicate.ts'
import type { Any, Contains, Every, Inside, Leaf, Query } from '../query/query.ts'
import { type AnyWords, isWordLeaf, type WordLeaf } from '../query/word-tests.ts'
import { stretchEnd } from '../scheduling/stretch.ts'
import { ContainedTexts } from './contained-texts.ts'
import { havingTexts } from './field-columns.ts'
import type { FilterFields } from './filter-fields.ts'
import { either, type Mask, maskOf, without } from './mask.ts'
import { PointsInside } from './points-inside.ts'
import { valueVerdict } from './value-verdicts.ts'
import { allMatch, anyOf, certain, everyOf, noneMatch, noneOf, type Verdict } from './verdict.ts'
import { WordAllowance, WordQuestion } from './word-verdicts.ts'

/** One state of an index, at rest. */
export interface IndexState {
  readonly segments: readonly LiveSegment<WholeSegment>[]
  readonly vocabulary: Vocabulary
}

/** What is missing before documents can be selected: the contents of these documents or, if there are none, more time. */
export interface Missing {
  readonly documents: readonly string[]
}

/** Which documents may be found. */
export interface FilterCondition {
  readonly query: Query
  /** Lists of tag ids: a document must have at least one tag of each list. */
  readonly tags?: readonly (readonly string[])[] | undefined
}

/** A leaf for which many values are examined, piece by piece. */
type Scanned = Contains | Inside

const isScannedLeaf = (leaf: Leaf | AnyWords): leaf is Scanned =>
  leaf.kind === 'contains' || leaf.kind === 'inside'

/** A condition with several members, the first of which have been evaluated. */
interface Begun {
  readonly at: number
  readonly verdict: Verdict
}

/**
 * Selects the documents that a condition lets through. Columns and postings decide on most of them; the others have to be
 * read, and are handed to `learn`. Ask again until the answer is complete: what is known so far is kept.
 */
export class Filter {
  readonly #condition: FilterCondition
  readonly #fields: FilterFields
  /** Whether a document matches. */
  readonly matches: Predicate
  /** By the body of the segment, which stays the same object as long as its documents keep their places. */
  readonly #verdicts = new Map<Uint8Array, Verdict>()
  readonly #questions = new Map<WordLeaf | AnyWords | Scanned, WordQuestion | ContainedTexts | PointsInside>()
  readonly #allowance = new WordAllowance()
  /** Members of conditions, cheapest first; words of a field that is not indexed are combined into one. */
  readonly #members = new Map<Query, readonly (Query | AnyWords)[]>()
  /** For the current segment: conditions whose members have not all been evaluated. */
  readonly #begun = new Map<Query, Begun>()
  #beganIn: Uint8Array | undefined
  /** By id, for documents that were read: whether they match. */
  readonly #answers = new Map<string, boolean>()

  /** @param tagIds returns the tags of a document, as text */
  constructor(condition: FilterCondition, fields: FilterFields, tagIds: (document: JsonObject) => string[]) {
    this.#condition = condition
    this.#fields = fields
    const matches = compileQuery(condition.query, fields.query)
    const tags = condition.tags?.map(list => new Set(list))
    if (!tags?.length) {
      this.matches = matches
      return
    }
    const isTagged = (document: JsonObject) => {
      const own = tagIds(document)
      return tags.every(list => own.some(tag => list.has(tag)))
    }
    this.matches = restricted(isTagged, matches)
  }

  /** Takes in a missing document, to decide piece by piece whether it matches. */
  *learn(id: string, document: JsonObject | undefined): Generator<void> {
    this.#answers.set(id, document !== undefined && (yield* this.matches.deciding(document)))
  }

  /** May need more than one call. @param view of somebody who sees only some documents */
  select({ segments, vocabulary }: IndexState, view?: View): Selection | Missing {
    const until = stretchEnd()
    this.#allowance.there = view?.words.segments.frequencies
    for (const { segment } of segments) {
      if (this.#verdicts.has(segment.body)) continue
      if (this.#beganIn !== segment.body) this.#begun.clear()
      this.#beganIn = segment.body
      const verdict = this.#verdictOf(segment, vocabulary, until)
      if (verdict) this.#verdicts.set(segment.body, verdict)
      if (!verdict || performance.now() > until) return { documents: [] }
    }
    const documents: string[] = []
    const hidden: (Uint32Array | undefined)[] = []
    const sizes: number[] = []
    for (const [place, { segment, dead, size }] of segments.entries()) {
      const left = view ? view.selection.hidden[place] : dead
      const chosen = this.#chosenIn({ segment, dead: left }, documents)
      hidden.push(chosen === 'all' ? left : chosen === 'none' ? NOBODY : complement(chosen))
      sizes.push(
        chosen === 'all'
          ? view
            ? view.selection.sizes[place]!
            : size
          : chosen === 'none'
            ? 0
            : countOf(chosen),
      )
    }
    if (documents.length > 0) return { documents }
    return { hidden, sizes, size: sizes.reduce((sum, size) => sum + size, 0) }
  }

  /**
   * The living documents of a segment that match; `all` where all of them do.
   * @param missing collects the ids of documents that have to be read
   */
  #chosenIn({ segment, dead }: Pick<LiveSegment<WholeSegment>, 'segment' | 'dead'>, missing: string[]): Mask {
    const { sure, maybe } = this.#verdicts.get(segment.body)!
    if (sure === 'all') return 'all'
    const chosen =
      maybe === sure ? sure : either(sure, this.#answered(segment, dead, { sure, maybe }, missing))
    if (!dead || typeof chosen === 'string') return chosen
    return without(chosen, dead)
  }

  /** Those of the undecided documents that match according to their contents. */
  #answered(
    segment: WholeSegment,
    dead: Uint32Array | undefined,
    { sure, maybe }: Verdict,
    missing: string[],
  ): Mask {
    const { documents } = segment.shape
    const matching: number[] = []
    for (let document = 0; document < documents; document++) {
      if (maybe !== 'all' && !isSet(maybe as Uint32Array, document)) continue
      if (isSet(dead, document) || (sure !== 'none' && isSet(sure as Uint32Array, document))) continue
      const id = segment.id(document)
      const answer = this.#answers.get(id)
      if (answer === undefined) missing.push(id)
      else if (answer) matching.push(document)
    }
    return maskOf(matching, documents)
  }

  /** Undefined where the time is up before it is known. */
  #verdictOf(segment: WholeSegment, vocabulary: Vocabulary, until: number): Verdict | undefined {
    const { query, tags = [] } = this.#condition
    const tagged = tags.map(list => this.#tagVerdict(list, segment)).reduce(everyOf, allMatch)
    if (tagged.maybe === 'none') return noneMatch
    const asked = this.#evaluate(query, segment, vocabulary, until)
    return asked && everyOf(tagged, asked)
  }

  #tagVerdict(tags: readonly string[], { columns }: WholeSegment): Verdict {
    const column = columns.find(this.#fields.tagField, 'tags')
    // A segment with too many columns may lack this one.
    if (!column) return columns.isCut ? { sure: 'none', maybe: 'all' } : noneMatch
    const wanted = new Uint8Array(column.texts.count)
    for (const tag of tags) {
      const ordinal = column.texts.find(tag)
      if (ordinal >= 0) wanted[ordinal] = 1
    }
    return certain(havingTexts(column, wanted))
  }

  #membersOf(query: Every | Any): readonly (Query | AnyWords)[] {
    const known = this.#members.get(query)
    if (known) return known
    const isScanned = (field: string | null) => field !== null && !this.#fields.indexed.includes(field)
    const members = byCost(query.kind === 'any' ? withAnyWords(query.of, isScanned) : query.of)
    this.#members.set(query, members)
    return members
  }

  #evaluate(
    query: Query | AnyWords,
    segment: WholeSegment,
    vocabulary: Vocabulary,
    until: number,
  ): Verdict | undefined {
    switch (query.kind) {
      case 'everything':
        return allMatch
      case 'nothing':
        return noneMatch
      case 'every':
      case 'any':
        return this.#several(query, segment, vocabulary, until)
      case 'not': {
        const own = this.#evaluate(query.of, segment, vocabulary, until)
        return own && noneOf(own, segment.shape.documents)
      }
      case 'boosted':
        return this.#evaluate(query.of, segment, vocabulary, until)
      default:
        return this.#leaf(query, segment, vocabulary, until)
    }
  }

  #several(
    query: Every | Any,
    segment: WholeSegment,
    vocabulary: Vocabulary,
    until: number,
  ): Verdict | undefined {
    const isEvery = query.kind === 'every'
    const begun = this.#begun.get(query)
    const order = this.#membersOf(query)
    let verdict = begun?.verdict ?? (isEvery ? allMatch : noneMatch)
    const first = begun?.at ?? 0
    for (let at = first; at < order.length; at++) {
      // At least one is evaluated per call, so that each call makes progress, however slow it is.
      const isLate = at !== first && performance.now() > until
      const own = isLate ? undefined : this.#evaluate(order[at]!, segment, vocabulary, until)
      if (!own) {
        this.#begun.set(query, { at, verdict })
        return undefined
      }
      verdict = isEvery ? everyOf(verdict, own) : anyOf(verdict, own)
      if (isEvery ? verdict.maybe === 'none' : verdict.sure === 'all') break
    }
    this.#begun.delete(query)
    return verdict
  }

  #leaf(
    leaf: Leaf | AnyWords,
    segment: WholeSegment,
    vocabulary: Vocabulary,
    until: number,
  ): Verdict | undefined {
    if (leaf.kind !== 'anyWords' && !isScannedLeaf(leaf) && !isWordLeaf(leaf))
      return valueVerdict(leaf, segment, this.#fields)
    let question = this.#questions.get(leaf)
    if (!question) {
      question = !isScannedLeaf(leaf)
        ? new WordQuestion(leaf, this.#fields, vocabulary, this.#allowance)
        : leaf.kind === 'contains'
          ? new ContainedTexts(leaf, this.#fields)
          : new PointsInside(leaf, this.#fields)
      this.#questions.set(leaf, question)
    }
    return question.in(segment, until)
  }
}

export const isMissing = (selected: Selection | Missing): selected is Missing => 'documents' in selected

/** The cheapest members first, which often make the rest unnecessary. */
function byCost(queries: readonly (Query | AnyWords)[]): readonly (Query | AnyWords)[] {
  return [...queries].sort((a, b) => costOf(a) - costOf(b))
}

function costOf(query: Query | AnyWords): number {
  switch (query.kind) {
    case 'everything':
    case 'nothing':
      return 0
    case 'value':
    case 'word':
      return 1
    case 'range':
    case 'exists':
      return 2
    case 'contains':
    case 'inside':
      return 4
    case 'not':
    case 'boosted':
      return costOf(query.of)
    case 'every':
    case 'any':
      return query.of.reduce((sum, one) => sum + costOf(one), 1)
    default:
      return 8
  }
}
