import type { GeoArea } from '../geo/area.ts'

/**
 * Which documents are meant: the one syntax tree that query strings and where objects are parsed into, and that is evaluated on
 * a document or on an index. Built with `every`, `any`, `not` and `boosted` it is in normal form: no `every` is a direct member
 * of an `every` and no `any` of an `any`, both have at least two members, nothing is negated twice, and
 * `everything` occurs only as the last member of an `any`, whose other members then only count in the ranking.
 */
export type Query = Everything | Nothing | Every | Any | Not | Boosted | Leaf

/** A question about one field; a `field` of null stands for all searched fields, any of which may answer. */
export type Leaf = Word | WordSequence | Pattern | Near | Value | Contains | Range | Exists | Inside

export interface Everything {
  readonly kind: 'everything'
}

export interface Nothing {
  readonly kind: 'nothing'
}

/** All members must match. */
export interface Every {
  readonly kind: 'every'
  readonly of: readonly Query[]
}

/** At least one member must match; the more of them do, the higher a document ranks. */
export interface Any {
  readonly kind: 'any'
  readonly of: readonly Query[]
}

export interface Not {
  readonly kind: 'not'
  readonly of: Query
}

/** Multiplies the weight in the ranking; matches the same documents. */
export interface Boosted {
  readonly kind: 'boosted'
  readonly of: Query
  readonly by: number
}

/** A word as the analyzer returns it: folded, not stemmed. */
export interface Word {
  readonly kind: 'word'
  readonly field: string | null
  readonly word: string
}

/** Words of one field in this order, with at most `slop` other words between them, over all gaps. */
export interface WordSequence {
  readonly kind: 'words'
  readonly field: string | null
  readonly words: readonly string[]
  readonly slop: number
}

/** A word of this form: `*` stands for any characters, `?` for one. Everything else is letters, digits and their marks. */
export interface Pattern {
  readonly kind: 'pattern'
  readonly field: string | null
  readonly pattern: string
}

/** A word within this edit distance (insert, delete, substitute, transpose). */
export interface Near {
  readonly kind: 'near'
  readonly field: string | null
  readonly word: string
  readonly edits: 1 | 2
}

/** The value itself, or one element of a list; texts must be equal as a whole, character by character. */
export interface Value {
  readonly kind: 'value'
  readonly field: string
  readonly value: string | number | boolean
}

/** A text of the field contains these characters exactly. */
export interface Contains {
  readonly kind: 'contains'
  readonly field: string
  readonly text: string
}

/**
 * `numbers`: of a number field, or any JSON numbers. `times`: of a date field, in milliseconds since 1970. `texts`: whole
 * texts, compared by code units. `words`: words of the text, folded, by code units.
 */
export type Range =
  | RangeOver<'numbers' | 'times', string, number>
  | RangeOver<'texts', string, string>
  | RangeOver<'words', string | null, string>

interface RangeOver<O extends string, F extends string | null, V> {
  readonly kind: 'range'
  readonly over: O
  readonly field: F
  /** At least one of the two bounds is given. */
  readonly from: Bound<V> | null
  readonly to: Bound<V> | null
}

export interface Bound<V> {
  readonly value: V
  readonly inclusive: boolean
}

/** The field has a value: not null, nor an empty list or one of nothing but nulls, nor an empty object. */
export interface Exists {
  readonly kind: 'exists'
  readonly field: string
}

/** A point of the field lies in this area. */
export interface Inside {
  readonly kind: 'inside'
  readonly field: string
  readonly area: GeoArea
}

export const everything: Everything = { kind: 'everything' }
export const nothing: Nothing = { kind: 'nothing' }

/** All members must match; `everything` where there are none. */
export function every(members: readonly Query[]): Query {
  let of: Query[] = []
  const optional: Query[] = []
  for (const member of members) {
    if (member.kind === 'nothing') return nothing
    const last = member.kind === 'every' ? member.of.at(-1)! : member
    if (isOptional(last)) optional.push(last)
    if (member.kind === 'every')
      of = appended(of, last === optional.at(-1) ? member.of.slice(0, -1) : member.of)
    else if (member.kind !== 'everything' && last !== optional.at(-1)) of.push(member)
  }
  // All optional members become one, so that each tree has one form.
  if (optional.length > 0) of.push(any(optional))
  return of.length > 1 ? { kind: 'every', of } : (of[0] ?? everything)
}

/** At least one member must match; `nothing` where there are none. */
export function any(members: readonly Query[]): Query {
  let of: Query[] = []
  let isAlways = false
  for (const member of members) {
    if (member.kind === 'everything' || isOptional(member)) isAlways = true
    if (member.kind === 'any') {
      const { of: list } = member
      of = appended(of, isOptional(member) ? list.slice(0, -1) : list)
    } else if (member.kind !== 'everything' && member.kind !== 'nothing') of.push(member)
  }
  if (isAlways) of.push(everything)
  return of.length > 1 ? { kind: 'any', of } : (of[0] ?? nothing)
}

/** A long list is copied as a whole, because it may be passed up through every level of a query. */
function appended(list: Query[], more: readonly Query[]): Query[] {
  if (more.length > list.length) return list.concat(more)
  for (const one of more) list.push(one)
  return list
}

/** Whether it matches everything and only counts in the ranking. */
export const isOptional = (query: Query): query is Any =>
  query.kind === 'any' && query.of.at(-1)!.kind === 'everything'

export function not(query: Query): Query {
  if (query.kind === 'not') return query.of
  if (query.kind === 'boosted') return not(query.of) // a negated query has no score
  if (query.kind === 'nothing') return everything
  return query.kind === 'everything' || isOptional(query) ? nothing : { kind: 'not', of: query }
}

/** @param by 0 or more */
export function boosted(query: Query, by: number): Query {
  if (query.kind === 'boosted') return boosted(query.of, Math.min(Number.MAX_VALUE, query.by * by))
  const scores = query.kind !== 'not' && query.kind !== 'everything' && query.kind !== 'nothing'
  return by === 1 || !scores ? query : { kind: 'boosted', of: query, by }
}
