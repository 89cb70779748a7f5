import { type Column, type Entries, NumberColumn, TextColumn } from './column.ts'
import { GrowingTexts, mergeTexts, textArrays } from './texts.ts'
import {
  type ColumnArray,
  type ColumnArrayType,
  GrowingNumbers,
  type GrowingValues,
  type KeptValues,
  mergeNumbers,
  type NumberArrayType,
} from './values.ts'

/** Everything that is specific to a kind of column. */
interface ColumnKind<C extends Column> {
  /** The types of its arrays; the first array has one element for each value. */
  readonly arrays: readonly ColumnArrayType[]
  growing(): GrowingValues
  merge(sources: readonly KeptValues[]): ColumnArray[]
  view(entries: Entries, arrays: readonly ColumnArray[]): C
}

/** In UTF-16 units. Longer texts are not names, codes or colors: they are neither counted nor sorted by. */
export const LONGEST_TEXT = 128

/** What columns can hold. A new kind needs its line here; the code that grows, merges and stores columns reads this table. */
export const columnKinds = {
  number: numbers(Float64Array),
  /** Milliseconds since 1970. */
  date: numbers(Float64Array),
  /** 1 for true, 0 for false. */
  boolean: numbers(Uint8Array),
  text: texts(LONGEST_TEXT),
  /** Ids of tags, which have a limit of their own. */
  tags: texts(Number.POSITIVE_INFINITY),
} satisfies Record<string, ColumnKind<Column>>

export type Kind = keyof typeof columnKinds
export const kindNames = Object.keys(columnKinds) as readonly Kind[]
export type ColumnOf<K extends Kind> = ReturnType<(typeof columnKinds)[K]['view']>

function numbers(Values: NumberArrayType): ColumnKind<NumberColumn> {
  return {
    arrays: [Values],
    growing: () => new GrowingNumbers(Values),
    merge: sources => mergeNumbers(Values, sources),
    view: (entries, arrays) => new NumberColumn(entries, arrays),
  }
}

function texts(longest: number): ColumnKind<TextColumn> {
  return {
    arrays: textArrays,
    growing: () => new GrowingTexts(longest),
    merge: mergeTexts,
    view: (entries, arrays) => new TextColumn(entries, arrays),
  }
}
