import type { Analyzer } from '../analysis/analyzer.ts'
import { didYouMean } from '../nearest-name.ts'

/**
 * What a query may ask of a field. `any` may hold everything: there, what looks like a number is also compared with numbers;
 * numbers count as words only if the field is searched. Objects, files and vectors can only be asked with `_exists_`.
 */
export type QueryFieldType = 'text' | 'number' | 'date' | 'boolean' | 'any' | 'object' | 'file' | 'vector'

/** Whether values have no columns, and cannot be counted or ordered by. */
export const isOpaque = (type: QueryFieldType | undefined): boolean => type === 'file' || type === 'vector'

export interface QueryField {
  readonly type: QueryFieldType
  /** Whether words without a field are looked for in it. */
  readonly searched: boolean
  /** For dates: a document's value in milliseconds since 1970. */
  readonly time?: (value: string | number) => number | undefined
  /** For dates: the first or last millisecond of the period that a text in a query names. */
  readonly moment?: (text: string, last: boolean) => number | undefined
}

/** The fields of a dataset, which give queries their types. Elements of lists count as the field itself. */
export interface QueryFields {
  find(path: string): QueryField | undefined
  /** For error messages: the known fields, as dotted paths. */
  readonly names: readonly string[]
  /** Where words without a field are looked for, as dotted paths. */
  readonly searched: readonly string[]
  /** Splits texts into words; its stemming does not matter. */
  readonly analyzer: Analyzer
  /** Whether texts with markup are read as the text that they show. */
  readonly markup: boolean
}

const mostListed = 20

/** What errors say is expected in place of an unknown field: the known names, and the one that was likely meant. */
export function knownFields(name: string, { names }: QueryFields): string {
  const listed = names.slice(0, mostListed).join(', ')
  const more = names.length > mostListed ? ` and ${names.length - mostListed} more` : ''
  return `one of the fields ${listed}${more}${didYouMean(name, names)}`
}

const longestNumber = 400

/** A finite decimal number, or undefined. */
export function numberIn(text: string): number | undefined {
  if (text.length === 0 || text.length > longestNumber || !/^[-+.\deE]+$/.test(text)) return undefined
  const number = Number(text)
  return Number.isFinite(number) ? number + 0 : undefined
}
