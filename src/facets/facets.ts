import { First } from '../arrays/first.ts'
import { isSet } from '../arrays/set-bits.ts'
import type { IndexState } from '../filters/filter.ts'
import type { FilterFields } from '../filters/filter-fields.ts'
import type { MatchSet } from '../fulltext/matching/match-set.ts'
import type {
  NumberedPaths,
  SimpleValue,
  ValueNumbers,
  WholeState,
} from '../fulltext/segments/columns/value-numbers.ts'
import { stretchEnd } from '../scheduling/stretch.ts'
import type { Facet, FacetRange, FacetStats, FacetValue } from './facet.ts'
import { prepareCounting, type SegmentValues, valuesOf } from './facet-columns.ts'
import type { FacetPlan } from './facet-options.ts'
import {
  type Bounds,
  barsBetween,
  countBetween,
  type MatchStats,
  type NumbersByPlace,
  statsOf,
} from './number-ranges.ts'
import { TypicalValues } from './typical-values.ts'
import { type CountsFor, ValueCounts } from './value-counts.ts'
import { ValueSearch } from './value-search.ts'
import { Spellings } from './value-spellings.ts'

/** What facets need of a tag tree. */
export interface KnownTags {
  get(id: string): { readonly name: string; readonly parentId: string | null } | undefined
  /** Ids from the root down to the parent. */
  ancestors(id: string): readonly string[]
}

/** One state of an index, and the numbers of its values. */
export interface FacetedState extends Pick<IndexState, 'segments'> {
  readonly numbered: NumberedPaths
}

/** The documents that those of an answer are compared with. */
export interface WholeSet {
  readonly set: MatchSet
  /** The state of the index, if they are all of its documents. */
  readonly state?: WholeState | undefined
}

/** The documents whose values are counted. */
export interface CountedSets {
  readonly matching: MatchSet
  /** For a plan that is sorted by significance. */
  readonly all: WholeSet | undefined
}

const MOST_SPELLINGS = 100

/** Number of values after which other tasks may run. */
const AT_ONCE = 2048

/** Counts the values of documents in some fields. */
export class Facets {
  readonly plans: readonly FacetPlan[]
  readonly #fields: FilterFields
  readonly #tags: KnownTags | undefined
  readonly #numbers = new Map<FacetPlan, ValueNumbers>()

  constructor(plans: readonly FacetPlan[], fields: FilterFields, tags: KnownTags | undefined) {
    this.plans = plans
    this.#fields = fields
    this.#tags = tags
  }

  /** Builds what counting needs; false if that takes longer, and it has to be called again. */
  prepare(state: FacetedState): boolean {
    const until = stretchEnd()
    for (const plan of this.plans) {
      const numbers = this.#numbersOf(plan, state)
      for (const { segment } of state.segments)
        if (!prepareCounting(valuesOf(segment, plan), plan, numbers, until)) return false
    }
    return true
  }

  /**
   * Piece by piece. The result reflects the state at the call, even if the index changes meanwhile.
   * @param setsFor what to count, of this state, which has been prepared
   */
  count(
    { numbered, segments }: FacetedState,
    setsFor: (plan: FacetPlan) => CountedSets,
  ): Generator<void, Record<string, Facet>> {
    return this.#count({ numbered, segments: [...segments] }, setsFor)
  }

  *#count(
    state: FacetedState,
    setsFor: (plan: FacetPlan) => CountedSets,
  ): Generator<void, Record<string, Facet>> {
    const facets: [field: string, facet: Facet][] = []
    for (const plan of this.plans) facets.push([plan.field, yield* this.#facet(plan, state, setsFor(plan))])
    // From entries, because a field may be called __proto__.
    return Object.fromEntries(facets)
  }

  /** The numbers of a path's values, shared by all calls. Different readings of one path have numbers of their own. */
  #numbersOf(plan: FacetPlan, { numbered, segments }: FacetedState): ValueNumbers {
    let numbers = this.#numbers.get(plan)
    if (!numbers) {
      const values = segments.flatMap(({ segment }) => valuesOf(segment, plan).columns)
      numbers = numbered.at(
        `${plan.kind} ${plan.field}`,
        values.reduce((sum, { column }) => sum + column.places, 0),
      )
      this.#numbers.set(plan, numbers)
    }
    return numbers
  }

  *#facet(plan: FacetPlan, state: FacetedState, sets: CountedSets): Generator<void, Facet> {
    const { matching: set } = sets
    const segments = state.segments.map(({ segment }) => valuesOf(segment, plan))
    const numbers = segments.map(values => values.numbers)
    const read = plan.kind === 'dates' ? isoOf : (value: number) => value
    const values = yield* this.#values(plan, state, segments, sets)
    const stats = yield* statsOf(set, numbers)
    const bars =
      stats && plan.histogram !== undefined
        ? barsBetween(stats.min, stats.max, plan.histogram, plan.kind === 'dates')
        : []
    const ranges: FacetRange[] = []
    for (const { name, ...bounds } of plan.ranges ?? [])
      ranges.push(yield* rangeOf(bounds, name, set, numbers, read))
    const histogram: FacetRange[] = []
    for (const bar of bars) histogram.push(yield* rangeOf(bar, undefined, set, numbers, read))
    return {
      ...values,
      ...(stats && { stats: shownStats(stats, plan, read) }),
      ...(plan.ranges && { ranges }),
      ...(plan.histogram !== undefined && { histogram }),
      exact: segments.every(({ columns, isCut }, place) => {
        const bits = set.in(place)
        return !bits || (!isCut && !columns.some(({ column }) => column.cut.some(one => isSet(bits, one))))
      }),
    }
  }

  *#values(
    plan: FacetPlan,
    state: FacetedState,
    segments: readonly SegmentValues[],
    { matching, all }: CountedSets,
  ): Generator<void, Pick<Facet, 'values' | 'distinct'>> {
    if (plan.limit === 0) return { values: [], distinct: 0 }
    const numbers = this.#numbersOf(plan, state)
    const isTag = plan.kind === 'tags'
    const spellings = plan.mergeSpellings && !isTag ? new Spellings(numbers) : undefined
    const countsFor = spellings
      ? (number: number) => spellings.groupOf(number)
      : isTag && plan.tagsBelow
        ? this.#rollUp(numbers)
        : undefined
    const counted = (set: MatchSet, countsFor?: CountsFor) => this.#counted(numbers, segments, set, countsFor)
    const inSet = yield* counted(matching, countsFor)
    // A document that has a value in two spellings counts once.
    const merged = spellings && (yield* spellings.merge(yield* counted(matching), inSet))
    const counts = merged?.counts ?? inSet
    const inAll = all && (yield* this.#inAll(all, { numbers, segments, countsFor }))
    const typical =
      inAll &&
      new TypicalValues({
        inSet: counts,
        inAll: spellings ? number => inAll[spellings.groupOf(number)[0]!]! : number => inAll[number]!,
        set: matching.size,
        all: all.set.size,
      })
    const having = yield* this.#wanted(plan, numbers, counts)
    const listed = typical ? yield* typical.among(having) : having
    const first = new First(plan.limit, orderOf(plan, numbers, { counts, typical }))
    for (let i = 0; i < listed.length; i++) {
      if (i % AT_ONCE === 0) yield
      first.offer(listed[i]!)
    }
    return {
      values: first.sorted().map(number => {
        const shown = this.#shown(plan, numbers.value(number), counts[number]!)
        const spelt = merged?.spellings.get(number)?.slice(0, MOST_SPELLINGS)
        return {
          ...shown,
          ...(typical && { inAll: typical.inAll(number), score: typical.score(number) }),
          ...(spelt && { spellings: spelt.map(one => String(numbers.value(one))) }),
        }
      }),
      distinct: listed.length,
    }
  }

  *#counted(
    numbers: ValueNumbers,
    segments: readonly SegmentValues[],
    set: MatchSet,
    countsFor: CountsFor | undefined,
  ): Generator<void, Uint32Array> {
    const counting = new ValueCounts(numbers, countsFor)
    for (const [place, { columns }] of segments.entries()) {
      const bits = set.in(place)
      if (bits) yield* counting.count(bits, columns)
    }
    return yield* counting.finish()
  }

  /** Counts of all documents are kept until one is written. */
  *#inAll(
    { set, state }: WholeSet,
    {
      numbers,
      segments,
      countsFor,
    }: {
      readonly numbers: ValueNumbers
      readonly segments: readonly SegmentValues[]
      readonly countsFor: CountsFor | undefined
    },
  ): Generator<void, Uint32Array> {
    if (!state || countsFor) return yield* this.#counted(numbers, segments, set, countsFor)
    const kept = numbers.countsOf(state)
    if (kept) return kept
    const counts = yield* this.#counted(numbers, segments, set, undefined)
    numbers.keepCounts(state, counts)
    return counts
  }

  /** The values that enough documents have, and that `search` and `parent` select. */
  *#wanted(
    { kind, parent, search, least }: FacetPlan,
    numbers: ValueNumbers,
    counts: Uint32Array,
  ): Generator<void, number[]> {
    const parentOf = (number: number) => this.#tag(numbers.value(number))?.parentId ?? null
    const isBelow = kind === 'tags' && parent !== undefined
    const wanted: number[] = []
    for (let number = 0; number < counts.length; number++) {
      if (number % AT_ONCE === 0) yield
      if (counts[number]! >= least && !(isBelow && parentOf(number) !== parent)) wanted.push(number)
    }
    if (search === undefined) return wanted
    return yield* new ValueSearch(search, this.#fields.query.analyzer).found(wanted, number => {
      const value = numbers.value(number)
      const name = kind === 'tags' ? this.#tag(value)?.name : undefined
      if (kind === 'dates' && typeof value === 'number') return isoOf(value)
      return name === undefined ? String(value) : `${name} ${value}`
    })
  }

  /** A tag also counts for the tags above it. */
  #rollUp(numbers: ValueNumbers): CountsFor {
    const known: number[][] = []
    return number => {
      known[number] ??= [
        number,
        ...(this.#tags?.ancestors(String(numbers.value(number))) ?? []).map(id => numbers.of(id)),
      ]
      return known[number]
    }
  }

  #shown({ kind }: FacetPlan, value: SimpleValue, count: number): FacetValue {
    const name = kind === 'tags' ? this.#tag(value)?.name : undefined
    const shown = kind === 'dates' && typeof value === 'number' ? isoOf(value) : value
    return { value: shown, count, ...(name !== undefined && { name }) }
  }

  #tag(value: SimpleValue): ReturnType<KnownTags['get']> {
    return this.#tags?.get(String(value))
  }
}

const rankOf = (value: SimpleValue): number =>
  typeof value === 'number' ? 0 : typeof value === 'boolean' ? 1 : 2

function compareValues(one: SimpleValue, other: SimpleValue): number {
  return rankOf(one) - rankOf(other) || (one < other ? -1 : one > other ? 1 : 0)
}

/** The order in which the numbers of values are listed. */
function orderOf(
  { sort }: FacetPlan,
  numbers: ValueNumbers,
  { counts, typical }: { readonly counts: Uint32Array; readonly typical: TypicalValues | undefined },
): (one: number, other: number) => number {
  const byValue = (one: number, other: number) => compareValues(numbers.value(one), numbers.value(other))
  if (sort === 'value') return byValue
  const byCount = (one: number, other: number) => counts[other]! - counts[one]! || byValue(one, other)
  return typical ? (one, other) => typical.score(other) - typical.score(one) || byCount(one, other) : byCount
}

const isoOf = (time: number): string => new Date(time).toISOString()

function* rangeOf(
  bounds: Bounds,
  name: string | undefined,
  set: MatchSet,
  numbers: NumbersByPlace,
  read: (value: number) => number | string,
): Generator<void, FacetRange> {
  const { from, to } = bounds
  return {
    ...(name !== undefined && { name }),
    ...(from !== undefined && { from: read(from) }),
    ...(to !== undefined && { to: read(to) }),
    count: yield* countBetween(set, numbers, bounds),
  }
}

function shownStats(
  { min, max, sum, count, mean }: MatchStats,
  { kind }: FacetPlan,
  read: (value: number) => number | string,
): FacetStats {
  const shown = { min: read(min), max: read(max), avg: read(mean) }
  return kind === 'dates' || sum === undefined ? { ...shown, count } : { ...shown, sum, count }
}
