import { blankBits, clearBit, isSet } from '../../arrays/set-bits.ts'
import type { Candidacy } from '../matching/candidacy.ts'
import { matchAny } from '../matching/match-any.ts'
import { MatchSet } from '../matching/match-set.ts'
import { LEAST_SCORE, type MatchVisitor } from '../matching/match-visitor.ts'
import { PhraseFilter } from '../matching/phrase-filter.ts'
import type { Selection } from '../matching/selection.ts'
import { selectedIn } from '../matching/selection.ts'
import {
  estimateAny,
  type Requirement,
  type SelectedLists,
  sampleAll,
  sampleAny,
  type Total,
} from '../matching/total.ts'
import { type ImpactParameters, impactAside } from '../segments/bm25f.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import type { Part, PostingList, SlotParts } from '../segments/posting-list.ts'
import { MAX_SEGMENT_DOCUMENTS, SURE_DOCUMENTS } from '../segments/segment.ts'
import type { Expansion, Slot } from '../words/slot.ts'
import { type BestKeeper, rankBest } from './best-postings.ts'
import { BoostedScores } from './boosted-scores.ts'
import type { HeadImpacts } from './head-impacts.ts'
import { PostingFinder, type Reweigh, scoreSteps } from './posting-finder.ts'
import type { QueryPlan, Ranking } from './query-plan.ts'
import { rankAll } from './rank-all.ts'
import { rankAny, rankList, rankNested } from './rank-any.ts'
import { rankEvery } from './rank-every.ts'
import { rankFew } from './rank-few.ts'
import { Reweighing } from './reweighing.ts'
import { mostFactor } from './signal-factors.ts'

/** Looking up a document in a list takes as long as reading this many of its postings. */
const LOOKUP_COST = 16

/** Which documents match one query, and how well by its words, segment by segment. */
export class Matching {
  readonly slots: readonly Slot[]
  /** Steps of ranked scores that make a score of 1. */
  readonly steps: number
  readonly #plan: QueryPlan
  readonly #ranking: Ranking
  /** By place of the segment. */
  readonly #finders: PostingFinder[] = []
  /** By place of the segment: the parts of the slots there. */
  readonly #parts: SlotParts[][] = []
  /** By place of the segment: its documents that must not be found. */
  readonly #hidden = new Map<number, Uint32Array | undefined>()
  readonly #reweighing: Reweighing | undefined
  readonly #typoReweighing: Reweighing | undefined
  readonly #heads: HeadImpacts | undefined
  readonly #phrases: PhraseFilter | undefined
  /** Indexes of the slots, those with few expansions first. */
  #order: readonly number[] | undefined
  /** Whether documents must match every word. */
  readonly #wantsAll: boolean
  readonly #mostSignal: number
  /** By place of the segment: number of documents that have the phrases, once counted. */
  readonly #withPhrases: number[] = []

  constructor(plan: QueryPlan, ranking: Ranking) {
    this.#plan = plan
    this.#ranking = ranking
    const { words: asked, signals, scoring, typoScoring } = plan
    const { whole, places, vocabulary } = ranking
    this.slots = asked?.resolved.slots ?? []
    this.steps = asked ? scoreSteps(this.slots) : 1
    this.#mostSignal = signals ? mostFactor(signals.signals) : 1
    const { words = [], phrases = [] } = asked?.text ?? {}
    const inPhrases = phrases.reduce((sum, phrase) => sum + phrase.words.length, 0)
    this.#wantsAll = plan.operator === 'and' || inPhrases === words.length
    if (!asked || !whole) return
    const { sequence } = asked.resolved
    if (words.length === 1) this.#heads = this.#headsOf(this.slots[0], whole.segments)
    if (words.length > 1 || phrases.length > 0) places.mark(sequence, vocabulary.terms.size)
    if (scoring) ranking.reweighing = reweighingFor(scoring, ranking.reweighing, whole.segments)
    if (scoring) this.#reweighing = ranking.reweighing
    if (typoScoring)
      ranking.typoReweighing = reweighingFor(typoScoring, ranking.typoReweighing, whole.segments)
    if (typoScoring) this.#typoReweighing = ranking.typoReweighing
    if (phrases.length > 0)
      this.#phrases = new PhraseFilter(whole.segments, phrases, sequence, places, scoring?.fields)
  }

  #headsOf(slot: Slot | undefined, segments: readonly LiveSegment[]): HeadImpacts | undefined {
    const { functionWords, heads, stack, vocabulary } = this.#ranking
    const ignoresTitle = this.#plan.scoring?.fields[0]?.weight === 0
    if (!slot || ignoresTitle || !functionWords?.headsAreLast) return undefined
    return heads.of(slot.cover, { segments, frequencies: stack.frequencies, vocabulary })
  }

  /** Number of documents that may be found. */
  get size(): number {
    return (this.#plan.selection?.size ?? this.#ranking.stack.size) - this.#hides
  }

  /** The documents that may be found: not removed, hidden or left out by the selection, and without anything that is excluded. */
  get open(): MatchSet {
    const { segments } = this.#ranking.stack
    return MatchSet.outside(
      segments,
      segments.map((_, place) => this.#hiddenIn(place)),
    )
  }

  /** Whether no document can match. */
  get isHopeless(): boolean {
    const asked = this.#plan.words
    if (!asked) return false
    const { slots, words } = asked.resolved
    return slots.length === 0 || (this.#wantsAll && slots.length < words.length)
  }

  /** Passes every matching document to the visitor, with its score by words. */
  rank(visitor: MatchVisitor): void {
    const { length } = this.#ranking.stack.segments
    for (let place = 0; place < length; place++) this.rankSegment(place, visitor)
  }

  rankSegment(place: number, visitor: MatchVisitor): void {
    if (this.#plan.selection?.sizes[place] === 0) return
    const boosts = visitor.ignoresScores ? undefined : this.#plan.boosts[place]
    this.#rankUnboosted(place, boosts ? new BoostedScores(visitor, boosts, this.steps) : visitor)
  }

  /** What is added to the score of a matching document, in steps of ranked scores. */
  boostOf(document: number): number {
    return this.steps * (this.#plan.boosts[document >>> 16]?.values[document & 0xffff] ?? 0)
  }

  /** How many documents match, as far as it is known or cheap to find out. */
  total(): Total {
    const { stack } = this.#ranking
    if (!this.#plan.words) return { count: this.size, exact: true }
    if (this.isHopeless) return { count: 0, exact: true }
    const phrases = this.#phrases
    if (phrases && !this.#wantsAll) return { count: this.#havingPhrases(phrases), exact: true }
    if (this.#wantsAll && (phrases || this.slots.length > 1)) return this.#sampled()
    if (this.#plan.selection) return this.#sampledOf(this.#plan.selection)
    const frequencies = this.slots.flatMap(slot =>
      slot.cover.map(expansion => this.#documentsWith(slot, expansion)),
    )
    const all = Math.min(stack.size, estimateAny(frequencies, stack.size))
    const isCounted = this.slots.every(({ cover }) => this.#isCounted(cover[0]!))
    const exact = frequencies.length === 1 && isCounted && this.#hides === 0 && !this.#excludes
    return { count: Math.min(this.size, all), exact }
  }

  /** Number of living documents; where only lists tell, removals since the last merge are assumed to be evenly spread. */
  #documentsWith(slot: Slot, expansion: Expansion): number {
    const { stack } = this.#ranking
    if (this.#isCounted(expansion)) return expansion.standing?.size ?? stack.frequencies.of(expansion.term)
    let documents = 0
    for (const [place, { size, segment }] of stack.segments.entries()) {
      const list = this.finder(place).listOf(slot, expansion)
      if (list) documents += ((list.to - list.from) * size) / segment.shape.documents
    }
    return Math.round(documents)
  }

  /** Whether the document count of an expansion is known; otherwise only lists tell, which still include removed documents. */
  #isCounted({ kind }: Expansion): boolean {
    const { scoring, typoScoring } = this.#plan
    return !scoring && !(typoScoring && kind === 'typo')
  }

  get #hides(): number {
    return this.#plan.hidden?.size ?? 0
  }

  #sampledOf({ sizes }: Selection): Total {
    const segments: SelectedLists[] = []
    for (const [place, size] of sizes.entries()) {
      const slots = size === 0 ? undefined : this.#slotsIn(place)
      const lists = slots?.flatMap(({ cover }) => cover.lists)
      if (lists) segments.push({ lists, hidden: this.#hiddenIn(place), size })
    }
    return sampleAny(segments)
  }

  #sampled(): Total {
    const requirements: Requirement[] = []
    for (const place of this.#ranking.stack.segments.keys()) {
      const slots = this.#slotsIn(place)
      if (!slots) continue
      const base = place * MAX_SEGMENT_DOCUMENTS
      const hidden = this.#hiddenIn(place)
      const accepts = (document: number) =>
        !isSet(hidden, document) && (this.#phrases?.has(base + document) ?? true)
      requirements.push({ slots, accepts })
    }
    return sampleAll(requirements)
  }

  /** A document that has a phrase also has its words, so all of them match. */
  #havingPhrases(phrases: PhraseFilter): number {
    let count = 0
    for (const [place, { segment }] of this.#ranking.stack.segments.entries()) {
      this.#ranking.sums.fit(segment.shape.documents)
      if (this.#withPhrases[place] === undefined) this.#lacking(phrases, place)
      count += this.#withPhrases[place]!
    }
    return count
  }

  #rankUnboosted(place: number, visitor: MatchVisitor): void {
    if (!this.#plan.words) {
      rankEvery(this.#candidacy(place), visitor)
      return
    }
    const slots = this.#slotsIn(place)
    if (!slots) return
    const { sums } = this.#ranking
    const few = this.#fewIn(place, slots)
    if (few) {
      const candidacy = this.#candidacy(place, true)
      rankFew(candidacy, few, slots, this.#wantsAll, this.#phrases?.before(visitor) ?? visitor)
      return
    }
    const candidacy = this.#candidacy(place)
    if (this.#wantsAll && (slots.length > 1 || this.#phrases)) {
      rankAll(candidacy, slots, sums, this.#phrases?.before(visitor) ?? visitor)
      return
    }
    if (visitor.ignoresScores) {
      matchAny(candidacy, slots, visitor)
      return
    }
    if (!candidacy.hidden) visitor.expect?.(SURE_DOCUMENTS, sureScore(slots))
    const { cover, exact } = slots[0]!
    if (slots.length > 1 || cover.lists.length > 1) rankAny(candidacy, partsOf(slots), sums, visitor)
    else this.#rankWord(place, candidacy, cover.lists[0]!, exact?.lists[0], visitor)
  }

  /** Ranks a single word, by its list or by those of its family and its form. */
  #rankWord(
    place: number,
    candidacy: Candidacy,
    cover: PostingList,
    exact: PostingList | undefined,
    visitor: MatchVisitor,
  ): void {
    const { best, stack } = this.#ranking
    if (keepsBest(visitor) && !candidacy.factors) {
      const known = best.of(cover, exact, visitor.k, place, stack.segments)
      if (known && rankBest(candidacy, known, cover, exact, visitor)) return
    }
    if (exact) rankNested(candidacy, cover, exact, visitor)
    else rankList(candidacy, cover, visitor)
  }

  /** The documents that may be found, if they are so few that looking each of them up is faster than reading lists. */
  #fewIn(place: number, slots: readonly SlotParts[]): Uint16Array | undefined {
    const { selection } = this.#plan
    const hidden = selection?.hidden[place]
    if (!selection || !hidden || this.#excludes) return undefined
    const parts = partsOf(slots)
    let lists = 0
    let postings = 0
    for (const part of parts) {
      lists += part.lists.length
      postings += part.length
    }
    const size = selection.sizes[place]!
    return size * lists * LOOKUP_COST < postings ? selectedIn(hidden, size) : undefined
  }

  /** Undefined where no document of the segment matches. */
  #slotsIn(place: number): SlotParts[] | undefined {
    this.#parts[place] ??= this.#wantsAll
      ? this.#allPartsOf(this.slots, place)
      : this.#partsOf(this.slots, place)
    const slots = this.#parts[place]
    return slots.length === 0 ? undefined : slots
  }

  /** The parts of all slots; none where a slot has none. Many small segments lack a word, so a beginning's many lists come last. */
  #allPartsOf(slots: readonly Slot[], place: number): SlotParts[] {
    const finder = this.finder(place)
    const parts: SlotParts[] = []
    this.#order ??= [...slots.keys()].sort((a, b) => slots[a]!.cover.length - slots[b]!.cover.length)
    for (const at of this.#order) {
      const found = finder.find(slots[at]!)
      if (!found) return []
      parts[at] = found
    }
    return parts
  }

  /** The parts of the slots that some document of the segment matches. */
  #partsOf(slots: readonly Slot[], place: number): SlotParts[] {
    const finder = this.finder(place)
    const parts: SlotParts[] = []
    for (const slot of slots) {
      const found = finder.find(slot)
      if (found) parts.push(found)
    }
    return parts
  }

  finder(place: number): PostingFinder {
    let finder = this.#finders[place]
    if (!finder) {
      const { stack, vocabulary } = this.#ranking
      const { segment } = stack.segments[place]!
      const reweigh = this.#reweigh(this.#reweighing, place)
      const reweighTypos = this.#reweigh(this.#typoReweighing, place)
      const heads = this.#heads
      finder = new PostingFinder({
        segment,
        place,
        vocabulary,
        steps: this.steps,
        heads,
        reweigh,
        reweighTypos,
      })
      this.#finders[place] = finder
    }
    return finder
  }

  #reweigh(reweighing: Reweighing | undefined, place: number): Reweigh | undefined {
    const live = this.#ranking.whole?.segments[place]
    return reweighing && live && ((from, end, weight) => reweighing.list(live.segment, from, end, weight))
  }

  /** @param hasPhrases whether phrases are checked elsewhere */
  #candidacy(place: number, hasPhrases = this.#wantsAll): Candidacy {
    const { signals, now } = this.#plan
    const { segment } = this.#ranking.stack.segments[place]!
    this.#ranking.sums.fit(segment.shape.documents)
    return {
      base: place * MAX_SEGMENT_DOCUMENTS,
      documents: segment.shape.documents,
      hidden: this.#phrases && !hasPhrases ? this.#lacking(this.#phrases, place) : this.#hiddenIn(place),
      factors: signals?.of(segment, now),
      most: this.#mostSignal,
    }
  }

  get #excludes(): boolean {
    return (this.#plan.words?.resolved.excluded.length ?? 0) > 0
  }

  /**
   * By document: set if it is removed, hidden, not selected, or has something that is excluded; absent if all may be
   * found.
   */
  #hiddenIn(place: number): Uint32Array | undefined {
    const { selection } = this.#plan
    const { segment, dead } = this.#ranking.stack.segments[place]!
    const hiddenBefore = selection ? selection.hidden[place] : dead
    if (!this.#excludes && !this.#plan.hidden) return hiddenBefore
    const known = this.#hidden.get(place)
    if (known) return known
    const hidden = hiddenBefore?.slice() ?? blankBits(segment.shape.documents)
    this.#plan.hidden?.markIn(place, hidden)
    for (const expansion of this.#plan.words?.resolved.excluded ?? [])
      this.finder(place).hide(expansion, hidden)
    this.#hidden.set(place, hidden)
    return hidden
  }

  /** By document: set if it lacks some phrase or must not be found. */
  #lacking(phrases: PhraseFilter, place: number): Uint32Array {
    const { segment } = this.#ranking.stack.segments[place]!
    const { documents } = segment.shape
    const lacks = blankBits(documents).fill(-1)
    this.#withPhrases[place] = 0
    const wanted = phrases.slots.filter(slot => slot !== undefined)
    const slots = this.#partsOf(wanted, place)
    if (slots.length < phrases.slots.length) return lacks
    const base = place * MAX_SEGMENT_DOCUMENTS
    const candidacy = { base, documents, hidden: this.#hiddenIn(place), factors: undefined, most: 1 }
    const offer = (_: number, document: number) => {
      clearBit(lacks, document - base)
      this.#withPhrases[place]!++
    }
    rankAll(candidacy, slots, this.#ranking.sums, phrases.before({ threshold: LEAST_SCORE, offer }))
    return lacks
  }
}

const keepsBest = (visitor: MatchVisitor): visitor is BestKeeper => 'k' in visitor

function reweighingFor(
  scoring: ImpactParameters,
  last: Reweighing | undefined,
  segments: readonly LiveSegment[],
): Reweighing {
  const reweighing = last?.isFor(scoring) ? last : new Reweighing(scoring)
  reweighing.indexed = segments.reduce((sum, { segment }) => sum + segment.shape.postings, 0)
  return reweighing
}

/** A score that the `SURE_DOCUMENTS` best documents of some slot reach at least. */
function sureScore(slots: readonly SlotParts[]): number {
  let most = 0
  for (const { cover, exact } of slots) {
    for (const { sure } of cover.lists) if (sure > most) most = sure
    if (!exact || cover.lists.length > 1) continue
    // A family occurs in a document at least as often as any member, but possibly only in an aside. Reduced impacts are
    // rounded twice.
    const [family, form] = [cover.lists[0]!, exact.lists[0]!]
    const impact = form.sure / form.weight
    if (impact > 0) most = Math.max(most, form.sure + (impactAside(impact) - 1) * family.weight)
  }
  return most
}

function partsOf(slots: readonly SlotParts[]): Part[] {
  const parts: Part[] = []
  for (const { cover, exact } of slots) {
    parts.push(cover)
    if (exact) parts.push(exact)
  }
  return parts
}
