import type { Vocabulary } from '../dictionary/vocabulary.ts'
import type { PostingFinder } from '../ranking/posting-finder.ts'
import { IMPACT_STEPS } from '../segments/bm25f.ts'
import { ASIDE, SURFACE } from '../segments/forward-list.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import { lowerBound, type PostingList } from '../segments/posting-list.ts'
import type { ReadableSegment } from '../segments/segment.ts'
import type { Expansion, ExpansionKind, Slot } from '../words/slot.ts'
import type { ReorderingFactors } from './reordering.ts'

/** Why a document has its score: the sum of the words' scores, multiplied by every factor. */
export interface ScoreExplanation extends ReorderingFactors {
  readonly score: number
  readonly words: readonly SlotExplanation[]
  /** By signal. */
  readonly signalFactors: readonly number[]
}

/** What one word of the query contributes: the sum over its expansions. */
export interface SlotExplanation {
  readonly word: string
  /** How often it occurs in the query. */
  readonly occurrences: number
  /** Inverse document frequency of everything that stands for the word. */
  readonly idf: number
  /** The share of its weight that a function word keeps beside more than three other words; else 1. */
  readonly share: number
  readonly expansions: readonly ExpansionExplanation[]
  readonly score: number
}

/** Its score is occurrences x idf x share x weight x impact. */
export interface ExpansionExplanation {
  readonly kind: ExpansionKind
  /** Its forms that occur in the document. */
  readonly surfaces: readonly string[]
  readonly weight: number
  /** The saturated frequency over all fields, 0 to 1 in steps of 1/255. */
  readonly impact: number
  /** Whether it occurs in the first field only after words like `for` and `with`, which reduces the impact by a fifth. */
  readonly aside: boolean
  /**
   * For a query of a single word: the factor on the impact, .7 to 1, where in the first field the match precedes a word that
   * seldom occurs elsewhere.
   */
  readonly headFactor: number
  /** How often it occurs in each field, and the length of the field in words. */
  readonly fields: readonly { readonly occurrences: number; readonly length: number }[]
  readonly score: number
}

/** Finds the slots that a document may match: a document has few of the words of a query of a thousand. */
export class SlotFinder {
  readonly #slots: readonly Slot[]
  /** By surface: the slots that it may stand for. */
  readonly #bySurface = new Map<number, Set<number>>()

  constructor(slots: readonly Slot[], vocabulary: Vocabulary) {
    this.#slots = slots
    for (const [i, { cover, exact }] of slots.entries()) {
      for (const { term, standing } of exact ? [...cover, exact] : cover)
        for (const part of standing?.terms ?? [term])
          vocabulary.visitMembers(part, surface => this.#add(surface, i))
    }
  }

  /** The slots that a document may match, in order, and possibly some that it does not. */
  in({ forward, lengths, shape }: ReadableSegment, document: number): Slot[] {
    const found = new Set<number>()
    let end = forward.starts[document]!
    for (let field = 0; field < shape.fields; field++) end += lengths[document * shape.fields + field]!
    for (let at = forward.starts[document]!; at < end; at++)
      for (const slot of this.#bySurface.get(forward.tokens[at]! & SURFACE) ?? []) found.add(slot)
    return [...found].sort((a, b) => a - b).map(slot => this.#slots[slot]!)
  }

  #add(surface: number, slot: number): void {
    const slots = this.#bySurface.get(surface)
    if (slots) slots.add(slot)
    else this.#bySurface.set(surface, new Set([slot]))
  }
}

/** Explains documents of one segment. */
export class Explainer {
  readonly #live: LiveSegment
  readonly #finder: PostingFinder
  readonly #vocabulary: Vocabulary
  readonly #steps: number
  readonly #textOf: (surface: number) => string

  /** `steps`: of the score, as the ranking counts them. `textOf`: returns the text of a surface. */
  constructor(
    live: LiveSegment,
    finder: PostingFinder,
    vocabulary: Vocabulary,
    steps: number,
    textOf: (surface: number) => string,
  ) {
    this.#live = live
    this.#finder = finder
    this.#vocabulary = vocabulary
    this.#steps = steps
    this.#textOf = textOf
  }

  /** What each slot adds to the score of a document, computed like in the ranking. */
  words(slots: readonly Slot[], document: number): SlotExplanation[] {
    return slots.flatMap(slot => {
      const { word, occurrences, idf, share, cover, exact } = slot
      const parts = [this.#best(slot, cover, document), this.#best(slot, exact ? [exact] : [], document)]
      const expansions = parts.flatMap(expansion => expansion ?? [])
      if (expansions.length === 0) return []
      const score = expansions.reduce((sum, part) => sum + part.score, 0)
      return { word, occurrences, idf, share, expansions, score }
    })
  }

  #best(slot: Slot, expansions: readonly Expansion[], document: number): ExpansionExplanation | undefined {
    let best: ExpansionExplanation | undefined
    for (const expansion of expansions) {
      const list = this.#finder.listOf(slot, expansion)
      const steps = list ? impactIn(list, document) : 0
      if (!list || steps * list.weight <= (best?.score ?? 0) * this.#steps) continue
      best = this.#expansion(slot, expansion, list.weight, steps, document)
    }
    return best
  }

  #expansion(
    slot: Slot,
    expansion: Expansion,
    stepWeight: number,
    steps: number,
    document: number,
  ): ExpansionExplanation {
    const { kind } = expansion
    const score = (stepWeight * steps) / this.#steps
    const impact = steps / IMPACT_STEPS
    // The weight as it was used: rounded to a whole number of steps, which changes a millionth of it.
    const weight = score / (slot.occurrences * slot.idf * slot.share * impact)
    const members = this.#membersOf(expansion)
    const headFactor = this.#finder.headFactor(expansion, document)
    return { kind, weight, impact, headFactor, score, ...this.#standing(members, document) }
  }

  #membersOf({ term, standing }: Expansion): Set<number> {
    const members = new Set<number>()
    for (const part of standing?.terms ?? [term])
      this.#vocabulary.visitMembers(part, surface => members.add(surface))
    return members
  }

  #standing(
    members: ReadonlySet<number>,
    document: number,
  ): Pick<ExpansionExplanation, 'surfaces' | 'aside' | 'fields'> {
    const { forward, lengths, shape } = this.#live.segment
    const found = new Set<number>()
    let at = forward.starts[document]!
    let inTitle = 0
    let asides = 0
    const fields = Array.from({ length: shape.fields }, (_, field) => {
      const length = lengths[document * shape.fields + field]!
      let occurrences = 0
      for (const end = at + length; at < end; at++) {
        const surface = forward.tokens[at]! & SURFACE
        if (!members.has(surface)) continue
        occurrences++
        if (field === 0) {
          inTitle++
          if ((forward.tokens[at]! & ASIDE) !== 0) asides++
        }
        found.add(surface)
      }
      return { occurrences, length }
    })
    const surfaces = [...found].map(this.#textOf).sort()
    return { surfaces, aside: asides > 0 && asides === inTitle, fields }
  }
}

function impactIn({ documents, impacts, from, to }: PostingList, document: number): number {
  const at = lowerBound(documents, from, to, document)
  return at < to && documents[at] === document ? impacts[at]! : 0
}
