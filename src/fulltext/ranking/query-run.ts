import type { FunctionWords } from '../../analysis/function-words.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { impactAside, type Scoring } from '../segments/bm25f.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import { MAX_SEGMENT_DOCUMENTS, type Segment, SURE_DOCUMENTS } from '../segments/segment.ts'
import type { SegmentList } from '../segments/segment-list.ts'
import { blankBits, clearBit, isSet } from '../set-bits.ts'
import type { Topics } from '../topics/topics.ts'
import type { Accumulators } from './accumulators.ts'
import { BestOfGroups, type Ranked } from './best-of-groups.ts'
import { type Boost, BoostedScores } from './boosted-scores.ts'
import type { Candidacy } from './candidacy.ts'
import { Explainer, type Explanation } from './explanation.ts'
import { firstOf } from './first-of.ts'
import { contentOf } from './function-word-shares.ts'
import type { Grouping, GroupValue } from './grouping.ts'
import type { HiddenDocuments } from './hidden-documents.ts'
import { matchAny } from './match-any.ts'
import type { MatchOrder } from './match-order.ts'
import { MatchSet } from './match-set.ts'
import { LEAST_SCORE, MatchCounter, type MatchVisitor } from './match-visitor.ts'
import { Negation } from './negation.ts'
import { PhraseFilter } from './phrase-filter.ts'
import { PostingFinder, type Reweigh, scoreSteps } from './posting-finder.ts'
import type { Part, SlotParts } from './posting-list.ts'
import type { QueryText } from './query-text.ts'
import { rankAll } from './rank-all.ts'
import { rankAny, rankNested } from './rank-any.ts'
import { rankEvery } from './rank-every.ts'
import { rankFew } from './rank-few.ts'
import { Reordering, UNCHANGED } from './reordering.ts'
import type { ResolvedQuery } from './resolve-words.ts'
import { Reweighing } from './reweighing.ts'
import { type Selection, selectedIn, selectionOf } from './selection.ts'
import { mostFactor, type SignalFactors } from './signal-factors.ts'
import type { Expansion, Slot } from './slot.ts'
import { TitleBonus } from './title-bonus.ts'
import { documentPrecedes, type TopK } from './top-k.ts'
import { TopicFeedback } from './topic-feedback.ts'
import { estimateAny, type Requirement, sampleAll, type Total } from './total.ts'
import type { WordPlaces } from './word-places.ts'

/** A query whose words are resolved, and how it is to be ranked. */
export interface QueryPlan {
  /** Undefined for the query that all documents match. */
  readonly words:
    | {
        readonly text: QueryText
        readonly resolved: ResolvedQuery
        /** Whether the last word may be the beginning of one. */
        readonly isBeginning: boolean
      }
    | undefined
  readonly operator: 'or' | 'and'
  /** Field weights for this query alone. */
  readonly scoring: Scoring | undefined
  /** The same for what may be a typo, where that does not count in every field. */
  readonly typoScoring?: Scoring | undefined
  /** Documents that are not found, of those that are selected. */
  readonly hidden?: HiddenDocuments | undefined
  readonly signals: SignalFactors | undefined
  readonly now: number
  readonly selection: Selection | undefined
  /** What is added to the scores of some documents. */
  readonly boosts: readonly Boost[]
  /** Whether what the best are about weighs. */
  readonly topics: boolean
}

/** What a query is run against. */
export interface Ranking {
  readonly stack: SegmentList<Segment>
  /** The same once the forward lists are there. Before, no query comes that needs them. */
  readonly whole: { readonly segments: readonly LiveSegment[] } | undefined
  readonly vocabulary: Vocabulary
  readonly functionWords: FunctionWords | undefined
  readonly topics: Topics | undefined
  readonly sums: Accumulators
  readonly top: TopK
  readonly places: WordPlaces
  /** That of the last query with weights of its own. */
  reweighing: Reweighing | undefined
  /** The same of what may be a typo. */
  typoReweighing: Reweighing | undefined
}

/** To look a document up in a list takes as long as to read so many of its postings. */
const LOOKUP_COST = 16

export interface ScoredId {
  readonly id: string
  readonly score: number
  /** When asked for. */
  readonly explanation?: Explanation
  /** Where documents with the same value count as one, and this one has a value. */
  readonly group?: { readonly value: GroupValue; readonly documents: number }
  /** Where it was given its place. */
  readonly pinned?: true
}

/** Documents of one value of a field, of which only the best are wanted. */
export interface GroupPlan {
  readonly grouping: Grouping
  /** Documents of each group. */
  readonly limit: number
}

interface GroupedPage {
  readonly offset: number
  readonly limit: number
  readonly explain: boolean
  readonly groups: GroupPlan
  /** Documents that are not ranked but count in their groups, and whether they match. */
  readonly pinned: ReadonlyMap<number, boolean>
}

interface GroupedHits {
  readonly hits: ScoredId[]
  /** All that are found, also beyond the page. */
  readonly count: number
  readonly groupOf: (document: number) => ScoredId['group']
}

/** One query on one state of the index. */
export class QueryRun {
  readonly #plan: QueryPlan
  readonly #ranking: Ranking
  readonly #slots: readonly Slot[]
  readonly #steps: number
  /** By place of the segment. */
  readonly #finders: PostingFinder[] = []
  /** By place of the segment: what the slots come to there. */
  readonly #parts: SlotParts[][] = []
  /** By place of the segment: its documents that must not be found. */
  readonly #hidden = new Map<number, Uint32Array | undefined>()
  /** By place of the segment, where the forward lists are there. */
  readonly #whole: readonly LiveSegment[] | undefined
  readonly #reweighing: Reweighing | undefined
  readonly #typoReweighing: Reweighing | undefined
  readonly #reordering: Reordering | undefined
  readonly #phrases: PhraseFilter | undefined
  /** Whether documents must match every word. */
  readonly #wantsAll: boolean
  readonly #mostSignal: number
  /** Documents that match, once the best of them took all in. */
  #all: number | undefined
  /** By place of the segment: its documents that have the phrases, once they were looked for. */
  readonly #withPhrases: number[] = []

  constructor(plan: QueryPlan, ranking: Ranking) {
    this.#plan = plan
    this.#ranking = ranking
    this.#whole = ranking.whole?.segments
    const { words: asked, signals, scoring } = plan
    this.#slots = asked?.resolved.slots ?? []
    this.#steps = asked ? scoreSteps(this.#slots) : 1
    this.#mostSignal = signals ? mostFactor(signals.signals) : 1
    const { words = [], phrases = [] } = asked?.text ?? {}
    const inPhrases = phrases.reduce((sum, phrase) => sum + phrase.words.length, 0)
    this.#wantsAll = plan.operator === 'and' || inPhrases === words.length
    if (!asked || !this.#whole) return
    const { places } = ranking
    const { sequence } = asked.resolved
    if (words.length > 1 || phrases.length > 0) places.mark(sequence, ranking.vocabulary.terms.size)
    const { typoScoring } = plan
    if (scoring) ranking.reweighing = reweighingFor(scoring, ranking.reweighing)
    if (scoring) this.#reweighing = ranking.reweighing
    if (typoScoring) ranking.typoReweighing = reweighingFor(typoScoring, ranking.typoReweighing)
    if (typoScoring) this.#typoReweighing = ranking.typoReweighing
    if (phrases.length > 0)
      this.#phrases = new PhraseFilter(this.#whole, phrases, sequence, places, scoring?.fields)
    const ignoresTitle = scoring?.fields[0]?.weight === 0
    if (words.length < 2) return
    this.#reordering = new Reordering({
      title: ignoresTitle ? undefined : new TitleBonus(this.#whole, places, words.length),
      negation: ignoresTitle ? undefined : this.#negationOf(words, this.#whole),
      topics: plan.topics ? this.#topicFeedback(this.#whole) : undefined,
    })
  }

  #negationOf(words: readonly string[], whole: readonly LiveSegment[]): Negation | undefined {
    const { functionWords, places, vocabulary } = this.#ranking
    return functionWords && Negation.of(words, functionWords, whole, places, vocabulary)
  }

  #topicFeedback(whole: readonly LiveSegment[]): TopicFeedback | undefined {
    const { topics, functionWords } = this.#ranking
    if (!topics?.areThere) return undefined
    const content = functionWords ? contentOf(this.#slots, functionWords.all) : this.#slots
    return new TopicFeedback(topics, whole, content.length)
  }

  /** The best documents, those before `offset` left out. */
  hits(offset: number, limit: number, explain: boolean): ScoredId[] {
    const { stack, top } = this.#ranking
    const size = this.#size
    const wanted = Math.min(offset + limit, size)
    if (wanted === 0 || this.#isHopeless) return []
    const depth = Math.max(wanted, this.#reordering?.depth ?? 0)
    top.begin(Math.min(depth, size), stack.segments)
    this.#rank(top)
    top.sort()
    if (top.size < top.k || top.k === size) this.#all = top.size
    this.#reordering?.run(top, wanted)
    const hits: ScoredId[] = []
    for (let rank = offset; rank < Math.min(wanted, top.size); rank++)
      hits.push(this.#hit({ score: top.scores[rank]!, document: top.documents[rank]!, rank }, explain))
    top.end()
    return hits
  }

  /** The first in another order, whatever their scores; without what the best are about. */
  hitsBy(order: MatchOrder, offset: number, limit: number, explain: boolean): ScoredId[] {
    const matches = this.#matches()
    this.#all = matches.size
    return this.#scored(order.first(matches, offset + limit).slice(offset), explain)
  }

  /** The same of the best of each group alone, and how many these are: all documents that match are looked at. */
  groupedHits({ offset, limit, explain, groups: plan, pinned }: GroupedPage): GroupedHits {
    const { stack, top } = this.#ranking
    const size = this.#size
    const groups = this.#groups(plan, pinned, (one, other) => documentPrecedes(one, other, stack.segments))
    const groupOf = groupsOf(groups, plan)
    if (this.#isHopeless || size === 0) return { hits: [], count: 0, groupOf }
    const depth = Math.max(1, this.#reordering?.depth ?? 0)
    top.begin(Math.min(depth, size), stack.segments)
    this.#rank(top)
    top.sort()
    this.#reordering?.run(top, top.size)
    const looked = new Set<number>()
    for (let rank = 0; rank < top.size; rank++) {
      looked.add(top.documents[rank]!)
      groups.take({ score: top.scores[rank]!, document: top.documents[rank]!, rank })
    }
    const offer = (score: number, document: number) => {
      if (!looked.has(document)) groups.offer(score, document)
    }
    if (top.size === top.k && top.k < size) this.#rank({ threshold: LEAST_SCORE, offer })
    const others = [...groups.offered()]
    top.begin(Math.min(offset + limit, others.length), stack.segments)
    if (top.k > 0) for (const { score, document } of others) top.offer(score, document)
    top.sort()
    const ranked: Ranked[] = groups.taken.slice(offset, offset + limit)
    const from = Math.max(0, offset - groups.taken.length)
    for (let at = from; ranked.length < limit && at < top.size; at++)
      ranked.push({ score: top.scores[at]!, document: top.documents[at]! })
    top.end()
    const hits = ranked.map(one => withGroup(this.#hit(one, explain), groupOf(one.document)))
    return { hits, count: groups.taken.length + others.length, groupOf }
  }

  /** The same in another order: the first of each group. */
  groupedHitsBy(
    order: MatchOrder,
    { offset, limit, explain, groups: plan, pinned }: GroupedPage,
  ): GroupedHits {
    const groups = this.#groups(plan, pinned, (one, other) => order.compare(one, other) < 0)
    const groupOf = groupsOf(groups, plan)
    for (const document of this.#matches().documents()) groups.offer(0, document)
    const first = Array.from(groups.offered(), ({ document }) => document)
    const page = firstOf(first, offset + limit, (one, other) => order.compare(one, other)).slice(offset)
    const hits = this.#scored(page, explain).map((hit, i) => withGroup(hit, groupOf(page[i]!)))
    return { hits, count: first.length, groupOf }
  }

  #groups(
    { grouping, limit }: GroupPlan,
    pinned: GroupedPage['pinned'],
    precedes: (document: number, other: number) => boolean,
  ): BestOfGroups {
    const { segments } = this.#ranking.stack
    const groupOf = (document: number) => grouping.in(segments[document >>> 16]!.segment)[document & 0xffff]!
    const groups = new BestOfGroups(groupOf, limit, precedes)
    for (const [document, matches] of pinned) groups.reserve(document, matches)
    return groups
  }

  #matches(): MatchSet {
    const matches = new MatchSet(this.#ranking.stack.segments)
    this.visit(matches)
    return matches
  }

  /** Hits of documents that match, as they are given: only these are looked at. */
  #scored(documents: readonly number[], explain: boolean): ScoredId[] {
    if (documents.length === 0) return []
    const { segments } = this.#ranking.stack
    const selection = selectionOf(documents, segments.length)
    const plan = { ...this.#plan, selection, hidden: undefined }
    return new QueryRun(plan, this.#ranking).these(documents, explain)
  }

  /**
   * Documents in the order in which they are given; one that does not match has a score of 0. What the best are about
   * does not weigh: nobody has looked for the best.
   */
  these(documents: readonly number[], explain: boolean): ScoredId[] {
    const wanted = new Set(documents)
    const scores = new Map<number, number>()
    const offer = (score: number, document: number) => {
      if (wanted.has(document)) scores.set(document, score)
    }
    const places = new Set(documents.map(document => document >>> 16))
    if (!this.#isHopeless)
      for (const place of places) this.#rankSegment(place, { threshold: LEAST_SCORE, offer })
    return documents.map(document => {
      const { titleFactor, negationFactor, topicFactor } =
        this.#reordering?.factorsAt(0, document) ?? UNCHANGED
      const score = (scores.get(document) ?? 0) * titleFactor * negationFactor * topicFactor
      return this.#hit({ score, document, rank: 0 }, explain)
    })
  }

  /** So many steps of ranked scores are a score of 1. */
  get steps(): number {
    return this.#steps
  }

  /** Hands every document that matches to the visitor; how its words stand in the title is not in its score. */
  visit(visitor: MatchVisitor): void {
    if (!this.#isHopeless) this.#rank(visitor)
  }

  /** Documents that match, however well. */
  count(): number {
    const counter = new MatchCounter()
    this.visit(counter)
    return counter.count
  }

  /** How many documents match, as far as it is known or can be told at little cost, given the bounds of it. */
  total(least: number, most: number): Total {
    const total = this.#total()
    return total.exact ? total : { count: Math.max(least, Math.min(most, total.count)), exact: false }
  }

  /** Documents that may be found. */
  get #size(): number {
    return (this.#plan.selection?.size ?? this.#ranking.stack.size) - this.#hides
  }

  #total(): Total {
    const { stack } = this.#ranking
    if (!this.#plan.words) return { count: this.#size, exact: true }
    if (this.#isHopeless) return { count: 0, exact: true }
    if (this.#all !== undefined) return { count: this.#all, exact: true }
    const phrases = this.#phrases
    if (phrases && !this.#wantsAll) return { count: this.#havingPhrases(phrases), exact: true }
    if (this.#wantsAll && (phrases || this.#slots.length > 1)) return this.#sampled()
    const frequencies = this.#slots.flatMap(slot =>
      slot.cover.map(expansion => this.#documentsWith(slot, expansion)),
    )
    const all = Math.min(stack.size, estimateAny(frequencies, stack.size))
    // What is asked for besides is taken to be as frequent among these as among all.
    if (this.#plan.selection) return { count: Math.round((all * this.#size) / stack.size), exact: false }
    const isCounted = this.#slots.every(({ cover }) => this.#isCounted(cover[0]!))
    const exact = frequencies.length === 1 && isCounted && this.#hides === 0 && !this.#excludes
    return { count: Math.min(this.#size, all), exact }
  }

  /** Living documents; those gone since the last merge are taken for evenly spread where only lists tell. */
  #documentsWith(slot: Slot, expansion: Expansion): number {
    const { stack } = this.#ranking
    if (this.#isCounted(expansion)) return expansion.standing?.size ?? stack.frequencies.of(expansion.term)
    let documents = 0
    for (const [place, { size, segment }] of stack.segments.entries()) {
      const list = this.#finder(place).listOf(slot, expansion)
      if (list) documents += ((list.to - list.from) * size) / segment.shape.documents
    }
    return Math.round(documents)
  }

  /** Whether it is known how many documents an expansion finds; else only lists tell, in which removed ones still are. */
  #isCounted({ kind }: Expansion): boolean {
    const { scoring, typoScoring } = this.#plan
    return !scoring && !(typoScoring && kind === 'typo')
  }

  get #hides(): number {
    return this.#plan.hidden?.size ?? 0
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

  /** Who has a phrase has its words, so that all of them match. */
  #havingPhrases(phrases: PhraseFilter): number {
    let count = 0
    for (const [place, { segment }] of this.#ranking.stack.segments.entries()) {
      this.#ranking.sums.fit(segment.shape.documents)
      if (this.#withPhrases[place] === undefined) this.#lacking(phrases, place)
      count += this.#withPhrases[place]!
    }
    return count
  }

  #hit(ranked: Ranked, explain: boolean): ScoredId {
    const { document } = ranked
    const id = this.#ranking.stack.segments[document >>> 16]!.segment.id(document & 0xffff)
    const score = ranked.score / this.#steps
    return explain ? { id, score, explanation: this.#explain(ranked, score) } : { id, score }
  }

  /** Why a document, by the number it was ranked with, has its score. */
  #explain({ rank = Number.POSITIVE_INFINITY, document }: Ranked, score: number): Explanation {
    const place = document >>> 16
    const local = document & 0xffff
    const { vocabulary, stack } = this.#ranking
    const { signals, now } = this.#plan
    const live = this.#whole?.[place]
    const explainer = live && score > 0 && new Explainer(live, this.#finder(place), vocabulary, this.#steps)
    return {
      score,
      words: explainer ? explainer.words(this.#slots, local) : [],
      ...(this.#reordering?.factorsAt(rank, document) ?? UNCHANGED),
      signalFactors: signals?.each(stack.segments[place]!.segment, local, now) ?? [],
    }
  }

  get #isHopeless(): boolean {
    const asked = this.#plan.words
    if (!asked) return false
    const { slots, words } = asked.resolved
    return slots.length === 0 || (this.#wantsAll && slots.length < words.length)
  }

  #rank(visitor: MatchVisitor): void {
    const { length } = this.#ranking.stack.segments
    for (let place = 0; place < length; place++) this.#rankSegment(place, visitor)
  }

  #rankSegment(place: number, visitor: MatchVisitor): void {
    if (this.#plan.selection?.sizes[place] === 0) return
    const { boosts } = this.#plan
    const areSame = boosts.length === 0 || visitor.ignoresScores
    this.#rankUnboosted(place, areSame ? visitor : new BoostedScores(visitor, boosts, this.#steps))
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
    if (slots.length === 1 && exact && cover.lists.length === 1)
      rankNested(candidacy, cover.lists[0]!, exact.lists[0]!, visitor)
    else rankAny(candidacy, partsOf(slots), sums, visitor)
  }

  /** The documents that may be found, where they are so few that looking each of them up takes less than reading lists. */
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
    const slots = this.#parts[place] ?? this.#partsOf(this.#slots, place)
    this.#parts[place] = slots
    return slots.length === 0 || (this.#wantsAll && slots.length < this.#slots.length) ? undefined : slots
  }

  /** Of the slots that some document of the segment matches. */
  #partsOf(slots: readonly Slot[], place: number): SlotParts[] {
    const finder = this.#finder(place)
    const parts: SlotParts[] = []
    for (const slot of slots) {
      const found = finder.find(slot)
      if (found) parts.push(found)
    }
    return parts
  }

  #finder(place: number): PostingFinder {
    let finder = this.#finders[place]
    if (!finder) {
      const { stack, vocabulary } = this.#ranking
      const { segment } = stack.segments[place]!
      const reweigh = this.#reweigh(this.#reweighing, place)
      const reweighTypos = this.#reweigh(this.#typoReweighing, place)
      finder = new PostingFinder(segment, vocabulary, this.#steps, reweigh, reweighTypos)
      this.#finders[place] = finder
    }
    return finder
  }

  #reweigh(reweighing: Reweighing | undefined, place: number): Reweigh | undefined {
    const live = this.#whole?.[place]
    return reweighing && live && ((from, end, weight) => reweighing.list(live.segment, from, end, weight))
  }

  /** @param hasPhrases whether the phrases are looked for elsewhere */
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

  /** By document, whether it is gone, hidden or not selected, or has something that is excluded; absent while all may be found. */
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
      this.#finder(place).hide(expansion, hidden)
    this.#hidden.set(place, hidden)
    return hidden
  }

  /** By document, whether it lacks some phrase or must not be found. */
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

const withGroup = (hit: ScoredId, group: ScoredId['group']): ScoredId => (group ? { ...hit, group } : hit)

const groupsOf =
  (groups: BestOfGroups, { grouping }: GroupPlan): GroupedHits['groupOf'] =>
  document => {
    const own = groups.groupOf(document)
    return own && { value: grouping.valueOf(own.group), documents: own.matches }
  }

const reweighingFor = (scoring: Scoring, last: Reweighing | undefined): Reweighing =>
  last?.isFor(scoring) ? last : new Reweighing(scoring)

/** What the best documents of some slot score at least. */
function sureScore(slots: readonly SlotParts[]): number {
  let most = 0
  for (const { cover, exact } of slots) {
    for (const { sure } of cover.lists) if (sure > most) most = sure
    if (!exact || cover.lists.length > 1) continue
    // A family stands in a document at least as often as one of its members, but all of it may do so aside.
    const [family, form] = [cover.lists[0]!, exact.lists[0]!]
    const impact = form.sure / form.weight
    if (impact > 0) most = Math.max(most, form.sure + impactAside(impact) * family.weight)
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
