import { First } from '../../arrays/first.ts'
import type {
  AnalyticsOverview,
  AnalyticsSuggestions,
  CallFigures,
  FigureList,
  FilterFigures,
  HitFigures,
  HitMeasure,
  QueryFigures,
  QueryListKind,
} from './figures.ts'
import type { Tallies } from './frequent-rows.ts'
import {
  CALLS,
  CLICKED,
  CLICKS,
  CONVERSIONS,
  CORRECTED,
  type CountedCalls,
  HIT_CLICKS,
  HIT_CONVERSIONS,
  HIT_PLACED,
  HIT_PLACES,
  HIT_VALUE,
  HIT_VIEWS,
  PLACED,
  PLACES,
  RECIPROCALS,
  RELAXED,
  type RollUp,
  SEPARATOR,
  SHOWN,
  type TableName,
  TOTALS,
  VALUE,
  VIEWS,
  WITH_FEW,
  WITHOUT_HITS,
} from './roll-up.ts'

/** Maximum number of next texts reported for a query. */
const MOST_NEXT = 5
/** Number of first positions at which a hit need not be pinned. */
const EARLY_PLACES = 3

const share = (part: number, of: number): number | null => (of > 0 ? part / of : null)

export function callFigures(tally: Readonly<Tallies>): CallFigures {
  const at = (number: number) => tally[number] ?? 0
  return {
    calls: at(CALLS),
    withoutHits: at(WITHOUT_HITS),
    corrected: at(CORRECTED),
    relaxed: at(RELAXED),
    clicked: at(CLICKED),
    clicks: at(CLICKS),
    views: at(VIEWS),
    conversions: at(CONVERSIONS),
    value: at(VALUE),
    meanPlace: share(at(PLACES), at(PLACED)),
    // Of the first clicks alone.
    meanReciprocalRank: share(at(RECIPROCALS), at(CLICKED)),
  }
}

/** @param calls undefined if there were none */
export function overviewOf(
  calls: CountedCalls | undefined,
  isCrowded: boolean,
  lost: number,
): AnalyticsOverview {
  const figures = callFigures(calls?.tally ?? [])
  const { calls: all, withoutHits, corrected, relaxed, clicked } = figures
  const quantile = (of: number) => calls?.latencies.quantile(of) ?? null
  return {
    ...figures,
    users: calls?.users.result ?? { count: 0, exact: true },
    shares: {
      withoutHits: share(withoutHits, all),
      corrected: share(corrected, all),
      relaxed: share(relaxed, all),
      clicked: share(clicked, all),
    },
    latency: { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) },
    exact: !isCrowded,
    lost,
  }
}

/** The measure by which each list of queries is sorted; texts with 0 or less are left out, ties are sorted by frequency. */
const measures: Readonly<Record<QueryListKind, (tally: Readonly<Tallies>) => number>> = {
  top: tally => tally[CALLS]!,
  withoutHits: tally => tally[WITHOUT_HITS]!,
  withFew: tally => tally[WITH_FEW]!,
  corrected: tally => tally[CORRECTED]!,
  relaxed: tally => tally[RELAXED]!,
  neverClicked: tally => (tally[CLICKS]! > 0 ? 0 : tally[CALLS]! - tally[WITHOUT_HITS]!),
  lateClicks: tally => (tally[PLACED]! > 0 ? tally[PLACES]! / tally[PLACED]! - 1 : 0),
}

type Ranked = readonly [label: string, tally: Readonly<Tallies>]

/** The first rows by a measure, then by their first number, then by name. */
function firstRows(
  rows: Iterable<Ranked>,
  limit: number,
  measure: (tally: Readonly<Tallies>, label: string) => number,
): Ranked[] {
  const first = new First<readonly [...Ranked, measured: number]>(
    limit,
    (a, b) => b[2] - a[2] || b[1][0]! - a[1][0]! || (a[0] < b[0] ? -1 : 1),
  )
  for (const [label, tally] of rows) {
    const measured = measure(tally, label)
    if (measured > 0) first.offer([label, tally, measured])
  }
  return first.sorted().map(([label, tally]) => [label, tally])
}

export function queriesOf(rollUp: RollUp, kind: QueryListKind, limit: number): FigureList<QueryFigures> {
  const rows = firstRows(rollUp.rows('texts'), limit, measures[kind])
  const next = nextOf(rollUp, new Set(rows.map(([text]) => text)))
  return listed(
    rollUp,
    'texts',
    rows.map(([text, tally]) => ({
      text,
      ...callFigures(tally),
      withFew: tally[WITH_FEW]!,
      meanTotal: tally[CALLS]! > 0 ? tally[TOTALS]! / tally[CALLS]! : 0,
      next: next.get(text) ?? [],
    })),
  )
}

/** What was typed after each of the texts. */
function nextOf(rollUp: RollUp, texts: ReadonlySet<string>): Map<string, QueryFigures['next']> {
  const next = new Map<string, QueryFigures['next']>()
  for (const [label, [times = 0]] of rollUp.rows('next')) {
    const [from, to] = pairIn(label)
    if (!texts.has(from) || times <= 0) continue
    const list = next.get(from) ?? []
    list.push({ text: to, times })
    next.set(from, list)
  }
  for (const list of next.values()) {
    list.sort((a, b) => b.times - a.times || (a.text < b.text ? -1 : 1))
    list.length = Math.min(list.length, MOST_NEXT)
  }
  return next
}

const hitMeasures: Readonly<Record<HitMeasure, (tally: Readonly<Tallies>) => number>> = {
  seen: tally => tally[SHOWN]! + tally[HIT_CLICKS]!,
  clicks: tally => tally[HIT_CLICKS]!,
  views: tally => tally[HIT_VIEWS]!,
  conversions: tally => tally[HIT_CONVERSIONS]!,
  value: tally => tally[HIT_VALUE]!,
}

export function hitFiguresOf(rollUp: RollUp, by: HitMeasure, limit: number): FigureList<HitFigures> {
  const rows = firstRows(rollUp.rows('hits'), limit, hitMeasures[by])
  return listed(
    rollUp,
    'hits',
    rows.map(([id, tally]) => ({
      id,
      shown: tally[SHOWN]!,
      clicks: tally[HIT_CLICKS]!,
      views: tally[HIT_VIEWS]!,
      conversions: tally[HIT_CONVERSIONS]!,
      value: tally[HIT_VALUE]!,
      meanPlace: share(tally[HIT_PLACES]!, tally[HIT_PLACED]!),
    })),
  )
}

export function filtersOf(rollUp: RollUp, limit: number): FigureList<FilterFigures> {
  const rows = firstRows(rollUp.rows('filters'), limit, ([calls = 0]) => calls)
  return listed(
    rollUp,
    'filters',
    rows.map(([label, [calls = 0]]) => {
      const [kind, field = '', value = null] = label.split(SEPARATOR)
      return { kind: kind as FilterFigures['kind'], field, value, calls } // as it was counted
    }),
  )
}

/** What to do with one dataset. */
export function suggestionsOf(
  rollUp: RollUp,
  dataset: string,
  { atLeast, limit }: { atLeast: number; limit: number },
): AnalyticsSuggestions {
  const enough = (count: number) => (count >= atLeast ? count : 0)
  const texts = new Map(rollUp.rows('texts'))
  const found = (label: string) => {
    const typed = texts.get(pairIn(label)[0])
    return typed ? typed[CLICKED]! : 0
  }
  return {
    synonyms: firstRows(rollUp.rows('next'), limit, ([, clicked = 0], label) =>
      // A text that is itself clicked more often needs no other.
      clicked > found(label) ? enough(clicked) : 0,
    ).map(([label, [, times = 0]]) => {
      const [typed, meant] = pairIn(label)
      return { dataset, typed, meant, times }
    }),
    missing: firstRows(texts, limit, tally =>
      2 * tally[WITHOUT_HITS]! > tally[CALLS]! ? enough(tally[WITHOUT_HITS]!) : 0,
    ).map(([text, tally]) => ({
      dataset,
      text,
      withoutHits: tally[WITHOUT_HITS]!,
      calls: tally[CALLS]!,
    })),
    stopWords: firstRows(rollUp.rows('dropped'), limit, ([times = 0]) => enough(times)).map(
      ([word, [dropped = 0]]) => ({ dataset, word, dropped }),
    ),
    pins: firstRows(rollUp.rows('choices'), limit, ([clicks = 0, places = 0]) =>
      clicks > 0 && places / clicks > EARLY_PLACES ? enough(clicks) : 0,
    ).map(([label, [clicks = 0, places = 0]]) => {
      const [text, id] = pairIn(label)
      return { dataset, text, id, clicks, meanPlace: places / clicks }
    }),
  }
}

function listed<Row>(rollUp: RollUp, name: TableName, rows: Row[]): FigureList<Row> {
  const { missed } = rollUp.table(name)
  return { rows, exact: missed === 0 && !rollUp.isCrowded, missed }
}

/** Ids may hold the separator, texts do not. */
function pairIn(label: string): [string, string] {
  const at = label.indexOf(SEPARATOR)
  return [label.slice(0, at), label.slice(at + 1)]
}
