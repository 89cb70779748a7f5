import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { FieldContent } from './field-content.ts'
import { type FieldRole, fieldRoles, nameFit } from './field-names.ts'

/** What the examined documents have at one dotted path. */
export interface FieldFacts {
  readonly path: string
  readonly content: FieldContent
  /** Whether it leads through a list of objects. */
  readonly isInList: boolean
  /** How many of its texts have each separator of paths. */
  readonly separators: Map<string, number>
  /** Documents that have it. */
  documents: number
}

/** The field in each role; null for none. */
export type FieldRoles = Record<FieldRole, string | null>

/** Between the names of a path, the likelier first. */
const pathSeparators = ['>', '»', '→', '/', '\\', '|'] as const

const mostFields = 2000
const deepestLooked = 6
/** Of a list. */
const mostEntries = 20

/** What documents have, field by field, in the order in which they were first seen. */
export class FieldSurvey {
  readonly #fields = new Map<string, FieldFacts>()
  readonly #only: ReadonlySet<string> | undefined
  documents = 0

  /** @param only paths to examine, the first 2,000 at most. Default all, with the same limit */
  constructor(only?: ReadonlySet<string>) {
    this.#only = only
  }

  add(document: JsonObject): void {
    this.documents++
    this.#addMembers(document, '', false, 1)
  }

  get fields(): FieldFacts[] {
    return [...this.#fields.values()]
  }

  #addMembers(object: JsonObject, prefix: string, isInList: boolean, depth: number): void {
    if (depth > deepestLooked) return
    for (const name of Object.keys(object)) {
      if (name === '' || name.includes('.')) continue
      this.#addValue(object[name]!, prefix + name, isInList, depth)
    }
  }

  #addValue(value: JsonValue, path: string, isInList: boolean, depth: number): void {
    if (path.length > longestSurveyed) return
    if (Array.isArray(value)) {
      for (const one of value.slice(0, mostEntries))
        this.#addValue(one, path, isInList || isJsonObject(one), depth + 1)
    } else if (isJsonObject(value)) this.#addMembers(value, `${path}.`, isInList, depth + 1)
    else if (typeof value === 'string' || typeof value === 'number')
      this.#addText(String(value), path, isInList)
  }

  #addText(text: string, path: string, isInList: boolean): void {
    let facts = this.#fields.get(path)
    if (!facts) {
      if (this.#fields.size === mostFields || this.#only?.has(path) === false) return
      facts = { path, content: new FieldContent(), isInList, separators: new Map(), documents: 0 }
      this.#fields.set(path, facts)
    }
    facts.content.add(text)
    facts.documents = this.documents
    if (text.length <= longestSurveyed) countSeparators(text, facts.separators)
  }
}

/** Maximum number of characters of a path of tags, and of a path of names: settings do not allow longer ones. */
export const longestSurveyed = 500

function countSeparators(text: string, counts: Map<string, number>): void {
  for (const separator of pathSeparators) {
    const at = text.indexOf(separator)
    if (at > 0 && at < text.length - 1) counts.set(separator, (counts.get(separator) ?? 0) + 1)
  }
}

/** What stands between the names of the paths that a field has; undefined where it has none. */
export function separatorOf({ content, separators }: FieldFacts): string | undefined {
  const often = (separator: string) => (separators.get(separator) ?? 0) >= content.filled * 0.3
  return pathSeparators.find(often)
}

/** Guesses what fields are for, by their names and by what they have. */
export function* guessRoles(fields: readonly FieldFacts[], documents: number): Generator<void, FieldRoles> {
  const roles = Object.fromEntries(fieldRoles.map(role => [role, null])) as FieldRoles
  const left = new Set(fields)
  function* give(role: FieldRole, scoreOf: (field: FieldFacts) => number): Generator<void> {
    let best: { field: FieldFacts; fit: number } | undefined
    for (const field of left) {
      yield
      const found = scoreOf(field) - (field.isInList ? 0.1 : 0)
      if (found > 0.1 && found > (best?.fit ?? 0)) best = { field, fit: found }
    }
    if (!best) return
    left.delete(best.field)
    roles[role] = best.field.path
  }
  yield* give('id', field => idFit(field, documents, fields))
  yield* give('category', categoryFit)
  yield* give('title', titleFit)
  yield* give('price', priceFit)
  yield* give('stock', ({ path, content }) => (isNumeric(content) ? nameFit(lastName(path), 'stock') : 0))
  yield* give('brand', ({ path, content }) =>
    content.share('words') > 0.5 ? nameFit(lastName(path), 'brand') : 0,
  )
  yield* give('code', codeFit)
  yield* give('address', ({ path, content }) =>
    content.share('address') > 0.7 ? 0.5 + nameFit(lastName(path), 'address') : 0,
  )
  yield* give('date', ({ path, content }) =>
    content.share('date') > 0.7 ? 0.5 + nameFit(lastName(path), 'date') : 0,
  )
  yield* give('text', textFit)
  return roles
}

export const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1)

const isNumeric = (content: FieldContent): boolean => content.share('whole', 'decimal') > 0.7

/** Some may be missing, and some twice. */
function idFit(
  { path, content, isInList }: FieldFacts,
  documents: number,
  fields: readonly FieldFacts[],
): number {
  const isWord = content.phrases < 0.1 && content.share('decimal', 'date', 'address') < 0.1
  const isFilled = content.filled >= 0.7 * documents
  if (!isWord || !isFilled || isInList || content.repetition > 0.3 || content.length > 64) return 0
  const name = lastName(path)
  const fit = nameFit(name, 'id') - (path.includes('.') ? 0.3 : 0)
  const isOther = othersThanId.some(role => nameFit(name, role) > fit)
  if (fit > 0) return isOther ? fit / 2 : fit
  // Without the name of one: the first, if it numbers what there is.
  const isFirst = fields[0]?.path === path
  const isUnique = content.repetition === 0 && content.filled === documents && content.filled >= 20
  return isFirst && isUnique && !isOther && content.share('whole', 'code') > 0.95 ? 0.2 : 0
}

const othersThanId = ['code', 'price', 'stock', 'date', 'brand', 'category'] as const

/** Mostly words, and not the same ones again and again. */
function titleFit({ path, content }: FieldFacts): number {
  if (content.share('words') < 0.6) return 0
  const name = lastName(path)
  const named = nameFit(path, 'title')
  if (othersThanTitle.some(role => nameFit(name, role) > named)) return 0
  const phrase = content.phraseLength
  const isTitleLong = phrase !== undefined && phrase >= 6 && phrase <= 150
  const looks = isTitleLong ? 0.2 + 0.2 * content.phrases * (1 - content.repetition) : 0
  return named > 0 ? 0.5 + named : looks
}

const othersThanTitle = ['text', 'category', 'brand', 'stock', 'price', 'date', 'address'] as const

function textFit({ path, content }: FieldFacts): number {
  if (content.share('words') < 0.6) return 0
  return nameFit(lastName(path), 'text') + (content.length > 60 ? 0.4 : 0)
}

function priceFit({ path, content }: FieldFacts): number {
  const fit = nameFit(lastName(path), 'price')
  if (!isNumeric(content)) return 0
  return Math.max(fit, content.share('decimal') > 0.5 ? content.currencies * 0.5 : 0)
}

function categoryFit(field: FieldFacts): number {
  const { path, content, separators } = field
  if (content.share('words') < 0.6 || content.length > 200) return 0
  const isRepeated = content.filled < 20 || content.repetition > 0.3
  const named = isRepeated ? nameFit(lastName(path), 'category') : 0
  const paths = (separators.get('>') ?? 0) / content.filled
  const isPath = isRepeated && paths > 0.5
  return named + (isPath ? 0.5 : 0)
}

function codeFit({ path, content }: FieldFacts): number {
  const isCode = content.share('code') > 0.7 || (content.share('whole', 'code') > 0.7 && content.areNumerals)
  const named = nameFit(lastName(path), 'code')
  if (content.share('whole', 'code') < 0.5 || content.phrases > 0.5) return 0
  return named + (isCode && content.repetition < 0.3 ? 0.3 : 0)
}

/** How a field is searched by default. */
export type SearchUse = 'words' | 'exact' | 'none'

/** From this number of values on, they are better evidence about a field than its name. */
const telling = 20

/**
 * Numbers, dates and addresses are not searched as words; codes, and whole numbers that may be some, are found as they are.
 * A field with the name of a title is one, unless many values say otherwise.
 */
export function searchUse({ path, content }: FieldFacts): SearchUse {
  if (content.filled === 0) return 'words'
  const name = lastName(path)
  if (content.filled < telling && nameFit(path, 'title') > 0.9) return 'words'
  if (content.share('address') > 0.7 || content.share('date') > 0.7) return 'none'
  if (content.share('whole', 'decimal', 'date', 'address') > 0.7 && content.share('decimal') > 0.1)
    return 'none'
  if (content.share('whole', 'code') <= 0.7) return 'words'
  const isCounted = nameFit(name, 'stock') > 0 || nameFit(name, 'price') > 0 || nameFit(name, 'date') > 0
  if (isCounted && content.share('whole') > 0.7 && !content.areNumerals) return 'none'
  return content.filled < telling ? 'words' : 'exact'
}
