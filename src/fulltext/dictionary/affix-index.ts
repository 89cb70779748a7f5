import { First } from '../../arrays/first.ts'
import type { TermCounts } from './term-counts.ts'
import { type TermTable, unitsOf } from './term-table.ts'

/** Number of terms sorted at once; if fewer new terms have arrived, they are scanned instead. */
const LEAST_RUN = 128
const LARGEST_RUN = 65_536
/** Number of runs sorted per call, which bounds the time of a call while terms have yet to be sorted. */
const RUNS_PER_CALL = 64

/**
 * Finds the terms with a prefix, in order of UTF-16 units. Term ids are kept in runs sorted by text, and two
 * adjacent runs of the same size are merged into one (the logarithmic method; Bentley and Saxe, 1980). Nothing is
 * sorted before the first lookup; each lookup sorts a part of the rest and scans what remains. If terms are read
 * backwards, it finds the terms with a suffix.
 */
export class AffixIndex {
  readonly #terms: TermTable
  readonly #isBackward: boolean
  /** From the oldest terms on, without gaps; no run is smaller than the next. */
  readonly #runs: Uint32Array[] = []
  #sorted = 0

  constructor(terms: TermTable, direction: 'forward' | 'backward' = 'forward') {
    this.#terms = terms
    this.#isBackward = direction === 'backward'
  }

  get bytes(): number {
    return this.#runs.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** Visits the ids of all terms with the prefix, or with the suffix when read backwards, each once, in no particular order. */
  visit(affix: string, visit: (term: number) => void): void {
    this.#tellReader(affix)
    this.build()
    const units = unitsOf(affix)
    if (this.#isBackward) units.reverse()
    for (const run of this.#runs) {
      const first = this.#firstAbove(run, units, -1)
      if (first === run.length || this.#compareBeginning(run[first]!, units) !== 0) continue
      const end = this.#firstAbove(run, units, 0)
      for (let at = first; at < end; at++) visit(run[at]!)
    }
    for (let term = this.#sorted; term < this.#terms.size; term++) {
      if (this.#compareBeginning(term, units) === 0) visit(term)
    }
  }

  /**
   * The `most` of these terms with the highest document counts, highest first; equal ones by text, in order of UTF-16 units.
   * Terms that no document has are left out.
   */
  best(affix: string, most: number, counts: TermCounts): number[] {
    if (most <= 0) return []
    this.#tellReader(affix)
    return this.#terms.silently(() => this.#best(affix, most, counts))
  }

  #best(affix: string, most: number, counts: TermCounts): number[] {
    const order = (a: number, b: number) => counts.of(b) - counts.of(a) || this.#compareTerms(a, b)
    const first = new First(most, order)
    let least = 1
    this.visit(affix, term => {
      if (counts.atMost(term) < least || counts.of(term) < least) return
      first.offer(term)
      if (first.last !== undefined) least = counts.of(first.last)
    })
    return first.sorted()
  }

  /** The same in no particular order, which costs less if there are no more than `most`. */
  amongBest(affix: string, most: number, counts: TermCounts): number[] {
    this.#tellReader(affix)
    return this.#terms.silently(() => this.#amongBest(affix, most, counts))
  }

  #amongBest(affix: string, most: number, counts: TermCounts): number[] {
    const found: number[] = []
    this.visit(affix, term => {
      if (found.length <= most && counts.atMost(term) > 0 && counts.of(term) > 0) found.push(term)
    })
    return found.length <= most ? found : this.best(affix, most, counts)
  }

  #tellReader(affix: string): void {
    if (this.#isBackward) this.#terms.reader?.soughtEnded(affix)
    else this.#terms.reader?.soughtBegun(affix)
  }

  /** Sorts a part of the rest, as each lookup does; false when too little is left. */
  build(): boolean {
    for (let i = 0; i < RUNS_PER_CALL && this.#sorted + LEAST_RUN <= this.#terms.size; i++) {
      const first = this.#sorted
      const run = Uint32Array.from({ length: LEAST_RUN }, (_, i) => first + i)
      this.#runs.push(run.sort((a, b) => this.#compareTerms(a, b)))
      this.#sorted += LEAST_RUN
      this.#mergeEquals()
    }
    return this.#sorted + LEAST_RUN <= this.#terms.size
  }

  /** Whether the next lookup sorts all that is left. */
  get isSorted(): boolean {
    return this.#terms.size - this.#sorted <= RUNS_PER_CALL * LEAST_RUN
  }

  #mergeEquals(): void {
    const runs = this.#runs
    for (;;) {
      const last = runs.at(-1)!
      const before = runs.at(-2)
      if (before?.length !== last.length || last.length === LARGEST_RUN) return
      runs.splice(-2, 2, this.#merged(before, last))
    }
  }

  /** The place in the run of the first term whose beginning compares to the prefix as more than `order`. */
  #firstAbove(run: Uint32Array, prefix: Uint16Array, order: -1 | 0): number {
    let low = 0
    let high = run.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compareBeginning(run[middle]!, prefix) > order) high = middle
      else low = middle + 1
    }
    return low
  }

  #merged(a: Uint32Array, b: Uint32Array): Uint32Array {
    const both = new Uint32Array(a.length + b.length)
    for (let i = 0, j = 0; i + j < both.length; ) {
      const isFromA = j === b.length || (i < a.length && this.#compareTerms(a[i]!, b[j]!) < 0)
      both[i + j] = isFromA ? a[i++]! : b[j++]!
    }
    return both
  }

  #compareTerms(a: number, b: number): number {
    const { units, starts } = this.#terms
    const lengthA = starts[a + 1]! - starts[a]!
    const lengthB = starts[b + 1]! - starts[b]!
    const step = this.#isBackward ? -1 : 1
    let atA = this.#isBackward ? starts[a + 1]! - 1 : starts[a]!
    let atB = this.#isBackward ? starts[b + 1]! - 1 : starts[b]!
    for (let left = Math.min(lengthA, lengthB); left > 0; left--) {
      const difference = units[atA]! - units[atB]!
      if (difference !== 0) return difference
      atA += step
      atB += step
    }
    return lengthA - lengthB
  }

  /** Compares the beginning of a term, as long as the affix, to the affix: 0 for a term that begins with it. */
  #compareBeginning(term: number, affix: Uint16Array): number {
    const { units, starts } = this.#terms
    const length = starts[term + 1]! - starts[term]!
    const step = this.#isBackward ? -1 : 1
    let at = this.#isBackward ? starts[term + 1]! - 1 : starts[term]!
    for (let i = 0; i < affix.length; i++) {
      if (i >= length) return -1
      const difference = units[at]! - affix[i]!
      if (difference !== 0) return difference
      at += step
    }
    return 0
  }
}
