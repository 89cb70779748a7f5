import type { AskedFor, Observation, SearchObservation, ShownHit } from '../../observing/observation.ts'
import type { Asked, CallKind } from './entries.ts'
import type { AnalyzedCall } from './figures.ts'
import { SEPARATOR } from './roll-up.ts'

/** Characters of a text that count. */
const LONGEST_TEXT = 200
/** Characters of a field or value of a condition. */
const LONGEST_VALUE = 100
const LONGEST_ID = 1000
/** What is kept of one call. */
const [MOST_SHOWN, MOST_SHOWN_LENGTH, MOST_ASKED, MOST_DROPPED, MOST_TAGS] = [100, 8_000, 20, 10, 10]
/** Members of a condition that are looked at. */
const MOST_LOOKED_AT = 200

const NONE: readonly never[] = []

/** The part of a call that is observed and counted. */
export type AnalyzedObservation = Extract<Observation, { type: AnalyzedCall }>

/** A call before it is decided what of it may be stored. It holds little of the answer. */
export interface NotedCall {
  readonly kind: CallKind
  readonly at: number
  readonly took: number
  readonly user: string | undefined
  readonly key: string | undefined
  readonly text: string | undefined
  readonly total: number
  readonly corrected: boolean
  readonly dropped: readonly string[]
  readonly asked: readonly Asked[]
  readonly shown: readonly string[]
  readonly first: number
  readonly isCut: boolean
}

/** Non-ASCII characters or consecutive blanks; most texts have neither. */
const unusual = /[^\x20-\x7e]| {2}/

/** A text as it counts: texts that differ only in case, blanks and Unicode forms are one. */
export function foldedText(text: string): string {
  const begun =
    text.length > LONGEST_TEXT ? copied(cut(text.slice(0, 4 * LONGEST_TEXT).trim(), LONGEST_TEXT)) : text
  const one = unusual.test(begun) ? begun.normalize('NFC').replace(/\s+/g, ' ') : begun
  const folded = one.toLowerCase().trim()
  return folded.includes(SEPARATOR) ? folded.replaceAll(SEPARATOR, ' ').trim() : folded
}

export function notedCall(observation: AnalyzedObservation): NotedCall {
  const { ids, count, first, total } = answeredWith(observation)
  const { at, took, context } = observation
  const kind = kindOf(observation)
  const shown: string[] = []
  let length = 0
  for (const id of ids) {
    length += id.length
    if (length > MOST_SHOWN_LENGTH) break
    shown.push(id)
  }
  const text = 'text' in observation && observation.text !== undefined ? foldedText(observation.text) : ''
  const search = observation.type === 'search' ? observation : undefined
  return {
    kind,
    at,
    took,
    user: context?.user,
    key: context?.key,
    text: text === '' ? undefined : text,
    total,
    corrected: search !== undefined && isCorrected(search),
    dropped:
      search && search.relaxed.length > 0 ? search.relaxed.slice(0, MOST_DROPPED).map(foldedText) : NONE,
    asked: observation.type === 'search' || observation.type === 'list' ? askedOf(observation) : NONE,
    shown,
    first,
    isCut: shown.length < count,
  }
}

function kindOf({ type: call, service, context }: AnalyzedObservation): CallKind {
  const given = context?.tags
  if (!service && !given?.length) return { call }
  const tags = given && given.length > 1 ? [...new Set(given.slice(0, MOST_TAGS))].sort() : [...(given ?? [])]
  if (!service) return { call, tags }
  return tags.length > 0 ? { call, service: service.id, tags } : { call, service: service.id }
}

/** The first ids that were shown, how many there are, the place of the first, and how many match. */
interface AnsweredWith {
  readonly ids: readonly string[]
  readonly count: number
  readonly first: number
  readonly total: number
}

function answeredWith(observation: AnalyzedObservation): AnsweredWith {
  switch (observation.type) {
    case 'search':
    case 'list':
      return ofHits(observation.hits, observation.total.count)
    case 'similar':
      return ofHits(observation.hits, observation.hits.length)
    case 'completion':
      return ofTexts(observation.completions.map(({ text }) => text))
    case 'recommendation':
      return ofTexts(observation.recommended.map(({ tagId }) => tagId))
  }
}

function ofHits(hits: readonly ShownHit[], total: number): AnsweredWith {
  const ids: string[] = []
  for (let i = 0; i < hits.length && i < MOST_SHOWN; i++) ids.push(hits[i]!.id)
  return { ids, count: hits.length, first: hits[0]?.place ?? 1, total }
}

function ofTexts(texts: readonly string[]): AnsweredWith {
  const ids = texts
    .slice(0, MOST_SHOWN)
    .map(text => (text.length > LONGEST_ID ? copied(cut(text, LONGEST_ID)) : text))
  return { ids, count: texts.length, first: 1, total: texts.length }
}

const isCorrected = ({ words, corrections }: SearchObservation): boolean =>
  words.some(({ suggestion }) => suggestion !== undefined) || (corrections?.length ?? 0) > 0

function askedOf({ filter, tags, facets, sort }: AskedFor): readonly Asked[] {
  if (filter === undefined && !tags?.length && !facets?.length && !sort?.length) return NONE
  const asked: Asked[] = []
  for (const field of facets ?? []) asked.push(['facet', named(field), null])
  for (const tag of tags ?? []) asked.push(['tag', '', named(tag)])
  for (const order of sort ?? []) {
    const at = order.lastIndexOf(':')
    asked.push([
      'sort',
      named(at < 0 ? order : order.slice(0, at)),
      at < 0 ? 'asc' : named(order.slice(at + 1)),
    ])
  }
  for (const [field, value] of conditionsIn(filter)) asked.push(['filter', named(field), named(value)])
  return asked.slice(0, MOST_ASKED)
}

/** How comparisons are written for people; others are written with their names. */
const relations = new Map([
  ['eq', ''],
  ['ne', 'not '],
  ['lt', '< '],
  ['lte', '<= '],
  ['gt', '> '],
  ['gte', '>= '],
  ['in', ''],
  ['nin', 'not '],
])

/** The fields and values of a condition, whatever its form: a query string, an object of conditions, or a list of these. */
function conditionsIn(filter: unknown): [field: string, value: string][] {
  const found: [string, string][] = []
  let looked = 0
  const look = (value: unknown, field: string, relation: string): void => {
    if (++looked > MOST_LOOKED_AT || found.length === MOST_ASKED || value === undefined) return
    if (Array.isArray(value)) for (const one of value.slice(0, MOST_LOOKED_AT)) look(one, field, relation)
    else if (value instanceof Date) found.push([field, relation + value.toJSON()])
    else if (typeof value === 'object' && value !== null) lookInto(value, field, relation)
    else found.push([field, relation + String(value).slice(0, 2 * LONGEST_VALUE)])
  }
  const lookInto = (value: object, field: string, relation: string): void => {
    for (const name in value) {
      if (looked > MOST_LOOKED_AT || !Object.hasOwn(value, name)) return
      const inner: unknown = Reflect.get(value, name)
      if (field !== '') {
        if (name === 'between' && Array.isArray(inner)) look(inner.slice(0, 2).join(' to '), field, relation)
        else look(inner, field, relation + (relations.get(name) ?? `${name} `))
      } else if (Array.isArray(inner) && (name === 'and' || name === 'or' || name === 'not'))
        look(inner, '', name === 'not' ? `${relation}not ` : relation)
      else look(inner, name, relation)
    }
  }
  look(filter, '', '')
  return found
}

const named = (text: string): string => copied(cut(text, LONGEST_VALUE)).replaceAll(SEPARATOR, ' ')

/** The first characters of a text; no pair of surrogates is cut. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const isPair = (text.charCodeAt(length) & 0xfc00) === 0xdc00
  return text.slice(0, isPair ? length - 1 : length)
}

/** A substring keeps the whole text in memory; a copy does not. */
const copied = (text: string): string =>
  text.length < 13 ? text : Buffer.from(text, 'utf16le').toString('utf16le')
