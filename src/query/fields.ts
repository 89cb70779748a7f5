import type { Analyzer } from '../analysis/analyzer.ts'
import { didYouMean } from '../nearest-name.ts'

/**
 * What a query may ask of a field. `any` may hold everything: what looks like a number is compared with
 * numbers there, too; numbers are words there only where the field is searched. Of objects and files only `_exists_` can be asked.
 */
export type QueryFieldType = 'text' | 'number' | 'date' | 'boolean' | 'any' | 'object' | 'file'

export interface QueryField {
  readonly type: QueryFieldType
  /** Whether words without a field are looked for in it. */
  readonly searched: boolean
  /** Of dates: milliseconds since 1970 of a value of a document. */
  readonly time?: (value: string | number) => number | undefined
  /** Of dates: the first or last millisecond that a text in a query names. */
  readonly moment?: (text: string, last: boolean) => number | undefined
}

/** The fields of a dataset, by which queries are typed. Elements of lists count as the field itself. */
export interface QueryFields {
  find(path: string): QueryField | undefined
  /** For errors: those that are known, as dotted paths. */
  readonly names: readonly string[]
  /** Where words without a field are looked for, as dotted paths. */
  readonly searched: readonly string[]
  /** Makes words of texts; what it stems to does not matter. */
  readonly analyzer: Analyzer
  /** Whether texts are read as what they show, if they have markup. */
  readonly markup: boolean
}

const mostListed = 20

/** What is expected where a field is not known: the names there are, and the one that was likely meant. */
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
