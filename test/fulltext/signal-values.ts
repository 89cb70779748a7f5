import { columnOf, type Signal, type SignalWeight } from '../../src/fulltext/ranking/signal-factors.ts'
import type { ColumnValue } from '../../src/fulltext/segments/columns/columns.ts'

/** Signals on columns of their own. */
export const inColumns = (weights: readonly SignalWeight[]): Signal[] =>
  weights.map((weight, i) => ({ ...weight, column: `signal${i}` }))

/** What a document has for them: a number each, NaN where it has none. */
export const valuesFor = (signals: readonly Signal[], numbers: readonly number[]): ColumnValue[] =>
  numbers.flatMap((value, i) => (Number.isNaN(value) ? [] : [{ ...columnOf(signals[i]!), value }]))
