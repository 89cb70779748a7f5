import { isSet } from '../../arrays/set-bits.ts'
import type { Candidacy } from '../matching/candidacy.ts'
import type { MatchVisitor } from '../matching/match-visitor.ts'
import { gallop, type Part, type PostingList, type SlotParts } from '../segments/posting-list.ts'
import type { Accumulators } from './accumulators.ts'
import { bestOf, forget, inOrder, noteBest } from './best-of-lists.ts'

/** Finding and ordering the documents of alternatives takes this many times longer than reading a list. */
const ALTERNATIVES_COST = 4

/** Alternatives are noted by document if looking them up for each candidate would take longer. */
const LOOKUP_COST = 16

/**
 * Offers every document of the segment that matches all slots and may be wanted: reads the shortest cover, and looks
 * documents that may still reach the threshold up in the others.
 */
export function rankAll(
  candidacy: Candidacy,
  slots: readonly SlotParts[],
  sums: Accumulators,
  visitor: MatchVisitor,
): void {
  let reachable = 0
  for (const { cover, exact } of slots) reachable += cover.bound + (exact?.bound ?? 0)
  if (reachable * candidacy.most < visitor.threshold) return
  const { shortest, others } = byWork(slots)
  const join = new Join(candidacy, slots, visitor, reachable - shortest.bound)
  if (slots.every(({ cover }) => cover.lists.length === 1)) join.readList(shortest.lists[0]!, others)
  else join.readAlternatives(shortest.lists, others, sums)
}

/** The cover that is read, and the others, the shortest first. */
function byWork(slots: readonly SlotParts[]): { shortest: Part; others: Part[] } {
  const others: Part[] = []
  let shortest = slots[0]!.cover
  for (let i = 1; i < slots.length; i++) {
    let { cover } = slots[i]!
    if (workOf(cover) < workOf(shortest)) [cover, shortest] = [shortest, cover]
    let place = others.length
    for (; place > 0 && workOf(others[place - 1]!) > workOf(cover); place--)
      others[place] = others[place - 1]!
    others[place] = cover
  }
  return { shortest, others }
}

function workOf({ lists, length }: Part): number {
  return lists.length === 1 ? length : length * ALTERNATIVES_COST
}

/** The covers in which documents must be found besides the one that is read. */
class Join {
  /** Optional lists, which add to the score of the documents in them. */
  readonly #added: PostingList[] = []
  readonly #required: PostingList[] = []
  readonly #lookedUp: Part[] = []
  /** By document, the best of several alternatives. */
  readonly #noted: { best: Int32Array; documents: number[] }[] = []
  readonly #candidacy: Candidacy
  readonly #visitor: MatchVisitor
  readonly #rest: number

  /** `rest`: the most that the other parts can add to a score. */
  constructor(candidacy: Candidacy, slots: readonly SlotParts[], visitor: MatchVisitor, rest: number) {
    for (const { exact } of slots) if (exact) this.#added.push(copyOf(exact.lists[0]!))
    this.#candidacy = candidacy
    this.#visitor = visitor
    this.#rest = rest
  }

  /** Reads the shortest list, where no slot has alternatives. */
  readList(list: PostingList, others: readonly Part[]): void {
    const { documents, impacts, from, to, weight } = list
    const { most } = this.#candidacy
    for (const { lists } of others) this.#required.push(copyOf(lists[0]!))
    for (let p = from; p < to; p++) {
      const score = impacts[p]! * weight
      if ((score + this.#rest) * most < this.#visitor.threshold) continue
      if (!this.#complete(documents[p]!, score)) return
    }
  }

  readAlternatives(lists: readonly PostingList[], others: readonly Part[], sums: Accumulators): void {
    const best = sums.ofPart
    const found = noteBest(lists, 1, best)
    for (const part of others) this.#require(part, best, found.length, sums)
    const documents = lists.length === 1 ? found : inOrder(found, best, this.#candidacy.documents)
    const { most } = this.#candidacy
    for (let i = 0; i < documents.length; i++) {
      const score = best[documents[i]!]!
      if ((score + this.#rest) * most < this.#visitor.threshold) continue
      if (!this.#complete(documents[i]!, score)) break
    }
    forget(found, best)
    for (const { best, documents } of this.#noted) {
      forget(documents, best)
      sums.giveBack(best)
    }
  }

  /** Requires a cover, for this many candidates: the documents with a value in `among`. */
  #require(part: Part, among: Int32Array, candidates: number, sums: Accumulators): void {
    const { lists, length } = part
    if (lists.length === 1) {
      this.#required.push(copyOf(lists[0]!))
      return
    }
    const best = length < candidates * lists.length * LOOKUP_COST ? sums.borrow() : undefined
    if (best) this.#noted.push({ best, documents: noteBest(lists, 1, best, among) })
    else this.#lookedUp.push(part)
  }

  /** False when neither this document nor any later one can match. */
  #complete(document: number, score: number): boolean {
    const { base, hidden, factors } = this.#candidacy
    if (isSet(hidden, document)) return true
    for (const list of this.#required) {
      const at = moveTo(list, document)
      if (at === list.to) return false
      if (list.documents[at] !== document) return true
      score += list.impacts[at]! * list.weight
    }
    for (const { best } of this.#noted) {
      if (best[document] === 0) return true
      score += best[document]!
    }
    for (const { lists } of this.#lookedUp) {
      const best = bestOf(lists, document)
      if (best === 0) return true
      score += best
    }
    for (const list of this.#added) {
      const at = moveTo(list, document)
      if (at < list.to && list.documents[at] === document) score += list.impacts[at]! * list.weight
    }
    if (factors !== undefined) score *= factors[document]!
    if (score >= this.#visitor.threshold) this.#visitor.offer(score, base + document)
    return true
  }
}

/** A cursor over the list, which itself stays unchanged for the next reader. */
const copyOf = ({ documents, impacts, from, to, weight, bound, sure }: PostingList): PostingList => ({
  documents,
  impacts,
  from,
  to,
  weight,
  bound,
  sure,
})

/** Advances the list to its first posting that is not before the document. */
function moveTo(list: PostingList, document: number): number {
  list.from = gallop(list.documents, list.from, list.to, document)
  return list.from
}
