import { MatchSet } from '../matching/match-set.ts'
import { LEAST_SCORE, MatchCounter, type MatchVisitor } from '../matching/match-visitor.ts'
import { selectionOf } from '../matching/selection.ts'
import type { Total } from '../matching/total.ts'
import { Matching } from '../ranking/matching.ts'
import type { QueryPlan, Ranking } from '../ranking/query-plan.ts'
import { documentPrecedes } from '../ranking/top-k.ts'
import { BestOfGroups, type Ranked } from '../reordering/best-of-groups.ts'
import { CategoryBonus } from '../reordering/category-bonus.ts'
import { Explainer, type ScoreExplanation, SlotFinder } from '../reordering/explanation.ts'
import { between, firstOf, isDeep } from '../reordering/first-of.ts'
import type { Grouping } from '../reordering/grouping.ts'
import { type HitList, KeptHits, type ScoredId } from '../reordering/hit-list.ts'
import { type MatchOrder, pageBy } from '../reordering/match-order.ts'
import { Negation } from '../reordering/negation.ts'
import { Reordering, UNCHANGED } from '../reordering/reordering.ts'
import { TitleBonus } from '../reordering/title-bonus.ts'
import { TopicFeedback } from '../reordering/topic-feedback.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import { contentOf } from '../words/function-word-shares.ts'
import { writtenText } from '../words/written-texts.ts'

/** Groups documents by the value of a field, to return only the best of each group. */
export interface GroupPlan {
  readonly grouping: Grouping
  /** Number of documents per group. */
  readonly limit: number
}

/** The form in which hits are returned. */
export interface HitForm {
  /** Whether they explain their scores. */
  readonly explain: boolean
  /** Whether they are only made on demand; not with `explain`. */
  readonly keeps: boolean
}

interface GroupedPage extends HitForm {
  readonly offset: number
  readonly limit: number
  readonly groups: GroupPlan
  /** Documents that are not ranked but count in their groups, and whether they match. */
  readonly pinned: ReadonlyMap<number, boolean>
}

interface GroupedHits {
  readonly hits: HitList
  /** All documents found, beyond the page too. */
  readonly count: number
  readonly groupOf: (document: number) => ScoredId['group']
}

/** One query on one state of the index: its hits, in the requested order. */
export class QueryRun {
  readonly #plan: QueryPlan
  readonly #ranking: Ranking
  readonly #matching: Matching
  readonly #reordering: Reordering | undefined
  /** Number of matching documents, once the best were selected from all of them. */
  #all: number | undefined
  #slotFinder: SlotFinder | undefined

  constructor(plan: QueryPlan, ranking: Ranking) {
    this.#plan = plan
    this.#ranking = ranking
    this.#matching = new Matching(plan, ranking)
    const words = plan.words?.text.words ?? []
    if (!ranking.whole || words.length === 0 || (words.length < 2 && !plan.categories)) return
    const { segments } = ranking.whole
    const isTitleRead = words.length > 1 && plan.scoring?.fields[0]?.weight !== 0
    const looks = {
      title: isTitleRead ? new TitleBonus(segments, ranking.places, words.length) : undefined,
      negation: isTitleRead ? this.#negationOf(words, segments) : undefined,
      categories: plan.categories && new CategoryBonus(plan.categories, segments),
      topics: plan.topics && words.length > 1 ? this.#topicFeedback(segments) : undefined,
    }
    this.#reordering = new Reordering(looks, document => this.#matching.boostOf(document))
  }

  #negationOf(words: readonly string[], whole: readonly LiveSegment[]): Negation | undefined {
    const { functionWords, places, vocabulary } = this.#ranking
    return functionWords && Negation.of(words, functionWords, whole, places, vocabulary)
  }

  #topicFeedback(whole: readonly LiveSegment[]): TopicFeedback | undefined {
    const { topics, functionWords } = this.#ranking
    if (!topics?.areThere) return undefined
    const content = functionWords ? contentOf(this.#matching.slots, functionWords.all) : this.#matching.slots
    return new TopicFeedback(topics, whole, content.length)
  }

  /** The best documents, from `offset` on. */
  hits(offset: number, limit: number, form: HitForm): HitList {
    const { stack, top } = this.#ranking
    const size = this.#matching.size
    const wanted = Math.min(offset + limit, size)
    if (wanted === 0 || this.#matching.isHopeless) return []
    const depth = Math.max(wanted, this.#reordering?.depth ?? 0)
    top.begin(Math.min(depth, size), stack.segments)
    this.#matching.rank(top)
    top.sort()
    if (top.size < top.k || top.k === size) this.#all = top.size
    this.#reordering?.run(top, wanted)
    const rankedAt = (at: number) => rankedIn(top, offset + at)
    const hits = this.#made(Math.min(wanted, top.size) - offset, rankedAt, form)
    top.end()
    return hits
  }

  /** The first in another order, whatever their scores; topic feedback is not applied. */
  hitsBy(order: MatchOrder, offset: number, limit: number, form: HitForm): HitList {
    const matches = this.#matches()
    this.#all = matches.size
    return this.scored(pageBy(order, matches, offset, limit), form)
  }

  /** The same with only the best of each group, and how many these are: all matching documents are examined. */
  groupedHits({ offset, limit, groups: plan, pinned, ...form }: GroupedPage): GroupedHits {
    const { stack, top } = this.#ranking
    const size = this.#matching.size
    const groups = this.#groups(plan, pinned, (one, other) => documentPrecedes(one, other, stack.segments))
    const groupOf = groupsOf(groups, plan)
    if (this.#matching.isHopeless || size === 0) return { hits: [], count: 0, groupOf }
    const depth = Math.max(1, this.#reordering?.depth ?? 0)
    top.begin(Math.min(depth, size), stack.segments)
    this.#matching.rank(top)
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
    if (top.size === top.k && top.k < size) this.#matching.rank({ threshold: LEAST_SCORE, offer })
    const others = groups.offered
    top.begin(Math.min(offset + limit, others), stack.segments)
    if (top.k > 0) groups.visitOffered((score, document) => top.offer(score, document))
    top.sort()
    const { taken } = groups
    const count = taken.length + others
    const rankedAt = (at: number) => taken[offset + at] ?? unrankedIn(top, offset + at - taken.length)
    const hits = this.#made(Math.min(limit, count - offset), rankedAt, form, groupOf)
    top.end()
    return { hits, count, groupOf }
  }

  /** The same in another order, with the first documents of each group. */
  groupedHitsBy(
    order: MatchOrder,
    { offset, limit, groups: plan, pinned, ...form }: GroupedPage,
  ): GroupedHits {
    const groups = this.#groups(plan, pinned, (one, other) => order.compare(one, other) < 0)
    const groupOf = groupsOf(groups, plan)
    for (const document of this.#matches().documents()) groups.offer(0, document)
    const first = new Uint32Array(groups.offered)
    let at = 0
    groups.visitOffered((_, document) => {
      first[at++] = document
    })
    const page = isDeep(offset + limit, first.length)
      ? between(first, offset, offset + limit, order.compare)
      : firstOf(first, offset + limit, order.compare).slice(offset)
    return { hits: this.scored(page, form, groupOf), count: first.length, groupOf }
  }

  #groups(
    { grouping, limit }: GroupPlan,
    pinned: GroupedPage['pinned'],
    precedes: (document: number, other: number) => boolean,
  ): BestOfGroups {
    const { segments } = this.#ranking.stack
    const bySegment = segments.map(({ segment }) => grouping.in(segment))
    const groupOf = (document: number) => bySegment[document >>> 16]![document & 0xffff]!
    const groups = new BestOfGroups(grouping.count, groupOf, limit, precedes)
    for (const [document, matches] of pinned) groups.reserve(document, matches)
    return groups
  }

  #matches(): MatchSet {
    const matches = new MatchSet(this.#ranking.stack.segments)
    this.visit(matches)
    return matches
  }

  /**
   * The given documents in their order, without a search for others; a document that does not match has a score of 0.
   * Topic feedback is not applied, since the best hits are not known.
   */
  scored(documents: readonly number[], form: HitForm, groupOf?: GroupedHits['groupOf']): HitList {
    if (documents.length === 0) return []
    const { segments } = this.#ranking.stack
    const selection = selectionOf(documents, segments.length)
    const plan = { ...this.#plan, selection, hidden: undefined, topics: false }
    return new QueryRun(plan, this.#ranking).#these(documents, form, groupOf)
  }

  #these(documents: readonly number[], form: HitForm, groupOf: GroupedHits['groupOf'] | undefined): HitList {
    const ascending = Uint32Array.from(documents).sort()
    const scores = new Float64Array(documents.length)
    const offer = (score: number, document: number) => {
      scores[placeIn(ascending, document)] = score
    }
    if (!this.#matching.isHopeless) this.#matching.rank({ threshold: LEAST_SCORE, offer })
    const rankedAt = (at: number) => {
      const document = documents[at]!
      const own = scores[placeIn(ascending, document)]!
      return { score: own === 0 ? 0 : (this.#reordering?.alone(own, document) ?? own), document, rank: 0 }
    }
    return this.#made(documents.length, rankedAt, form, groupOf)
  }

  /** Steps of ranked scores that make a score of 1. */
  get steps(): number {
    return this.#matching.steps
  }

  /** Passes every matching document to the visitor; scores lack the bonus for positions in the title. */
  visit(visitor: MatchVisitor): void {
    if (!this.#matching.isHopeless) this.#matching.rank(visitor)
  }

  /** The documents that may be found, whether they match or not. */
  get open(): MatchSet {
    return this.#matching.open
  }

  /** Number of matching documents. */
  count(): number {
    const counter = new MatchCounter()
    this.visit(counter)
    return counter.count
  }

  /** How many documents match, within the given bounds, as far as it is known or cheap to find out. */
  total(least: number, most: number): Total {
    const total: Total = this.#all === undefined ? this.#matching.total() : { count: this.#all, exact: true }
    return total.exact ? total : { count: Math.max(least, Math.min(most, total.count)), exact: false }
  }

  #made(
    length: number,
    rankedAt: (at: number) => Ranked,
    { explain, keeps }: HitForm,
    groupOf?: GroupedHits['groupOf'],
  ): HitList {
    const hitAt = (at: number) => {
      const ranked = rankedAt(at)
      return withGroup(this.#hit(ranked, explain), groupOf?.(ranked.document))
    }
    if (keeps) return new KeptHits(Math.max(0, length), hitAt, groupOf !== undefined)
    const hits: ScoredId[] = []
    for (let at = 0; at < length; at++) hits.push(hitAt(at))
    return hits
  }

  #hit(ranked: Ranked, explain: boolean): ScoredId {
    const { document } = ranked
    const id = this.#ranking.stack.segments[document >>> 16]!.segment.id(document & 0xffff)
    const score = ranked.score / this.#matching.steps
    return explain ? { id, score, explanation: this.#explain(ranked, score) } : { id, score }
  }

  get #slots(): SlotFinder {
    this.#slotFinder ??= new SlotFinder(this.#matching.slots, this.#ranking.vocabulary)
    return this.#slotFinder
  }

  /** Why a document, given by its number across all segments, has its score. */
  #explain({ rank = Number.POSITIVE_INFINITY, document }: Ranked, score: number): ScoreExplanation {
    const place = document >>> 16
    const local = document & 0xffff
    const { vocabulary, stack } = this.#ranking
    const { signals, now, isWritten } = this.#plan
    const live = this.#ranking.whole?.segments[place]
    const textOf = (surface: number) =>
      isWritten ? writtenText(surface, vocabulary, stack.frequencies) : vocabulary.terms.term(surface)
    const { steps } = this.#matching
    const explainer =
      live && score > 0 && new Explainer(live, this.#matching.finder(place), vocabulary, steps, textOf)
    return {
      score,
      words: explainer ? explainer.words(this.#slots.in(live.segment, local), local) : [],
      ...(this.#reordering?.factorsAt(rank, document) ?? UNCHANGED),
      signalFactors: signals?.each(stack.segments[place]!.segment, local, now) ?? [],
    }
  }
}

const rankedIn = ({ scores, documents }: Ranking['top'], rank: number): Ranked => ({
  score: scores[rank]!,
  document: documents[rank]!,
  rank,
})

/** A document that was not reordered. */
const unrankedIn = ({ scores, documents }: Ranking['top'], at: number): Ranked => ({
  score: scores[at]!,
  document: documents[at]!,
})

/** The place of a number, which must be contained. */
function placeIn(ascending: Uint32Array, number: number): number {
  let [from, to] = [0, ascending.length - 1]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (ascending[middle]! < number) from = middle + 1
    else to = middle
  }
  return from
}

function withGroup(hit: ScoredId, group: ScoredId['group']): ScoredId {
  if (!group) return hit
  // Written out: copying with a rest pattern takes several times as long.
  const { id, score, explanation } = hit
  return explanation ? { id, score, explanation, group } : { id, score, group }
}

const groupsOf =
  (groups: BestOfGroups, { grouping }: GroupPlan): GroupedHits['groupOf'] =>
  document => {
    const own = groups.groupOf(document)
    return own && { value: grouping.valueOf(own.group), documents: own.matches }
  }
