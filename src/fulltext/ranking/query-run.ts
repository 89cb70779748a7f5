import type { Vocabulary } from '../dictionary/vocabulary.ts'
import type { Scoring } from '../segments/bm25f.ts'
import { MAX_SEGMENT_DOCUMENTS, SURE_DOCUMENTS } from '../segments/segment.ts'
import type { SegmentStack } from '../segments/segment-stack.ts'
import type { Accumulators } from './accumulators.ts'
import { countAny } from './count-matches.ts'
import { Explainer, type Explanation } from './explanation.ts'
import { PhraseFilter } from './phrase-filter.ts'
import { PostingFinder, scoreSteps } from './posting-finder.ts'
import type { Part, SlotParts } from './posting-list.ts'
import type { QueryText } from './query-text.ts'
import { rankAll, type Taker } from './rank-all.ts'
import { type Candidacy, rankAny, rankNested } from './rank-any.ts'
import type { ResolvedQuery } from './resolve-words.ts'
import { Reweighing } from './reweighing.ts'
import { mostFactor, type SignalFactors } from './signal-factors.ts'
import type { Slot } from './slot.ts'
import { MOST_BONUS, TitleBonus } from './title-bonus.ts'
import type { TopK } from './top-k.ts'
import type { WordPlaces } from './word-places.ts'

/** A query whose words are resolved, and how it is to be ranked. */
export interface QueryPlan {
  readonly text: QueryText
  readonly resolved: ResolvedQuery
  readonly operator: 'or' | 'and'
  /** Field weights for this query alone. */
  readonly scoring: Scoring | undefined
  readonly signals: SignalFactors | undefined
  readonly now: number
}

/** What a query is run against. */
export interface Ranking {
  readonly stack: SegmentStack
  readonly vocabulary: Vocabulary
  readonly sums: Accumulators
  readonly top: TopK
  readonly places: WordPlaces
  /** That of the last query with weights of its own. */
  reweighing: Reweighing | undefined
}

/**
 * So many of the best by words alone are looked at for how the words stand in the title; nobody further down has
 * been seen to come into the first ten (nDCG is the same from 20 on).
 */
const TITLE_DEPTH = SURE_DOCUMENTS

export interface ScoredId {
  readonly id: string
  readonly score: number
  /** When asked for. */
  readonly explanation?: Explanation
}

function reweighingFor(scoring: Scoring, ranking: Ranking): Reweighing {
  if (!ranking.reweighing?.isFor(scoring)) ranking.reweighing = new Reweighing(scoring)
  return ranking.reweighing
}

/** One query on one state of the index. */
export class QueryRun {
  readonly #plan: QueryPlan
  readonly #ranking: Ranking
  readonly #steps: number
  /** By place of the segment. */
  readonly #finders: PostingFinder[] = []
  readonly #reweighing: Reweighing | undefined
  readonly #titleBonus: TitleBonus | undefined
  readonly #phrases: PhraseFilter | undefined
  /** Whether documents must match every word. */
  readonly #wantsAll: boolean
  readonly #mostSignal: number

  constructor(plan: QueryPlan, ranking: Ranking) {
    this.#plan = plan
    this.#ranking = ranking
    const { resolved, text, signals } = plan
    this.#steps = scoreSteps(resolved.slots)
    this.#mostSignal = signals ? mostFactor(signals.signals) : 1
    const { words, phrases } = text
    const { places } = ranking
    if (words.length > 1 || phrases.length > 0) places.mark(resolved.sequence, ranking.vocabulary.terms.size)
    if (plan.scoring) this.#reweighing = reweighingFor(plan.scoring, ranking)
    const fields = plan.scoring?.fields
    if (phrases.length > 0) this.#phrases = new PhraseFilter(phrases, resolved.sequence, places, fields)
    const inPhrases = phrases.reduce((sum, phrase) => sum + phrase.words.length, 0)
    this.#wantsAll = plan.operator === 'and' || inPhrases === words.length
    const ignoresTitle = fields?.[0]?.weight === 0
    if (words.length > 1 && !ignoresTitle) this.#titleBonus = new TitleBonus(places, words.length)
  }

  /** The best documents, those before `offset` left out. */
  hits(offset: number, limit: number, explain: boolean): ScoredId[] {
    const { stack, top } = this.#ranking
    const wanted = Math.min(offset + limit, stack.size)
    if (wanted === 0 || this.#isHopeless) return []
    const depth = this.#titleBonus ? Math.max(wanted, TITLE_DEPTH) : wanted
    top.begin(Math.min(depth, stack.size), stack.segments)
    for (let place = 0; place < stack.segments.length; place++) this.#rankSegment(place)
    top.sort()
    if (this.#titleBonus) this.#raiseTitles(this.#titleBonus, wanted)
    const hits: ScoredId[] = []
    for (let rank = offset; rank < Math.min(wanted, top.size); rank++) hits.push(this.#hit(rank, explain))
    top.end()
    return hits
  }

  /** Documents that match, however well. */
  count(): number {
    if (this.#isHopeless) return 0
    const { segments } = this.#ranking.stack
    return segments.reduce((sum, _, place) => sum + this.#countIn(place), 0)
  }

  #hit(rank: number, explain: boolean): ScoredId {
    const { stack, top } = this.#ranking
    const document = top.documents[rank]!
    const id = stack.segments[document >>> 16]!.segment.id(document & 0xffff)
    const score = top.scores[rank]! / this.#steps
    return explain ? { id, score, explanation: this.#explain(rank, score, document) } : { id, score }
  }

  /** Why a document, by the number it was ranked with, has its score. */
  #explain(rank: number, score: number, document: number): Explanation {
    const place = document >>> 16
    const live = this.#ranking.stack.segments[place]!
    const local = document & 0xffff
    const { vocabulary } = this.#ranking
    const { resolved, signals, now } = this.#plan
    const explainer = new Explainer(live, this.#finder(place), vocabulary, this.#steps)
    return {
      score,
      words: explainer.words(resolved.slots, local),
      // Those that were looked at for their titles are still the first.
      titleFactor: rank < TITLE_DEPTH ? (this.#titleBonus?.of(live, local) ?? 1) : 1,
      signalFactors: signals?.each(live.segment, local, now) ?? [],
    }
  }

  #raiseTitles(bonus: TitleBonus, wanted: number): void {
    const { stack, top } = this.#ranking
    const enough = top.scores[Math.min(wanted, top.size) - 1]!
    /** A bit per rank. */
    let promising = 0
    for (let rank = 0; rank < Math.min(TITLE_DEPTH, top.size); rank++) {
      if (top.scores[rank]! * MOST_BONUS < enough) break
      const document = top.documents[rank]!
      // What has the phrases mostly has neighbours.
      const isPossible = this.#phrases
        ? 1
        : bonus.isPossible(stack.segments[document >>> 16]!, document & 0xffff)
      promising |= isPossible << rank
    }
    for (let rank = 0; promising !== 0; rank++, promising >>>= 1) {
      if ((promising & 1) === 0) continue
      const document = top.documents[rank]!
      const factor = bonus.of(stack.segments[document >>> 16]!, document & 0xffff)
      if (factor > 1) top.raise(rank, factor)
    }
  }

  get #isHopeless(): boolean {
    const { slots, words } = this.#plan.resolved
    return slots.length === 0 || (this.#wantsAll && slots.length < words.length)
  }

  #rankSegment(place: number): void {
    const slots = this.#slotsIn(place)
    if (!slots) return
    const { top, sums } = this.#ranking
    const candidacy = this.#candidacy(place)
    if (this.#wantsAll && (slots.length > 1 || this.#phrases)) {
      rankAll(candidacy, slots, sums, this.#withPhrases(place, top))
      return
    }
    if (!candidacy.hidden && top.k <= SURE_DOCUMENTS) top.expect(sureScore(slots))
    const { cover, exact } = slots[0]!
    if (slots.length === 1 && exact && cover.lists.length === 1)
      rankNested(candidacy, cover.lists[0]!, exact.lists[0]!, top)
    else rankAny(candidacy, partsOf(slots), sums, top)
  }

  #countIn(place: number): number {
    const slots = this.#slotsIn(place)
    if (!slots) return 0
    const candidacy = this.#candidacy(place)
    if (!this.#wantsAll) return countAny(candidacy, slots)
    let count = 0
    const counter = { threshold: 1, offer: () => count++ }
    rankAll(candidacy, slots, this.#ranking.sums, this.#withPhrases(place, counter))
    return count
  }

  /** Lets only documents through that have the phrases. */
  #withPhrases(place: number, taker: Taker): Taker {
    const phrases = this.#phrases
    if (!phrases) return taker
    const live = this.#ranking.stack.segments[place]!
    return {
      get threshold() {
        return taker.threshold
      },
      offer(score, document) {
        if (phrases.has(live, document & 0xffff)) taker.offer(score, document)
      },
    }
  }

  /** Undefined where no document of the segment matches. */
  #slotsIn(place: number): SlotParts[] | undefined {
    const slots = this.#partsOf(this.#plan.resolved.slots, place)
    return slots.length === 0 || (this.#wantsAll && slots.length < this.#plan.resolved.slots.length)
      ? undefined
      : slots
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
      finder = new PostingFinder(stack.segments[place]!.segment, vocabulary, this.#steps, this.#reweighing)
      this.#finders[place] = finder
    }
    return finder
  }

  #candidacy(place: number): Candidacy {
    const { signals, now } = this.#plan
    const live = this.#ranking.stack.segments[place]!
    const { segment, dead } = live
    this.#ranking.sums.fit(segment.shape.documents)
    return {
      base: place * MAX_SEGMENT_DOCUMENTS,
      documents: segment.shape.documents,
      hidden: this.#phrases && !this.#wantsAll ? this.#lacking(this.#phrases, place) : dead,
      factors: signals?.of(segment, now),
      most: this.#mostSignal,
    }
  }

  /** By document, 1 where it lacks some phrase or is gone. */
  #lacking(phrases: PhraseFilter, place: number): Uint8Array {
    const { segment, dead } = this.#ranking.stack.segments[place]!
    const { documents } = segment.shape
    const lacks = new Uint8Array(documents).fill(1)
    const wanted = phrases.slots.filter(slot => slot !== undefined)
    const slots = this.#partsOf(wanted, place)
    if (slots.length < phrases.slots.length) return lacks
    const candidacy = { base: 0, documents, hidden: dead, factors: undefined, most: 1 }
    const offer = (_: number, document: number) => {
      lacks[document] = 0
    }
    rankAll(candidacy, slots, this.#ranking.sums, this.#withPhrases(place, { threshold: 1, offer }))
    return lacks
  }
}

/** What the best documents of some slot score at least. */
function sureScore(slots: readonly SlotParts[]): number {
  let most = 0
  for (const { cover, exact } of slots) {
    for (const { sure } of cover.lists) if (sure > most) most = sure
    if (!exact || cover.lists.length > 1) continue
    // A family stands in a document at least as often as one of its members.
    const [family, form] = [cover.lists[0]!, exact.lists[0]!]
    most = Math.max(most, (form.sure / form.weight) * (form.weight + family.weight))
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
