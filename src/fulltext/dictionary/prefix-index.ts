import { First } from '../../arrays/first.ts'
import type { TermCounts } from './term-counts.ts'
import { type TermTable, unitsOf } from './term-table.ts'

/** Terms sorted at once; fewer of the newest are read through. */
const LEAST_RUN = 1_024
const LARGEST_RUN = 65_536
/** Runs sorted per call, which bounds how long a call takes while terms have yet to be sorted. */
const RUNS_PER_CALL = 8

/**
 * Finds the terms that begin with a prefix, in order of UTF-16 units. Term ids lie in runs sorted by text, and two
 * neighbouring runs of one size are merged into one (the logarithmic method; Bentley and Saxe, 1980). Nothing is
 * sorted before the first question, and each question sorts a part of what is left; the rest is read through.
 */
export class PrefixIndex {
  readonly #terms: TermTable
  /** From the oldest terms on without a gap; none is smaller than the next. */
  readonly #runs: Uint32Array[] = []
  #sorted = 0

  constructor(terms: TermTable) {
    this.#terms = terms
  }

  get bytes(): number {
    return this.#runs.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** Visits the ids of all terms that begin with the prefix, each once, in no order. */
  visit(prefix: string, visit: (term: number) => void): void {
    this.build()
    const units = unitsOf(prefix)
    for (const run of this.#runs) {
      const first = this.#firstAbove(run, units, -1)
      if (first === run.length || compareBeginning(this.#terms, run[first]!, units) !== 0) continue
      const end = this.#firstAbove(run, units, 0)
      for (let at = first; at < end; at++) visit(run[at]!)
    }
    for (let term = this.#sorted; term < this.#terms.size; term++) {
      if (compareBeginning(this.#terms, term, units) === 0) visit(term)
    }
  }

  /**
   * The `most` of these terms that most documents have, those first; equals by text, in order of UTF-16 units. Terms that
   * none has are left out.
   */
  best(prefix: string, most: number, counts: TermCounts): number[] {
    if (most <= 0) return []
    const order = (a: number, b: number) => counts.of(b) - counts.of(a) || compareTerms(this.#terms, a, b)
    const first = new First(most, order)
    let least = 1
    this.visit(prefix, term => {
      if (counts.atMost(term) < least || counts.of(term) < least) return
      first.offer(term)
      if (first.last !== undefined) least = counts.of(first.last)
    })
    return first.sorted()
  }

  /** Sorts a part of what is left, as each question does; false when too little is left for it. */
  build(): boolean {
    for (let i = 0; i < RUNS_PER_CALL && this.#sorted + LEAST_RUN <= this.#terms.size; i++) {
      const first = this.#sorted
      const run = Uint32Array.from({ length: LEAST_RUN }, (_, i) => first + i)
      this.#runs.push(run.sort((a, b) => compareTerms(this.#terms, a, b)))
      this.#sorted += LEAST_RUN
      this.#mergeEquals()
    }
    return this.#sorted + LEAST_RUN <= this.#terms.size
  }

  #mergeEquals(): void {
    const runs = this.#runs
    for (;;) {
      const last = runs.at(-1)!
      const before = runs.at(-2)
      if (before?.length !== last.length || last.length === LARGEST_RUN) return
      runs.splice(-2, 2, merged(this.#terms, before, last))
    }
  }

  /** The place in the run of the first term whose beginning compares higher than `order` to the prefix. */
  #firstAbove(run: Uint32Array, prefix: Uint16Array, order: -1 | 0): number {
    let low = 0
    let high = run.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareBeginning(this.#terms, run[middle]!, prefix) > order) high = middle
      else low = middle + 1
    }
    return low
  }
}

function merged(terms: TermTable, a: Uint32Array, b: Uint32Array): Uint32Array {
  const both = new Uint32Array(a.length + b.length)
  for (let i = 0, j = 0; i + j < both.length; ) {
    const isFromA = j === b.length || (i < a.length && compareTerms(terms, a[i]!, b[j]!) < 0)
    both[i + j] = isFromA ? a[i++]! : b[j++]!
  }
  return both
}

function compareTerms({ units, starts }: TermTable, a: number, b: number): number {
  const startA = starts[a]!
  const startB = starts[b]!
  const lengthA = starts[a + 1]! - startA
  const lengthB = starts[b + 1]! - startB
  const shared = Math.min(lengthA, lengthB)
  for (let i = 0; i < shared; i++) {
    const difference = units[startA + i]! - units[startB + i]!
    if (difference !== 0) return difference
  }
  return lengthA - lengthB
}

/** As its beginning, of the length of the prefix, compares to the prefix: 0 for a term that begins with it. */
function compareBeginning({ units, starts }: TermTable, term: number, prefix: Uint16Array): number {
  const start = starts[term]!
  const end = starts[term + 1]!
  for (let i = 0; i < prefix.length; i++) {
    if (start + i >= end) return -1
    const difference = units[start + i]! - prefix[i]!
    if (difference !== 0) return difference
  }
  return 0
}
